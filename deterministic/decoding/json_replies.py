"""Read calls in a reply that is all JSON, although source text was requested.

Only strict rules do: ``[{"name": ..., "arguments": ...}]`` and ``[{name: {argument: value}}]``.
"""

from __future__ import annotations

from typing import Any, cast

from ...errors import DecodingError
from ...records.python_syntax import MAX_CODE
from .json_calls import load_json_strictly

_NAMES, _ARGUMENTS = ("name", "function"), ("arguments", "parameters")
_CALL_FIELDS = frozenset({"id", "type", *_NAMES, *_ARGUMENTS})


def read_json_reply(text: str) -> list[dict[Any, Any]] | None:
    """Return the calls of a reply that is a JSON call or list of calls, or None for any other.

    A single object needs a name and arguments: ``{"Rome": {...}}`` may be data.
    """
    code = text.strip("`\r\n ").removeprefix("json").strip()
    if not code.startswith(("[", "{")) or '"' not in code or len(code) > MAX_CODE:
        return None
    try:
        value = load_json_strictly(code)
        items = cast("list[Any]", value) if isinstance(value, list) else [value]
        calls = [_call(item, alone=not isinstance(value, list)) for item in items]
    except DecodingError:
        return None
    readable = [call for call in calls if call is not None]
    return readable if readable and len(readable) == len(calls) else None


def _call(item: Any, *, alone: bool) -> dict[Any, Any] | None:
    if not isinstance(item, dict) or not item:
        return None
    fields = cast("dict[str, Any]", item)
    inner: Any = fields.get("function")
    if isinstance(inner, dict) and fields.keys() <= {"id", "type", "function"} and "name" in inner:
        return _call(inner, alone=True)
    name = next((fields[key] for key in _NAMES if isinstance(fields.get(key), str)), None)
    arguments = next((fields[key] for key in _ARGUMENTS if key in fields), None)
    if name is not None and fields.keys() <= _CALL_FIELDS:
        return _named(name, arguments)
    name, arguments = next(iter(fields.items()))
    if alone or len(fields) != 1 or not isinstance(arguments, dict):
        return None
    return {name: arguments}


def _named(name: str, arguments: Any) -> dict[Any, Any] | None:
    """Return a call with its name and arguments, an object or its JSON text."""
    if isinstance(arguments, str):
        arguments = load_json_strictly(arguments)
    return {name: arguments} if isinstance(arguments, dict) else None
