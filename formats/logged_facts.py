"""Facts of a logged call beside its messages: error, status, ids and time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from .field_reader import FieldReader
from .json_values import as_text, is_object, parsed

_TIMES = ("turn", "turn_index", "seq", "sequence", "timestamp", "time", "ts", "created_at", "createdAt", "created", "start_time", "startTime")  # fmt: skip
_ERRORS = ("error", "exception", "error_message", "err")
_FAILED_STATUS = frozenset({"error", "failed", "failure", "timeout", "timed_out", "exception"})
_LEAST_HTTP_ERROR = 400


def error_in(node: FieldReader) -> str | None:
    """Return what an object says of an error; None where it says of none."""
    for name in _ERRORS:
        told = parsed(node.get(name))
        if is_object(told):
            told = next((told[key] for key in ("message", "detail", "type", "code") if told.get(key)), told)
        if told:
            return "error" if told is True else as_text(told)
    return None


def failure_in(node: FieldReader) -> str | None:
    """Return the error, or the status, that says that a call failed."""
    return error_in(node) or failed_status(node)


def failed_status(node: FieldReader) -> str | None:
    """Return a status that says that a call failed."""
    status = node.get("status_code", "statusCode", "status")
    if isinstance(status, int) and not isinstance(status, bool) and status >= _LEAST_HTTP_ERROR:
        return f"HTTP {status}"
    return status if isinstance(status, str) and status.lower() in _FAILED_STATUS else None


def first_name(scopes: Sequence[FieldReader], names: Sequence[str]) -> str | None:
    """Return the first id among some objects that is a text or a whole number."""
    values: Iterator[Any] = (each.value.get(name) for name in names for each in scopes)
    return next((str(v) for v in values if isinstance(v, str | int) and not isinstance(v, bool) and v != ""), None)  # fmt: skip


def time_in(scopes: Sequence[FieldReader]) -> float | None:
    """Return the time, or number in its session, that a line gives a call."""
    for name in _TIMES:
        for each in scopes:
            value = each.value.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
            if isinstance(value, str):
                try:
                    told = datetime.fromisoformat(value)
                except ValueError:
                    continue
                return (told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp()
    return None
