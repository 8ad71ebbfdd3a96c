"""Tables in one JSON object: rows under a key or by id, or columns of a data frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import RecordError
from ..records.column_names import known_fields
from .field_reader import FieldReader
from .json_values import is_list, is_object

_CONTENT = frozenset({"query", "messages", "response"})
"""Fields of which a row of answers has at least one."""


def rows_in(table: FieldReader, mapping: Mapping[str, str]) -> list[tuple[str, Any]] | None:
    """Return the rows in an object with their paths; None if the object is a row itself.

    Args:
        table: ``{"data": [...]}``, rows under another key, rows by id, or pandas' ``columns`` and ``split`` forms.
        mapping: Columns that the user named.
    """
    if is_list(table.get("data")):
        return _split_rows(table) if is_list(table.get("columns")) else table.items("data")
    if content_fields(table.value, mapping):
        return _rows_of_columns(table, mapping)
    lists = [name for name, value in table.value.items() if _are_rows(value, mapping)]
    return table.items(lists[0]) if len(lists) == 1 else _rows_by_id(table, mapping)


def content_fields(row: Any, mapping: Mapping[str, str]) -> frozenset[str]:
    """Return which of question, messages and answer a row has columns for."""
    names = known_fields(tuple(row), tuple(mapping.items())) if is_object(row) else ()
    return _CONTENT.intersection(names)


def _are_rows(value: Any, mapping: Mapping[str, str]) -> bool:
    return is_list(value) and bool(value) and bool(content_fields(value[0], mapping))


def _rows_by_id(table: FieldReader, mapping: Mapping[str, str]) -> list[tuple[str, Any]] | None:
    """Return objects of equal fields, each under its id."""
    fields = {content_fields(row, mapping) for row in table.value.values()}
    if len(table.value) < 2 or len(fields) != 1 or not any(fields):  # noqa: PLR2004 - one object may be a wrapper
        return None
    return [(table.path(name), {"id": name, **row}) for name, row in table.value.items()]


def _rows_of_columns(table: FieldReader, mapping: Mapping[str, str]) -> list[tuple[str, Any]] | None:
    """Return the rows of columns, each a list of cells or an object of cells by row number."""
    columns = table.value
    first = next(iter(columns.values()))
    if is_object(first) and _are_numbered(columns):
        return [(f"[{key}]", {name: cells[key] for name, cells in columns.items()}) for key in first]
    if not _are_lists_of_cells(columns, mapping):
        return None
    rows = zip(*columns.values(), strict=True)
    return [(f"[{number}]", dict(zip(columns, cells, strict=True))) for number, cells in enumerate(rows)]


def _are_numbered(columns: dict[str, Any]) -> bool:
    """Return whether all columns are objects with the same numbers as keys."""
    keys = {tuple(cells) if is_object(cells) else () for cells in columns.values()}
    return len(keys) == 1 and all(number.isdecimal() for number in keys.pop())


def _are_lists_of_cells(columns: dict[str, Any], mapping: Mapping[str, str]) -> bool:
    """Return whether all columns are lists of one length; messages are a list in one row."""
    if len({len(cells) if is_list(cells) else None for cells in columns.values()}) > 1:
        return False
    names = known_fields(tuple(columns), tuple(mapping.items()))
    content = [columns[names[field]] for field in _CONTENT & names.keys()]
    return all(
        is_list(cells) and not any(isinstance(cell, dict | list) for cell in cells) for cells in content
    )


def _split_rows(table: FieldReader) -> list[tuple[str, Any]]:
    """Return the rows of pandas' ``split`` form: names of columns, and a list of cells per row."""
    names = table.value["columns"]
    rows: list[tuple[str, Any]] = []
    for at, cells in table.items("data"):
        if not is_list(cells) or len(cells) != len(names):
            raise RecordError(f"expected a list of {len(names)} cells, one per column", field=at)
        rows.append((at, dict(zip(map(str, names), cells, strict=True))))
    return rows
