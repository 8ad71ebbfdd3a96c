"""Rows of CSV and TSV: every cell is the text that stands there."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError
from ..records import MAX_LINE_BYTES, not_utf8
from .found import Place, Skipped
from .rows import Row, files_of

SUFFIXES = (".csv", ".tsv")
_SEPARATORS = ("\t", ",", ";")


def read_csv_rows(path: Path) -> Iterator[Row | Skipped]:
    """The rows of CSV and TSV files by the names in their headers, whose commonest separator counts; an empty cell is null.

    A row that has more or fewer fields than the header is skipped.

    Raises:
        InputError: A file cannot be read, or its header names a column twice.
    """
    for file in files_of(path, SUFFIXES):
        yield from _read(file)


def _read(path: Path) -> Iterator[Row | Skipped]:
    # Process-wide, and small by default: passages and transcripts stand in cells.
    csv.field_size_limit(MAX_LINE_BYTES)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            file.seek(0)
            reader = csv.reader(file, delimiter=max(_SEPARATORS, key=first.count), strict=True)
            header = next(reader, list[str]())
            twice = next((name for name in header if header.count(name) > 1), None)
            if twice is not None:
                raise InputError("the header names this column twice", path=path, line=1, field=twice)
            yield from _rows(reader, header, path)
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", path=path) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error
    except UnicodeDecodeError as error:
        raise InputError(not_utf8(error), path=path) from error


def _rows(reader: Iterator[list[str]], header: list[str], path: Path) -> Iterator[Row | Skipped]:
    for number, cells in enumerate(reader, start=1):
        line = getattr(reader, "line_num", number + 1)
        place = Place(path, line)
        if not cells:
            continue
        if len(cells) != len(header):
            reason = f"{len(cells)} fields, where the header names {len(header)}"
            yield Skipped(file=str(path), line=line, reason=reason)
            continue
        yield Row(
            {name: cell or None for name, cell in zip(header, cells, strict=True)}, place, number=number
        )
