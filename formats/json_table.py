"""Rows of JSON, an object each, columns by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .found import Found, Options
from .rows import read_rows
from .tables import NOTHING, is_no_mark, read_table

NAME = "json"
ABOUT = "objects in an array or one a line; keys by their usual names or `--map`"
LOST = NOTHING

recognises = is_no_mark


def read(path: Path, options: Options) -> Iterator[Found]:
    """Read rows; see `Format`."""
    rows = read_rows(path, lambda node: node.items("data") if isinstance(node.get("data"), list) else None)
    return read_table(rows, path, options)
