"""Answers of servers that only stream."""

from __future__ import annotations

import json
from typing import Any

import pytest
from each_row import each_row

from fiducial.judges.transport.completion import read_completion, read_json
from fiducial.judges.transport.exchange import CallError


def chunk(delta: Any, ended: str | None = None, **more: Any) -> dict[str, Any]:
    return {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": ended}], **more}


def stream(*chunks: Any, done: bool = True) -> bytes:
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([": hello\n\n", *lines, "data: [DONE]\n\n" if done else ""]).encode()


def test_the_chunks_of_a_stream_are_one_completion():
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    reply = read_completion(read_json(stream(chunk({"role": "assistant", "content": "Ro"}), chunk({"content": "me ☀"}), chunk({}, "stop"), {"choices": [], "usage": usage})))  # fmt: skip
    assert (reply.text, reply.finish_reason, reply.served_by) == ("Rome ☀", "stop", "m")
    assert (reply.prompt_tokens, reply.completion_tokens) == (3, 2)


def test_calls_are_joined_by_their_index():
    def piece(at: int, **function: str) -> dict[str, Any]:
        return {"index": at, "function": function} | ({"id": f"c{at}"} if "name" in function else {})

    reply = read_completion(read_json(stream(chunk({"tool_calls": [piece(0, name="f", arguments="")]}), chunk({"tool_calls": [piece(0, arguments='{"x": ')]}), chunk({"tool_calls": [piece(0, arguments="1}"), piece(1, name="g", arguments="{}")]}, "tool_calls"))))  # fmt: skip
    assert [(call.name, call.arguments, call.id) for call in reply.tool_calls or []] == [
        ("f", '{"x": 1}', "c0"),
        ("g", "{}", "c1"),
    ]


def test_a_response_is_in_the_last_event():
    whole: dict[str, Any] = {"object": "response", "output": []}
    events = b'event: response.created\ndata: {"type": "response.created"}\n\n'
    assert read_json(events + f"data: {json.dumps({'type': 'response.completed', 'response': whole})}\n\n".encode()) == whole  # fmt: skip


@each_row("cut", [stream(chunk({"content": "Ro"}), done=False), b'data: {"choices": [', b": hello\n\n"])
def test_a_stream_that_was_cut_off_may_be_asked_for_again(cut: bytes):
    with pytest.raises(CallError, match="cut off") as raised:
        read_json(cut)
    assert raised.value.retryable


@each_row("events", [b'data: {"x": 1}\n\ndata: [DONE]\n\n', b"data: [1]\n\ndata: [DONE]\n\n"])
def test_other_events_are_no_answer_at_any_time(events: bytes):
    with pytest.raises(CallError, match="no chat completion") as raised:
        read_json(events)
    assert not raised.value.retryable


def test_an_error_in_a_stream_is_the_reason():
    with pytest.raises(CallError, match="busy"):
        read_completion(read_json(stream({"error": {"message": "busy"}}, done=False)))
