"""Tables: CSV and TSV, JSON arrays and lines, Parquet, Hugging Face folders, rows of data frames; columns are told by `columns`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError
from .columns import missing_columns, row_example
from .example import records_of
from .found import Found, Options, Skipped
from .json_types import is_object
from .rows import Row, each

NOTHING = "nothing: columns that are no field are tags, what is no single value as JSON"


def read_table(rows: Iterable[Row | Skipped], path: Path, options: Options) -> Iterator[Found]:
    """Read rows by their columns, which the options may name; the path is for errors.

    Raises:
        InputError: No row has a column that was named.
    """
    seen: set[str] = set()

    def watched() -> Iterator[Row | Skipped]:
        for row in rows:
            if isinstance(row, Row) and is_object(row.value):
                seen.update(map(str, row.value))
            yield row

    yield from each(watched(), lambda row: _records(row, options))
    problem = missing_columns(seen, options.columns) if seen else None
    if problem is not None:
        raise InputError(problem, path=path)


def _records(row: Row, options: Options) -> Iterator[Found]:
    example, skipped = row_example(row, options)
    yield from skipped
    yield from records_of(example, row.place, options)


def is_no_mark(glimpse: Any) -> bool:
    """Nothing: a table is what is left."""
    del glimpse
    return False
