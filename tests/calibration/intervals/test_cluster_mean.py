"""Means and paired differences over clusters: textbook values, levels held, effects found."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fiducial.calibration.comparison.significance import mcnemar
from fiducial.calibration.intervals.cluster_mean import mean_of, paired_shift, share_of
from fiducial.calibration.monitoring.flip_rate import flips, self_consistency


def alone(n: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.arange(n, dtype=np.int64)


def test_a_share_has_wilsons_interval_where_rows_are_independent():
    found = share_of(np.array([1.0] * 8 + [0.0] * 2), alone(10))
    assert (found.value, found.n) == (0.8, 10)
    assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_nothing_graded_is_undefined_and_not_0():
    assert share_of(np.array([]), alone(0)).undefined == "no row was graded"
    assert mean_of(np.array([]), alone(0)).value is None
    assert paired_shift(np.array([]), alone(0)).p is None


def test_a_mean_of_independent_rows_has_students_interval():
    values = np.array([0.1, 0.5, 0.9, 0.3, 0.2])
    found = mean_of(values, alone(5))
    expected = stats.t.interval(0.95, 4, values.mean(), values.std(ddof=1) / np.sqrt(5))
    assert (found.low, found.high) == pytest.approx(expected)


def test_clusters_widen_the_interval():
    values, cluster = np.repeat([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], 10), np.repeat(np.arange(6), 10)
    apart, together = mean_of(values, alone(60)), mean_of(values, cluster)
    assert apart.low is not None
    assert together.low is not None
    assert together.low < apart.low


def test_where_nothing_differs_the_interval_says_what_could_have_been_missed():
    found = mean_of(np.zeros(50), alone(50))
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 50))
    assert found.method == "bound on what was not seen"


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (6, 0), (7, 2), (5, 5)])
def test_of_paired_verdicts_it_is_mcnemars_exact_test(first: int, second: int):
    differences = np.array([1.0] * first + [-1.0] * second + [0.0] * 20)
    found = paired_shift(differences, alone(len(differences)))
    assert found.p == pytest.approx(mcnemar(first, second).exact_p)


def test_many_differing_clusters_are_tested_by_drawn_signs_to_the_same_end():
    differences = np.array([1.0] * 14 + [-1.0] * 4 + [0.0] * 20)
    assert paired_shift(differences, alone(38)).p == pytest.approx(mcnemar(14, 4).exact_p, abs=0.01)


def test_the_minimum_detectable_difference_shrinks_with_pairs_and_is_none_for_too_few():
    sizes = [paired_shift(np.zeros(n), alone(n)).minimum_detectable for n in (5, 10, 100, 1_000)]
    assert sizes[0] is None
    assert sizes[1] is not None
    assert sizes[2] is not None
    assert sizes[3] is not None
    assert sizes[1] > sizes[2] > sizes[3]


def test_the_minimum_detectable_difference_is_found_four_times_in_five():
    chance = np.random.default_rng(0)
    n = 60
    base = chance.choice([-1.0, 0.0, 1.0], p=[0.1, 0.8, 0.1], size=n)
    effect = paired_shift(base, alone(n)).minimum_detectable
    assert effect is not None
    rates = [0.1 + effect / 2, 0.8, 0.1 - effect / 2]
    found = 0
    for _ in range(200):
        drawn = chance.choice([1.0, 0.0, -1.0], p=rates, size=n)
        p = paired_shift(drawn, alone(n)).p
        assert p is not None
        found += p <= 0.05
    assert found / 200 > 0.7


def test_the_test_holds_its_level_with_clusters():
    chance = np.random.default_rng(1)
    alarms = 0
    for _ in range(300):
        leaning = chance.choice([-1.0, 1.0], size=25)
        differences = np.concatenate([sign * chance.choice([0.0, 1.0], size=4) for sign in leaning])
        p = paired_shift(differences, np.repeat(np.arange(25), 4)).p
        assert p is not None
        alarms += p <= 0.05
    assert alarms / 300 <= 0.08


def test_flip_rate_is_the_share_of_pairs_of_repeats_that_differ():
    assert flips([True, True]) == 0.0
    assert flips([True, False]) == 1.0
    assert flips([True, True, False]) == pytest.approx(2 / 3)


def test_a_judge_that_flips_one_time_in_ten_differs_in_18_of_100_pairs():
    chance = np.random.default_rng(2)
    repeats = [(chance.random(2) < 0.9).tolist() for _ in range(2_000)]
    found = self_consistency(repeats, alone(2_000))
    assert found.flip_rate.value == pytest.approx(0.18, abs=0.03)
    assert found.all_equal.value == pytest.approx(0.82, abs=0.03)


def test_one_verdict_has_no_consistency():
    with pytest.raises(ValueError, match="two repeats"):
        self_consistency([[True]], alone(1))
