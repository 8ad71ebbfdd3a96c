"""Answers of servers that only stream: server-sent events joined into one body."""

from __future__ import annotations

import json
from typing import Any, cast

from .exchange import CallError

_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")


def is_event_stream(raw: bytes) -> bool:
    """Return whether a body consists of server-sent events."""
    return raw.lstrip().startswith(_STARTS)


def joined_events(raw: bytes) -> object:
    """Return the completion of a stream, from its chunks, or the response in its last event.

    Raises:
        CallError: The stream was cut off, which a further try may mend; or its events are no answer.
    """
    chunks: list[dict[str, Any]] = []
    is_done = False
    for line in raw.decode("utf-8", "replace").splitlines():
        if not line.startswith("data:"):
            continue
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            is_done = True
            break
        chunks += _objects(data)
    whole = next((chunk["response"] for chunk in chunks if chunk.get("type") == "response.completed"), None)
    failed = next((chunk for chunk in chunks if chunk.get("error")), None)
    if whole is not None or failed is not None:
        return cast("object", whole or failed)
    if not any(isinstance(chunk.get("choices"), list) for chunk in chunks):
        if is_done or chunks:
            raise CallError("the server streams events that are no chat completion")
        raise CallError("the stream of events is cut off", retryable=True)
    body = _completion(chunks)
    if not is_done and body["choices"][0]["finish_reason"] is None:
        raise CallError("the stream of events is cut off", retryable=True)
    return body


def _objects(data: str) -> list[dict[str, Any]]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CallError("the stream of events is cut off or not JSON", retryable=True) from error
    return [cast("dict[str, Any]", value)] if isinstance(value, dict) else []


def _completion(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the first choice of a stream as a completion."""
    message: dict[str, Any] = {"content": None}
    calls: dict[Any, dict[str, Any]] = {}
    ended: str | None = None
    logprobs: list[Any] = []
    for chunk in chunks:
        for choice in _dicts(chunk.get("choices")):
            if choice.get("index", 0) != 0:
                continue
            delta = choice.get("delta")
            for name, value in (_dicts([delta]) or [{}])[0].items():
                if name == "tool_calls":
                    _add_calls(calls, value)
                elif isinstance(value, str) and name != "role":
                    message[name] = (message.get(name) or "") + value
            ended = choice.get("finish_reason") or ended
            logprobs += (_dicts([choice.get("logprobs")]) or [{}])[0].get("content") or []
    if calls:
        message["tool_calls"] = [calls[at] for at in sorted(calls, key=str)]
    choice = {
        "message": message,
        "finish_reason": ended,
        "logprobs": {"content": logprobs} if logprobs else None,
    }
    return {
        "choices": [choice],
        "model": next((each["model"] for each in chunks if each.get("model")), None),
        "usage": next((each["usage"] for each in reversed(chunks) if each.get("usage")), None),
    }


def _add_calls(calls: dict[Any, dict[str, Any]], pieces: Any) -> None:
    """Add pieces of calls, each to the call of its index."""
    for piece in _dicts(pieces):
        function = (_dicts([piece.get("function")]) or [{}])[0]
        call = calls.setdefault(piece.get("index", len(calls)), {"function": {"name": "", "arguments": ""}})
        call["id"] = piece.get("id") or call.get("id")
        for name in ("name", "arguments"):
            text = function.get(name)
            call["function"][name] += text if isinstance(text, str) else ""


def _dicts(values: Any) -> list[dict[str, Any]]:
    """Return the objects of a list."""
    listed = cast("list[Any]", values) if isinstance(values, list) else []
    return [cast("dict[str, Any]", each) for each in listed if isinstance(each, dict)]
