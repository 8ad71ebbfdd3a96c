"""Is a reply a call, or an attempt at one? Strict rules look at the reply, not only at what can be read of it."""

from __future__ import annotations

import re
from typing import Any

from ..errors import DecodingError
from .decoding import decode_prompt

_TAG = re.compile(r"<(?:tool_?call|function_?call|functions?\b|function=)|\[TOOL_CALLS\]", re.IGNORECASE)
_JSON_CALL = re.compile(r'\{\s*"(?:name|function|tool|tool_name|function_name)"\s*:\s*["{]')
_LINE_CALL = re.compile(r"^[ \t`>*-]*+(?:python\b[ \t]*+)?(\[?)[ \t]*+([A-Za-z_][\w.]*+)\(", re.MULTILINE)


def is_call_or_attempt(calls: list[dict[Any, Any]], reply: Any, offered: list[str]) -> bool:
    """Whether a reply calls a function, or tries to.

    Args:
        calls: The calls that could be read in it.
        reply: The reply: text, or native calls in any form.
        offered: Names of the functions that the system could call.

    Returns:
        True for native calls, readable or not; for calls in a text unless they are prose that merely parses as a call
        (``Paris (France)``: no brackets, no named argument, no function that was offered); and for text that
        sets out to call, by a tag, by JSON, or by a line that starts with a call, and cannot be read.
    """
    if not isinstance(reply, str):
        return bool(reply)
    names = {variant for name in offered for variant in (name, name.replace(".", "_"))}
    if calls:
        return reply.strip("`\n ").startswith("[") or not all(_may_be_prose(call, names) for call in calls)
    if _TAG.search(reply) or _JSON_CALL.search(reply):
        return True
    return any(bracket or name in names for bracket, name in _LINE_CALL.findall(reply))


def is_call_text(text: str, offered: list[str]) -> bool:
    """Whether a text is a call that can be read, and not prose that merely parses as one.

    Args:
        text: The reply.
        offered: Names of the functions that the system could call.

    Returns:
        Whether it is.
    """
    try:
        decoded = decode_prompt(text)
    except DecodingError:
        return False
    return bool(decoded) and is_call_or_attempt(decoded, text, offered)


def _may_be_prose(call: dict[Any, Any], names: set[str]) -> bool:
    name, arguments = next(iter(call.items()))
    return not arguments and name not in names
