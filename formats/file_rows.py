"""Other tools' files as unchanged JSON values; rows with a repeated key are skipped."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import msgspec

from ..errors import InputError, RecordError, readable
from ..records import not_utf8, read_lines
from ..records.json_text import DuplicateKeyDetector, read_object, stands_twice
from .field_reader import FieldReader
from .imported_records import UNREADABLE, FilePosition, ImportedRecord, Skipped, converted
from .json_values import is_list, is_object
from .native_files import is_own_folder


class RepeatedKeys(dict[str, Any]):
    """An object with a repeated key.

    Attributes:
        problem: The error message.
        any_found: Whether any document of this process had one; otherwise `refuse_marked` need not search.
    """

    any_found: ClassVar[bool] = False

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.problem = stands_twice(pairs)
        RepeatedKeys.any_found = True


def refuse_in_text(raw: bytes, value: Any) -> None:
    """Refuse JSON text, already decoded, if an object has a repeated key.

    Raises:
        RecordError: An object has one.
    """
    if DuplicateKeyDetector().suspects([raw], [value]):
        try:
            json.loads(raw.decode("utf-8-sig"), object_pairs_hook=read_object)
        except ValueError as error:
            raise RecordError(str(error)) from error


def marked(raw: bytes, value: Any) -> Any:
    """Return a document with each object that repeats a key as `RepeatedKeys`."""
    if not DuplicateKeyDetector().suspects([raw], [value]):
        return value
    return json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_object_or_mark)


def refuse_marked(value: Any, at: str) -> None:
    """Refuse a row that holds an object with a repeated key, which `marked` found.

    Raises:
        RecordError: It holds one.
    """
    pending = [value] if RepeatedKeys.any_found else []
    while pending:
        current = pending.pop()
        if isinstance(current, RepeatedKeys):
            raise RecordError(current.problem, field=at or None)
        if isinstance(current, dict):
            pending += current.values()
        elif isinstance(current, list):
            pending += current


def _object_or_mark(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else RepeatedKeys(pairs)


_SPACE = re.compile(r"\s++|(?=\{)")

JSON_SUFFIXES = (".jsonl", ".json", ".ndjson")

MAX_DOCUMENT_BYTES = 1024 * 1024 * 1024
"""Maximum size of a document in bytes, since it is held in memory as a whole."""


class FileRow(msgspec.Struct, frozen=True):
    """One value of a file, and its position."""

    value: Any
    position: FilePosition
    at: str = ""
    number: int = 1
    """Number in its file from 1: its line, if it has one."""

    @property
    def node(self) -> FieldReader:
        """The value as an object."""
        return FieldReader(self.value, self.at)


def files_of(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Return a path that is a file, or a folder's files with these suffixes, sorted by name.

    Raises:
        InputError: A folder holds none.
    """
    if not path.is_dir():
        return [path]
    files = files_in(path, suffixes)
    if not files:
        raise InputError(f"holds no file that ends with {' or '.join(suffixes)}", path=path)
    return files


def files_in(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Return the files in a folder with these suffixes, sorted by name.

    Hidden files are left out, and folders in it that fiducial made.
    """
    own = set[Path]()
    return sorted(
        file
        for file in _walk(folder, own)
        if file.name.lower().endswith(suffixes) and not file.name.startswith(".") and file.is_file()
    )


def own_folders(folder: Path) -> set[Path]:
    """Return the folders in a folder that fiducial made, which are not read."""
    own = set[Path]()
    for _ in _walk(folder, own):
        pass
    return own


def _walk(folder: Path, own: set[Path]) -> Iterator[Path]:
    """Yield the files in a folder, and add those of its folders that fiducial made to ``own``."""
    for place, folders, files in os.walk(folder):
        made = {name for name in folders if is_own_folder(Path(place, name))}
        own.update(Path(place, name) for name in made)
        folders[:] = [name for name in folders if name not in made]
        yield from (Path(place, name) for name in files)


Within: TypeAlias = Callable[[FieldReader], list[tuple[str, Any]] | None]
"""Function that returns the rows in an object, each with its path; None if the object is a row."""


def read_rows(
    path: Path, within: Within | None = None, *, is_row: Callable[[Any], bool] | None = None
) -> Iterator[FileRow | Skipped]:
    """Yield the JSON values of a file, or of every such file in a folder.

    A file holds one value per line, a list of values, or a single one. Invalid JSON is skipped if the rest of the file can be
    read.

    Args:
        path: JSON Lines or JSON.
        within: Function that finds the rows in an object, such as a page of an API.
        is_row: Function that returns whether a list is a single row, not a list of rows.
    """
    for file in files_of(path, JSON_SUFFIXES):
        rows = _lines(file) if _has_lines(file) else _document_rows(file, is_row)
        yield from rows if within is None else _unwrapped(rows, within)


def _document_rows(path: Path, is_row: Callable[[Any], bool] | None) -> Iterator[FileRow]:
    position = FilePosition(path)
    try:
        document = read_document(path)
    except InputError:
        objects = _successive_objects(path)
        if objects is None:
            raise
        yield from (FileRow(each, position, number=number) for number, each in enumerate(objects, start=1))
        return
    if not is_list(document) or (is_row is not None and is_row(document)):
        yield FileRow(document, position)
        return
    for number, item in enumerate(document):
        yield FileRow(item, position, f"[{number}]", number + 1)


def _unwrapped(rows: Iterable[FileRow | Skipped], within: Within) -> Iterator[FileRow | Skipped]:
    for row in rows:
        if isinstance(row, Skipped) or not is_object(row.value):
            yield row
            continue
        try:
            if isinstance(row.value, RepeatedKeys):
                refuse_marked(row.value, row.at)
            items = within(row.node)
        except UNREADABLE as error:
            yield row.position.skipped(error)
            continue
        if items is None:
            yield row
        else:
            yield from (
                FileRow(item, row.position, at, number) for number, (at, item) in enumerate(items, start=1)
            )


def _successive_objects(path: Path) -> list[Any] | None:
    """Return the objects that a file holds one after the other; None for another file.

    OpenTelemetry's ``ConsoleSpanExporter`` prints spans this way.
    """
    with readable(path), path.open("rb") as file:
        raw = file.read(MAX_DOCUMENT_BYTES + 1)
    found, at = list[Any](), 0
    decoder = json.JSONDecoder(object_pairs_hook=_object_or_mark)
    try:
        text = raw.decode("utf-8-sig").strip()
        while at < len(text):
            value, at = decoder.raw_decode(text, at)
            found.append(value)
            space = _SPACE.match(text, at)
            at = len(text) if space is None else space.end()
    except (ValueError, RecursionError):
        return None
    return found if all(map(is_object, found)) else None


def read_document(path: Path) -> Any:
    """Read a file as one JSON value; see `decode`.

    Raises:
        InputError: The file cannot be read, is too large, or is not JSON.
    """
    with readable(path), path.open("rb") as file:
        raw = file.read(MAX_DOCUMENT_BYTES + 1)
    if len(raw) > MAX_DOCUMENT_BYTES:
        raise InputError(f"is larger than {MAX_DOCUMENT_BYTES // 2**20} MiB", path=path)
    try:
        return marked(raw, _decoded(raw))
    except RecordError as error:
        raise InputError(error.message, path=path, line=error.line) from error


def decode(raw: bytes) -> Any:
    """Decode the JSON of one row, including the NaN and infinities that some tools write.

    Raises:
        RecordError: It is not JSON, or an object repeats a key; the error names the line if there are several.
    """
    value = _decoded(raw)
    refuse_in_text(raw, value)
    return value


def _decoded(raw: bytes) -> Any:
    try:
        return _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RecordError(not_utf8(error)) from error
    except json.JSONDecodeError as error:
        line = error.lineno if b"\n" in raw.strip() else None
        if error.pos >= len(error.doc.rstrip()):
            raise RecordError("not JSON: it ends before it is complete", line=line) from error
        problem = error.msg.removesuffix(" at")  # "Unterminated string starting at"
        raise RecordError(f"not JSON: {problem} at column {error.colno}", line=line) from error
    except RecursionError as error:
        raise RecordError("the JSON is nested too deeply") from error
    except ValueError as error:  # a number with thousands of digits
        raise RecordError(f"not JSON: {error}") from error


def convert_rows(
    rows: Iterable[FileRow | Skipped], convert: Callable[[FileRow], Iterable[ImportedRecord]]
) -> Iterator[ImportedRecord]:
    """Convert rows one by one; list the reason for each invalid one."""

    def checked(row: FileRow) -> Iterable[ImportedRecord]:
        refuse_marked(row.value, row.at)
        return convert(row)

    return converted(rows, checked, lambda row: row.position)


_decode = msgspec.json.Decoder().decode


def _has_lines(path: Path) -> bool:
    """Return whether a file has one value per line, by its name or its first lines."""
    lines = read_lines(path)
    try:
        first = next(lines, None)
        if path.suffix.lower() in {".jsonl", ".ndjson"}:
            return first is None or first[2].strip() != b"{"  # indented objects one after the other
        if first is None or next(lines, None) is None:
            return False
        decode(first[2])
    except RecordError:
        return False
    return True


def _lines(path: Path) -> Iterator[FileRow | Skipped]:
    for line, _, raw in read_lines(path):
        position = FilePosition(path, line)
        try:
            yield FileRow(decode(raw), position, number=line)
        except RecordError as error:
            yield position.skipped(RecordError(error.message))
