"""JSON values of a file: one per line, the items of a list, or a single one.

NaN and infinities, which some tools write, are accepted. An object that repeats a key is not used, since nothing says
which of its values counts: in a document it is kept as `RepeatedKeys` until it is known which row contains it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple

import msgspec

from ..errors import InputError, RecordError, readable
from ..records.explanations import not_utf8
from ..records.json_text import DuplicateKeyDetector, duplicate_key_message, is_list, is_object, read_object
from ..records.jsonl import read_lines
from ..records.memory_file import InputPath, MemoryFile

MAX_DOCUMENT_BYTES = 1024 * 1024 * 1024
"""Maximum size of a document in bytes, since all of it is in memory at once."""

_BETWEEN_OBJECTS = re.compile(r"\s++|(?=\{)")
_LINES_SUFFIXES = frozenset({".jsonl", ".ndjson"})
"""Suffixes of files with a value on each line."""

_DOCUMENT_FIRST_LINES = frozenset({b"[", b"{", b"[{"})
"""First lines of documents that are named like files of lines: an indented list, or indented objects."""


class TableRow(NamedTuple):
    """A value of a file, with its place in the file.

    Attributes:
        value: The value; in a table, a mapping of columns to cells.
        line: Its line, if it has one.
        at: Its path in a document, such as ``[3]``, or "" for a line.
        number: Its number in the file from 1, which is its line if it has one.
    """

    value: Any
    line: int | None = None
    at: str = ""
    number: int = 1


class UnreadRow(NamedTuple):
    """A row that cannot be read, or a part of one.

    Attributes:
        reason: Why it cannot be read.
        line: Its line, if it has one.
        at: Path of the row or the part, or "" for a whole line.
        is_part: Whether only a part of the row cannot be read, and the row is used without it.
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
        any_found: Whether this process read any document with a repeated key; until then `require_no_markers` does not search.
    """

    any_found: ClassVar[bool] = False

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.problem = duplicate_key_message(pairs)
        RepeatedKeys.any_found = True


def require_no_markers(value: Any, at: str) -> None:
    """Require that no object in a row of a document repeats a key (is a `RepeatedKeys`).

    Raises:
        RecordError: An object repeats a key.
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
    values = dict(pairs)
    return values if len(values) == len(pairs) else RepeatedKeys(pairs)


def json_values(
    path: InputPath, *, is_row: Callable[[Any], bool] | None = None
) -> Iterator[TableRow | UnreadRow]:
    """Yield the values of a file.

    Args:
        path: A file of JSON Lines or JSON; its name or its first lines tell which.
        is_row: Function that returns whether a list is a single value, rather than a list of values.

    Raises:
        InputError: The file cannot be read, or a document is not JSON.
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
        yield from (TableRow(value, None, "", number) for number, value in enumerate(objects, start=1))
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
        if path.suffix.lower() in _LINES_SUFFIXES:
            return not _opens_document(path)
        lines = read_lines(path)
        first = next(lines, None)
        if first is None or next(lines, None) is None:
            return False
        decode(first[2])
    except RecordError:
        return path.suffix.lower() in _LINES_SUFFIXES
    return True


def _successive_objects(path: InputPath) -> list[Any] | None:
    """Return the objects of a file without separators between them, or None for other files.

    OpenTelemetry's ``ConsoleSpanExporter`` prints spans this way.
    """
    with readable(path), path.open("rb") as file:
        raw = file.read(MAX_DOCUMENT_BYTES + 1)
    objects, position = list[Any](), 0
    decoder = json.JSONDecoder(object_pairs_hook=_object_or_mark)
    try:
        text = raw.decode("utf-8-sig").strip()
        while position < len(text):
            value, position = decoder.raw_decode(text, position)
            objects.append(value)
            space = _BETWEEN_OBJECTS.match(text, position)
            position = len(text) if space is None else space.end()
    except (ValueError, RecursionError):
        return None
    return objects if len(objects) > 1 and all(map(is_object, objects)) else None


def _opens_document(path: InputPath) -> bool:
    """Return whether a file is a single document although its suffix says JSON Lines."""
    lines = read_lines(path)
    first = next(lines, None)
    if first is None:
        return False
    raw = first[2].strip()
    if raw in _DOCUMENT_FIRST_LINES:
        return True
    is_list_of_rows = raw[:1] == b"[" and raw[1:].lstrip()[:1] == b"{" and raw[-1:] == b"]"
    return is_list_of_rows and next(lines, None) is None


def is_document(path: InputPath) -> bool:
    """Return whether a file is one JSON value, rather than one per line."""
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
        value = _decode_or_raise(raw)
    except RecordError as error:
        raise InputError(error.message, path=path, line=error.line) from error
    # The fast decoder does not report repeated keys; only suspect documents are parsed again.
    if not DuplicateKeyDetector().suspects([raw], [value]):
        return value
    return json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_object_or_mark)


def decode(raw: bytes, detector: DuplicateKeyDetector | None = None) -> Any:
    """Decode the JSON of one row.

    Args:
        raw: The bytes.
        detector: Detector of repeated keys for all rows of a file, or None for a single row.

    Raises:
        RecordError: The bytes are not JSON, or an object repeats a key; of several lines the error names one.
    """
    try:
        value = _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = _decode_or_raise(raw)
    if (detector or DuplicateKeyDetector()).suspects([raw], [value]):
        try:
            json.loads(raw.decode("utf-8-sig"), object_pairs_hook=read_object)
        except ValueError as error:
            raise RecordError(str(error)) from error
    return value


_decode = msgspec.json.Decoder().decode


def _decode_or_raise(raw: bytes) -> Any:
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decode(raw)
    # The standard library also accepts NaN and a byte order mark, and says where an error is.
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
