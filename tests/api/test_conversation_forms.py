from __future__ import annotations

from typing import Any

import pytest
from flow_rows import ROWS

from fiducial.api.conversation_forms import context_of, parsed_calls, split_conversation, tools_of
from fiducial.errors import InputError
from fiducial.records import ContextItem, ToolCall, ToolResults


def test_calls_tools_and_context_are_read_in_the_forms_that_rows_have():
    call = ToolCall(name="book", arguments={"city": "Rome"})
    assert parsed_calls([{"name": "book", "arguments": {"city": "Rome"}}]) == [call]
    assert parsed_calls({"id": "1", "function": {"name": "book", "arguments": {"city": "Rome"}}}) == [call]
    tool = {"type": "function", "function": {"name": "book"}}
    assert tools_of([tool]) == tools_of([{"name": "book"}]) == tools_of({"name": "book"}) == [tool]
    assert context_of("text") == [ContextItem(id="1", content="text")]
    assert context_of([{"id": 7, "request": "r", "content": "c"}, "text"]) == [
        ContextItem(id="7", request="r", content="c"),
        ContextItem(id="2", content="text"),
    ]


def test_a_conversation_keeps_its_order_and_results_stand_after_their_calls():
    told, done = split_conversation(ROWS["task_completion"]["messages"])
    assert [[message["role"] for message in turn] for turn in told] == [["user"]]
    call = ToolCall(name="book", arguments='{"city": "Rome"}')
    assert done == [[[call], ToolResults(results=["booked"]), "Done."]]


def test_results_of_calls_made_at_once_are_put_into_their_order():
    calls = [{"id": name, "function": {"name": name, "arguments": "{}"}} for name in "ab"]
    answers = [{"role": "tool", "tool_call_id": name, "content": f"of {name}"} for name in "ba"]
    _, done = split_conversation([{"role": "assistant", "content": None, "tool_calls": calls}, *answers])
    assert done[0][1] == ToolResults(results=["of a", "of b"])


@pytest.mark.parametrize("wrong", [["text"], [{"arguments": {}}], "text", [{"function": "text"}]])
def test_what_is_no_call_is_an_input_error(wrong: Any):
    with pytest.raises(InputError, match="tool_calls"):
        parsed_calls(wrong)
