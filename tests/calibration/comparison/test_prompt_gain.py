from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.calibration.comparison.prompt_gain import (
    ALPHA,
    HeldOutItems,
    ProbedPair,
    fewest_probes,
    is_improvement,
    look_alpha,
    operator_changes,
    prompt_gain,
)


def held_out(won: int, lost: int, same: int, adjudicated: int = 0) -> HeldOutItems:
    """So many items won, lost, and judged alike; the first of those won are adjudicated."""
    n = won + lost + same
    new, current = np.ones(n, dtype=np.bool_), np.ones(n, dtype=np.bool_)
    current[:won] = False
    new[won : won + lost] = False
    return HeldOutItems(current, new, np.arange(n), np.arange(n) < adjudicated)


def pairs(operator: str, plants: str, n: int, lost: int = 0, won: int = 0) -> list[ProbedPair]:
    return [
        ProbedPair(
            operator, plants, current=not lost <= i < lost + won, new=i >= lost, cluster=f"{operator}{i}"
        )
        for i in range(n)
    ]


@given(st.integers(1, 200))
def test_the_levels_of_all_looks_never_sum_to_more_than_five_percent(looks: int):
    assert sum(look_alpha(look) for look in range(1, looks + 1)) <= ALPHA + 1e-12
    assert look_alpha(1) == pytest.approx(0.04)
    assert look_alpha(looks + 1) < look_alpha(looks)


def test_a_clear_gain_is_proven_and_its_bound_lies_below_the_estimate():
    found = prompt_gain(held_out(30, 5, 165), 0.04)
    assert found.proven
    assert found.gain.value == 0.125
    assert found.at_least is not None
    assert 0 < found.at_least < 0.125


def test_as_many_losses_as_wins_prove_nothing():
    found = prompt_gain(held_out(20, 20, 160), 0.04)
    assert not found.proven
    assert found.smallest_visible is not None


def test_a_gain_proven_at_the_first_look_need_not_be_at_a_later_one():
    items = held_out(15, 5, 180)
    assert prompt_gain(items, look_alpha(1)).proven
    assert not prompt_gain(items, look_alpha(4)).proven


def test_nothing_is_claimed_of_no_items():
    found = prompt_gain(held_out(0, 0, 0), 0.04)
    assert not found.proven
    assert found.gain.undefined


def test_the_part_of_the_gain_on_unadjudicated_labels_is_told():
    found = prompt_gain(held_out(30, 10, 60, adjudicated=25), 0.04)
    assert (found.won_unadjudicated, found.lost_unadjudicated) == (5, 10)
    assert found.unadjudicated == pytest.approx(-0.05)


def test_an_operator_is_not_worse_where_the_margin_is_excluded():
    (change,) = operator_changes(pairs("swap", "fault", 100, lost=2, won=2))
    assert (change.state, change.sort) == ("not worse", "fault")
    assert change.at_least is not None
    assert -0.1 < change.at_least < 0


def test_a_proven_loss_within_the_margin_is_worse_all_the_same():
    (change,) = operator_changes(pairs("swap", "fault", 2_000, lost=60))
    assert change.at_least is not None
    assert change.at_least > -0.1
    assert change.state == "worse"


def test_few_probes_show_nothing_even_where_no_verdict_differs():
    (change,) = operator_changes(pairs("swap", "fault", fewest_probes() - 1))
    assert change.state == "not shown"
    (change,) = operator_changes(pairs("swap", "fault", fewest_probes()))
    assert change.state == "not worse"


def test_rare_operators_of_a_sort_are_tested_together():
    rare = [*pairs("a", "fault", 15), *pairs("b", "control", 15), *pairs("c", "attack", 40)]
    changes = {change.operator: change for change in operator_changes(rare)}
    assert changes["other fault operators"].operators == ["a", "b"]
    assert changes["other fault operators"].state == "not worse"
    assert changes["c"].operators == ["c"]


def test_without_probes_nothing_is_an_improvement():
    gain = prompt_gain(held_out(30, 5, 165), 0.04)
    good, bad = operator_changes(pairs("a", "fault", 100)), operator_changes(pairs("a", "attack", 100, 40))
    assert is_improvement(gain, good)
    assert not is_improvement(gain, [])
    assert not is_improvement(gain, [*good, *bad])
