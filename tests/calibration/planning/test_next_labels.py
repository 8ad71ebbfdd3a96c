"""Items to label next, and numbers of new labels by stratum."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.calibration.planning.next_labels import (
    next_by_doubt,
    next_by_stratum,
    next_to_label,
    neyman_allocation,
)
from fiducial.calibration.tables.calibration_table import Table
from fiducial.calibration.tables.table_files import table_from_rows
from fiducial.errors import InputError


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
def test_bounds_hold_and_all_labels_are_given(strata: list[tuple[int, float, int]], count: int) -> None:
    size, spread = np.array([stratum[0] for stratum in strata]), np.array([stratum[1] for stratum in strata])
    labelled = np.minimum(np.array([stratum[2] for stratum in strata]), size)
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


def judged(number: int, labelled: set[str], n: int = 200) -> Table:
    """Return a table of judged items; its scores depend on its number."""
    scores = np.random.default_rng([7, number]).random(n).round(1).tolist()
    return table_from_rows(
        [
            {
                "item_id": f"q{item}",
                "judge": "a",
                "score": score,
                "label": float(score > 0.5) if f"q{item}" in labelled else None,
            }
            for item, score in enumerate(scores)
        ]
    )


def test_a_second_round_with_the_same_seed_draws_as_many_as_it_says() -> None:
    sizes: list[int] = []
    for number in range(100):
        first = set(next_by_doubt(judged(number, set()), 60))
        sizes.append(len(next_by_doubt(judged(number, first), 60)))
    # Binomial: the standard error of the mean is about 0.6.
    assert 57 < np.mean(sizes) < 63


def test_a_draw_depends_on_the_seed_and_on_the_items_labelled_so_far() -> None:
    none, some = judged(0, set()), judged(0, {"q0", "q1"})
    drawn = [next_to_label(none, 5), next_to_label(none, 5, seed=1), next_to_label(some, 5)]
    assert drawn[0] == [f"q{item}" for item in np.random.default_rng(0).permutation(200)[:5]]
    assert len({tuple(each) for each in drawn}) == 3
    assert next_to_label(some, 5) == drawn[2]


def of_two_systems(labelled: dict[str, float]) -> Table:
    """Return judged outputs of systems A and B for the same items, of which A's have labels."""
    return table_from_rows(
        [
            {"item_id": f"q{n}", "judge": "a", "system": system, "score": float(n % 2)}
            | {"label": labelled.get(f"{system}{n}")}
            for n in range(4)
            for system in "AB"
        ]
    )


def test_a_label_of_one_system_is_none_of_another_on_the_same_item() -> None:
    of_a = {f"A{n}": 1.0 for n in range(4)}
    assert set(next_to_label(of_two_systems(of_a), 9)) == {"q0", "q1", "q2", "q3"}
    assert next_to_label(of_two_systems(of_a | {"B0": 0.0, "B2": 1.0, "B3": 1.0}), 9) == ["q1"]


def by_score(table: Table, count: int) -> object:
    return next_by_stratum(table, count, "score")


@pytest.mark.parametrize("draw", [next_by_doubt, by_score])
def test_chances_are_not_drawn_for_ids_that_systems_share(draw: Callable[[Table, int], object]) -> None:
    with pytest.raises(InputError, match="same item id"):
        draw(of_two_systems({}), 2)
