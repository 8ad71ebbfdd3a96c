"""Phoenix's table of spans, with one column per attribute: ``attributes.output.value``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from ..errors import RecordError
from .file_rows import FileRow
from .imported_records import Skipped
from .json_values import is_list, is_object, parsed
from .printed_lists import printed_list
from .traces.attributes import dotted

_ATTRIBUTE_PREFIX = "attributes."
_KIND = "openinference.span.kind"
_ID_COLUMNS = ("context.span_id", "context.trace_id")


def is_flat_span(glimpse: Any) -> bool:
    """Return whether a row is a span with ids and attributes as columns."""
    return (
        is_object(glimpse)
        and not glimpse.keys().isdisjoint(_ID_COLUMNS)
        and any(name.startswith(_ATTRIBUTE_PREFIX) or name == "span_kind" for name in glimpse)
    )


def nested_spans(rows: Iterator[FileRow | Skipped]) -> Iterator[FileRow | Skipped]:
    """Yield the table's rows as spans with nested fields, and other rows unchanged."""
    for row in rows:
        if isinstance(row, FileRow) and is_flat_span(row.value):
            try:
                yield replace(row, value=_span(row.value))
            except RecordError as error:
                yield row.position.skipped(error)
        else:
            yield row


def _span(row: dict[str, Any]) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    for name, value in row.items():
        if name.startswith(_ATTRIBUTE_PREFIX) and not _is_absent(value):
            attributes |= dotted(name.removeprefix(_ATTRIBUTE_PREFIX), _decoded_list(name, value))
    if _KIND not in attributes and isinstance(kind := row.get("span_kind"), str):
        attributes[_KIND] = kind
    events = parsed(row.get("events"))
    return {
        "name": row.get("name"),
        "context": {name.partition(".")[2]: row.get(name) for name in _ID_COLUMNS},
        "parent_id": None if _is_absent(row.get("parent_id")) else row["parent_id"],
        "start_time": row.get("start_time"),
        "status": {"code": row.get("status_code"), "message": row.get("status_message")},
        "events": events if is_list(events) else [],
        "attributes": attributes,
    }


def _is_absent(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and value != value)  # noqa: PLR0124 - NaN


def _decoded_list(name: str, value: Any) -> Any:
    """Return the list of objects in a cell (JSON, or printed by Python), else the cell's value.

    Raises:
        RecordError: The cell begins like such a list and cannot be read.
    """
    if not isinstance(value, str) or not value.lstrip().startswith("[{"):
        return value
    items = parsed(value)
    items = printed_list(value) if isinstance(items, str) else items
    if items is None:
        raise RecordError("begins as a list and cannot be read as one; was it cut off?", field=name)
    return items
