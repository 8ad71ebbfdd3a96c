"""Rows of CSV and TSV: every cell is the text that stands there."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..errors import InputError, readable
from ..records import MAX_LINE_BYTES, not_utf8
from .found import Place, Skipped
from .rows import Row, files_of

SUFFIXES = (".csv", ".tsv")


def read_csv_rows(path: Path) -> Iterator[Row | Skipped]:
    """The rows of CSV and TSV files by the names in their headers, whose commonest separator counts; an empty cell is null.

    A row that has more or fewer fields than the header is skipped.
    """
    for file in files_of(path, SUFFIXES):
        yield from _read(file)


@contextmanager
def opened_csv(
    path: Path, separators: Sequence[str] = ("\t", ",", ";")
) -> Generator[tuple[list[str], Iterator[tuple[int, list[str]]]]]:
    """The header of a file, and its rows, each with the line on which it ends."""
    # Process-wide, and small by default: passages and transcripts stand in cells.
    csv.field_size_limit(MAX_LINE_BYTES)
    try:
        with readable(path), path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            file.seek(0)
            reader = csv.reader(file, delimiter=max(separators, key=first.count), strict=True)
            yield next(reader, list[str]()), ((reader.line_num, cells) for cells in reader)
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", path=path) from error
    except UnicodeDecodeError as error:
        raise InputError(not_utf8(error), path=path) from error


def _read(path: Path) -> Iterator[Row | Skipped]:
    with opened_csv(path) as (header, rows):
        twice = next((name for name in header if header.count(name) > 1), None)
        if twice is not None:
            raise InputError("the header names this column twice", path=path, line=1, field=twice)
        for number, (line, cells) in enumerate(rows, start=1):
            if len(cells) == len(header):
                named = {name: cell or None for name, cell in zip(header, cells, strict=True)}
                yield Row(named, Place(path, line), number=number)
            elif cells:
                reason = f"{len(cells)} fields, where the header names {len(header)}"
                yield Skipped(file=str(path), line=line, reason=reason)
