from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.executable.pairing import Fits, pair_completely, pair_greedily

tables = st.integers(0, 4).flatmap(
    lambda size: st.lists(st.lists(st.booleans(), min_size=size, max_size=size), min_size=size, max_size=size)
)


@pytest.mark.parametrize(
    ("fits", "greedily", "completely"),
    [
        ([], None, None),
        ([[True]], None, None),
        ([[False]], 0, 0),
        ([[True, True], [True, False]], 1, None),
        ([[True, False], [True, False]], 1, 1),
    ],
)
def test_a_greedy_choice_is_not_revised(fits: Fits, greedily: int | None, completely: int | None):
    assert pair_greedily(fits) == greedily
    assert pair_completely(fits) == completely


@given(tables)
def test_all_are_paired_exactly_when_that_is_possible(fits: Fits):
    possible = any(
        all(fits[i][call] for i, call in enumerate(order)) for order in permutations(range(len(fits)))
    )
    assert (pair_completely(fits) is None) is possible
