"""Phoenix's spans as a table, a column per attribute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from each_row import each_row
from table_files import written

import fiducial as fd
from fiducial.records import ToolCall, ToolResults

ROW: dict[str, Any] = {
    "name": "ChatCompletion",
    "span_kind": "LLM",
    "parent_id": "",
    "start_time": "2026-09-14T18:35:18+00:00",
    "status_code": "OK",
    "events": "[]",
    "context.trace_id": "cf617124bf171a939ddcfb1411da4884",
    "context.span_id": "9bce08aed0da0da7",
    "attributes.llm.model_name": "phi3",
    "attributes.input.value": '{"messages": [{"role": "user", "content": "Watch the mill."}]}',
    "attributes.input.mime_type": "application/json",
}
BY_INDEX = {
    "attributes.llm.input_messages.0.message.role": "user",
    "attributes.llm.input_messages.0.message.content": "Watch the mill.",
    "attributes.llm.output_messages.0.message.role": "assistant",
    "attributes.llm.output_messages.0.message.content": "mpstat",
}
CALL = "attributes.llm.output_messages.0.message.tool_calls.0.tool_call.function"
AS_LISTS = {
    "attributes.llm.input_messages": [{"message.role": "user", "message.content": "Watch the mill."}],
    "attributes.llm.output_messages": [{"message.role": "assistant", "message.content": "mpstat"}],
}


@each_row("name", ["spans.csv", "spans.json", "spans.jsonl"])
def test_the_answer_is_the_output_and_not_the_input(name: str, tmp_path: Path):
    read = fd.read(written([ROW | BY_INDEX], tmp_path / name))
    assert (read.format, read.outputs[0].text, read.outputs[0].system) == ("phoenix", "mpstat", "phi3")
    assert read.cases[0].all_messages == [{"role": "user", "content": "Watch the mill."}]


def test_messages_in_lists_as_a_data_frame_has_them_are_read(tmp_path: Path):
    assert fd.read(written([ROW | AS_LISTS], tmp_path / "spans.json")).outputs[0].text == "mpstat"


def test_a_tool_span_below_the_model_is_a_step_of_its_trace(tmp_path: Path):
    tool = (
        ROW
        | dict.fromkeys(BY_INDEX, None)
        | {
            "span_kind": "TOOL",
            "parent_id": "9bce08aed0da0da7",
            "context.span_id": "1bce08aed0da0da7",
            "attributes.llm.model_name": None,
            "attributes.tool.name": "look",
            "attributes.input.value": '{"at": "mill"}',
            "attributes.output.value": "turning",
        }
    )
    asked = {f"{CALL}.name": "look", f"{CALL}.arguments": '{"at": "mill"}'}
    read = fd.read(written([ROW | BY_INDEX | asked, tool], tmp_path / "spans.json"))
    assert len(read.cases) == 1
    assert [call.name for call in read.outputs[0].tool_calls or []] == ["look"]
    assert "turning" in str(read.outputs[0].turns)
    unasked = fd.read(written([ROW | BY_INDEX, tool], tmp_path / "spans.json"))
    assert unasked.outputs[0].tool_calls is None


ASKING = {"role": "assistant", "tool_calls": [{"tool_call": {"id": "a", "function": {"name": "book", "arguments": '{"city": "Rome"}'}}}]}  # fmt: skip


def test_a_printed_list_of_messages_is_read_and_one_cut_off_is_listed(tmp_path: Path):
    said = [{"message.role": "assistant", "message.content": "It's Rome"}]
    ids = {"context.trace_id": "1" * 32, "parent_id": None, "status_code": "OK", "span_kind": "LLM"}
    whole = {**ids, "context.span_id": "1" * 16, "attributes.llm.input_messages": "[{'message.role': 'user', 'message.content': 'Where?'}]", "attributes.llm.output_messages": str(said)}  # fmt: skip
    cut = {**whole, "context.trace_id": "2" * 32, "attributes.llm.output_messages": str(said)[:-3]}
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (whole, cut)))
    found = fd.read(path)
    assert [output.text for output in found.outputs] == ["It's Rome"]
    assert [skipped.line for skipped in found.skipped] == [2]


def test_attributes_nested_as_phoenix_stores_them_are_read(tmp_path: Path):
    asked = {"message": {"role": "user", "content": "Where?"}}
    llm = {"input_messages": [asked], "output_messages": [{"message": ASKING}], "model_name": "m"}
    given = {"tool": {"name": "book"}, "input": {"value": '{"city": "Rome"}'}, "metadata": {"a": {"b": 1}}}
    lines = [
        {"name": "chat", "span_kind": "LLM", "attributes": {"llm": llm}, "status_code": "OK"},
        {"name": "book", "attributes": {"openinference": {"span": {"kind": "TOOL"}}, **given}, "status_code": "ERROR", "status_message": "full"},
    ]  # fmt: skip
    ids = [{"context": {"trace_id": "1" * 32, "span_id": str(at) * 16}, "parent_id": None, "start_time": f"2026-01-0{at}"} for at in (1, 2)]  # fmt: skip
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(json.dumps(a | b) + "\n" for a, b in zip(lines, ids, strict=True)))
    found = fd.read(path)
    assert found.cases[0].messages == [{"role": "user", "content": "Where?"}]
    assert found.outputs[0].turns == [[[ToolCall(name="book", arguments='{"city": "Rome"}')], ToolResults(results=[{"error": "full"}])]]  # fmt: skip
