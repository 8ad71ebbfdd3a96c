"""Tables in one JSON object: rows under a key or by id, or columns of a data frame.

An object may as well be a single row. What its keys and those of its values mean decides, in the order of `rows_in`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..records.json_text import is_list, is_object
from .column_names import FIELDS, HEADERS, LABEL_FIELDS, TABLE_FIELDS, is_session
from .json_rows import UnreadRow
from .named_columns import columns_by_field, known_fields

_CONTENT_FIELDS = frozenset({"query", "messages", "response"})
"""Fields of answers: a row of an import has at least one."""

NO_COLUMNS: Mapping[str, str] = {}

_LABEL_ROW_FIELDS = frozenset({"id", "label"})
"""Fields of labels: a row of a table of labels has at least one."""

_IMPORT_NAMES = frozenset(name for field, names in FIELDS.items() for name in (field, *names))


def rows_in(
    table: dict[str, Any], mapping: Mapping[str, str], at: str = "", *, is_document: bool = False
) -> list[tuple[str, Any]] | None:
    """Return the rows in an object with their paths, or None if the object is a row itself.

    A row with more or fewer cells than its table has columns is an `UnreadRow`.

    Args:
        table: ``{"data": [...]}``, rows under another key, rows by id, or pandas' ``columns`` and ``split`` forms.
        mapping: Columns that the user named.
        at: Path of the object in its file, or "" for a whole line.
        is_document: Whether the object is a whole file, which is seldom a single row.
    """
    if is_list(table.get("data")) and (is_document or _is_page(table, mapping)):
        return _split_rows(table, at) if is_list(table.get("columns")) else _items(table, "data", at)
    if content_fields(table, mapping):
        return _rows_of_columns(table, mapping)
    lists = [name for name, value in table.items() if _has_objects(value)]
    lists_of_answers = [name for name in lists if content_fields(table[name][0], mapping)]
    if len(lists_of_answers) == 1 and (is_document or not _is_graded(table, mapping)):
        return _items(table, lists_of_answers[0], at)
    if _is_row(table, mapping) and not (is_document and _is_summary(table, lists, mapping)):
        return _rows_of_columns(table, mapping)
    if is_document and len(lists) == 1:
        return _items(table, lists[0], at)
    by_id = _rows_by_id(table, mapping, at, is_document=is_document)
    return _rows_within(table, mapping, at) if by_id is None and is_document else by_id


def _rows_within(table: dict[str, Any], mapping: Mapping[str, str], at: str) -> list[tuple[str, Any]] | None:
    """Return the rows in the only value that contains rows: ``{"results": {"q1": {...}}}``."""
    tables: list[list[tuple[str, Any]]] = []
    for name, value in table.items():
        if not is_object(value):
            continue
        lists = [key for key, items in value.items() if _has_objects(items)]
        rows = _items(value, lists[0], path_in(at, name)) if len(lists) == 1 else None
        rows = rows or _rows_by_id(value, mapping, path_in(at, name), is_document=True)
        tables += [] if rows is None else [rows]
    return tables[0] if len(tables) == 1 else None


def _is_page(table: dict[str, Any], mapping: Mapping[str, str]) -> bool:
    """Return whether the list ``data`` of a line contains rows, rather than a column's cells."""
    first = next(iter(table["data"]), None)
    return (
        is_list(table.get("columns")) or bool(content_fields(first, mapping)) or not _is_row(table, mapping)
    )


def path_in(at: str, name: str) -> str:
    """Return the path of an object's field, given the path of the object."""
    return f"{at}.{name}" if at else name


def _items(table: dict[str, Any], name: str, at: str) -> list[tuple[str, Any]]:
    return [(f"{path_in(at, name)}[{number}]", item) for number, item in enumerate(table[name])]


def content_fields(row: Any, mapping: Mapping[str, str]) -> frozenset[str]:
    """Return the fields among question, messages and answer for which a row has columns."""
    if not is_object(row):
        return frozenset()
    return _CONTENT_FIELDS.intersection(known_fields(tuple(row), _mapping_of_imports(tuple(mapping.items()))))


@lru_cache(HEADERS)
def _mapping_of_imports(mapping: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the part of the user's mapping about imported fields; scores have other fields."""
    return tuple(pair for pair in mapping if not _IMPORT_NAMES.isdisjoint(pair))


def _is_row(table: dict[str, Any], mapping: Mapping[str, str]) -> bool:
    """Return whether an object has an id, a label, a session or a column that the user named."""
    named_by_user = {*mapping, *mapping.values()}
    is_known = any(name in named_by_user or is_session(name) for name in table)
    return is_known or not _LABEL_ROW_FIELDS.isdisjoint(_label_fields(tuple(table)))


def _is_summary(table: dict[str, Any], lists: Sequence[str], mapping: Mapping[str, str]) -> bool:
    """Return whether an object is a list of graded rows with their overall score, and no id."""
    other_fields = {name: value for name, value in table.items() if name not in _label_columns(tuple(table))}
    return (
        len(lists) == 1 and not _is_row(other_fields, mapping) and _is_graded(table[lists[0]][0], NO_COLUMNS)
    )


def _is_graded(row: Any, mapping: Mapping[str, str]) -> bool:
    if not is_object(row):
        return False
    return not {*mapping, *mapping.values()}.isdisjoint(row) or bool(_grade_fields(tuple(row)))


@lru_cache(HEADERS)
def _label_fields(columns: tuple[str, ...]) -> frozenset[str]:
    return frozenset(columns_by_field(columns, {}, LABEL_FIELDS))


@lru_cache(HEADERS)
def _label_columns(columns: tuple[str, ...]) -> frozenset[str]:
    label = columns_by_field(columns, {}, LABEL_FIELDS).get("label")
    return frozenset([] if label is None else [label])


@lru_cache(HEADERS)
def _grade_fields(columns: tuple[str, ...]) -> frozenset[str]:
    return frozenset(columns_by_field(columns, {}, TABLE_FIELDS)) & {"score", "label"}


def _has_objects(value: Any) -> bool:
    return is_list(value) and any(isinstance(item, dict) for item in value)


def _rows_by_id(
    table: dict[str, Any], mapping: Mapping[str, str], at: str, *, is_document: bool
) -> list[tuple[str, Any]] | None:
    """Return the rows of an object with one row under each id, or None for any other object."""
    rows = [*table.values()]
    fields = {content_fields(row, mapping) for row in rows}
    if len(rows) < 2 or len(fields) != 1:  # noqa: PLR2004 - one object may be a wrapper
        return None
    if not any(fields) and not (is_document and all(_is_graded(row, mapping) for row in rows)):
        return None
    return [(path_in(at, name), {"id": name, **row}) for name, row in table.items()]


def _rows_of_columns(columns: dict[str, Any], mapping: Mapping[str, str]) -> list[tuple[str, Any]] | None:
    """Return the rows of a table of columns, or None if the values are no columns.

    A column is a list of cells, or an object of cells by row number, as pandas writes them.
    """
    first = next(iter(columns.values()), None)
    if is_object(first) and _are_numbered(columns):
        return [(f"[{key}]", {name: cells[key] for name, cells in columns.items()}) for key in first]
    if not _are_lists_of_cells(columns, mapping):
        return None
    rows = zip(*columns.values(), strict=True)
    return [(f"[{number}]", dict(zip(columns, cells, strict=True))) for number, cells in enumerate(rows)]


def _are_numbered(columns: dict[str, Any]) -> bool:
    keys = {tuple(cells) if is_object(cells) else () for cells in columns.values()}
    return len(keys) == 1 and all(number.isdecimal() for number in keys.pop())


def _are_lists_of_cells(columns: dict[str, Any], mapping: Mapping[str, str]) -> bool:
    """Return whether all columns are lists of one length, and no list is one row's messages."""
    lengths = {len(cells) if is_list(cells) else None for cells in columns.values()}
    if len(lengths) > 1 or None in lengths:
        return False
    names = known_fields(tuple(columns), _mapping_of_imports(tuple(mapping.items())))
    content = [columns[names[field]] for field in _CONTENT_FIELDS & names.keys()]
    return all(
        is_list(cells) and not any(isinstance(cell, dict | list) for cell in cells) for cells in content
    )


def _split_rows(table: dict[str, Any], at: str) -> list[tuple[str, Any]]:
    """Return the rows of pandas' ``split`` form: names of columns, and a list of cells per row."""
    names = table["columns"]
    rows: list[tuple[str, Any]] = []
    for path, cells in _items(table, "data", at):
        if not is_list(cells) or len(cells) != len(names):
            rows.append((path, UnreadRow(f"expected a list of {len(names)} cells, one per column", at=path)))
        else:
            rows.append((path, dict(zip(map(str, names), cells, strict=True))))
    return rows
