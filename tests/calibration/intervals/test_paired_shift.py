"""Interval and test of a mean shift say the same, whatever the clusters."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fiducial.calibration.intervals.clustered_means import paired_shift

_ROWS = st.lists(
    st.tuples(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), st.integers(0, 8)), min_size=2, max_size=60
)


@given(_ROWS)
def test_the_interval_excludes_0_exactly_where_the_test_finds_a_shift(rows: list[tuple[float, int]]) -> None:
    values, cluster = (np.array(column) for column in zip(*rows, strict=True))
    found = paired_shift(values, cluster.astype(np.int64))
    low, high = found.difference.low, found.difference.high
    if low is not None and high is not None and found.p is not None:
        assert (found.p <= 0.05) == (low > 0.0 or high < 0.0)


def test_a_few_large_clusters_do_not_decide_as_many_small_ones_would() -> None:
    sizes = [40] * 3 + [2] * 27
    cluster = np.repeat(np.arange(30), sizes)
    values = np.where(cluster < 3, 1.0, np.where(np.arange(len(cluster)) % 2, 1.0, -1.0))
    uneven = paired_shift(values, cluster)
    even = paired_shift(values, np.arange(len(values)))
    assert uneven.p is not None
    assert even.p is not None
    assert uneven.p > 10 * even.p
