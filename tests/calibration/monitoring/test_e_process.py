"""Drift: no alarm for a judge that stayed the same, however often one looks; an alarm for one that got worse."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.intervals.certified_bound import certified_rate
from fiducial.calibration.monitoring.e_process import drift_evidence, first_alarm


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


def test_all_right_certifies_what_so_many_clusters_can_show():
    found = certified_rate(np.ones(100), np.repeat(np.arange(20), 5))
    assert found.low == pytest.approx(0.05 ** (1 / 20))


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
