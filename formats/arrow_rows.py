"""Rows of tables of any kind, with their positions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from ..tables.csv_file import SUFFIXES, require_no_workbook
from ..tables.header import ANY_HEADER, UNSAID, HeaderChoice
from ..tables.table_rows import csv_rows, parquet_rows
from .file_rows import FileRow, files_of, imported_rows, read_rows
from .imported_records import Skipped


def read_csv_rows(path: Path, header: HeaderChoice = UNSAID) -> Iterator[FileRow | Skipped]:
    """Yield the rows of CSV or TSV files; see `csv_rows`."""
    files = files_of(path, SUFFIXES)
    return chain.from_iterable(imported_rows(csv_rows(file, header), file) for file in files)


def read_arrow_rows(path: Path) -> Iterator[FileRow | Skipped]:
    """Yield the rows of a Parquet file or an Arrow stream; see `parquet_rows`."""
    return imported_rows(parquet_rows(path), path)


def read_any_rows(path: Path, header: HeaderChoice = ANY_HEADER) -> Iterator[FileRow | Skipped]:
    """Yield the rows of CSV, TSV, Parquet, Arrow or JSON, by file extension.

    Args:
        path: The file.
        header: What the user said about the header of CSV; tools write one.
    """
    require_no_workbook(path)
    suffix = path.suffix.lower()
    if suffix in {".parquet", ".arrow"}:
        return read_arrow_rows(path)
    return read_csv_rows(path, header) if suffix in SUFFIXES else read_rows(path)
