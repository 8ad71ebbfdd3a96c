"""Means over clusters: CR2 and its degrees of freedom, against the formulas as they are printed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.intervals.cell_means import combine_means, mean_over_clusters


def by_the_book(
    values: FloatArray, cell: IntArray, coefficient: FloatArray, cluster: IntArray
) -> tuple[float, float]:
    """CR2 error and Bell-McCaffrey's degrees of freedom by matrices of all rows, as Pustejovsky and Tipton print them."""
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
    assert (found.tellable, found.p(), found.interval(0.95), found.smallest_visible(0.95)) == (
        False,
        None,
        None,
        None,
    )


def test_one_cluster_with_half_of_the_rows_leaves_few_degrees_of_freedom() -> None:
    cluster = np.concatenate([np.zeros(95, dtype=np.int64), np.repeat(np.arange(1, 20), 5)])
    assert mean_over_clusters(np.random.default_rng(1).normal(size=190), cluster).degrees < 4
