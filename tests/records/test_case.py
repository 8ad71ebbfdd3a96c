from __future__ import annotations

import json
from typing import Any

import pytest

from fiducial.errors import RecordError, UsageError
from fiducial.records import Case, decode_record


def decode(**fields: Any) -> Case:
    return decode_record(json.dumps({"id": "a", "kind": "no_call", **fields}).encode(), Case)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"kind": "riddle"},
            "kind: unknown kind 'riddle'; known are tool_call, no_call, any_call, executable_call, multi_turn, ",
        ),
        ({"kind": "tool_call", "reference": {}}, "reference: Object missing required field `calls`"),
        (
            {"kind": "tool_call", "reference": {"calls": [3]}},
            "reference.calls[0]: Expected `object`, got `int`",
        ),
        (
            {"kind": "tool_call", "reference": {"calls": [], "match": "any"}},
            "reference.match: Invalid enum value 'any'; known are auto, simple, multiple, parallel",
        ),
        (
            {"kind": "tool_call", "reference": {"calls": [], "match": "parallel", "ordered": True}},
            "reference.match: Expected `match: auto` beside `ordered: true`, got 'parallel'",
        ),
        (
            {"kind": "executable_call", "reference": {"calls": ["f()"], "match": ["any"]}},
            "reference.match[0]: Invalid enum value 'any'; known are exact, real_time, structural",
        ),
        ({"kind": "no_call", "reference": {"calls": []}}, "reference: unknown field 'calls'; this kind has"),
        (
            {"kind": "web_search_answer", "reference": {"answers": "Rome"}},
            "reference.answers: Expected `array`, got `str`",
        ),
        ({"messages": [{"content": "hi"}]}, "messages: Expected every message to have a `role`"),
        (
            {"messages": [{"role": "user"}, [{"role": "user"}]]},
            "messages: Expected either messages or turns of messages",
        ),
        ({"tools": [{"nome": "f"}]}, "tools[0].function: Object missing required field `name`"),
        ({"tools": [{"function": {"name": None}}]}, "tools[0].function.name: Expected `str`, got `null`"),
        (
            {
                "kind": "multi_turn",
                "reference": {"classes": [], "calls": [], "withheld_tools": [{"name": "f"}]},
            },
            "reference.withheld_tools[0].function: Expected `object`, got `null`",
        ),
        ({"context": [{"id": "p1"}]}, "context[0]: Object missing required field `content`"),
    ],
)
def test_a_case_that_cannot_be_graded_is_refused_with_its_field(fields: dict[str, Any], message: str):
    with pytest.raises(RecordError) as caught:
        decode(**fields)
    assert str(caught.value).startswith(message)


def test_an_artifact_keeps_the_fields_of_its_challenge_whatever_they_are():
    case = decode(
        kind="artifact", reference={"ground": {"files": [".txt"], "eval": {"type": "file"}}, "cutoff": 60}
    )
    assert case.reference["cutoff"] == 60


@pytest.mark.parametrize("messages", ["hello", ["hello"], 3])
def test_messages_that_are_none_are_refused_at_construction(messages: Any):
    with pytest.raises(UsageError, match="messages: expected a list of messages"):
        Case(id="a", kind="open_answer", messages=messages)


def test_flat_messages_are_one_turn():
    case = decode(messages=[{"role": "user", "content": "hi"}])
    assert case.turns == [[{"role": "user", "content": "hi"}]]


def test_turns_of_messages_stay_turns():
    turns = [[{"role": "user", "content": "hi"}], []]
    assert decode(messages=turns).turns == turns


def test_the_cluster_is_the_case_itself_unless_named():
    assert (decode().cluster_id, decode(cluster="trip").cluster_id) == ("a", "trip")
