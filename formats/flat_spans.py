"""Phoenix's table of spans: a column per attribute, ``attributes.output.value``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from .file_rows import FileRow
from .imported_records import Skipped
from .json_values import is_list, is_object, parsed

_ATTRIBUTES = "attributes."
_KIND = "openinference.span.kind"
_IDS = ("context.span_id", "context.trace_id")


def is_flat_span(glimpse: Any) -> bool:
    """Return whether a row is a span, with its ids and attributes as columns."""
    return (
        is_object(glimpse)
        and not glimpse.keys().isdisjoint(_IDS)
        and any(name.startswith(_ATTRIBUTES) or name == "span_kind" for name in glimpse)
    )


def nested_spans(rows: Iterator[FileRow | Skipped]) -> Iterator[FileRow | Skipped]:
    """Yield rows of such a table as an SDK writes spans; any other row unchanged."""
    for row in rows:
        if isinstance(row, FileRow) and is_flat_span(row.value):
            yield replace(row, value=_span(row.value))
        else:
            yield row


def _span(row: dict[str, Any]) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    for name, value in row.items():
        if name.startswith(_ATTRIBUTES) and not _is_absent(value):
            attributes |= _indexed(name.removeprefix(_ATTRIBUTES), value)
    if _KIND not in attributes and isinstance(kind := row.get("span_kind"), str):
        attributes[_KIND] = kind
    events = parsed(row.get("events"))
    return {
        "name": row.get("name"),
        "context": {name.partition(".")[2]: row.get(name) for name in _IDS},
        "parent_id": None if _is_absent(row.get("parent_id")) else row["parent_id"],
        "start_time": row.get("start_time"),
        "status": {"code": row.get("status_code"), "message": row.get("status_message")},
        "events": events if is_list(events) else [],
        "attributes": attributes,
    }


def _is_absent(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and value != value)  # noqa: PLR0124 - NaN


def _indexed(name: str, value: Any) -> dict[str, Any]:
    """Return an attribute, a list of objects as one per field: ``llm.tools.0.tool.name``."""
    items = parsed(value) if isinstance(value, str) and value.lstrip().startswith("[{") else value
    if is_list(items) and items and all(map(is_object, items)):
        fields = ((f"{name}.{at}.{key}", held) for at, item in enumerate(items) for key, held in item.items())
        return {key: each for field, held in fields for key, each in _indexed(field, held).items()}
    return {name: value}
