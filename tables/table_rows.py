"""The one reader of tables: rows of CSV, TSV, JSON, JSON Lines, Parquet, Arrow and frames.

A row that cannot be read is data, too: an `UnreadRow` with its reason. The caller says what becomes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import InputError
from ..records.json_text import is_object, type_name
from ..records.memory_file import InputPath, MemoryFile, MemoryRows
from .arrow_file import UnreadableRow, arrow_rows
from .csv_file import SUFFIXES, opened_csv, require_no_workbook, require_unique_names
from .gzipped import unpacked
from .header import UNSAID, HeaderChoice
from .json_rows import RepeatedKeys, TableRow, UnreadRow, is_document, json_values, require_no_markers
from .json_tables import NO_COLUMNS, rows_in
from .plain_values import has_null_key, is_plain, plain_value

NumberedRow = tuple[int, Mapping[str, Any]]
"""Row with its line, or with its number in a file without lines."""

_ARROW = frozenset({".parquet", ".arrow"})
_NESTED = frozenset({list, dict, RepeatedKeys})
"""Types of a value with which an object may hold rows."""

_JSON = frozenset({".json", ".jsonl", ".ndjson"})
_INDEX = "__index_level_"
"""Prefix of the columns in which pandas stores the index of a frame in Parquet."""

_NULLS = "a struct has every key in every row, so that null there was taken as not given"

RowsWithin: TypeAlias = Callable[[dict[str, Any], str], "list[tuple[str, Any]] | None"]
"""Function that returns the rows in an object at a path, each with its own path; None if the object is a row."""


def read_table_rows(
    path: InputPath, columns: Mapping[str, str] = NO_COLUMNS, header: HeaderChoice = UNSAID
) -> Iterator[TableRow | UnreadRow]:
    """Yield the rows of a table, and those that cannot be read.

    Args:
        path: CSV, TSV, Parquet or Arrow by its suffix, or else JSON or JSON Lines; packed by gzip or not.
        columns: Columns that the user named, by which rows in a JSON document are known.
        header: What the user said about the header of CSV and TSV.

    Raises:
        ColumnsError: The first row of a CSV file may be data; see `find_header`.
        InputError: The file cannot be read at all.
        MissingExtraError: A Parquet file, and pyarrow is not installed.
    """
    if isinstance(path, MemoryRows):
        return (TableRow(row, number, "", number) for number, row in enumerate(path.rows(), start=1))
    if isinstance(path, MemoryFile):
        return _objects(json_values(path), _no_rows)
    path = unpacked(path)
    require_no_workbook(path)
    suffix = path.suffix.lower()
    if suffix in SUFFIXES:
        return csv_rows(path, header)
    if suffix in _ARROW:
        return parquet_rows(path)
    whole = is_document(path)

    def within(value: dict[str, Any], at: str) -> list[tuple[str, Any]] | None:
        return rows_in(value, columns, at, is_document=whole and not at)

    values = json_values(path) if suffix in _JSON else _hinted(path)
    return _objects(values, within)


def _no_rows(_value: dict[str, Any], _at: str) -> None:
    """Take an object for a row, whatever it holds."""


def _hinted(path: Path) -> Iterator[TableRow | UnreadRow]:
    """Yield the JSON values of a file, whose error says which suffix a table needs."""
    try:
        yield from json_values(path)
    except InputError as error:
        error.message += f"; a table needs the ending {' or '.join(SUFFIXES)}"
        raise


def csv_rows(path: Path, header: HeaderChoice = UNSAID) -> Iterator[TableRow | UnreadRow]:
    """Yield the rows of CSV or TSV by header name; an empty cell is None.

    Blank rows, which spreadsheets leave, are no rows.
    """
    with opened_csv(path, header=header) as (names, header_line, rows):
        require_unique_names(names, path, header_line or None)
        columns = len(names)
        for number, (line, cells) in enumerate(rows, start=1):
            is_filled = cells and (cells[0].strip() or any(map(str.strip, cells)))
            if is_filled and len(cells) == columns:
                row = dict(zip(names, cells))  # noqa: B905 - as many, and strict takes longer
                if "" in cells:
                    row = {name: cell or None for name, cell in row.items()}
                yield TableRow(row, line, "", number)
            elif is_filled:
                expected = f"the header has {columns}" if header_line else f"there are {columns} columns"
                yield UnreadRow(f"wrong number of fields: {len(cells)}, but {expected}", line)


def parquet_rows(path: Path) -> Iterator[TableRow | UnreadRow]:
    """Yield the rows of a Parquet file or an Arrow stream, with dates and decimals as text.

    Null keys of structs are left out, which is told once per column.
    """
    told, hidden = set[str](), list[str]()
    for number, row in enumerate(arrow_rows(path), start=1):
        at = f"row {number}"
        if isinstance(row, UnreadableRow):
            yield UnreadRow(row.problem, None, f"{at}.{row.field}")
            continue
        values: dict[str, Any] = row
        for name, value in row.items():
            if is_plain(value):
                continue
            values = {**row} if values is row else values
            values[name] = plain_value(value)
            if name not in told and has_null_key(value):
                told.add(name)
                yield UnreadRow(_NULLS, None, name, is_part=True)
        if number == 1:
            hidden = [name for name in row if name.startswith(_INDEX)]
        for name in hidden:
            values.pop(name, None)
        yield TableRow(values, None, at, number)


def _objects(rows: Iterator[TableRow | UnreadRow], within: RowsWithin) -> Iterator[TableRow | UnreadRow]:
    """Yield rows; in place of an object that holds rows, these. Any other value is unread."""
    for row in rows:
        if isinstance(row, UnreadRow):
            yield row
        elif not is_object(row.value):
            yield UnreadRow(f"expected an object, got {type_name(row.value)}", row.line, row.at)
        elif _NESTED.isdisjoint(map(type, row.value.values())) and not RepeatedKeys.any_found:
            yield row
        else:
            yield from map(_checked, _unwrapped(row, within))


def _unwrapped(row: TableRow, within: RowsWithin) -> Iterable[TableRow | UnreadRow]:
    """Return the rows in an object, or the object itself."""
    if isinstance(row.value, RepeatedKeys) or (items := within(row.value, row.at)) is None:
        return [row]
    return [
        item._replace(line=row.line) if isinstance(item, UnreadRow) else TableRow(item, row.line, at, number)
        for number, (at, item) in enumerate(items, start=1)
    ]


def _checked(row: TableRow | UnreadRow) -> TableRow | UnreadRow:
    """Return a row; what is no object, or repeats a key, as unread."""
    if isinstance(row, UnreadRow):
        return row
    if not is_object(row.value):
        return UnreadRow(f"expected an object, got {type_name(row.value)}", row.line, row.at)
    try:
        require_no_markers(row.value, row.at)
    except InputError as error:
        return UnreadRow(error.message, row.line, row.at)
    return row


class UnreadRows:
    """Rows that could not be read, for the note of a command that goes on without them.

    Attributes:
        count: Their number.
        first: The error about the first, or None if all were read.
    """

    def __init__(self) -> None:
        self.count = 0
        self.first: InputError | None = None

    def without(self, rows: Iterator[TableRow | UnreadRow], path: object) -> Iterator[NumberedRow]:
        """Yield the rows that could be read; note the others.

        Raises:
            InputError: There are rows, and none could be read.
        """
        used, first = False, None
        for row in rows:
            if isinstance(row, TableRow):
                used = True
                yield row.number if row.line is None else row.line, row.value
            elif not row.is_part:
                error = row.error(path)
                first = first or error
                self.add(error)
        if first is not None and not used:
            raise first

    def add(self, error: InputError) -> None:
        """Note a row by its error."""
        self.count += 1
        self.first = self.first or error

    def extend(self, other: UnreadRows) -> None:
        """Add the rows of another table."""
        self.count += other.count
        self.first = self.first or other.first

    def note(self) -> str:
        """Return the number of rows and the first reason; empty if all were read."""
        if self.first is None:
            return ""
        return f"{self.count:,} {'row' if self.count == 1 else 'rows'} skipped, the first: {self.first}"


def as_whole(value: Any) -> Any:
    """Return a whole number as an int: data frames write 7 as 7.0 beside empty cells."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
