"""JSON values of a file: one a line, a list of them, or a single one.

Values are as they are written, with the NaN and infinities that some tools write. What repeats a key is not used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

import msgspec

from ..errors import InputError, RecordError, readable
from ..records.explanations import not_utf8
from ..records.json_text import DuplicateKeyDetector, duplicate_key_message, is_list, is_object, read_object
from ..records.jsonl import read_lines
from ..records.memory_file import InputPath, MemoryFile

MAX_DOCUMENT_BYTES = 1024 * 1024 * 1024
"""Maximum size of a document in bytes, since it is held in memory as a whole."""

_SPACE = re.compile(r"\s++|(?=\{)")
_LINES = frozenset({".jsonl", ".ndjson"})
"""Suffixes of files with a value on each line."""

_OPENINGS = frozenset({b"[", b"{", b"[{"})
"""First lines of documents that a file of lines holds: a list, or indented objects one after the other."""


class TableRow(NamedTuple):
    """A value of a file, and its place.

    Attributes:
        value: The value: of a table, a mapping of columns.
        line: Its line, if it has one.
        at: Its path in a document, such as ``[3]``; empty for a line.
        number: Its number in the file from 1: its line, if it has one.
    """

    value: Any
    line: int | None = None
    at: str = ""
    number: int = 1


class UnreadRow(NamedTuple):
    """A row that cannot be read, or a part of one.

    Attributes:
        reason: Why.
        line: Its line, if it has one.
        at: Path of the row or its part; empty for a whole line.
        is_part: True if only this part is not read.
    """

    reason: str
    line: int | None = None
    at: str = ""
    is_part: bool = False

    def error(self, path: object) -> RecordError:
        """Return the error about the row."""
        return RecordError(self.reason, path=path, line=self.line, field=self.at or None)


class RepeatedKeys(dict[str, Any]):
    """An object with a repeated key.

    Attributes:
        problem: The error message.
        any_found: Whether any document of this process had one; otherwise `require_no_markers` need not search.
    """

    any_found: ClassVar[bool] = False

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.problem = duplicate_key_message(pairs)
        RepeatedKeys.any_found = True


def require_no_markers(value: Any, at: str) -> None:
    """Refuse a row of a document that holds an object with a repeated key.

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


def json_values(
    path: InputPath, *, is_row: Callable[[Any], bool] | None = None
) -> Iterator[TableRow | UnreadRow]:
    """Yield the values of a file.

    Args:
        path: JSON Lines or JSON, by its name or its first lines.
        is_row: Function that returns whether a list is a single value, not a list of values.

    Raises:
        InputError: It cannot be read, or a document is not JSON.
    """
    return _lines(path) if _has_lines(path) else _document_values(path, is_row)


def _lines(path: InputPath) -> Iterator[TableRow | UnreadRow]:
    detector = DuplicateKeyDetector()
    for line, _, raw in read_lines(path):
        try:
            yield TableRow(decode(raw, detector), line, "", line)
        except RecordError as error:
            yield UnreadRow(error.message, line)


def _document_values(path: InputPath, is_row: Callable[[Any], bool] | None) -> Iterator[TableRow]:
    try:
        document = read_document(path)
    except InputError:
        objects = _successive_objects(path)
        if objects is None:
            raise
        yield from (TableRow(each, None, "", number) for number, each in enumerate(objects, start=1))
        return
    if not is_list(document) or (is_row is not None and is_row(document)):
        yield TableRow(document)
        return
    for number, item in enumerate(document):
        yield TableRow(item, None, f"[{number}]", number + 1)


def _has_lines(path: InputPath) -> bool:
    """Return whether a file has one value per line, by its name or its first lines."""
    if isinstance(path, MemoryFile):
        return True
    try:
        if path.suffix.lower() in _LINES:
            return not _opens_document(path)
        lines = read_lines(path)
        first = next(lines, None)
        if first is None or next(lines, None) is None:
            return False
        decode(first[2])
    except RecordError:
        return path.suffix.lower() in _LINES
    return True


def _successive_objects(path: InputPath) -> list[Any] | None:
    """Return the objects that a file holds one after the other, or None for another file.

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
    return found if len(found) > 1 and all(map(is_object, found)) else None


def _opens_document(path: InputPath) -> bool:
    """Return whether a file of lines by its name is one document, such as a list of rows."""
    lines = read_lines(path)
    first = next(lines, None)
    if first is None:
        return False
    raw = first[2].strip()
    if raw in _OPENINGS:
        return True
    is_list_of_rows = raw[:1] == b"[" and raw[1:].lstrip()[:1] == b"{" and raw[-1:] == b"]"
    return is_list_of_rows and next(lines, None) is None


def is_document(path: InputPath) -> bool:
    """Return whether a file is one JSON value, and not one per line."""
    return not _has_lines(path)


def read_document(path: InputPath) -> Any:
    """Read a file as one JSON value, with each object that repeats a key as `RepeatedKeys`.

    Raises:
        InputError: The file cannot be read, is too large, or is not JSON.
    """
    with readable(path), path.open("rb") as file:
        raw = file.read(MAX_DOCUMENT_BYTES + 1)
    if len(raw) > MAX_DOCUMENT_BYTES:
        raise InputError(f"is larger than {MAX_DOCUMENT_BYTES // 2**20} MiB", path=path)
    try:
        value = _decoded(raw)
    except RecordError as error:
        raise InputError(error.message, path=path, line=error.line) from error
    if not DuplicateKeyDetector().suspects([raw], [value]):
        return value
    return json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_object_or_mark)


def decode(raw: bytes, detector: DuplicateKeyDetector | None = None) -> Any:
    """Decode the JSON of one row.

    Args:
        raw: The bytes.
        detector: Detector of repeated keys for all rows of a file, or None for a single row.

    Raises:
        RecordError: It is not JSON, or an object repeats a key; the error names the line if there are several.
    """
    try:
        value = _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = _decoded(raw)
    if (detector or DuplicateKeyDetector()).suspects([raw], [value]):
        try:
            json.loads(raw.decode("utf-8-sig"), object_pairs_hook=read_object)
        except ValueError as error:
            raise RecordError(str(error)) from error
    return value


_decode = msgspec.json.Decoder().decode


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
