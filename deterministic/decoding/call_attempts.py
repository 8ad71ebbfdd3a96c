"""Distinguish texts that try to call a function from prose."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Tags and keys with which models mark calls when they are not asked for a form. Possessive quantifiers keep matching linear.
_CALL_TAG = re.compile(r"<(?:tool_?call|function_?call|functions?\b|function=)|\[TOOL_CALLS\]", re.IGNORECASE)
_JSON_CALL = re.compile(r'\{\s*"(?:name|function|tool|tool_name|function_name)"\s*:\s*["{]')
_CALL_AT_LINE_START = re.compile(
    r"^[ \t`>*-]*+(?:python\b[ \t]*+)?(\[?)[ \t]*+([A-Za-z_][\w.]*+)\(", re.MULTILINE
)


def attempts_call(reply: str, names: Iterable[str]) -> bool:
    """Return whether a text has a call's tag or JSON, or a line that starts with a call.

    A line starts with a call if it is in a list (``[f(...``), or if ``names`` has the function's name.
    """
    if _CALL_TAG.search(reply) or is_json_call(reply):
        return True
    if "(" not in reply:
        return False
    function_names = set(names)
    return any(bracket or name in function_names for bracket, name in _CALL_AT_LINE_START.findall(reply))


def is_json_call(reply: str) -> bool:
    """Return whether a text has a JSON object that begins with a usual key for a name."""
    return _JSON_CALL.search(reply) is not None


def possible_names(offered: Iterable[str]) -> set[str]:
    """Return the names under which offered functions may be called, with dots or underscores."""
    return {variant for name in offered for variant in (name, name.replace(".", "_"))}
