"""Distinguish texts that try to call a function from prose."""

from __future__ import annotations

import re
from collections.abc import Iterable

_TAG = re.compile(r"<(?:tool_?call|function_?call|functions?\b|function=)|\[TOOL_CALLS\]", re.IGNORECASE)
_JSON_CALL = re.compile(r'\{\s*"(?:name|function|tool|tool_name|function_name)"\s*:\s*["{]')
_LINE_CALL = re.compile(r"^[ \t`>*-]*+(?:python\b[ \t]*+)?(\[?)[ \t]*+([A-Za-z_][\w.]*+)\(", re.MULTILINE)


def attempts_call(reply: str, names: Iterable[str]) -> bool:
    """Return whether a text has a call's tag or JSON, or a line that starts with a call.

    Such a line starts with a bracket, or with one of the function names.
    """
    if _TAG.search(reply) or is_json_call(reply):
        return True
    if "(" not in reply:
        return False
    function_names = set(names)
    return any(bracket or name in function_names for bracket, name in _LINE_CALL.findall(reply))


def is_json_call(reply: str) -> bool:
    """Return whether a text has a JSON object with a function's name under a usual key."""
    return _JSON_CALL.search(reply) is not None


def call_names(offered: Iterable[str]) -> set[str]:
    """Return the names under which functions may be called, with dots and without."""
    return {variant for name in offered for variant in (name, name.replace(".", "_"))}
