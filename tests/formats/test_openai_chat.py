"""OpenAI's chats as cases and outputs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import fiducial as fd
from fiducial.records import ToolCall, ToolResults

ASKED = {"role": "user", "content": "Water the roses."}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "water", "parameters": {"type": "object", "properties": {}}},
}
CALL = {"id": "c", "type": "function", "function": {"name": "water", "arguments": '{"bed": "roses"}'}}

Read: TypeAlias = Callable[..., fd.Reading]


@pytest.fixture
def read(tmp_path: Path):
    def read(*lines: Any, **options: Any):
        path = tmp_path / "chats.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return fd.read(path, as_="openai", **options)

    return read


def test_the_last_answer_becomes_the_output_and_is_no_part_of_the_case(read: Read):
    chat = read({"model": "m", "messages": [ASKED, {"role": "assistant", "content": "Done."}]})
    assert chat.cases[0].messages == [ASKED]
    assert (chat.outputs[0].text, chat.outputs[0].system, chat.outputs[0].turns) == ("Done.", "m", None)


def test_a_case_asks_an_open_question_with_the_criterion_that_is_given(read: Read):
    [case] = read({"messages": [ASKED]}, criterion="The roses are watered.").cases
    assert (case.kind, case.reference) == ("open_answer", {"criterion": "The roses are watered."})


def test_a_chat_without_an_answer_gives_a_case_alone(read: Read):
    assert read({"messages": [ASKED]}).outputs == []


def test_native_calls_keep_their_arguments_verbatim_and_make_it_a_case_of_calls(read: Read):
    chat = read({"messages": [ASKED, {"role": "assistant", "content": None, "tool_calls": [CALL]}], "tools": [TOOL]})  # fmt: skip
    [output] = chat.outputs
    assert output.tool_calls == [ToolCall(name="water", arguments='{"bed": "roses"}')]
    assert output.text is None
    assert (chat.cases[0].kind, chat.cases[0].tools) == ("any_call", [TOOL])


def test_calls_and_their_results_by_id_are_steps_before_the_answer(read: Read):
    other = {"id": "d", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        ASKED,
        {"role": "assistant", "content": None, "tool_calls": [CALL, other]},
        {"role": "tool", "tool_call_id": "d", "content": "dry"},
        {"role": "tool", "tool_call_id": "c", "content": "wet"},
        {"role": "assistant", "content": "Done."},
    ]
    [output] = read({"messages": messages}).outputs
    assert output.turns is not None
    [calls, results, text] = output.turns[0]
    assert isinstance(calls, list)
    assert [call.name for call in calls] == ["water", "look"]
    assert (results, text) == (ToolResults(results=["wet", "dry"]), "Done.")
    assert (output.text, output.tool_calls) == ("Done.", calls)


def test_what_was_said_in_earlier_turns_is_part_of_the_question(read: Read):
    messages = [ASKED, {"role": "assistant", "content": "Which?"}, ASKED, {"role": "assistant", "content": "Done."}]  # fmt: skip
    chat = read({"messages": messages})
    assert chat.cases[0].messages == messages[:3]
    assert chat.outputs[0].text == "Done."


def test_a_completion_beside_the_messages_is_the_answer(read: Read):
    response = {"model": "m2", "choices": [{"message": {"role": "assistant", "content": "Yes."}}]}
    chat = read({"messages": [ASKED, {"role": "assistant", "content": "earlier"}], "response": response})
    assert (chat.outputs[0].text, chat.outputs[0].system) == ("Yes.", "m2")
    assert len(chat.cases[0].messages) == 2


def test_a_stored_completion_has_its_choices_as_trials_and_its_metadata_as_tags(read: Read):
    choices = [{"message": {"role": "assistant", "content": text}} for text in ("a", "b")]
    line = {"object": "chat.completion", "id": "x", "model": "m", "messages": [ASKED], "choices": choices, "metadata": {"k": "v"}}  # fmt: skip
    chat = read(line)
    assert [(each.trial, each.text) for each in chat.outputs] == [(0, "a"), (1, "b")]
    assert chat.cases[0].tags["k"] == "v"


def test_a_response_of_the_newer_api_is_a_chat(read: Read):
    items = [
        {"type": "function_call", "call_id": "c", "name": "water", "arguments": "{}"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
    ]
    chat = read({"object": "response", "id": "r", "model": "m", "input": "Water.", "output": items})
    assert chat.cases[0].messages == [{"role": "user", "content": "Water."}]
    assert (chat.outputs[0].text, chat.outputs[0].tool_calls) == ("Done.", [ToolCall(name="water", arguments="{}")])  # fmt: skip


def test_a_page_of_the_api_and_a_bare_chat_are_read(read: Read, tmp_path: Path):
    page = tmp_path / "page.json"
    page.write_text(json.dumps({"object": "list", "data": [{"messages": [ASKED]}, {"messages": [ASKED]}]}))
    assert [case.id for case in fd.read(page).cases] == ["chat-000001", "chat-000002"]
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps([ASKED, {"role": "assistant", "content": "Done."}]))
    assert fd.read(chat).outputs[0].text == "Done."


def test_parts_of_a_message_are_joined(read: Read):
    parts = [{"type": "text", "text": "Done"}, {"type": "text", "text": "."}]
    assert read({"messages": [ASKED, {"role": "assistant", "content": parts}]}).outputs[0].text == "Done."


def test_a_refusal_is_what_was_said(read: Read):
    refusal = {"role": "assistant", "content": None, "refusal": "No."}
    assert read({"messages": [ASKED, refusal]}).outputs[0].text == "No."


@pytest.mark.parametrize("key", ["tools", "functions"])
def test_flat_tools_take_the_outer_shape(read: Read, key: str):
    assert read({"messages": [ASKED], key: [TOOL["function"]]}).cases[0].tools == [TOOL]


def test_ids_are_kept_and_made_up_from_the_line_where_there_is_none(read: Read):
    chats = read({"messages": [ASKED], "id": "001"}, {"messages": [ASKED]}, {"messages": [ASKED], "custom_id": "x"})  # fmt: skip
    assert [case.id for case in chats.cases] == ["001", "chat-000002", "x"]


def test_an_id_of_another_case_is_refused_and_listed(read: Read):
    chats = read({"id": "a", "messages": [ASKED]}, {"id": "a", "messages": [ASKED, ASKED]})
    assert [(each.line, each.field, each.reason) for each in chats.skipped] == [
        (2, "id", "another case has the id 'a'")
    ]


def test_two_models_may_answer_one_case(read: Read):
    answer = {"role": "assistant", "content": "Done."}
    chat = read(*({"id": "a", "model": model, "messages": [ASKED, answer]} for model in ("m", "n")))
    assert [case.id for case in chat.cases] == ["a"]
    assert [output.system for output in chat.outputs] == ["m", "n"]


def test_a_case_that_comes_again_is_one_and_its_answer_is_refused_and_listed(read: Read):
    chat = {"id": "a", "messages": [ASKED, {"role": "assistant", "content": "Done."}]}
    chats = read(chat, chat)
    assert (len(chats.cases), len(chats.outputs), chats.skipped[0].line) == (1, 1, 2)


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"messages": "hello"},
        {"messages": [{"content": "no role"}]},
        {"messages": [ASKED], "tools": [{"type": "web_search"}]},
        {"messages": [ASKED, {"role": "assistant", "content": 3}]},
    ],
)
def test_a_line_that_is_no_chat_is_listed_with_its_number(read: Read, line: Any):
    chats = read({"messages": [ASKED]}, line)
    assert (len(chats.cases), [each.line for each in chats.skipped]) == (1, [2])


def test_rows_without_ids_in_several_files_have_ids_of_their_own(tmp_path: Path):
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(json.dumps({"messages": [ASKED]}) + "\n")
    read = fd.read(tmp_path)
    assert [case.id for case in read.cases] == ["chat-000001", "chat-2-000001"]


def test_a_made_up_id_that_a_case_has_is_refused_and_listed(read: Read):
    chats = read({"messages": [ASKED], "id": "chat-000002"}, {"messages": [ASKED]})
    assert [case.id for case in chats.cases] == ["chat-000002"]
    assert [each.reason for each in chats.skipped] == [
        "a row without id would be called 'chat-000002', as another case is"
    ]
