"""The one reader of tables: CSV, TSV, JSON, JSON Lines, Parquet, Arrow and data frames.

A row that cannot be read is yielded, too, as an `UnreadRow` with its reason; the caller decides whether to skip or
refuse it. `UnreadRows` counts the skipped ones.
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
"""Line of a row, or its number in a file without lines; and the row."""

_ARROW_SUFFIXES = frozenset({".parquet", ".arrow"})
_CONTAINERS = frozenset({list, dict, RepeatedKeys})
"""Types of values that may contain the rows of a table."""

_JSON_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson"})
_PANDAS_INDEX = "__index_level_"
"""Prefix of the columns in which pandas stores the index of a frame in Parquet."""

_NULL_KEYS_REASON = "a struct has every key in every row, so that null there was taken as not given"

RowsWithin: TypeAlias = Callable[[dict[str, Any], str], "list[tuple[str, Any]] | None"]
"""Function that returns the rows within an object at a path, with their paths, or None if the object is a row itself."""


def read_table_rows(
    path: InputPath, columns: Mapping[str, str] = NO_COLUMNS, header: HeaderChoice = UNSAID
) -> Iterator[TableRow | UnreadRow]:
    """Yield the rows of a table, and those that cannot be read.

    Args:
        path: CSV, TSV, Parquet or Arrow by its suffix, else JSON or JSON Lines; perhaps packed by gzip.
        columns: Columns that the user named, by which rows in a JSON document are recognised.
        header: What the user said about the header of CSV and TSV.

    Raises:
        ColumnsError: The first row of a CSV file may be data; see `find_header`.
        InputError: The file cannot be read at all.
        MissingExtraError: It is a Parquet file, and pyarrow is not installed.
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
    if suffix in _ARROW_SUFFIXES:
        return parquet_rows(path)
    is_one_document = is_document(path)

    def within(value: dict[str, Any], at: str) -> list[tuple[str, Any]] | None:
        return rows_in(value, columns, at, is_document=is_one_document and not at)

    values = json_values(path) if suffix in _JSON_SUFFIXES else _values_of_unknown_suffix(path)
    return _objects(values, within)


def _no_rows(_value: dict[str, Any], _at: str) -> None:
    """Return None: any object is a row, whatever it contains."""


def _values_of_unknown_suffix(path: Path) -> Iterator[TableRow | UnreadRow]:
    """Yield the JSON values of a file; an error says which suffix CSV needs."""
    try:
        yield from json_values(path)
    except InputError as error:
        error.message += f"; a table needs the ending {' or '.join(SUFFIXES)}"
        raise


def csv_rows(path: Path, header: HeaderChoice = UNSAID) -> Iterator[TableRow | UnreadRow]:
    """Yield the rows of CSV or TSV, with None for an empty cell.

    Blank rows, which spreadsheets leave behind, are skipped.
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

    Keys of structs with a null value are left out; one `UnreadRow` per column says so.
    """
    # Arrow gives each struct every key of its column, so an absent key cannot be told from null.
    columns_with_null_keys, index_columns = set[str](), list[str]()
    for number, row in enumerate(arrow_rows(path), start=1):
        at = f"row {number}"
        if isinstance(row, UnreadableRow):
            yield UnreadRow(row.problem, None, f"{at}.{row.field}")
            continue
        values: dict[str, Any] = row
        for name, value in row.items():
            if is_plain(value):
                continue
            values = {**row} if values is row else values  # copied once, at the first value that changes
            values[name] = plain_value(value)
            if name not in columns_with_null_keys and has_null_key(value):
                columns_with_null_keys.add(name)
                yield UnreadRow(_NULL_KEYS_REASON, None, name, is_part=True)
        if number == 1:
            index_columns = [name for name in row if name.startswith(_PANDAS_INDEX)]
        for name in index_columns:
            values.pop(name, None)
        yield TableRow(values, None, at, number)


def _objects(rows: Iterator[TableRow | UnreadRow], within: RowsWithin) -> Iterator[TableRow | UnreadRow]:
    """Yield each row, or the rows within it; other values become an `UnreadRow`."""
    for row in rows:
        if isinstance(row, UnreadRow):
            yield row
        elif not is_object(row.value):
            yield UnreadRow(f"expected an object, got {type_name(row.value)}", row.line, row.at)
        elif _CONTAINERS.isdisjoint(map(type, row.value.values())) and not RepeatedKeys.any_found:
            yield row
        else:
            yield from map(_checked, _unwrapped(row, within))


def _unwrapped(row: TableRow, within: RowsWithin) -> Iterable[TableRow | UnreadRow]:
    """Return the rows within an object, or the object itself if it is a row."""
    if isinstance(row.value, RepeatedKeys) or (rows_within := within(row.value, row.at)) is None:
        return [row]
    return [
        item._replace(line=row.line) if isinstance(item, UnreadRow) else TableRow(item, row.line, at, number)
        for number, (at, item) in enumerate(rows_within, start=1)
    ]


def _checked(row: TableRow | UnreadRow) -> TableRow | UnreadRow:
    """Return a row, or an `UnreadRow` if it is no object or repeats a key."""
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
    """Count of rows that could not be read, for the note of a command that skipped them.

    Attributes:
        count: Their number.
        first: The error about the first, or None if all were read.
    """

    def __init__(self) -> None:
        self.count = 0
        self.first: InputError | None = None

    def without(self, rows: Iterator[TableRow | UnreadRow], path: object) -> Iterator[NumberedRow]:
        """Yield the rows that could be read, and count the others.

        Raises:
            InputError: There are rows, and none could be read.
        """
        any_read, first_error = False, None
        for row in rows:
            if isinstance(row, TableRow):
                any_read = True
                yield row.number if row.line is None else row.line, row.value
            elif not row.is_part:
                error = row.error(path)
                first_error = first_error or error
                self.add(error)
        if first_error is not None and not any_read:
            raise first_error

    def add(self, error: InputError) -> None:
        """Count a row by its error."""
        self.count += 1
        self.first = self.first or error

    def extend(self, other: UnreadRows) -> None:
        """Add the count of another table."""
        self.count += other.count
        self.first = self.first or other.first

    def note(self) -> str:
        """Return the number of skipped rows and the first reason, or "" if all were read."""
        if self.first is None:
            return ""
        return f"{self.count:,} {'row' if self.count == 1 else 'rows'} skipped, the first: {self.first}"


def as_whole(value: Any) -> Any:
    """Return a whole number as an int: a data frame with empty cells turns 7 into 7.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
