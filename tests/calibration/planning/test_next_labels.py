"""Numbers of new labels by stratum."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiducial.calibration.planning.next_labels import neyman_allocation


def test_labels_are_in_proportion_to_size_times_spread() -> None:
    size, spread = np.array([1_000, 500, 2_000]), np.array([0.5, 0.2, 0.1])
    # 500 : 100 : 200 of 80.
    assert neyman_allocation(size, spread, np.zeros(3, int), 80).tolist() == [50, 10, 20]


def test_a_stratum_that_has_enough_gets_none_and_the_others_share() -> None:
    size, spread = np.array([1_000, 500, 2_000]), np.array([0.5, 0.2, 0.1])
    # The third has more than its part of 100; the other 70 go 5 : 1.
    assert neyman_allocation(size, spread, np.array([10, 0, 30]), 60, least=5).tolist() == [48, 12, 0]


@pytest.mark.parametrize("count", [24, 31, 40])
def test_no_other_allocation_has_a_smaller_variance(count: int) -> None:
    size, spread, labelled = np.array([60, 25, 40]), np.array([0.5, 0.3, 0.05]), np.array([2, 1, 0])
    least = 4

    def variance(labels: np.ndarray) -> float:
        return float((size**2 * spread**2 / labels).sum())

    found = variance(labelled + neyman_allocation(size, spread, labelled, count, least=least))
    totals = [
        np.array(each) + labelled
        for each in product(range(count + 1), repeat=3)
        if sum(each) == count and (np.array(each) + labelled >= least).all()
    ]
    assert len(totals) > 50
    # Rounding may cost a little; nothing else may.
    assert found <= 1.005 * min(variance(labels) for labels in totals if (labels <= size).all())


@given(
    st.lists(st.tuples(st.integers(1, 80), st.floats(0.02, 0.5), st.integers(0, 30)), min_size=1, max_size=6),
    st.integers(1, 300),
)
@settings(max_examples=100, deadline=None)
def test_bounds_hold_and_all_labels_are_given(strata: list[tuple[int, float, int]], count: int) -> None:
    size, spread = np.array([each[0] for each in strata]), np.array([each[1] for each in strata])
    labelled = np.minimum(np.array([each[2] for each in strata]), size)
    needed = int(np.maximum(0, np.minimum(10, size) - labelled).sum())
    if needed > count:
        with pytest.raises(ValueError, match=f"take {needed} new ones, not {count}"):
            neyman_allocation(size, spread, labelled, count)
        return
    new = neyman_allocation(size, spread, labelled, count)
    assert (new >= 0).all()
    assert (labelled + new <= size).all()
    assert (labelled + new >= np.minimum(10, size)).all()
    assert new.sum() == min(count, int((size - labelled).sum()))
