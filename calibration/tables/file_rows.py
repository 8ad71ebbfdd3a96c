"""Rows of a file of JSON Lines, CSV or Parquet."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import InputError, MissingExtraError, RecordError
from ...records import InputPath, MemoryFile, decode_record, not_utf8, read_lines
from ...records.duplicate_keys import DuplicateKeys
from ...records.frames import frame_rows
from .builder import NumberedRow


def file_rows(path: InputPath) -> Iterator[NumberedRow]:
    """The rows of a file by its suffix, each with its line: ``.csv``, ``.parquet``; anything else, and what is in memory, is JSON Lines."""
    if isinstance(path, MemoryFile):
        return json_rows(path)
    readers = {".csv": _csv_rows, ".parquet": _parquet_rows}
    return readers.get(path.suffix.lower(), json_rows)(path)


def json_rows(path: InputPath) -> Iterator[NumberedRow]:
    """The rows of JSON Lines."""
    keys = DuplicateKeys()
    for line, _, raw in read_lines(path):
        try:
            row = decode_record(raw, dict[str, Any], path=path, line=line, keys=keys)
        except RecordError as error:
            if isinstance(path, MemoryFile) or path.suffix.lower() == ".jsonl":
                raise
            hint = f"{error.message}; what is not .csv or .parquet is read as JSON Lines"
            raise RecordError(hint, path=path, line=line, field=error.field) from error
        yield line, row


def _csv_rows(path: Path) -> Iterator[NumberedRow]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            try:
                yield from _complete_rows(reader, path)
            except csv.Error as error:
                raise InputError(f"not CSV: {error}", path=path, line=reader.reader.line_num) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error
    except UnicodeDecodeError as error:
        raise InputError(not_utf8(error), path=path) from error


def _complete_rows(reader: csv.DictReader[str], path: Path) -> Iterator[NumberedRow]:
    """The rows, each with as many fields as the header names."""
    names = reader.fieldnames or ()
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise InputError("the header names this column twice", path=path, line=1, field=twice)
    for row in reader:
        if None in row or None in row.values():
            count = "more" if None in row else "fewer"
            raise InputError(f"{count} fields than the header names", path=path, line=reader.line_num)
        yield reader.line_num, row


def _parquet_rows(path: Path) -> Iterator[NumberedRow]:
    import pandas as pd  # noqa: PLC0415 - slow to import, and only Parquet needs it

    try:
        frame = pd.read_parquet(path)
    except ImportError as error:
        raise MissingExtraError("parquet", "reading a Parquet file") from error
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read as Parquet: {' '.join(str(error).split())}", path=path) from error
    return enumerate(frame_rows(frame), start=1)
