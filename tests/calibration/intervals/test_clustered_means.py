"""Means and shares over clusters, sums of means, and paired differences."""

from __future__ import annotations

import numpy as np
import pytest
from each_row import each_row
from hypothesis import given, settings
from hypothesis import strategies as st
from known_numbers import ends_of
from lazily import Lazily

from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.comparison.significance import mcnemar
from fiducial.calibration.intervals.clustered_means import (
    combine_means,
    mean_of,
    mean_over_clusters,
    paired_shift,
)
from fiducial.calibration.intervals.clustered_rates import share_of
from fiducial.calibration.monitoring.flip_rate import flips, self_consistency

stats = Lazily("scipy.stats")


def by_the_book(
    values: FloatArray, cell: IntArray, coefficient: FloatArray, cluster: IntArray
) -> tuple[float, float]:
    """Return the CR2 error and Bell-McCaffrey's degrees of freedom, by matrices of all rows.

    As Pustejovsky and Tipton print them.
    """
    design = np.eye(len(coefficient))[cell]
    bread = np.linalg.inv(design.T @ design)
    left = np.eye(len(values)) - design @ bread @ design.T
    residual, variance = left @ values, 0.0
    forms: list[FloatArray] = []
    for each in np.unique(cluster):
        rows = np.flatnonzero(cluster == each)
        size, turn = np.linalg.eigh(left[np.ix_(rows, rows)])
        root = turn @ np.diag(size**-0.5) @ turn.T
        weight = root @ design[rows] @ bread @ coefficient
        variance += float(weight @ residual[rows]) ** 2
        forms.append(left[rows].T @ weight)
    products = np.array(forms) @ np.array(forms).T
    return float(np.sqrt(variance)), float(np.trace(products) ** 2 / (products**2).sum())


@pytest.mark.parametrize("cells", [1, 2, 3])
def test_error_and_degrees_are_those_of_the_regression_on_the_cells(cells: int) -> None:
    rng = np.random.default_rng(cells)
    cell = rng.integers(cells, size=60)
    # Of ten clusters the last has a third of the rows.
    cluster = np.minimum(rng.integers(14, size=60), 9)
    values, coefficient = rng.normal(size=60), rng.normal(size=cells)
    found = combine_means(values, cell, coefficient, cluster)
    error, degrees = by_the_book(values, cell, coefficient, cluster)
    assert found.value == pytest.approx(sum(c * values[cell == k].mean() for k, c in enumerate(coefficient)))
    assert (found.error, found.degrees) == pytest.approx((error, degrees))


def test_clusters_of_one_size_are_a_t_test_of_their_means() -> None:
    values = np.random.default_rng(0).normal(size=40)
    found = mean_over_clusters(values, np.repeat(np.arange(8), 5))
    oracle = stats.ttest_1samp(values.reshape(8, 5).mean(axis=1), 0.0)
    assert found.degrees == pytest.approx(7)
    assert found.p() == pytest.approx(float(oracle.pvalue))
    assert found.interval(0.95, -9.0) == pytest.approx(tuple(oracle.confidence_interval(0.95)), abs=1e-9)


@given(
    st.lists(st.tuples(st.sampled_from([-1.0, 0.0, 1.0]), st.integers(0, 6)), min_size=2, max_size=40),
    st.sampled_from([0.8, 0.9, 0.95, 0.99]),
)
@settings(deadline=None)
def test_the_interval_has_what_the_test_does_not_refuse(rows: list[tuple[float, int]], level: float) -> None:
    values, cluster = (np.array(column) for column in zip(*rows, strict=True))
    found = mean_over_clusters(values, cluster)
    ends, p = found.interval(level), found.p()
    assert (ends is None) == (p is None) == (len(np.unique(cluster)) == 1)
    if ends is not None and p is not None and abs(p - (1 - level)) > 1e-9:
        assert (p <= 1 - level) == (not ends[0] <= 0.0 <= ends[1])
        assert -1.0 <= ends[0] <= found.value + 1e-12
        assert found.value - 1e-12 <= ends[1] <= 1.0


def test_clusters_that_all_say_the_same_are_evidence_as_far_as_they_are_many() -> None:
    few, many = (mean_over_clusters(np.ones(2 * count), np.repeat(np.arange(count), 2)) for count in (2, 8))
    assert (few.p(), many.p()) == (0.5, 2 * 0.5**8)
    assert (few.interval(0.95) or (0.0,))[0] < 0 < (many.interval(0.95) or (0.0,))[0]


def test_a_cell_within_one_cluster_has_no_spread_that_could_be_told() -> None:
    values = np.arange(6.0)
    found = combine_means(values, np.array([0, 0, 0, 0, 1, 1]), np.ones(2), np.array([0, 0, 1, 1, 2, 2]))
    assert (found.estimable, found.p(), found.interval(0.95), found.smallest_visible(0.95)) == (
        False,
        None,
        None,
        None,
    )


def test_one_cluster_with_half_of_the_rows_leaves_few_degrees_of_freedom() -> None:
    cluster = np.concatenate([np.zeros(95, dtype=np.int64), np.repeat(np.arange(1, 20), 5)])
    assert mean_over_clusters(np.random.default_rng(1).normal(size=190), cluster).degrees < 4


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
    assert ends_of(together)[0] < ends_of(apart)[0]


def test_where_nothing_differs_the_interval_says_what_could_have_been_missed():
    found = mean_of(np.zeros(50), alone(50))
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 50))
    assert found.method == "upper bound (none seen)"


@each_row("weight", [None, np.ones(60)])
def test_means_that_differ_by_rounding_alone_do_not_differ(weight: FloatArray | None):
    cell = np.repeat([0, 1], 30)
    # 0.1 + 0.2 and 0.3 are different numbers.
    values = np.where(cell == 0, 0.1 + 0.2, 0.3)
    found = combine_means(values, cell, np.array([1.0, -1.0]), alone(60), weight)
    same = combine_means(np.full(60, 0.3), cell, np.array([1.0, -1.0]), alone(60), weight)
    assert (found.value, found.interval(0.95), found.p()) == (0.0, same.interval(0.95), same.p())


@each_row(("first", "second"), [(0, 0), (1, 0), (6, 0), (7, 2), (5, 5)])
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


@pytest.mark.slow
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


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_a_rate_of_two_parts_falls_with_every_error_also_with_the_first(share: float) -> None:
    """Errors are added evenly over twelve clusters that have rows in both parts."""
    cluster, part = np.arange(120) % 12, (np.arange(120) >= 72).astype(np.int64)
    lows: list[float] = []
    for errors in range(61):
        passed = (np.arange(120) >= errors).astype(np.float64)
        ends = combine_means(passed, part, np.array([1 - share, share]), cluster).rate_interval(0.95)
        assert ends is not None
        lows.append(ends[0])
    assert np.diff(lows).max() < 0
    assert lows[0] == pytest.approx(0.916, abs=3e-3)


def test_a_rate_of_one_part_has_the_interval_of_a_share_where_clusters_are_of_one_size() -> None:
    passed, cluster = (np.arange(60) % 7 > 0).astype(np.float64), np.arange(60) // 5
    ends, share = mean_over_clusters(passed, cluster).rate_interval(0.95), share_of(passed, cluster)
    assert ends == pytest.approx((share.low, share.high), abs=1e-12)


def test_where_nothing_differs_a_difference_has_the_usual_dependence_and_elsewhere_a_say_a_cluster() -> None:
    cluster = np.arange(60) // 5
    none, all_alike = (mean_over_clusters(np.full(60, value), cluster) for value in (0.0, 1.0))
    assert none.interval(0.95) == pytest.approx((-(1 - 0.025 ** (1.8 / 60)), 1 - 0.025 ** (1.8 / 60)))
    assert none.p() == 1.0
    assert all_alike.p() == pytest.approx(2 * 0.5**12)
