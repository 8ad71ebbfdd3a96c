"""Parquet, columns by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .arrow_rows import read_arrow_rows
from .found import Found, Options
from .rows import files_of
from .tables import is_no_mark, read_table

NAME = "parquet"
ABOUT = "Parquet; columns by their usual names or `--map`"
LOST = "the difference between a key of a struct that is null and one that is not there; bytes"

recognises = is_no_mark


def read(path: Path, options: Options) -> Iterator[Found]:
    """Read a table; see `Format`."""
    rows = (row for file in files_of(path, (".parquet",)) for row in read_arrow_rows(file))
    return read_table(rows, path, options)
