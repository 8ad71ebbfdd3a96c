"""OpenAI chat logs as Cases and Outputs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from fiducial.errors import InputError
from fiducial.formats.openai_chat import LoggedChat, read_openai_chats
from fiducial.records import ToolCall

ASKED = {"role": "user", "content": "Water the roses."}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "water", "parameters": {"type": "object", "properties": {}}},
}
CALL = {"id": "c", "type": "function", "function": {"name": "water", "arguments": '{"bed": "roses"}'}}

ChatsOf: TypeAlias = Callable[..., list[LoggedChat]]


@pytest.fixture
def chats_of(tmp_path: Path):
    def chats_of(*lines: Any, **options: Any):
        path = tmp_path / "chats.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return list(read_openai_chats(path, **options))

    return chats_of


def test_the_last_answer_becomes_the_output_and_is_no_part_of_the_case(
    chats_of: ChatsOf,
):
    [chat] = chats_of({"model": "m", "messages": [ASKED, {"role": "assistant", "content": "Done."}]})
    assert chat.case.messages == [ASKED]
    assert chat.output is not None
    assert (chat.output.text, chat.output.system) == ("Done.", "m")


def test_a_case_asks_an_open_question_with_the_criterion_that_is_given(
    chats_of: ChatsOf,
):
    [chat] = chats_of({"messages": [ASKED]}, criterion="The roses are watered.")
    assert chat.case.kind == "open_answer"
    assert chat.case.reference == {"criterion": "The roses are watered."}


def test_a_chat_without_an_answer_gives_a_case_alone(chats_of: ChatsOf):
    [chat] = chats_of({"messages": [ASKED]})
    assert chat.output is None


def test_native_calls_keep_their_arguments_verbatim(chats_of: ChatsOf):
    answer = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    [chat] = chats_of({"messages": [ASKED, answer], "tools": [TOOL]})
    assert chat.output is not None
    assert chat.output.tool_calls == [ToolCall(name="water", arguments='{"bed": "roses"}')]
    assert chat.output.text is None
    assert chat.case.tools == [TOOL]


def test_a_completion_beside_the_messages_is_the_answer(chats_of: ChatsOf):
    response = {"model": "m2", "choices": [{"message": {"role": "assistant", "content": "Yes."}}]}
    [chat] = chats_of(
        {"messages": [ASKED, {"role": "assistant", "content": "earlier"}], "response": response}
    )
    assert chat.output is not None
    assert (chat.output.text, chat.output.system) == ("Yes.", "m2")
    assert len(chat.case.messages) == 2


def test_parts_of_a_message_are_joined(chats_of: ChatsOf):
    parts = [{"type": "text", "text": "Done"}, {"type": "text", "text": "."}]
    [chat] = chats_of({"messages": [ASKED, {"role": "assistant", "content": parts}]})
    assert chat.output is not None
    assert chat.output.text == "Done."


def test_a_refusal_is_what_was_said(chats_of: ChatsOf):
    [chat] = chats_of({"messages": [ASKED, {"role": "assistant", "content": None, "refusal": "No."}]})
    assert chat.output is not None
    assert chat.output.text == "No."


@pytest.mark.parametrize("key", ["tools", "functions"])
def test_flat_tools_take_the_outer_shape(chats_of: ChatsOf, key: str):
    [chat] = chats_of({"messages": [ASKED], key: [TOOL["function"]]})
    assert chat.case.tools == [TOOL]


def test_ids_are_kept_and_made_up_from_the_line_where_there_is_none(
    chats_of: ChatsOf,
):
    chats = chats_of(
        {"messages": [ASKED], "id": 7}, {"messages": [ASKED]}, {"messages": [ASKED], "custom_id": "x"}
    )
    assert [chat.case.id for chat in chats] == ["7", "chat-000002", "x"]


def test_an_id_that_is_there_twice_is_refused(chats_of: ChatsOf):
    with pytest.raises(InputError, match="2: id: the id 'a' is already on line 1"):
        chats_of({"id": "a", "messages": [ASKED]}, {"id": "a", "messages": [ASKED]})


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
def test_a_line_that_is_no_chat_is_refused_with_its_number(chats_of: ChatsOf, line: Any):
    with pytest.raises(InputError) as caught:
        chats_of({"messages": [ASKED]}, line)
    assert caught.value.line == 2
