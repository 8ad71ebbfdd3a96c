from __future__ import annotations

import pytest

from fiducial.evaluation.names import names_by_system
from fiducial.records import Case, Output, ToolCall

CASE = Case(id="a", kind="tool_call", tools=[{"type": "function", "function": {"name": "maps.route"}}])
PLAIN = Case(id="b", kind="tool_call", tools=[{"type": "function", "function": {"name": "go_home"}}])


def native(name: str) -> Output:
    return Output(case_id="a", system="s", tool_calls=[ToolCall(name=name)])


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        ([native("maps_route")], {"s": "underscored"}),
        ([native("maps.route")], {}),
        ([native("maps_route"), native("maps.route")], {}),
        ([native("maps_route"), native("maps.route"), native("maps_route")], {"s": "underscored"}),
        ([Output(case_id="a", system="s", text="[maps_route(a=1)]")], {"s": "underscored"}),
        ([Output(case_id="a", system="s", text="[maps.route(a=1)]")], {}),
        ([Output(case_id="a", system="s", text="no idea")], {}),
    ],
)
def test_the_form_a_system_uses_more_often_is_the_one_it_was_given(
    outputs: list[Output], expected: dict[str, str]
):
    assert names_by_system((CASE, output) for output in outputs) == expected


def test_names_without_dots_say_nothing():
    output = Output(case_id="b", system="s", tool_calls=[ToolCall(name="go_home")])
    assert names_by_system([(PLAIN, output)]) == {}


def test_each_system_is_decided_by_itself():
    other = Output(case_id="a", system="t", tool_calls=[ToolCall(name="maps.route")])
    assert names_by_system([(CASE, native("maps_route")), (CASE, other)]) == {"s": "underscored"}
