from __future__ import annotations

import json
from typing import Any

import pytest
from each_row import each_row

from fiducial.errors import RecordError, UsageError
from fiducial.records import Case, Output, ToolCall, decode_record, encode_record, message_text

NATIVE = {"id": "call_1", "type": "function", "function": {"name": "book", "arguments": '{"city": "Rome" }'}}


def read(record_type: Any, **fields: Any) -> Any:
    return decode_record(json.dumps(fields).encode(), record_type)


def test_calls_in_openais_form_keep_name_and_arguments_verbatim():
    output = read(
        Output, case_id="a", system="s", tool_calls=[NATIVE, {"name": "pay", "arguments": {"eur": 2}}]
    )
    assert output.tool_calls == [
        ToolCall(name="book", arguments='{"city": "Rome" }'),
        ToolCall(name="pay", arguments={"eur": 2}),
    ]
    assert decode_record(encode_record(output), Output) == output
    assert b"call_1" not in encode_record(output)


def test_calls_in_openais_form_may_stand_in_the_steps_of_turns():
    output = read(Output, case_id="a", system="s", turns=[[[NATIVE], "done"]])
    assert output.turns == [[[ToolCall(name="book", arguments='{"city": "Rome" }')], "done"]]


@each_row(
    ("call", "message"),
    [
        ({}, "tool_calls[0]: Object missing required field `name`"),
        ({"id": "x", "type": "function"}, "tool_calls[0]: Object missing required field `name`"),
        ({"function": {}}, "tool_calls[0].function: Object missing required field `name`"),
        ({**NATIVE, "name": "book"}, "tool_calls[0]: a call has either a name or a function, not both"),
        (
            {"function": {"name": "f", "args": {}}},
            "tool_calls[0].function: unknown field 'args'; a called function has: name, arguments",
        ),
        (
            {"nam": "f"},
            "tool_calls[0]: unknown field 'nam'; a tool call has: name, arguments, id, type, function",
        ),
    ],
)
def test_a_call_in_no_form_is_refused_with_its_field(call: dict[str, Any], message: str):
    with pytest.raises(RecordError) as caught:
        read(Output, case_id="a", system="s", tool_calls=[call])
    assert str(caught.value).startswith(message)


DOCUMENT: dict[str, Any] = {"name": "book", "parameters": {"type": "object", "properties": {}}}


@pytest.mark.parametrize(
    "tool", [{"type": "function", "function": DOCUMENT}, DOCUMENT, {"type": "function", **DOCUMENT}]
)
def test_tools_may_lack_the_outer_object(tool: dict[str, Any]):
    case = read(Case, id="a", kind="no_call", tools=[tool])
    assert case.tools == [{"type": "function", "function": DOCUMENT}]
    assert Case(id="a", kind="no_call", tools=[tool]) == case


def parts(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


@pytest.mark.parametrize("nested", [False, True])
def test_content_in_parts_becomes_its_text(*, nested: bool):
    message = {"role": "user", "content": parts("Book ", "Rome.")}
    case = read(Case, id="a", kind="no_call", messages=[[message]] if nested else [message])
    assert case.turns == [[{"role": "user", "content": "Book Rome."}]]


def test_a_part_that_is_no_text_leaves_the_message_as_it_is_and_is_named_in_its_text():
    message: dict[str, Any] = {
        "role": "user",
        "content": [*parts("What is this? "), {"type": "image_url", "image_url": {"url": "data:..."}}],
    }
    (kept,) = read(Case, id="a", kind="no_call", messages=[message]).messages
    assert kept == message
    assert message_text(message) == "What is this? [image_url]"


@pytest.mark.parametrize(
    ("content", "text"), [("hi", "hi"), (None, ""), (parts("a", "b"), "ab"), ([3], "[part]")]
)
def test_the_text_of_a_message(content: Any, text: str):
    assert message_text({"role": "user", "content": content}) == text


def decode(**fields: Any) -> Case:
    return decode_record(json.dumps({"id": "a", "kind": "no_call", **fields}).encode(), Case)


@each_row(
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
    with pytest.raises(UsageError, match=r"Case\.messages(\[0\])?: expected a "):
        Case(id="a", kind="open_answer", messages=messages)


def test_flat_messages_are_one_turn():
    case = decode(messages=[{"role": "user", "content": "hi"}])
    assert case.turns == [[{"role": "user", "content": "hi"}]]


def test_turns_of_messages_stay_turns():
    turns = [[{"role": "user", "content": "hi"}], []]
    assert decode(messages=turns).turns == turns


def test_the_cluster_is_the_case_itself_unless_named():
    assert (decode().cluster_id, decode(cluster="trip").cluster_id) == ("a", "trip")


@pytest.mark.parametrize("tools", [["search"], [None]])
def test_tools_that_are_no_documents_are_refused_in_python(tools: list[Any]):
    with pytest.raises(UsageError, match=r"Case\.tools\[0\]: expected a mapping"):
        Case(id="a", kind="tool_call", tools=tools)
