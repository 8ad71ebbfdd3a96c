"""Messages in logs: items of a response as chat messages, and keys to compare messages by."""

from __future__ import annotations

from typing import Any

from ..errors import RecordError
from .calls import calls_of, results_of, role_of, text_of
from .field_reader import FieldReader
from .json_values import as_text, is_object, parsed


def says_something(message: FieldReader) -> bool:
    """Return whether an agent's message has a text, a call or a result."""
    return bool((text_of(message) or "").strip() or calls_of(message) or results_of(message))


def is_silent(item: Any) -> bool:
    """Return whether an item of a response is reasoning, which is no part of a chat."""
    return is_object(item) and item.get("type") == "reasoning"


def item_message(item: FieldReader) -> dict[str, Any]:
    """Return an item of a response as a message of a chat."""
    kind = "message" if "role" in item else item.text("type") or "message"
    if kind == "function_call":
        return {"role": "assistant", "content": None, "tool_calls": [item.value]}
    if kind == "function_call_output":
        return {"role": "tool", "tool_call_id": item.name("call_id"), "content": item.get("output")}
    if kind == "message":
        return item.value
    raise RecordError(f"an item of type {kind!r} has no place in a chat", field=item.at)


def message_key(message: FieldReader) -> tuple[Any, ...]:
    """Return a key equal for messages that differ only in spelling or ids."""
    calls = tuple((each.call.name, as_text(parsed(each.call.arguments))) for each in calls_of(message))
    results = tuple(as_text(value) for _, value in results_of(message))
    role = "tool" if results else role_of(message)
    return (
        "system" if role == "developer" else role,
        "" if results else (text_of(message) or "").strip(),
        calls,
        results,
    )
