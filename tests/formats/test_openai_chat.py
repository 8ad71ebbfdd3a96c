"""OpenAI's chats as cases and outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.api.reading import import_files, import_lines
from fiducial.errors import InputError
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


def test_a_conversation_is_one_case_with_the_calls_of_all_its_turns(read: Read):
    messages = [ASKED, {"role": "assistant", "content": "On it.", "tool_calls": [CALL]}, {"role": "user", "content": "Thanks!"}]  # fmt: skip
    chat = read({"messages": [*messages, {"role": "assistant", "content": "Bye."}]})
    assert chat.cases[0].messages == [[ASKED], [{"role": "user", "content": "Thanks!"}]]
    [output] = chat.outputs
    assert (output.text, output.tool_calls) == (
        "Bye.",
        [ToolCall(name="water", arguments='{"bed": "roses"}')],
    )
    assert output.turns is not None
    assert (len(output.turns), output.turns[1]) == (2, ["Bye."])


def test_the_last_text_that_answers_is_the_answer_of_a_conversation(read: Read):
    messages = [ASKED, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "Thanks!"}]
    [output] = read({"messages": messages, "response": {"choices": [{"message": {"content": ""}}]}}).outputs
    assert (output.text, output.error) == ("Done.", None)
    [output] = read({"messages": messages}).outputs
    assert (output.text, output.error) == ("Done.", None)


def test_each_turn_of_a_conversation_is_a_case_where_that_is_asked_for(read: Read):
    messages = [ASKED, {"role": "assistant", "content": "Which?"}, ASKED, {"role": "assistant", "content": "Done."}]  # fmt: skip
    chat = read({"id": "a", "messages": messages}, unit="turn")
    assert [case.id for case in chat.cases] == ["a/1", "a/2"]
    assert {case.cluster for case in chat.cases} == {"a"}
    assert [case.messages for case in chat.cases] == [[ASKED], messages[:3]]
    assert [output.text for output in chat.outputs] == ["Which?", "Done."]


def test_a_last_message_that_nobody_answered_is_listed_where_turns_are_cases(read: Read):
    chat = read({"messages": [ASKED, {"role": "assistant", "content": "Done."}, ASKED]}, unit="turn")
    assert [case.id for case in chat.cases] == ["chat-000001/1"]
    assert [skipped.reason for skipped in chat.skipped] == [
        "the last message of this conversation has no answer"
    ]


def test_an_accepted_answer_may_be_the_last_text_of_a_conversation(read: Read):
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}, ASKED, {"role": "assistant", "content": "Paris"}]  # fmt: skip
    chat = read({"messages": messages, "accepted_answers": ["Paris"]})
    assert fd.check(chat.cases[0], chat.outputs[0]).score == 1.0


def test_a_completion_beside_the_messages_is_the_answer(read: Read):
    response = {"model": "m2", "choices": [{"message": {"role": "assistant", "content": "Yes."}}]}
    chat = read({"messages": [ASKED, {"role": "assistant", "content": "earlier"}], "response": response})
    assert (chat.outputs[0].text, chat.outputs[0].system) == ("Yes.", "m2")
    assert len(chat.cases[0].messages) == 2


def test_a_stored_completion_has_its_choices_as_trials_and_its_metadata_as_tags(read: Read):
    choices = [{"message": {"role": "assistant", "content": text}} for text in ("a", "b")]
    line = {"object": "chat.completion", "id": "x", "model": "m", "messages": [ASKED], "choices": choices, "metadata": {"k": "v"}}  # fmt: skip
    chat = read(line)
    assert [(output.trial, output.text) for output in chat.outputs] == [(0, "a"), (1, "b")]
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
    (skipped,) = chats.skipped
    assert (skipped.line, skipped.field) == (2, "id")
    assert skipped.reason.startswith(
        "an earlier row has the id 'a' and another question or reference; change"
    )


def test_an_empty_answer_that_is_repeated_is_listed_as_empty(read: Read):
    empty = {"id": "a", "messages": [ASKED], "response": {"choices": [{"message": {"content": ""}}]}}
    (skipped,) = read(empty, empty).skipped
    assert skipped.reason == "the answer is empty, and another line has this call's output"


def test_two_models_may_answer_one_case(read: Read):
    answer = {"role": "assistant", "content": "Done."}
    chat = read(*({"id": "a", "model": model, "messages": [ASKED, answer]} for model in ("m", "n")))
    assert [case.id for case in chat.cases] == ["a"]
    assert [output.system for output in chat.outputs] == ["m", "n"]


def test_a_case_that_comes_again_is_one_and_its_answer_is_refused_and_listed(read: Read):
    chat = {"id": "a", "messages": [ASKED, {"role": "assistant", "content": "Done."}]}
    chats = read(chat, chat)
    assert (len(chats.cases), len(chats.outputs), chats.skipped[0].line) == (1, 1, 2)


@each_row(
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
    assert (len(chats.cases), [skipped.line for skipped in chats.skipped]) == (1, [2])


def test_rows_without_ids_in_several_files_have_ids_of_their_own(tmp_path: Path):
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(json.dumps({"messages": [ASKED]}) + "\n")
    read = fd.read(tmp_path)
    assert [case.id for case in read.cases] == ["chat-000001", "chat-2-000001"]


def test_a_made_up_id_is_none_that_a_case_has(read: Read):
    chats = read({"messages": [ASKED], "id": "chat-000002"}, {"messages": [ASKED, ASKED]})
    assert [case.id for case in chats.cases] == ["chat-000002", "chat-000002-2"]
    assert chats.skipped == []


def completion(text: str | None) -> dict[str, Any]:
    return {"model": "m", "choices": [{"message": {"role": "assistant", "content": text}}]}


WRAPPED: list[dict[str, Any]] = [
    {"request": {"model": "m", "messages": [ASKED]}, "response": completion("Done.")},
    {"req": {"model": "m", "messages": [ASKED]}, "res": {"role": "assistant", "content": "Done."}},
    {"input": {"model": "m", "messages": [ASKED]}, "output": "Done."},
    {"input": [ASKED], "output": [{"role": "assistant", "content": "Done."}], "model": "m"},
    {"prompt": json.dumps([ASKED]), "completion": json.dumps(completion("Done."))},
    {"body": {"model": "m", "messages": [ASKED]}, "response": {"status_code": 200, "body": completion("Done.")}},
    {"payload": {"request": {"body": {"model": "m", "messages": [ASKED]}}, "response": {"body": completion("Done.")}}},
    {"request": {"model": "m", "contents": [{"role": "user", "parts": [{"text": "Water the roses."}]}]}, "response": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Done."}]}}]}},
]  # fmt: skip


@each_row("line", WRAPPED)
def test_a_request_and_its_response_are_found_under_any_of_the_usual_names(line: Any, tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(line) + "\n")
    chat = fd.read(path)
    assert chat.cases[0].all_messages == [ASKED]
    assert [(output.text, output.system) for output in chat.outputs] == [("Done.", "m")]


def test_session_user_and_metadata_are_id_cluster_and_tags(read: Read):
    line = {"session_id": "s7", "user": "ann", "metadata": {"shop": "north"}, "request": {"messages": [ASKED]}, "response": "Done."}  # fmt: skip
    [case] = read(line).cases
    assert (case.id, case.cluster, case.tags["shop"]) == ("s7", "ann", "north")


FAILURES: list[tuple[dict[str, Any], str]] = [
    ({"error": {"message": "overloaded"}}, "overloaded"),
    ({"error": "timeout", "response": None}, "timeout"),
    ({"response": {"status_code": 429, "body": {"error": {"message": "slow down"}}}}, "slow down"),
    ({"response": {"status_code": 502, "body": None}}, "HTTP 502"),
    ({"status": "timeout", "response": None}, "timeout"),
    ({"response": completion("")}, "the answer is empty"),
    ({"response": completion(None)}, "the answer is empty"),
    ({"response": None}, "the answer is empty"),
]


@each_row(("end", "error"), FAILURES)
def test_a_call_that_failed_and_an_empty_answer_are_outputs_that_are_graded_0(
    read: Read, end: dict[str, Any], error: str
):
    chat = read({"id": "a", "request": {"model": "m", "messages": [ASKED]}, **end})
    [output] = chat.outputs
    assert (output.error, output.system, chat.skipped) == (error, "m", [])
    assert fd.check(chat.cases[0], output).score == 0.0


def test_a_failure_that_names_no_model_is_of_the_only_one_in_the_log(read: Read):
    answer = {"id": "b", "model": "m", "messages": [ASKED], "response": "Done."}
    chat = read({"id": "a", "messages": [ASKED], "error": "timeout"}, answer)
    assert {output.system: output.error for output in chat.outputs if output.error} == {"m": "timeout"}


def test_a_failure_that_was_answered_later_is_listed(read: Read):
    chat = read({"id": "a", "model": "m", "messages": [ASKED], "error": "timeout"}, {"id": "a", "model": "m", "messages": [ASKED], "response": "Done."})  # fmt: skip
    assert [output.text for output in chat.outputs] == ["Done."]
    assert [(skipped.line, skipped.field) for skipped in chat.skipped] == [(1, "error")]


def test_two_models_in_one_log_are_one_system_where_that_is_said(read: Read):
    lines = [{"id": model, "model": model, "messages": [ASKED], "response": "Done."} for model in ("m", "n")]
    assert [output.system for output in read(*lines).outputs] == ["m", "n"]
    assert [output.system for output in read(*lines, system="bot").outputs] == ["bot", "bot"]


def test_two_answers_of_one_system_to_a_case_are_its_trials(read: Read):
    lines = [{"id": "a", "model": model, "messages": [ASKED], "response": "Done."} for model in ("m", "n")]
    outputs = read(*lines, system="bot").outputs
    assert [(output.system, output.trial) for output in outputs] == [("bot", 0), ("bot", 1)]


def test_two_models_that_took_turns_in_a_session_are_one_system_and_two_that_were_asked_the_same_are_two(
    read: Read,
):
    def line(model: str, asked: str):
        return {"session_id": "s", "model": model, "messages": [{"role": "user", "content": asked}], "response": f"{asked}!"}  # fmt: skip

    assert [(output.system, output.text) for output in read(line("m", "a"), line("n", "b")).outputs] == [
        ("n", "b!")
    ]
    assert [(output.system, output.text) for output in read(line("m", "a"), line("n", "a")).outputs] == [("m", "a!"), ("n", "a!")]  # fmt: skip


def test_a_session_goes_on_from_file_to_file(tmp_path: Path):
    for name, asked in (("a.jsonl", "One?"), ("b.jsonl", "Two?")):
        line = {"session_id": "s", "messages": [{"role": "user", "content": asked}], "response": asked}
        (tmp_path / name).write_text(json.dumps(line) + "\n")
    [case] = fd.read(tmp_path).cases
    assert [turn[0]["content"] for turn in case.turns] == ["One?", "Two?"]


def test_another_answer_from_which_a_session_does_not_go_on_is_listed(read: Read):
    def line(messages: list[Any], answer: str):
        return {"session_id": "s", "messages": messages, "response": answer}

    said = [ASKED, {"role": "assistant", "content": "b"}, {"role": "user", "content": "And?"}]
    chat = read(line([ASKED], "a"), line([ASKED], "b"), line(said, "c"))
    assert chat.outputs[0].turns == [["b"], ["c"]]
    assert [skipped.reason for skipped in chat.skipped] == [
        "another answer, which the session does not continue"
    ]


def test_calls_behind_each_other_in_a_response_are_one_step(read: Read):
    calls = [{"type": "function_call", "call_id": name, "name": name, "arguments": "{}"} for name in "abc"]
    returned = [{"type": "function_call_output", "call_id": name, "output": name} for name in "ab"]
    items: list[dict[str, Any]] = [
        calls[0],
        {"type": "reasoning", "summary": []},
        calls[1],
        *returned,
        calls[2],
    ]
    chat = read({"object": "response", "id": "r", "model": "m", "input": "Water.", "output": items})
    a, b, c = (ToolCall(name=name, arguments="{}") for name in "abc")
    assert chat.outputs[0].turns == [[[a, b], ToolResults(results=["a", "b"]), [c]]]


def test_results_in_parts_are_texts_and_failed_ones_say_so(read: Read):
    used: list[dict[str, Any]] = [
        {"type": "tool_use", "id": name, "name": name, "input": {}} for name in "ab"
    ]
    returned = [
        {"type": "tool_result", "tool_use_id": "b", "content": "declined", "is_error": True},
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "12 °C"}]},
    ]
    said: list[dict[str, Any]] = [
        ASKED,
        {"role": "assistant", "content": used},
        {"role": "user", "content": returned},
    ]
    chat = read({"messages": said, "response": {"role": "assistant", "content": [{"type": "text", "text": "No."}]}})  # fmt: skip
    assert (chat.outputs[0].turns or [])[0][1] == ToolResults(results=["12 °C", {"error": "declined"}])


def test_a_users_text_beside_the_results_of_calls_is_the_next_request(read: Read):
    result = {"type": "tool_result", "tool_use_id": "c", "content": "wet"}
    said: list[dict[str, Any]] = [
        ASKED,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "water", "input": {}}]},
        {"role": "user", "content": [result, {"type": "text", "text": "And the tulips?"}]},
        {"role": "assistant", "content": "Dry."},
    ]
    asked = {"role": "user", "content": "And the tulips?"}
    chat = read({"messages": said})
    assert chat.cases[0].messages == [[ASKED], [asked]]
    call = [ToolCall(name="water")]
    assert chat.outputs[0].turns == [[call, ToolResults(results=["wet"])], ["Dry."]]
    assert read({"messages": said}, unit="turn").cases[1].messages[2:] == [
        {"role": "tool", "content": "wet", "tool_call_id": "c"},
        asked,
    ]


@pytest.mark.parametrize("shape", ["flat", "data", "constructor"])
def test_messages_of_langchain_are_read_and_a_call_that_it_could_not_parse_was_made(
    read: Read, shape: str, tmp_path: Path
):
    def message(kind: str, **fields: Any) -> dict[str, Any]:
        name = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}[kind]
        return {
            "flat": {"type": kind, **fields},
            "data": {"type": kind, "data": fields},
            "constructor": {"lc": 1, "type": "constructor", "id": ["langchain", "messages", name], "kwargs": {"type": kind, **fields}},
        }[shape]  # fmt: skip

    calls = [{"name": "water", "args": {"bed": "roses"}, "id": "c", "type": "tool_call"}]
    unread = [{"name": "dig", "args": '{"bed', "id": "d", "error": "no JSON"}]
    said = [
        message("human", content="Water."),
        message("ai", content="", tool_calls=calls, invalid_tool_calls=unread),
        message("tool", content="no", tool_call_id="d", status="error"),
        message("tool", content="wet", tool_call_id="c"),
        message("ai", content="Done.", additional_kwargs={"refusal": None}),
    ]
    chat = read({"messages": said})
    made = [ToolCall(name="water", arguments={"bed": "roses"}), ToolCall(name="dig", arguments='{"bed')]
    assert chat.outputs[0].turns == [[made, ToolResults(results=["wet", {"error": "no"}]), "Done."]]
    assert chat.cases[0].messages == [{"role": "user", "content": "Water."}]
    (path := tmp_path / "listed.json").write_text(json.dumps(said))
    listed = fd.read(path)
    assert (listed.format, listed.outputs) == ("openai", chat.outputs)
    [old] = read({"messages": [message("human", content="Go"), message("ai", content="", additional_kwargs={"tool_calls": [CALL]})]}).outputs  # fmt: skip
    assert old.tool_calls == [ToolCall(name="water", arguments='{"bed": "roses"}')]


@pytest.mark.parametrize("name", ["input_schema", "inputSchema", "parametersJsonSchema", "parameters"])
def test_a_schema_of_any_provider_is_where_checkers_and_models_look(read: Read, name: str):
    schema = {"type": "object", "properties": {"bed": {"type": "string"}}}
    chat = read({"messages": [ASKED], "tools": [{"name": "water", name: schema}]})
    assert chat.cases[0].tools[0]["function"] == {"name": "water", "parameters": schema}


def test_an_expected_function_that_no_case_offers_is_listed(read: Read, tmp_path: Path):
    table = tmp_path / "expected.csv"
    table.write_text("id,expected_calls\na,watr(bed='roses')\n")
    chat = read({"id": "a", "messages": [ASKED], "tools": [TOOL], "response": "?"}, join=table)
    assert [skipped.reason for skipped in chat.skipped] == [
        "'watr' is expected, but no tool of the case has this name (did you mean 'water'?)"
    ]
    assert chat.cases[0].kind == "tool_call"


def test_calls_of_custom_tools_and_servers_are_calls_and_the_providers_own_tools_are_left_out(read: Read):
    items: list[dict[str, Any]] = [
        {"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "roses"}},
        {"type": "mcp_list_tools", "id": "l", "server_label": "garden", "tools": []},
        {"type": "mcp_call", "id": "m", "server_label": "garden", "name": "beds", "arguments": "{}", "output": "2"},
        {"type": "mcp_call", "id": "n", "server_label": "garden", "name": "dig", "arguments": "{}", "error": "dry"},
        {"type": "custom_tool_call", "call_id": "c", "name": "shell", "input": "ls"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": "a b"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
    ]  # fmt: skip
    chat = read({"object": "response", "id": "r", "model": "m", "input": "Water.", "output": items})
    beds, dig = (ToolCall(name=name, arguments="{}") for name in ("beds", "dig"))
    shell = ToolCall(name="shell", arguments={"input": "ls"})
    assert chat.outputs[0].turns == [[[beds], ToolResults(results=["2"]), [dig], ToolResults(results=[{"error": "dry"}]), [shell], ToolResults(results=["a b"]), "Done."]]  # fmt: skip
    assert chat.skipped == []


@pytest.mark.parametrize(
    "response",
    [
        {"choices": [{"message": {"role": "assistant", "content": "Wat"}, "finish_reason": "length"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Wat"}], "stop_reason": "max_tokens"},
        {"object": "response", "output": [{"type": "message", "role": "assistant", "content": "Wat"}], "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
    ],
)  # fmt: skip
def test_an_answer_that_was_cut_off_is_kept_and_counted(tmp_path: Path, response: dict[str, Any]):
    (tmp_path / "log.jsonl").write_text(json.dumps({"request": {"messages": [ASKED]}, "response": response}))
    imported = import_files([tmp_path / "log.jsonl"], tmp_path / "out")
    assert (imported.outputs, imported.cut_off, imported.skipped) == ({"logged": 1}, 1, 0)
    said = "\n".join(import_lines(imported))
    assert "1 answer was cut off at the limit of tokens, graded as written" in said


@pytest.mark.parametrize("odd", [{}, [], 3, True])
def test_an_odd_reason_to_stop_is_none(read: Read, odd: Any):
    response: dict[str, Any] = {"stop_reason": odd, "incomplete_details": odd, "choices": [{"message": {"content": "Wet."}, "finish_reason": odd}]}  # fmt: skip
    chat = read({"request": {"messages": [ASKED]}, "response": response})
    assert ([output.text for output in chat.outputs], chat.skipped) == (["Wet."], [])


def test_a_chat_of_gemini_has_its_calls_results_and_functions(read: Read):
    schema: dict[str, Any] = {"type": "OBJECT", "properties": {"bed": {"type": "STRING", "enum": ["A"]}}}
    called: dict[str, Any] = {"functionCall": {"name": "water", "args": {"bed": "A"}}}
    request: dict[str, Any] = {
        "contents": [
            {"role": "user", "parts": [{"text": "Water."}]},
            {"role": "model", "parts": [{"text": "Well."}, called, called]},
            {"role": "user", "parts": [{"functionResponse": {"name": "water", "response": {"wet": at}}} for at in (1, 2)]},
        ],
        "tools": [{"functionDeclarations": [{"name": "water", "parameters": schema}, {"name": "dig"}]}],
    }  # fmt: skip
    said: dict[str, Any] = {"role": "model", "parts": [{"text": "Done."}]}
    chat = read({"request": request, "response": {"candidates": [{"content": said}], "modelVersion": "g-2"}})
    water = ToolCall(name="water", arguments={"bed": "A"})
    assert chat.outputs[0].system == "g-2"
    assert chat.outputs[0].turns == [["Well.", [water, water], ToolResults(results=[{"wet": 1}, {"wet": 2}]), "Done."]]  # fmt: skip
    lower: dict[str, Any] = {"type": "object", "properties": {"bed": {"type": "string", "enum": ["A"]}}}
    assert [tool["function"] for tool in chat.cases[0].tools] == [{"name": "water", "parameters": lower}, {"name": "dig"}]  # fmt: skip


def test_a_conversation_of_bedrock_has_its_calls_results_and_functions(read: Read):
    used: dict[str, Any] = {"toolUse": {"toolUseId": "t", "name": "water", "input": {"bed": "A"}}}
    result: dict[str, Any] = {
        "toolResult": {"toolUseId": "t", "content": [{"text": "dry"}], "status": "error"}
    }
    spec: dict[str, Any] = {"name": "water", "inputSchema": {"json": {"type": "object", "properties": {}}}}
    body: dict[str, Any] = {
        "messages": [
            {"role": "user", "content": [{"text": "Water."}]},
            {"role": "assistant", "content": [used]},
            {"role": "user", "content": [result]},
        ],
        "toolConfig": {"tools": [{"toolSpec": spec}]},
    }
    said: dict[str, Any] = {"output": {"message": {"role": "assistant", "content": [{"text": "No."}]}}}
    line: dict[str, Any] = {
        "modelId": "b",
        "input": {"inputBodyJson": body},
        "output": {"outputBodyJson": said},
    }
    chat = read(line)
    water = ToolCall(name="water", arguments={"bed": "A"})
    assert chat.outputs[0].turns == [[[water], ToolResults(results=[{"error": "dry"}]), "No."]]
    assert chat.cases[0].messages == [{"role": "user", "content": "Water."}]
    assert (chat.outputs[0].system, chat.cases[0].tools[0]["function"]["parameters"]) == ("b", spec["inputSchema"]["json"])  # fmt: skip


@pytest.mark.parametrize("name", ["message", "@message", "jsonPayload"])
def test_what_a_log_service_keeps_as_text_is_read(read: Read, name: str):
    held: dict[str, Any] = {
        "request": {"messages": [ASKED]},
        "response": {"choices": [{"message": {"content": "Wet."}}]},
    }
    chat = read({"@timestamp": "2026-01-01T00:00:00Z", "level": "info", name: json.dumps(held)})
    assert [output.text for output in chat.outputs] == ["Wet."]


@each_row(
    "line",
    [
        {"messages": [{"role": "user", "text": "Hi"}, {"role": "assistant", "text": "Hello"}]},
        {"messages": [{"from": "customer", "text": "Hi"}, {"from": "agent", "text": "Hello"}]},
        {"messages": [{"sender": "client", "body": "Hi"}, {"sender": "bot", "body": "Hello"}]},
        {"turns": [{"speaker": "user", "message": "Hi"}, {"speaker": "assistant", "message": "Hello"}]},
        {"transcript": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]},
    ],
)
def test_the_speaker_and_text_of_a_message_are_found_under_any_of_the_usual_names(line: Any, tmp_path: Path):
    path = tmp_path / "sessions.jsonl"
    path.write_text(json.dumps({"session_id": "s", **line}))
    chat = fd.read(path)
    assert chat.cases[0].messages == [{"role": "user", "content": "Hi"}]
    assert (chat.outputs[0].text, chat.outputs[0].error) == ("Hello", None)


def test_an_answer_under_an_unknown_name_is_listed_and_never_an_empty_one(read: Read):
    odd = [ASKED, {"role": "assistant", "utterance": "Done."}]
    chats = read({"messages": odd}, {"messages": [ASKED, {"role": "assistant", "content": "Done."}]})
    assert [output.text for output in chats.outputs] == ["Done."]
    [skipped] = chats.skipped
    assert (skipped.line, skipped.field) == (1, "messages[1].content")
    assert skipped.reason == "missing; expected a text; rename the field that holds it: 'utterance'"


def _batch(tmp_path: Path, *names: str) -> list[Path]:
    asked = [
        {"custom_id": f"q{n}", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "m", "messages": [ASKED]}}
        for n in range(3)
    ]  # fmt: skip
    completion = {"model": "m-1", "choices": [{"message": {"role": "assistant", "content": "Done."}}]}
    replies = [
        {"id": "batch_req_2", "custom_id": "q2", "response": {"status_code": 500, "body": {"error": {"message": "down"}}}, "error": None},
        {"id": "batch_req_0", "custom_id": "q0", "response": {"status_code": 200, "body": completion}, "error": None},
        {"id": "batch_req_1", "custom_id": "q1", "response": None, "error": {"code": "batch_expired", "message": "expired"}},
    ]  # fmt: skip
    lines = {"in.jsonl": asked, "out.jsonl": replies}
    paths = [tmp_path / name for name in names]
    for path in paths:
        path.write_text("".join(json.dumps(line) + "\n" for line in lines[path.name]))
    return paths


@pytest.mark.parametrize("names", [("in.jsonl", "out.jsonl"), ("out.jsonl", "in.jsonl")])
def test_a_batchs_answers_find_their_questions_by_custom_id_in_either_order(
    names: tuple[str, str], tmp_path: Path
):
    import_files(_batch(tmp_path, *names), tmp_path / "shop")
    cases, outputs = (
        [json.loads(line) for line in (tmp_path / "shop" / name).read_text().splitlines()]
        for name in ("cases.jsonl", "outputs.jsonl")
    )
    assert [case["messages"] for case in cases] == [[ASKED]] * 3
    assert [(output["case_id"], output.get("text"), output.get("error")) for output in outputs] == [
        ("q0", "Done.", None),
        ("q1", None, "expired"),
        ("q2", None, "down"),
    ]


def test_a_batchs_answers_alone_are_refused_with_the_command_that_reads_them(tmp_path: Path):
    [path] = _batch(tmp_path, "out.jsonl")
    both = f"the question of 'q2' is in the batch's input file; give both: fiducial import INPUT {path}"
    with pytest.raises(InputError, match=re.escape(both)):
        fd.read(path)


def test_a_custom_id_that_comes_again_is_listed(tmp_path: Path):
    [path] = _batch(tmp_path, "in.jsonl")
    path.write_text(path.read_text() * 2)
    assert [skipped.reason for skipped in fd.read(path).skipped] == [
        f"another line has the custom_id 'q{n}'" for n in range(3)
    ]


def test_a_chat_without_messages_is_listed(read: Read):
    chats = read({"messages": [ASKED]}, {"messages": []})
    assert [(skipped.line, skipped.field, skipped.reason) for skipped in chats.skipped] == [
        (2, "messages", "there is no message")
    ]
