"""Reader of all CSV and TSV files."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ..errors import InputError, readable
from ..records.explanations import not_utf8
from ..records.jsonl import MAX_LINE_BYTES

SUFFIXES = (".csv", ".tsv")
_WORKBOOKS = frozenset({".xlsx", ".xlsm", ".xls", ".ods", ".numbers"})

_MOST_TITLE_ROWS = 100
"""Rows that may stand above the header."""

NumberedCells: TypeAlias = tuple[int, list[str]]
"""Cells of a row, with the line on which it ends."""


class OpenedCsv(NamedTuple):
    """Header and rows of an open CSV file.

    Attributes:
        header: The column names.
        header_line: The line on which the header ends.
        rows: The cells of each row, with the line on which it ends.
    """

    header: list[str]
    header_line: int
    rows: Iterator[NumberedCells]


@contextmanager
def opened_csv(path: Path, separators: Sequence[str] = ("\t", ",", ";", "|")) -> Generator[OpenedCsv]:
    """Open a CSV file, and read its header.

    The separator is the most frequent one in the first line that is not blank. The header is the first row with several
    filled cells; rows above it with one are a title. Empty columns without a name at the end are dropped.
    """
    # The limit is process-wide and small by default; cells may hold passages and transcripts.
    csv.field_size_limit(MAX_LINE_BYTES)
    reader = None
    try:
        with readable(path), path.open(encoding="utf-8-sig", newline="") as file:
            first = next(
                (line for line in iter(partial(file.readline, MAX_LINE_BYTES), "") if line.strip()), ""
            )
            file.seek(0)
            reader = csv.reader(file, delimiter=max(separators, key=first.count), strict=True)
            (header_line, header), rows = _split_header((reader.line_num, cells) for cells in reader)
            columns = len(header)
            while header and not header[-1].strip():
                header = header[:-1]
            if len(header) < columns:
                rows = ((line, _without_end(cells, len(header))) for line, cells in rows)
            yield OpenedCsv(header, header_line, rows)
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", path=path, line=reader.line_num if reader else None) from error
    except UnicodeDecodeError as error:
        raise InputError(not_utf8(error), path=path) from error


def refuse_workbook(path: Path) -> None:
    """Refuse a spreadsheet's own file.

    Raises:
        InputError: It is one.
    """
    if path.suffix.lower() in _WORKBOOKS:
        raise InputError("is a spreadsheet; save each sheet as CSV (UTF-8)", path=path)


def _split_header(rows: Iterator[NumberedCells]) -> tuple[NumberedCells, Iterator[NumberedCells]]:
    """Return the header, and the rows below it.

    If every row at the beginning has a single filled cell, the first one is the header of a single column.
    """
    title_rows: list[NumberedCells] = []
    for line, cells in rows:
        filled = sum(map(bool, map(str.strip, cells)))
        if filled > 1 or len(cells) == filled == 1:
            return (line, cells), rows
        if filled:
            title_rows.append((line, cells))
        if len(title_rows) == _MOST_TITLE_ROWS:
            break
    if not title_rows:
        return (0, []), rows
    return title_rows[0], chain(title_rows[1:], rows)


def _without_end(cells: list[str], most: int) -> list[str]:
    """Return a row without the empty cells behind the named columns."""
    return cells if any(cells[most:]) else cells[:most]


def refuse_repeated_names(header: Sequence[str], path: Path, line: int | None) -> None:
    """Refuse a header that names a column twice."""
    seen = set[str]()
    for name in header:
        if name in seen and not name.strip():
            raise InputError("two columns have no name: name them in the header", path=path, line=line)
        if name in seen:
            raise InputError("the header names this column twice", path=path, line=line, field=name)
        seen.add(name)
