"""Values of Arrow as values of JSON: dates and decimals as text, structs without nulls."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

from ..records.json_text import is_list, is_object

_PLAIN_TYPES = frozenset({str, int, float, bool, type(None)})


def is_plain(value: Any) -> bool:
    """Return whether a value is a text, a number, a boolean or None."""
    return type(value) in _PLAIN_TYPES


def plain_value(value: Any) -> Any:
    """Return a value of Arrow as a value of JSON."""
    if is_object(value):
        return {name: plain_value(member) for name, member in value.items() if member is not None}
    if is_list(value):
        return [plain_value(item) for item in value]
    return plain_scalar(value)


def plain_scalar(value: Any) -> str | float | None:
    """Return a scalar as a value of JSON: dates as text, bytes as a text with their number."""
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return f"[{len(value)} bytes]"
    return value if isinstance(value, str | int | float | None) else str(value)  # decimals, durations


def has_null_key(value: Any) -> bool:
    """Return whether an object, or one inside a value, has a key whose value is null."""
    if is_object(value):
        members = list(value.values())
        return None in members or any(map(has_null_key, members))
    return is_list(value) and any(map(has_null_key, value))
