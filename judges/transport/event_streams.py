"""Join the server-sent events of servers that only stream into one body.

A stream of chat completions has chunks with deltas; one of the Responses API ends with the whole response.
"""

from __future__ import annotations

import json
from typing import Any, cast

from .exchange import CallError

_FIELD_PREFIXES = (b"data:", b"event:", b"id:", b"retry:", b":")


def is_event_stream(raw: bytes) -> bool:
    """Return whether a body consists of server-sent events."""
    return raw.lstrip().startswith(_FIELD_PREFIXES)


def join_events(raw: bytes) -> object:
    """Return the body of a stream: its final response, its error, or a joined completion.

    Raises:
        CallError: The stream was cut off (retryable), or its events are no chat completion.
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
        if (chunk := _parse_chunk(data)) is not None:
            chunks.append(chunk)
    responses = (chunk["response"] for chunk in chunks if chunk.get("type") == "response.completed")
    final_response = next(responses, None)
    error_event = next((chunk for chunk in chunks if chunk.get("error")), None)
    if final_response is not None or error_event is not None:
        return cast("object", final_response or error_event)
    if not any(isinstance(chunk.get("choices"), list) for chunk in chunks):
        if is_done or chunks:
            raise CallError("the server streams events that are no chat completion")
        raise CallError("the stream of events is cut off", retryable=True)
    body = _completion(chunks)
    if not is_done and body["choices"][0]["finish_reason"] is None:
        raise CallError("the stream of events is cut off", retryable=True)
    return body


def _parse_chunk(data: str) -> dict[str, Any] | None:
    """Return the JSON object of an event, or None for any other JSON value."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CallError("the stream of events is cut off or not JSON", retryable=True) from error
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _completion(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """Join the chunks of a stream's first choice into a completion."""
    message: dict[str, Any] = {"content": None}
    calls: dict[Any, dict[str, Any]] = {}
    finish_reason: str | None = None
    logprobs: list[Any] = []
    for chunk in chunks:
        for choice in _dicts(chunk.get("choices")):
            if choice.get("index", 0) != 0:
                continue
            for name, value in _as_dict(choice.get("delta")).items():
                if name == "tool_calls":
                    _add_calls(calls, value)
                # The content, a refusal, and reasoning under whatever name the server gives it.
                elif isinstance(value, str) and name != "role":
                    message[name] = (message.get(name) or "") + value
            finish_reason = choice.get("finish_reason") or finish_reason
            logprobs += _as_dict(choice.get("logprobs")).get("content") or []
    if calls:
        # By text, since a server may send an index that is no number.
        message["tool_calls"] = [calls[index] for index in sorted(calls, key=str)]
    joined_choice = {
        "message": message,
        "finish_reason": finish_reason,
        "logprobs": {"content": logprobs} if logprobs else None,
    }
    return {
        "choices": [joined_choice],
        "model": next((chunk["model"] for chunk in chunks if chunk.get("model")), None),
        "usage": next((chunk["usage"] for chunk in reversed(chunks) if chunk.get("usage")), None),
    }


def _add_calls(calls: dict[Any, dict[str, Any]], pieces: Any) -> None:
    """Append the pieces of tool calls in a delta to the calls with their index."""
    for piece in _dicts(pieces):
        function = _as_dict(piece.get("function"))
        # A server that sends no index sends each call in one piece.
        call = calls.setdefault(piece.get("index", len(calls)), {"function": {"name": "", "arguments": ""}})
        call["id"] = piece.get("id") or call.get("id")
        for name in ("name", "arguments"):
            text = function.get(name)
            call["function"][name] += text if isinstance(text, str) else ""


def _dicts(values: Any) -> list[dict[str, Any]]:
    items = cast("list[Any]", values) if isinstance(values, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]


def _as_dict(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
