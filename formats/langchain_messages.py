"""LangChain's messages as they are serialized: by constructor, with ``data``, or flat."""

from __future__ import annotations

from typing import Any

from .json_values import is_list, is_object, is_text_in

_MESSAGE_TYPES = frozenset({"human", "ai", "system", "tool", "function", "chat"})
_CALL_FIELDS = ("tool_calls", "function_call")


def plain_message(value: dict[str, Any]) -> dict[str, Any]:
    """Return a serialized message of LangChain as a flat one; any other object unchanged.

    Calls whose arguments LangChain could not parse are kept with the others.
    """
    if value.get("type") == "constructor" and is_object(value.get("kwargs")):
        name = value["id"][-1] if is_list(value.get("id")) and value["id"] else ""
        fields = value["kwargs"]
        kind = fields.get("type") or str(name).removesuffix("Chunk").removesuffix("Message").lower()
    elif is_object(value.get("data")) and is_text_in(value.get("type"), _MESSAGE_TYPES):
        fields, kind = value["data"], value["type"]
    elif is_text_in(value.get("type"), _MESSAGE_TYPES) and "role" not in value:
        fields, kind = value, value["type"]
    else:
        return value
    if not is_text_in(kind, _MESSAGE_TYPES):
        return value
    message = {**fields, "type": fields.get("role", kind) if kind == "chat" else kind}
    extra_fields = fields.get("additional_kwargs")
    if is_object(extra_fields) and not any(fields.get(name) for name in _CALL_FIELDS):
        message |= {name: extra_fields[name] for name in _CALL_FIELDS if extra_fields.get(name)}
    if (
        is_list(invalid_calls := fields.get("invalid_tool_calls"))
        and invalid_calls
        and "tool_calls" in fields
    ):
        message["tool_calls"] = [*(fields["tool_calls"] or []), *invalid_calls]
    return message


def plain_messages(value: Any) -> Any:
    """Return a value in which every serialized message of LangChain is a flat one."""
    if is_list(value):
        return [plain_messages(item) for item in value]
    if not is_object(value):
        return value
    flat = plain_message(value)
    return flat if flat is not value else {name: plain_messages(item) for name, item in value.items()}
