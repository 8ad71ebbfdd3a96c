from __future__ import annotations

from itertools import permutations

from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.pairing import first_unpairable, first_unpaired_greedily

graphs = st.integers(0, 4).flatmap(
    lambda size: st.lists(
        st.sets(st.integers(0, size - 1)).map(sorted) if size else st.just([]), min_size=size, max_size=size
    )
)


@each_row(
    ("fitting", "greedily", "completely"),
    [
        ([], None, None),
        ([[0]], None, None),
        ([list[int]()], 0, 0),
        ([[0, 1], [0]], 1, None),
        ([[0], [0]], 1, 1),
    ],
)
def test_a_greedy_choice_is_not_revised(
    fitting: list[list[int]], greedily: int | None, completely: int | None
):
    assert first_unpaired_greedily(fitting) == greedily
    assert first_unpairable(fitting) == completely


@given(graphs)
def test_all_are_paired_exactly_when_that_is_possible(fitting: list[list[int]]):
    possible = any(
        all(call in fitting[i] for i, call in enumerate(order)) for order in permutations(range(len(fitting)))
    )
    assert (first_unpairable(fitting) is None) is possible
