"""Normalization of OpenAI's formats: tools without the outer object, content as parts.

They are accepted wherever OpenAI's names are used, and become one form.
"""

from __future__ import annotations

from typing import Any, cast

_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})


def outer_tool(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool in the format of the chat API.

    Older logs and the newer API put name and function parameters at the top level.
    """
    if "function" in tool:
        return tool
    return {"type": "function", "function": {key: value for key, value in tool.items() if key != "type"}}


def plain_message(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message with its text as content, where the content came in parts.

    Other parts, such as images, leave the message unchanged.
    """
    content = message.get("content")
    if not isinstance(content, list) or not content:
        return message
    texts = [_text(part) for part in cast("list[Any]", content)]
    if any(text is None for text in texts):
        return message
    return {**message, "content": "".join(text for text in texts if text is not None)}


ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
"""Roles of messages that endpoints take."""


def known_role(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message as an endpoint takes it: who has another role, such as ``patient``, is the user."""
    return message if message.get("role") in ROLES else {**message, "role": "user"}


def message_text(message: dict[str, Any]) -> str:
    """Return the text of a message; empty without content.

    Parts of other types are named by their type.
    """
    content = plain_message(message).get("content")
    if not isinstance(content, list):
        return "" if content is None else str(content)
    return "".join(_named(part) for part in cast("list[Any]", content))


def _text(part: Any) -> str | None:
    if not isinstance(part, dict):
        return None
    fields = cast("dict[str, Any]", part)
    text = fields.get("text")
    return text if fields.get("type") in _TEXT_PARTS and isinstance(text, str) else None


def _named(part: Any) -> str:
    text = _text(part)
    if text is not None:
        return text
    kind: Any = cast("dict[str, Any]", part).get("type") if isinstance(part, dict) else None
    return f"[{kind if isinstance(kind, str) else 'part'}]"
