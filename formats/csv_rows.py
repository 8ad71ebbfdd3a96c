"""Rows of CSV and TSV: every cell is text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..tables.csv_file import SUFFIXES, opened_csv, refuse_repeated_names
from .file_rows import FileRow, files_of
from .imported_records import FilePosition, Skipped


def read_csv_rows(path: Path) -> Iterator[FileRow | Skipped]:
    """Yield the rows of CSV or TSV files by header name; an empty cell is null.

    The most frequent separator in the header is used.

    A row with more or fewer fields than the header is skipped.
    """
    for file in files_of(path, SUFFIXES):
        yield from _read(file)


def _read(path: Path) -> Iterator[FileRow | Skipped]:
    with opened_csv(path) as (header, header_line, rows):
        refuse_repeated_names(header, path, header_line)
        columns = len(header)
        for number, (line, cells) in enumerate(rows, start=1):
            if len(cells) == columns:
                named = dict(zip(header, cells, strict=True))
                if "" in cells:
                    named = {name: cell or None for name, cell in named.items()}
                yield FileRow(named, FilePosition(path, line), "", number)
            elif cells:
                reason = f"{len(cells)} fields, but the header has {len(header)}"
                yield Skipped(file=str(path), line=line, reason=reason)
