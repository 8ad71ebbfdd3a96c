"""Drift: no alarm for an unchanged judge over many looks, an alarm for one that got worse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from fiducial.calibration.arrays import BoolArray, FloatArray
from fiducial.calibration.intervals.clustered_rates import certified_rate
from fiducial.calibration.monitoring import drift
from fiducial.calibration.monitoring.drift import (
    drift_evidence,
    drift_power,
    first_alarm,
    first_drop,
    paired_drops,
)
from fiducial.calibration.monitoring.look_levels import look_levels

LEVELS = look_levels(20)


def looks(chance: np.random.Generator, rightness: FloatArray, count: int) -> list[FloatArray]:
    return [(chance.random(len(rightness)) < rightness).astype(np.float64) for _ in range(count)]


def test_anchors_of_uneven_difficulty_raise_no_more_false_alarms_than_allowed_over_all_looks():
    chance = np.random.default_rng(0)
    rightness = np.array([1.0] * 60 + [0.5] * 40)  # 0.8 on average, exactly what is accepted
    alarms = sum(
        first_alarm(drift_evidence(looks(chance, rightness, 30), 0.8)) is not None for _ in range(400)
    )
    assert alarms / 400 <= 0.05


def test_a_drop_is_found_within_a_few_looks():
    chance = np.random.default_rng(1)
    rightness = np.full(100, 0.7)
    alarms = [first_alarm(drift_evidence(looks(chance, rightness, 5), 0.8)) for _ in range(100)]
    assert sum(alarm is not None for alarm in alarms) >= 90


def test_a_better_judge_is_no_drift():
    assert first_alarm(drift_evidence([np.ones(100)] * 20, 0.8)) is None


def test_evidence_is_the_mean_over_stakes_of_products_over_anchors():
    right = np.array([1.0, 0.0, 1.0])
    stakes: list[float] = np.linspace(0.05, 0.95, 19).tolist()
    wealth = [float(np.prod(1 - stake * (right - 0.5) / 0.5)) for stake in stakes]
    assert drift_evidence([right], 0.5)[0] == pytest.approx(np.mean(wealth))


def test_very_strong_evidence_stays_finite():
    assert np.isfinite(drift_evidence([np.zeros(10_000)], 0.9)[0])


def test_without_looks_there_is_no_evidence_and_no_alarm():
    assert first_alarm(drift_evidence([], 0.8)) is None


@pytest.mark.parametrize("accepted", [0.0, 1.0])
def test_a_level_that_cannot_be_fallen_below_or_kept_is_refused(accepted: float):
    with pytest.raises(ValueError, match="inside"):
        drift_evidence([], accepted)


def test_the_certified_bound_is_clopper_and_pearsons_for_independent_rows():
    found = certified_rate(np.array([1.0] * 45 + [0.0] * 5), np.arange(50, dtype=np.int64))
    assert found.value == 0.9
    assert found.low == pytest.approx(0.8012, abs=1e-3)  # one-sided 95 %: qbeta(0.05, 45, 6)


def test_all_right_certifies_what_so_many_trials_can_show():
    found = certified_rate(np.ones(100), np.repeat(np.arange(20), 5))
    usual = 1 + (5 - 1) * 0.3  # a design effect by what is usual: nothing else tells it
    assert found.low == pytest.approx(0.05 ** (usual / 100))


@pytest.mark.parametrize("per_cluster", [1, 5])
def test_the_certified_bound_is_below_the_truth_as_often_as_it_says(per_cluster: int):
    chance = np.random.default_rng(per_cluster)
    covered = 0
    cluster = np.repeat(np.arange(60), per_cluster)
    for _ in range(400):
        rates = chance.beta(8, 2, size=60)  # 0.8 on average, differing between clusters
        rows = (chance.random(60 * per_cluster) < np.repeat(rates, per_cluster)).astype(np.float64)
        low = certified_rate(rows, cluster).low
        assert low is not None
        covered += low <= 0.8
    assert covered / 400 >= 0.93


def repeated(
    chance: np.random.Generator, count: int, *, worse: float = 0.0, repeats: float = 0.9
) -> tuple[FloatArray, list[FloatArray]]:
    """Draw a certified run over 100 anchors, and later ones of a judge that repeats itself.

    It is right on 85 %, and mostly repeats itself.
    """
    rightness = chance.beta(1.7, 0.3, 100)
    own = chance.random(100) < rightness
    lost = chance.random(100) < worse

    def look(rate: FloatArray, kept: BoolArray) -> FloatArray:
        fresh = chance.random(100) < rate
        return np.where(chance.random(100) < repeats, kept, fresh).astype(np.float64)

    later = [look(rightness * (1 - worse), own & ~lost) for _ in range(count)]
    return look(rightness, own), later


@pytest.mark.parametrize("repeats", [0.0, 0.9])
def test_a_judge_that_stays_as_it_was_raises_few_alarms_whether_it_repeats_itself_or_not(repeats: float):
    chance, alarms = np.random.default_rng(2), np.zeros(2)
    for _ in range(200):
        certified, later = repeated(chance, 20, repeats=repeats)
        alarms += (
            first_drop(paired_drops(certified, later, np.arange(100))[1], LEVELS) is not None,
            first_alarm(drift_evidence(later, 0.85)) is not None,
        )
    assert alarms[0] / 200 <= 0.05
    # Against its own rate as the accepted level, looks that repeat each other are counted as if they did not.
    assert (alarms[1] / 200 > 0.1) == (repeats > 0)


def test_a_drop_of_ten_points_is_found_within_five_looks_at_a_hundred_anchors():
    chance = np.random.default_rng(3)
    found = [
        first_drop(paired_drops(*repeated(chance, 5, worse=0.12), np.arange(100))[1], LEVELS[:5])
        for _ in range(100)
    ]
    assert sum(each is not None for each in found) >= 80


@pytest.mark.parametrize("replies", [0.5, 1, 3])
def test_a_judge_that_stays_as_it_was_reaches_its_levels_at_some_look_as_often_as_alpha_says(replies: float):
    chance, looks = np.random.default_rng(4), np.arange(1, 301)[:, None]
    certified = chance.normal(size=20_000) / np.sqrt(replies)
    later = np.cumsum(chance.normal(size=(300, 20_000)), axis=0) / looks
    statistic = (certified - later) / np.sqrt(1 / replies + 1 / looks)
    reached = statistic >= -ndtri(look_levels(300, replies=replies))[:, None]
    first = [int((reached.argmax(axis=0)[reached.any(axis=0)] == look).sum()) / 20_000 for look in range(5)]
    assert 0.042 <= reached.any(axis=0).mean() <= 0.053
    spent = (1 - 0.6 * replies / (5 + replies)) * 0.05 / 5  # each of the first five looks as much
    assert first == pytest.approx([spent] * 5, abs=0.0025)


def test_the_level_of_a_look_does_not_depend_on_how_many_there_will_be():
    assert look_levels(3).tolist() == look_levels(40)[:3].tolist()
    assert len(look_levels(0)) == 0
    assert (np.diff(look_levels(40)[5:]) > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("replies", [1, 2])
def test_what_is_foreseen_is_what_is_found_where_verdicts_do_not_repeat(replies: int):
    chance, found = np.random.default_rng(5), 0
    for _ in range(400):
        certified = chance.binomial(replies, 0.85, 100) / replies
        p = paired_drops(certified, looks(chance, np.full(100, 0.75), 5), np.arange(100))[1]
        found += first_drop(p, look_levels(5, replies=replies)) is not None
    seen = drift_power(0.85, 100, replies=replies)
    assert found / 400 == pytest.approx(seen.found, abs=0.06)
    assert seen.found >= 0.7


def test_what_is_foreseen_of_few_anchors_counts_both_that_the_test_adds(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(drift, "_MAX_ANCHORS", 11)  # how many would be enough is not asked here
    monkeypatch.setattr(drift, "_REPLY_COUNTS", 1)
    chance, found = np.random.default_rng(5), 0
    for _ in range(60):
        certified = chance.binomial(1, 0.95, 15).astype(float)
        p = paired_drops(certified, looks(chance, np.full(15, 0.85), 5), np.arange(15))[1]
        found += first_drop(p, look_levels(5, replies=1)) is not None
    assert found / 60 == pytest.approx(drift_power(0.95, 15).found, abs=0.1)


@pytest.mark.slow
def test_as_many_anchors_or_replies_as_are_asked_for_find_a_drop_as_often_as_wanted():
    seen = drift_power(0.85, 80)
    assert seen.replies == 2
    assert drift_power(0.85, seen.anchors).found >= 0.7 > drift_power(0.85, seen.anchors - 5).found
    assert drift_power(0.85, 80, replies=2).found >= 0.7 > seen.found
    assert drift_power(0.85, 20).replies is None


def test_drops_are_means_over_the_looks_so_far_of_what_was_judged():
    certified = np.array([1.0, 1.0, 0.0, 1.0])
    looks = [np.array([0.0, 1.0, 0.0, np.nan]), np.array([1.0, 1.0, 1.0, np.nan])]
    drops, p = paired_drops(certified, looks, np.arange(4))
    assert drops.tolist() == pytest.approx([1 / 3, 0.0])
    assert p[0] < p[1] == pytest.approx(0.5)


def test_a_handful_of_changes_that_all_go_one_way_is_no_drift_and_a_collapse_is():
    certified = np.ones(50)
    few, all_wrong = certified.copy(), np.zeros(50)
    few[:4] = 0.0
    assert first_drop(paired_drops(certified, [few], np.arange(50))[1], LEVELS[:1]) is None
    assert first_drop(paired_drops(certified, [all_wrong], np.arange(50))[1], LEVELS[:1]) == 0


def test_anchors_of_one_cluster_that_change_together_count_once():
    certified, cluster = np.ones(60), np.repeat(np.arange(6), 10)
    look = np.where(cluster == 0, 0.0, 1.0)
    alone, together = (paired_drops(certified, [look], of)[1][0] for of in (np.arange(60), cluster))
    assert alone < 0.01
    assert together > 0.1
