"""No output touches another, whatever its calls do to what they are given."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from fiducial.deterministic.checkers import check
from fiducial.deterministic.multi_turn.call_execution import MAX_CALLS
from fiducial.deterministic.options import CheckOptions
from fiducial.records import Output, ToolCall

from .conftest import Examine, world_case

GROW = "grow(names=['a'])"


def test_a_hundred_systems_in_one_process_do_not_touch_each_other(options: CheckOptions):
    case = world_case([["take(name='pear')"]], stock={"pear": 1})
    before = msgspec.json.encode(case)
    right = [ToolCall(name="take", arguments={"name": "pear"})]
    wrong = [ToolCall(name="put", arguments={"name": "pear", "amount": 9})]
    verdicts = [
        check(case, Output(case_id="shop-1", system=f"s{n}", turns=[[right if n % 2 else wrong]]), options)
        for n in range(100)
    ]
    assert [verdict.score for verdict in verdicts] == [float(n % 2) for n in range(100)]
    assert msgspec.json.encode(case) == before


def test_checking_the_same_output_again_gives_the_same_verdict(examine_shop: Examine):
    stock: dict[str, Any] = {"pear": 1}
    for _ in range(3):
        examination = examine_shop([["take(name='pear')"]], [[["take(name='pear')"]]], stock=stock)
        assert examination.step_results == [["1"]]
    assert stock == {"pear": 1}


def test_a_list_that_a_method_extends_belongs_to_its_call(examine_shop: Examine):
    assert examine_shop([[GROW], [GROW]], [[[GROW]], [[GROW]]]).finding.valid


def test_cases_of_the_same_id_are_not_mixed_up(examine_shop: Examine):
    call = "count(name='pear')"
    one = examine_shop([[call]], [[[call]]], stock={"pear": 1})
    two = examine_shop([[call]], [[[call]]], stock={"pear": 2})
    assert (one.step_results, two.step_results) == ([['{"count": 1}']], [['{"count": 2}']])


COUNT = "count(name='pear')"
LARGE = f"put(name='pear', amount='{'x' * 40_000}')"


@pytest.mark.parametrize(
    "step",
    [[COUNT] * (MAX_CALLS + 1), [LARGE] * 30, [LARGE, *[COUNT] * 1_000]],
    ids=["calls", "characters of calls", "characters of results"],
)
def test_an_output_that_asks_for_more_than_any_real_one_is_given_up(
    examine_shop: Examine, step: list[str], request: pytest.FixtureRequest
):
    finding = examine_shop([[COUNT]], [[step]]).finding
    assert (finding.error_type, finding.score) == ("multi_turn:limit_exceeded", 0.0)
    assert finding.reason == f"the output has more {request.node.callspec.id} than are executed"
