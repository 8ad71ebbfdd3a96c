from __future__ import annotations

from each_row import each_row

from fiducial.evaluation.checking.dotted_names import NamesVote
from fiducial.records import Case, Output, ToolCall

CASE = Case(id="a", kind="tool_call", tools=[{"type": "function", "function": {"name": "maps.route"}}])
PLAIN = Case(id="b", kind="tool_call", tools=[{"type": "function", "function": {"name": "go_home"}}])


def native(name: str, system: str = "s") -> Output:
    return Output(case_id="a", system=system, tool_calls=[ToolCall(name=name)])


def text(reply: str) -> Output:
    return Output(case_id="a", system="s", text=reply)


@each_row(
    ("outputs", "expected"),
    [
        ([native("maps_route")], "underscored"),
        ([native("maps.route")], "dotted"),
        ([native("maps_route"), native("maps.route")], "dotted"),
        ([native("maps_route"), native("maps.route"), native("maps_route")], "underscored"),
        ([text("[maps_route(a=1)]")], "underscored"),
        ([text("[maps.route(a=1)]")], "dotted"),
        ([text("no idea")], "dotted"),
    ],
)
def test_the_form_a_system_uses_more_often_is_the_one_it_was_given(outputs: list[Output], expected: str):
    vote = NamesVote()
    for output in outputs:
        vote.add(CASE, output)
    assert vote.of("s") == expected


def test_names_without_dots_say_nothing():
    vote = NamesVote()
    vote.add(PLAIN, Output(case_id="b", system="s", tool_calls=[ToolCall(name="go_home")]))
    assert vote.of("s") == "dotted"


def test_each_system_is_decided_by_itself():
    vote = NamesVote()
    vote.add(CASE, native("maps_route"))
    vote.add(CASE, native("maps.route", "t"))
    assert (vote.of("s"), vote.of("t")) == ("underscored", "dotted")


def test_a_system_is_clear_when_one_form_is_far_ahead():
    vote = NamesVote()
    for _ in range(49):
        vote.add(CASE, native("maps_route"))
    assert not vote.is_clear("s")
    vote.add(CASE, native("maps_route"))
    assert vote.is_clear("s")
