"""CSV and TSV, columns by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .csv_rows import read_csv_rows
from .found import Found, Options
from .tables import NOTHING, is_no_mark, read_table

NAME = "csv"
ABOUT = "CSV and TSV with a header; columns by their usual names or `--map`"
LOST = NOTHING

recognises = is_no_mark


def read(path: Path, options: Options) -> Iterator[Found]:
    """Read a table; see `Format`."""
    return read_table(read_csv_rows(path), path, options)
