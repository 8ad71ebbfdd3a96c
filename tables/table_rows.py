"""Rows of a file of JSON Lines, JSON, CSV, TSV or Parquet."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from ..errors import InputError, RecordError, readable
from ..records.json_text import DuplicateKeyDetector
from ..records.jsonl import decode_record, read_lines
from ..records.memory_file import InputPath, MemoryFile, MemoryRows
from ..records.typed_values import decode_json
from .arrow_file import UnreadableRow, arrow_rows
from .column_names import LABEL_FIELDS, columns_by_field, is_session
from .csv_file import opened_csv, refuse_repeated_names, refuse_workbook

NumberedRow = tuple[int, Mapping[str, Any]]
"""Row with its line, or with its number in a file without lines."""

_INDEX = "__index_level_"
"""Prefix of the columns in which pandas stores the index of a frame in Parquet."""


_OTHER_SUFFIXES = {".csv", ".tsv", ".parquet", ".arrow", ".json"}
"""Suffixes of tables that are not JSON Lines."""


def file_rows(path: InputPath) -> Iterator[NumberedRow]:
    """Read the rows of a table by the file's suffix.

    Files in memory, or with another suffix, are JSON Lines.
    """
    if isinstance(path, MemoryRows):
        return enumerate(path.rows(), start=1)
    if isinstance(path, MemoryFile):
        return json_rows(path)
    readers = {
        ".csv": _csv_rows,
        ".tsv": _csv_rows,
        ".parquet": _parquet_rows,
        ".arrow": _parquet_rows,
        ".json": _document_rows,
    }
    refuse_workbook(path)
    return readers.get(path.suffix.lower(), json_rows)(path)


def key_of_rows(document: Mapping[str, Any]) -> str | None:
    """Return the key of an object's only list of objects; None if the object is a row itself."""
    is_row = columns_by_field(document, {}, LABEL_FIELDS).keys() & {"id", "label"} or any(
        map(is_session, document)
    )
    keys = [name for name, value in document.items() if _are_objects(value)]
    return keys[0] if len(keys) == 1 and not is_row else None


def _are_objects(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    items = cast("list[Any]", value)
    return bool(items) and all(isinstance(item, dict) for item in items)


def json_rows(path: InputPath) -> Iterator[NumberedRow]:
    """Yield the rows of JSON Lines."""
    detector = DuplicateKeyDetector()
    for line, _, raw in read_lines(path):
        try:
            row = decode_record(raw, dict[str, Any], path=path, line=line, detector=detector)
        except RecordError as error:
            if isinstance(path, MemoryFile) or path.suffix.lower() == ".jsonl":
                raise
            hint = f"{error.message}; a file that is not .csv, .tsv, .json, .parquet or .arrow is read as JSON Lines"
            raise RecordError(hint, path=path, line=line, field=error.field) from error
        yield line, row


def readable_lines(path: InputPath) -> tuple[InputPath, list[RecordError]]:
    """Return JSON Lines with blanks for lines that are no objects, and the errors of these.

    Any other file, and one without such lines, is returned as it is.
    """
    if not isinstance(path, Path) or path.suffix.lower() in _OTHER_SUFFIXES:
        return path, []
    unreadable: dict[int, RecordError] = {}
    lines: list[tuple[int, bytes]] = []
    for line, _, raw in read_lines(path):
        lines.append((line, raw))
        try:
            decode_record(raw, dict[str, Any], path=path, line=line)
        except RecordError as error:
            unreadable[line] = error
    if not unreadable or len(unreadable) == len(lines):
        return path, []
    kept = [b""] * lines[-1][0]
    for line, raw in lines:
        if line not in unreadable:
            kept[line - 1] = raw.rstrip(b"\r\n")
    return MemoryFile(str(path), b"\n".join(kept) + b"\n"), [*unreadable.values()]


def _csv_rows(path: Path) -> Iterator[NumberedRow]:
    """Yield the rows that are not blank, each with as many fields as the header."""
    with opened_csv(path) as (header, header_line, rows):
        refuse_repeated_names(header, path, header_line)
        for line, cells in rows:
            if not any(cells):
                continue  # spreadsheets leave blank rows
            if len(cells) != len(header):
                count = "more" if len(cells) > len(header) else "fewer"
                raise InputError(f"{count} fields than the header names", path=path, line=line)
            yield line, dict(zip(header, cells, strict=True))


def _parquet_rows(path: Path) -> Iterator[NumberedRow]:
    for number, row in enumerate(arrow_rows(path), start=1):
        if isinstance(row, UnreadableRow):
            raise InputError(row.problem, path=path, line=number, field=row.field)
        yield number, {name: each for name, each in row.items() if not name.startswith(_INDEX)}


def _document_rows(path: Path) -> Iterator[NumberedRow]:
    """Yield the rows of a JSON array, also under a key, or of JSON Lines in a .json file."""
    with readable(path):
        raw = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    detector = DuplicateKeyDetector()
    if raw.lstrip().startswith(b"["):
        rows = decode_record(raw, list[dict[str, Any]], path=path, detector=detector)
        yield from enumerate(rows, start=1)
    elif (key := _key_of_rows_in(raw)) is not None:
        document = decode_record(raw, dict[str, Any], path=path, detector=detector)
        yield from enumerate(document[key], start=1)
    else:
        yield from json_rows(path)


def _key_of_rows_in(raw: bytes) -> str | None:
    """Return the key of the rows in a file that is one object; None for any other file."""
    try:
        return key_of_rows(decode_json(raw, dict[str, Any]))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def as_whole(value: Any) -> Any:
    """Return a whole number as an int: data frames write 7 as 7.0 beside empty cells."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
