"""Numbering without a sort of all rows: the same as numpy's unique with its inverse."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fiducial.calibration.arrays import numbered, without_gaps
from fiducial.calibration.sample import make_sample, reduce_rows

INTEGERS = st.lists(st.one_of(st.integers(0, 9), st.integers(-(2**40), 2**40)), max_size=30)


@given(st.lists(st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)), max_size=30))
def test_values_are_numbered_in_their_order(values: list[float]) -> None:
    given_values = np.array(values, dtype=np.float64)
    distinct, code = numbered(given_values)
    expected, inverse = np.unique(given_values, return_inverse=True)
    assert (distinct.tolist(), code.tolist()) == (expected.tolist(), inverse.tolist())


@given(INTEGERS)
def test_numbers_without_gaps_keep_their_order(numbers: list[int]) -> None:
    code, count = without_gaps(np.array(numbers, dtype=np.int64))
    expected, inverse = np.unique(np.array(numbers, dtype=np.int64), return_inverse=True)
    assert (code.tolist(), count) == (inverse.tolist(), len(expected))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=60))
def test_clusters_with_equal_counts_are_one_group_in_the_order_of_their_counts(
    rows: list[tuple[int, int, int]],
) -> None:
    cluster, score, label = np.array(rows, dtype=np.int64).T
    cells, groups, sizes = reduce_rows([label / 1, score / 2], cluster)
    counts = np.array(
        [
            [
                int(((cluster == each) & (label == a) & (score / 2 == b)).sum())
                for a, b in zip(*cells, strict=True)
            ]
            for each in np.unique(cluster)
        ]
    )
    if len(counts) == len(rows):
        # Each row is its own cluster: a group is a cell.
        assert sizes.tolist() == counts.sum(axis=0).tolist()
        return
    expected, repeated = np.unique(counts, axis=0, return_counts=True)
    assert np.asarray(groups).tolist() == expected.tolist()
    assert sizes.tolist() == repeated.tolist()


def test_counts_whose_digits_no_number_holds_are_grouped_all_the_same() -> None:
    # Sixty distinct pairs, each many times in one cluster: the product of their counts is beyond 64 bits.
    score = np.tile(np.arange(60) / 60, 80)
    cluster = np.arange(len(score)) // 2_400
    sample = make_sample(np.zeros(len(score)), score, cluster)
    assert (sample.n, sample.n_clusters, sample.sizes.tolist()) == (4_800, 2, [2])
    assert sample.counts.tolist() == [80.0] * 60
