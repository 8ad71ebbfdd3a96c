"""Reader of all CSV and TSV files."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError, readable
from .explanations import not_utf8
from .jsonl import MAX_LINE_BYTES

SUFFIXES = (".csv", ".tsv")
_WORKBOOKS = frozenset({".xlsx", ".xlsm", ".xls", ".ods", ".numbers"})


class OpenedCsv(NamedTuple):
    """Header and rows of an open CSV file.

    Attributes:
        header: The column names.
        header_line: The line on which the header ends.
        rows: The cells of each row, with the line on which it ends.
    """

    header: list[str]
    header_line: int
    rows: Iterator[tuple[int, list[str]]]


@contextmanager
def opened_csv(path: Path, separators: Sequence[str] = ("\t", ",", ";", "|")) -> Generator[OpenedCsv]:
    """Open a CSV file, and read its header.

    The separator is the most frequent one in the first line. Lines above the header with at most one filled cell are
    a title. Empty columns without a name at the end are dropped.
    """
    # The limit is process-wide and small by default; cells may hold passages and transcripts.
    csv.field_size_limit(MAX_LINE_BYTES)
    reader = None
    try:
        with readable(path), path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline(MAX_LINE_BYTES)
            file.seek(0)
            reader = csv.reader(file, delimiter=max(separators, key=first.count), strict=True)
            header = _header(reader)
            header_line, named = reader.line_num, len(header)
            while header and not header[-1].strip():
                header = header[:-1]
            rows = ((reader.line_num, cells) for cells in reader)
            if len(header) < named:
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


def _header(reader: Iterator[list[str]]) -> list[str]:
    """Return the first line that is not a title, which fills at most one of its cells."""
    first = next(reader, list[str]())
    header = first
    while len(header) > 1 and sum(map(bool, map(str.strip, header))) <= 1:
        header = next(reader, first)
        if header is first:
            break
    return header


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
