"""Rows of Parquet files and of Arrow streams, as Python's own values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..tables.arrow_file import UnreadableRow, arrow_rows
from ..tables.csv_file import SUFFIXES, refuse_workbook
from .csv_rows import read_csv_rows
from .file_rows import FileRow, Within, read_rows
from .imported_records import FilePosition, Skipped
from .json_values import is_list, is_object, plain_scalar

_NULLS = "a struct has every key in every row, so that null there was taken as not given"


def read_arrow_rows(path: Path) -> Iterator[FileRow | Skipped]:
    """Yield the rows of a file, with dates and decimals as text.

    Dropped null keys of structs are reported once per column.
    """
    position, reported = FilePosition(path), set[str]()
    for number, row in enumerate(arrow_rows(path), start=1):
        if isinstance(row, UnreadableRow):
            yield position.skipped_part(f"row {number}.{row.field}", row.problem)
            continue
        plain = {name: _plain(value) for name, value in row.items()}
        for name, value in row.items():
            if name not in reported and _has_null_key(value):
                reported.add(name)
                yield position.skipped_part(name, _NULLS)
        yield FileRow(plain, position, f"row {number}", number)


def read_any_rows(path: Path, within: Within | None = None) -> Iterator[FileRow | Skipped]:
    """Yield the rows of CSV, TSV, Parquet, Arrow or JSON, by file extension.

    Args:
        path: The file.
        within: Function that finds the rows in a JSON object; see `read_rows`.
    """
    refuse_workbook(path)
    suffix = path.suffix.lower()
    if suffix in {".parquet", ".arrow"}:
        return read_arrow_rows(path)
    return read_csv_rows(path) if suffix in SUFFIXES else read_rows(path, within)


def _plain(value: Any) -> Any:
    if is_object(value):
        return {name: _plain(each) for name, each in value.items() if each is not None}
    if is_list(value):
        return [_plain(each) for each in value]
    return plain_scalar(value)


def _has_null_key(value: Any) -> bool:
    if is_object(value):
        inner = list(value.values())
        return any(each is None for each in inner) or any(map(_has_null_key, inner))
    return is_list(value) and any(map(_has_null_key, value))
