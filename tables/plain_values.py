"""Values of Arrow as JSON has them: dates and decimals as text, structs without null keys."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

from ..records.json_text import is_list, is_object

_PLAIN = frozenset({str, int, float, bool, type(None)})


def is_plain(value: Any) -> bool:
    """Return whether a value is a text, a number, a boolean or None."""
    return type(value) in _PLAIN


def plain_value(value: Any) -> Any:
    """Return a value of Arrow as JSON has it."""
    if is_object(value):
        return {name: plain_value(each) for name, each in value.items() if each is not None}
    if is_list(value):
        return [plain_value(each) for each in value]
    return plain_scalar(value)


def plain_scalar(value: Any) -> str | float | None:
    """Return a value that is not JSON: dates as text, bytes as their number."""
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return f"[{len(value)} bytes]"
    return value if isinstance(value, str | int | float | None) else str(value)  # decimals, durations


def has_null_key(value: Any) -> bool:
    """Return whether an object, or one in it, has a key without a value."""
    if is_object(value):
        inner = list(value.values())
        return any(each is None for each in inner) or any(map(has_null_key, inner))
    return is_list(value) and any(map(has_null_key, value))
