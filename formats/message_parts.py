"""Parts of a message, in the form of any provider, by their type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .field_reader import FieldReader
from .json_values import is_list, is_object

_TYPE_OF_KEY = {
    "functionCall": "function_call",
    "toolUse": "tool_use",
    "functionResponse": "tool_call_response",
    "toolResult": "tool_result",
    "tool_call": "tool_call",
}
"""Types of parts by the only key that Gemini, Bedrock and Haystack give a part."""

RESULT_PARTS = {
    "tool_result": ("tool_result", "content", "output"),
    "function_call_output": ("function_call_output", "output"),
    "openapi_call_output": ("openapi_call_output", "output"),
    "tool_call_response": ("response", "result"),
    "tool-result": ("result", "output"),
}
"""Names of the result's field, by type of part."""


def parts_of(message: FieldReader) -> list[FieldReader]:
    """Return the parts of a message whose content is a list, including plain texts."""
    name = message.first("parts", "content", "contents")
    if name is None or not is_list(message.value[name]):
        return []
    return [FieldReader(_typed(item), at) for at, item in message.items(name)]


def _typed(item: Any) -> Any:
    """Return a part with its type beside its fields."""
    if isinstance(item, str):
        return {"type": "text", "text": item}
    if not is_object(item) or "type" in item:
        return item
    if is_object(fields := item.get("tool_call_result")):  # Haystack's
        origin = fields.get("origin")
        identity = origin.get("id") if is_object(origin) else None
        return {
            "type": "tool_call_response",
            "id": identity,
            "result": fields.get("result"),
            "is_error": fields.get("error"),
        }
    for name, kind in _TYPE_OF_KEY.items():
        if is_object(fields := item.get(name)):
            return {**fields, "type": kind}
    return {"type": "text", **item} if isinstance(item.get("text"), str) else item


def results_apart(messages: Iterable[FieldReader]) -> Iterator[FieldReader]:
    """Yield messages; a user's message with call results and a text becomes two.

    Anthropic, Bedrock and Gemini put results into a user message, and the user's next text beside them.
    """
    for message in messages:
        parts = parts_of(message) if message.get("role") == "user" else []
        results = [part.value for part in parts if str(part.get("type")) in RESULT_PARTS]
        others = [part.value for part in parts if str(part.get("type")) not in RESULT_PARTS]
        if results and any(isinstance(part.get("text"), str) for part in others):
            name = message.first("parts", "content", "contents") or "content"
            yield FieldReader({**message.value, name: results}, message.at)
            yield FieldReader({**message.value, name: others}, message.at)
        else:
            yield message


def are_parts(value: Any) -> bool:
    """Return whether a value is a list of parts of a message."""
    return (
        is_list(value)
        and bool(value)
        and all(is_object(item) and ("type" in item or "text" in item) for item in value)
    )


def has_untyped_parts(message: FieldReader) -> bool:
    """Return whether a part of a message has no type, which OpenAI's chat API requires."""
    content = message.get("content")
    return is_list(content) and any(is_object(item) and "type" not in item for item in content)
