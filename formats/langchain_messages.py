"""LangChain's messages as they are serialized: by constructor, with ``data``, or flat."""

from __future__ import annotations

from typing import Any

from .json_values import is_list, is_object

_TYPES = frozenset({"human", "ai", "system", "tool", "function", "chat"})
_CALLS = ("tool_calls", "function_call")


def plain_message(value: dict[str, Any]) -> dict[str, Any]:
    """Return a serialized message of LangChain as a flat one; any other object unchanged.

    Calls whose arguments LangChain could not parse count as made.
    """
    if value.get("type") == "constructor" and is_object(value.get("kwargs")):
        name = value["id"][-1] if is_list(value.get("id")) and value["id"] else ""
        held = value["kwargs"]
        kind = held.get("type") or str(name).removesuffix("Chunk").removesuffix("Message").lower()
    elif is_object(value.get("data")) and value.get("type") in _TYPES:
        held, kind = value["data"], value["type"]
    elif value.get("type") in _TYPES and "role" not in value:
        held, kind = value, value["type"]
    else:
        return value
    if kind not in _TYPES:
        return value
    message = {**held, "type": held.get("role", kind) if kind == "chat" else kind}
    given = held.get("additional_kwargs")
    if is_object(given) and not any(held.get(name) for name in _CALLS):
        message |= {name: given[name] for name in _CALLS if given.get(name)}
    if is_list(unread := held.get("invalid_tool_calls")) and unread and "tool_calls" in held:
        message["tool_calls"] = [*(held["tool_calls"] or []), *unread]
    return message


def plain_messages(value: Any) -> Any:
    """Return a value in which every serialized message of LangChain is a flat one."""
    if is_list(value):
        return [plain_messages(item) for item in value]
    if not is_object(value):
        return value
    flat = plain_message(value)
    return flat if flat is not value else {name: plain_messages(item) for name, item in value.items()}
