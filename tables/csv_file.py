"""Reader of CSV and TSV files: separator, quotes, and the end of a cut-off file."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ..errors import InputError, readable
from ..records.explanations import not_utf8
from ..records.jsonl import MAX_LINE_BYTES
from .header import UNSAID, Header, HeaderChoice, NumberedCells, find_header

if TYPE_CHECKING:
    from _csv import Reader

SUFFIXES = (".csv", ".tsv")
_WORKBOOK_SUFFIXES = frozenset({".xlsx", ".xlsm", ".xls", ".ods", ".numbers"})
_SEPARATORS = ("\t", ",", ";", "|")

_COMPARED_LINES = 5
"""Number of lines by which the separator is checked."""


@contextmanager
def opened_csv(
    path: Path, separators: Sequence[str] = _SEPARATORS, header: HeaderChoice = UNSAID
) -> Generator[Header]:
    """Open a CSV file, and read its header.

    Cells are read as pandas and Excel read them: a quoted part of a cell ends at the next quote, and text behind it belongs
    to the cell, too. The separator is the most frequent one in the first line with any, unless none of the next lines has
    it. Empty columns without a name at the end are dropped.

    Raises:
        ColumnsError: The first row may be data; see `find_header`.
        InputError: The file cannot be read.
    """
    # The limit is process-wide and small by default; cells may hold passages and transcripts.
    csv.field_size_limit(MAX_LINE_BYTES)
    reader = None
    try:
        with (
            readable(path),
            path.open(encoding="utf-8-sig", newline="") as file,
            closing(_SecondReading(path)) as lines,
        ):
            separator = lines.separator = _separator(file, separators)
            file.seek(0)
            end_seen = list[bool]()
            reader = csv.reader(chain(file, _note_end(end_seen)), delimiter=separator)
            names, line, rows = find_header(_numbered(reader, end_seen, lines), header, path)
            columns = len(names)
            while names and not names[-1].strip():
                names = names[:-1]
            if len(names) < columns:
                rows = _without_empty_ends(rows, len(names))
            yield Header(names, line, rows)
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", path=path, line=reader.line_num if reader else None) from error
    except UnicodeDecodeError as error:
        raise InputError(not_utf8(error), path=path) from error


def require_no_workbook(path: Path) -> None:
    """Require that a file is no workbook of a spreadsheet.

    Raises:
        InputError: The file is a workbook.
    """
    if path.suffix.lower() in _WORKBOOK_SUFFIXES:
        raise InputError("is a spreadsheet; save each sheet as CSV (UTF-8)", path=path)


def _separator(file: TextIO, separators: Sequence[str]) -> str:
    """Return the separator of a file's cells; see `opened_csv`."""
    lines = iter(partial(file.readline, MAX_LINE_BYTES), "")
    lines_with_separator = (line for line in lines if any(separator in line for separator in separators))
    first = next(lines_with_separator, "")
    likely = max(separators, key=first.count)
    next_lines = [line for line in islice(lines, _COMPARED_LINES) if line.strip()]
    if len(next_lines) > 1 and not any(likely in line for line in next_lines):
        return next(
            (separator for separator in separators if all(separator in line for line in next_lines)), likely
        )
    return likely


def _note_end(end_seen: list[bool]) -> Iterator[str]:
    """Yield no line, but note that the reader asked for a line after the last."""
    end_seen.append(True)
    yield from ()


def _numbered(reader: Reader, end_seen: list[bool], lines: _SecondReading) -> Iterator[NumberedCells]:
    """Yield rows with the lines on which they end.

    Raises:
        csv.Error: A quote is never closed, or spans whole rows.
    """
    previous_line = 0
    for cells in reader:
        if end_seen:  # the reader looked for the closing quote behind the last line
            raise csv.Error("unexpected end of data: a quote is never closed")
        line = reader.line_num
        if line > previous_line + 1:  # the row spans several lines
            lines.require_no_missing_rows(previous_line + 1, line)
        previous_line = line
        yield line, cells


class _SecondReading:
    """Lines of a file, read a second time to check rows that span several lines.

    Attributes:
        separator: The separator of cells.
    """

    def __init__(self, path: Path) -> None:
        self._path, self.separator = path, ","
        self._lines: Generator[str] | None = None
        self._next = 1  # number of the next line to read

    def close(self) -> None:
        if self._lines is not None:
            self._lines.close()

    def require_no_missing_rows(self, first: int, last: int) -> None:
        """Require that lines are one row with line breaks, and not rows that a stray quote joined.

        Lines are separate rows if all have equally many separators, and the quote ends within a cell of the last line.

        Raises:
            csv.Error: They are separate rows.
        """
        if self._lines is None:
            self._lines = _lines_of(self._path)
        lines = [*islice(self._lines, first - self._next, last + 1 - self._next)]
        self._next = last + 1
        counts = {line.count(self.separator) for line in lines}
        if len(counts) > 1 or 0 in counts:
            return
        try:
            next(csv.reader(lines, delimiter=self.separator, strict=True))
        except csv.Error:
            problem = f"a quote that opens in line {first} is closed within a cell of this line; write it twice, in quotes"
            raise csv.Error(problem) from None


def _lines_of(path: Path) -> Generator[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from file


def _without_empty_ends(rows: Iterator[NumberedCells], columns: int) -> Iterator[NumberedCells]:
    return ((line, cells if any(cells[columns:]) else cells[:columns]) for line, cells in rows)


def require_unique_names(header: Sequence[str], path: Path, line: int | None) -> None:
    """Require that a header names no column twice.

    Raises:
        InputError: The header repeats a name, or two columns have no name.
    """
    seen = set[str]()
    for name in header:
        if name in seen and not name.strip():
            raise InputError("two columns have no name: name them in the header", path=path, line=line)
        if name in seen:
            raise InputError("the header names this column twice", path=path, line=line, field=name)
        seen.add(name)
