"""Rows of azure-ai-evaluation and promptflow as Cases and Outputs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.api.reading import read_strictly
from fiducial.errors import RecordError
from fiducial.formats.azure_rows import recognises
from fiducial.records import Case, ContextItem, Output, ToolCall, Verdict

WEATHER: dict[str, Any] = {"name": "weather", "parameters": {"type": "object", "properties": {}}}
CALL: dict[str, Any] = {
    "type": "tool_call",
    "tool_call_id": "c1",
    "name": "weather",
    "arguments": {"city": "Rome"},
}


class Row(NamedTuple):
    """A case, and its output where there is one."""

    case: Case
    output: Output | None


RowsOf: TypeAlias = Callable[..., list[Row]]


@pytest.fixture
def rows_of(tmp_path: Path):
    def rows_of(*rows: Any, **options: Any):
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        found = list(read_strictly("azure", path, **options))
        outputs = {each.case_id: each for each in found if isinstance(each, Output)}
        return [Row(each, outputs.get(each.id)) for each in found if isinstance(each, Case)]

    return rows_of


def test_a_row_with_a_context_asks_whether_the_answer_is_grounded(rows_of: RowsOf):
    [row] = rows_of(
        {"id": 7, "query": "Where is Rome?", "response": "In Italy.", "context": "Rome is in Italy."}
    )
    assert (row.case.id, row.case.kind, row.case.reference) == ("7", "grounded_answer", {})
    assert row.case.context == [ContextItem(id="1", content="Rome is in Italy.")]
    assert row.case.messages == [{"role": "user", "content": "Where is Rome?"}]
    assert row.output is not None
    assert (row.output.text, row.output.tool_calls, row.output.system) == ("In Italy.", None, "logged")


def test_a_row_with_calls_asks_whether_they_are_right(rows_of: RowsOf):
    [row] = rows_of({"query": "Weather?", "tool_calls": CALL, "tool_definitions": WEATHER}, system="gpt")
    assert (row.case.id, row.case.kind) == ("row-000001", "any_call")
    assert row.case.tools == [{"type": "function", "function": WEATHER}]
    assert row.output is not None
    assert row.output.tool_calls == [ToolCall(name="weather", arguments={"city": "Rome"})]
    assert (row.output.text, row.output.system) == (None, "gpt")


def test_calls_and_answer_are_found_in_messages_of_parts(rows_of: RowsOf):
    response = [
        {"role": "assistant", "content": [CALL]},
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": [{"type": "tool_result", "tool_result": {"sun": 1}}],
        },
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "It "}, {"type": "text", "text": "shines."}],
        },
    ]
    query = [{"role": "user", "content": [{"type": "text", "text": "Weather?"}]}]
    [row] = rows_of({"query": query, "response": response, "tool_definitions": [WEATHER]})
    assert row.case.messages == [{"role": "user", "content": "Weather?"}]
    assert row.output is not None
    assert row.output.text == "It shines."
    assert row.output.tool_calls == [ToolCall(name="weather", arguments={"city": "Rome"})]


def test_calls_with_results_in_a_user_message_belong_to_the_answer(rows_of: RowsOf):
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "weather", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "sun"}]},
        {"role": "assistant", "content": "It shines."},
    ]
    [row] = rows_of({"conversation": {"messages": messages}})
    assert row.case.messages == [{"role": "user", "content": "Weather?"}]
    assert row.output is not None
    assert (row.output.text, row.output.tool_calls) == ("It shines.", [ToolCall(name="weather")])


def test_expected_calls_whose_arguments_are_no_object_are_refused_with_their_name(rows_of: RowsOf):
    row = {"query": "a", "response": "b", "ground_truth": [{"name": "weather", "arguments": "[1]"}]}
    with pytest.raises(RecordError, match="the arguments of weather are not a JSON object"):
        rows_of(row)


@pytest.mark.parametrize(
    "call",
    [
        {"function": {"name": "weather", "arguments": '{"city": "Rome"}'}},
        {
            "type": "tool_call",
            "tool_call": {"function": {"name": "weather", "arguments": '{"city": "Rome"}'}},
        },
    ],
)
def test_calls_in_the_shape_of_the_chat_api_keep_their_arguments_verbatim(
    rows_of: RowsOf, call: dict[str, Any]
):
    [row] = rows_of({"query": "Weather?", "tool_calls": [call]})
    assert row.output is not None
    assert row.output.tool_calls == [ToolCall(name="weather", arguments='{"city": "Rome"}')]


def test_everything_else_is_an_open_answer_compared_with_the_truth_where_there_is_one(rows_of: RowsOf):
    with_truth, without = rows_of(
        {"query": "2+2?", "response": "4", "ground_truth": "four"}, {"query": "Hi", "response": "Hello"}
    )
    assert (with_truth.case.kind, with_truth.case.reference["answer"]) == ("open_answer", "four")
    assert (without.case.kind, "answer" in without.case.reference) == ("open_answer", False)
    [named] = rows_of({"query": "Hi", "response": "Hello"}, criterion="It greets.")
    assert named.case.reference == {"criterion": "It greets."}


def test_a_conversation_ends_with_its_answer(rows_of: RowsOf):
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello", "context": "greetings"},
        {"role": "user", "content": "Where is Rome?"},
        {"role": "assistant", "content": "In Italy."},
    ]
    [row] = rows_of({"conversation": {"messages": messages, "context": ["Rome is in Italy."]}})
    asked = [(message["role"], message["content"]) for message in messages[:3]]
    assert [(message["role"], message["content"]) for message in row.case.turns[0]] == asked
    assert [item.content for item in row.case.context] == ["Rome is in Italy.", "greetings"]
    assert row.output is not None
    assert row.output.text == "In Italy."


def test_a_row_without_a_response_gives_a_case_alone(rows_of: RowsOf):
    [row] = rows_of({"query": "Hi"})
    assert row.output is None


BAD_ROWS: list[tuple[list[dict[str, Any]], str]] = [
    (
        [{"id": 1, "query": "a"}, {"id": "1", "query": "b"}],
        ":2: id: an earlier row has the id '1' and another question or reference; change the id, or import this file into a folder of its own",
    ),
    ([{"context": "a"}], ":1: query: missing; expected a query and a response, or a conversation"),
    ([{"query": 3}], ":1: query: expected a text or a list of messages, got a number"),
    (
        [{"query": "a", "tool_calls": [{"function": {}}]}],
        ":1: .*name: missing; expected the name of a function",
    ),
    ([{"query": [{"content": "a"}]}], ":1: .*role: missing; expected the role of a message"),
    ([{"query": "a", "tool_definitions": [{}]}], ":1: .*missing required field `name`"),
]


@each_row(("rows", "message"), BAD_ROWS)
def test_a_line_that_is_no_row_is_named(rows_of: RowsOf, rows: list[Any], message: str):
    with pytest.raises(RecordError, match=message):
        rows_of(*rows)


def test_expected_calls_with_their_parameters_are_what_is_checked(rows_of: RowsOf):
    truth = [["weather"], {"weather": {"city": "Rome"}}]
    [row] = rows_of({"query": "Weather?", "tool_calls": [CALL], "tool_definitions": [WEATHER_IN], "ground_truth": truth})  # fmt: skip
    assert row.case.kind == "tool_call"
    assert row.case.reference == {"calls": [{"name": "weather", "arguments": {"city": "Rome"}}]}


WEATHER_IN: dict[str, Any] = {"name": "weather", "parameters": {"type": "object", "properties": {"city": {}}}}


FLOW = {
    "groundedness": 0.5,
    "groundedness_score": 0.5,
    "groundedness_reason": "half",
    "groundedness_status": "completed",
}
FAILED = {"groundedness": "(Failed)", "groundedness_score": "(Failed)", "groundedness_status": "(Failed)"}


@pytest.fixture
def verdicts_of(tmp_path: Path):
    def verdicts_of(*rows: Any) -> list[tuple[str, str, str, float | None, str | None]]:
        path = tmp_path / "results.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        verdicts = [each for each in read_strictly("azure", path) if isinstance(each, Verdict)]
        return [
            (verdict.case_id, verdict.by, verdict.outcome, verdict.score, verdict.reason)
            for verdict in verdicts
        ]

    return verdicts_of


def test_outputs_of_a_flow_are_verdicts_on_the_rows_that_it_ran_on(verdicts_of: Callable[..., Any]):
    assert verdicts_of({"line_number": 0, **FLOW}, {"line_number": 2, "groundedness": 1.0}) == [
        ("row-000001", "groundedness", "graded", 0.5, "half"),
        ("row-000003", "groundedness", "graded", 1.0, None),
    ]


def test_details_of_a_run_are_verdicts_and_a_failed_line_has_no_score(verdicts_of: Callable[..., Any]):
    def details(number: int, outputs: dict[str, Any], **inputs: Any) -> dict[str, Any]:
        given = {f"inputs.{name}": value for name, value in {"line_number": number, **inputs}.items()}
        return given | {f"outputs.{name}": value for name, value in outputs.items()}

    assert verdicts_of(
        details(0, FLOW, statement="Rome is a city."),
        details(1, FAILED, statement="Rome is a river."),
        details(2, {"x": "(Failed)"}, id="third"),
    ) == [
        ("row-000001", "groundedness", "graded", 0.5, "half"),
        ("row-000002", "groundedness", "failed", None, "promptflow: the line failed"),
        ("third", "x", "failed", None, "promptflow: the line failed"),
    ]
    assert verdicts_of({"inputs.query": "q", "outputs.x": 1.0, "outputs.x_score": 1.0}) == [
        ("row-000001", "x", "graded", 1.0, None)
    ]
    answered = {"inputs.query": "q", "inputs.response": "r", "outputs.x": 1.0, "outputs.x_score": 1.0}
    assert verdicts_of(answered) == [("row-000001", "x", "graded", 1.0, None)]


def test_results_of_a_flow_are_recognised(tmp_path: Path):
    (tmp_path / "output.jsonl").write_text(json.dumps({"line_number": 0, **FLOW}) + "\n")
    assert recognises({"line_number": 0, **FLOW})
    assert not recognises({"line_number": 0})
    assert not recognises({"text": "a"})


def test_a_criterion_among_the_inputs_is_that_of_the_case(tmp_path: Path):
    rows = [
        {"inputs.query": "Which city?", "inputs.response": "Rome", f"inputs.{name}": "names a city", "outputs.r": 1}
        for name in ("criterion", "criteria", "rubric")
    ]  # fmt: skip
    path = tmp_path / "details.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = fd.read(path)
    assert {case.kind for case in found.cases} == {"open_answer"}
    assert [case.reference["criterion"] for case in found.cases] == ["names a city"] * 3
    assert not any("names a city" in map(str, case.tags.values()) for case in found.cases)
