"""Answers that logs and traces keep as the chunks of a stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fiducial as fd
from fiducial.formats.streamed_chunks import whole_answer


def chunk(**delta: Any) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}


def piece(arguments: str, **fields: Any) -> dict[str, Any]:
    return {"index": 0, "function": {"arguments": arguments, **fields.pop("function", {})}, **fields}


CHAT: list[Any] = [
    chunk(role="assistant", content=""),
    chunk(content="Let me "),
    chunk(content="see."),
    chunk(tool_calls=[piece("", id="a", function={"name": "book"})]),
    chunk(tool_calls=[piece('{"city": ')]),
    chunk(tool_calls=[piece('"Rome"}')]),
    {"object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 3}},
]
BLOCKS: list[Any] = [
    {"type": "message_start", "message": {"role": "assistant", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Let me "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "see."}},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "a", "name": "book", "input": {}}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"city": '}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '"Rome"}'}},
    {"type": "message_stop"},
]  # fmt: skip
ITEMS: list[Any] = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Let me see."}]}, {"type": "function_call", "call_id": "a", "name": "book", "arguments": '{"city": "Rome"}'}]  # fmt: skip
RESPONSE: list[Any] = [{"type": "response.output_text.delta", "delta": "Let me "}, {"type": "response.completed", "response": {"object": "response", "output": ITEMS}}]  # fmt: skip


@pytest.mark.parametrize("chunks", [CHAT, BLOCKS, RESPONSE], ids=["chat", "blocks", "response"])
def test_a_streamed_answer_in_a_log_is_whole(chunks: list[Any], tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"id": "1", "messages": [{"role": "user", "content": "Book."}], "response": chunks}))  # fmt: skip
    (output,) = fd.read(path).outputs
    assert output.text == "Let me see."
    (call,) = output.tool_calls or []
    given = call.arguments
    assert (call.name, json.loads(given) if isinstance(given, str) else given) == ("book", {"city": "Rome"})


NO_STREAMS: list[list[Any]] = [[], ["a"], [{"type": "text", "text": "a"}], [CHAT[0], {"role": "user"}]]


@pytest.mark.parametrize("chunks", NO_STREAMS)
def test_a_list_of_anything_else_is_no_stream(chunks: list[Any]):
    assert whole_answer(chunks) is None
