"""Tables in one JSON object: rows under a key or by id, or columns of a data frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import RecordError
from ..records.json_text import is_list, is_object
from .column_names import known_fields

_CONTENT = frozenset({"query", "messages", "response"})
"""Fields of which a row of answers has at least one."""


def rows_in(table: dict[str, Any], mapping: Mapping[str, str], at: str = "") -> list[tuple[str, Any]] | None:
    """Return the rows in an object with their paths; None if the object is a row itself.

    Args:
        table: ``{"data": [...]}``, rows under another key, rows by id, or pandas' ``columns`` and ``split`` forms.
        mapping: Columns that the user named.
        at: Path of the object in its file; empty for a whole line.
    """
    if is_list(table.get("data")):
        return _split_rows(table, at) if is_list(table.get("columns")) else _items(table, "data", at)
    if content_fields(table, mapping):
        return _rows_of_columns(table, mapping)
    lists = [name for name, value in table.items() if _are_rows(value, mapping)]
    return _items(table, lists[0], at) if len(lists) == 1 else _rows_by_id(table, mapping, at)


def path_in(at: str, name: str) -> str:
    """Return the path of a field of an object that is at a path."""
    return f"{at}.{name}" if at else name


def _items(table: dict[str, Any], name: str, at: str) -> list[tuple[str, Any]]:
    """Return the items of a list with their paths."""
    return [(f"{path_in(at, name)}[{number}]", item) for number, item in enumerate(table[name])]


def content_fields(row: Any, mapping: Mapping[str, str]) -> frozenset[str]:
    """Return which of question, messages and answer a row has columns for."""
    names = known_fields(tuple(row), tuple(mapping.items())) if is_object(row) else ()
    return _CONTENT.intersection(names)


def _are_rows(value: Any, mapping: Mapping[str, str]) -> bool:
    return is_list(value) and bool(value) and bool(content_fields(value[0], mapping))


def _rows_by_id(table: dict[str, Any], mapping: Mapping[str, str], at: str) -> list[tuple[str, Any]] | None:
    """Return objects of equal fields, each under its id."""
    fields = {content_fields(row, mapping) for row in table.values()}
    if len(table) < 2 or len(fields) != 1 or not any(fields):  # noqa: PLR2004 - one object may be a wrapper
        return None
    return [(path_in(at, name), {"id": name, **row}) for name, row in table.items()]


def _rows_of_columns(columns: dict[str, Any], mapping: Mapping[str, str]) -> list[tuple[str, Any]] | None:
    """Return the rows of columns, each a list of cells or an object of cells by row number."""
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


def _split_rows(table: dict[str, Any], at: str) -> list[tuple[str, Any]]:
    """Return the rows of pandas' ``split`` form: names of columns, and a list of cells per row."""
    names = table["columns"]
    rows: list[tuple[str, Any]] = []
    for path, cells in _items(table, "data", at):
        if not is_list(cells) or len(cells) != len(names):
            raise RecordError(f"expected a list of {len(names)} cells, one per column", field=path)
        rows.append((path, dict(zip(map(str, names), cells, strict=True))))
    return rows
