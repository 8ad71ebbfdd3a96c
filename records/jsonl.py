"""Read JSON Lines as streams, so that memory does not grow with the file.

Errors name file, line and field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from ..errors import InputError, RecordError, readable
from .case import Case
from .explanations import explained, line_hint, not_utf8
from .json_text import MAX_LINE_BYTES, DuplicateKeyDetector, line_too_long_error, require_unique_keys
from .memory_file import InputPath, MemoryFile
from .output import Output, with_spelled_out_calls
from .typed_values import convert, json_decoder
from .validation import validate_case

_BATCH_BYTES = 8192
"""Size of the batches of lines that are searched for duplicate keys; in batches the search takes half the time."""

T = TypeVar("T")

_FIELD_AT_END = re.compile(r" - at `\$\.?([^`]*)`$")


def read_records(path: InputPath | str, record_type: type[T]) -> Iterator[T]:
    """Read the records of a JSON Lines file one by one.

    Blank lines are skipped; a byte-order mark at the start is allowed.

    Args:
        path: The file.
        record_type: ``Case``, ``Output``, ``Verdict`` or another msgspec type.

    Yields:
        The records, in the order of the file.

    Raises:
        InputError: The file cannot be read, or has no record at all.
        RecordError: A line is not such a record; the message names line and field.
    """
    for _, record in read_numbered(Path(path) if isinstance(path, str) else path, record_type):
        yield record


def read_numbered(
    path: InputPath, record_type: type[T], *, validated: bool = False
) -> Iterator[tuple[int, T]]:
    """Read records as `read_records` does, with the number of each record's line, from 1.

    Args:
        path: The file.
        record_type: See `read_records`.
        validated: Whether the file was validated earlier, so that duplicate keys need not be searched for.
    """
    is_empty = True
    with closing(read_lines(path)) as lines:  # otherwise an error's traceback keeps the file open
        rows: Iterable[tuple[int, bytes, T]] = (
            (line, raw, decode_record(raw, record_type, path=path, line=line, validated=validated))
            for line, _, raw in lines
        )
        if not validated and not isinstance(path, MemoryFile):
            rows = _refuse_duplicate_keys(rows, path)
        for line, _, record in rows:
            is_empty = False
            yield line, record
    if is_empty:
        raise InputError(no_record_message(path, "JSON object"), path=path)


def no_record_message(path: InputPath, record: str) -> str:
    """Return the error message for a file without a record, or for a caller's empty list."""
    # A list that Python code passes has a name in the plural, such as `cases`, instead of a path.
    if isinstance(path, MemoryFile) and path.name.isalpha():
        return f"no {path.name.removesuffix('s')} given"
    return f"the file is empty; expected one {record} a line"


def _refuse_duplicate_keys(
    rows: Iterable[tuple[int, bytes, T]], path: InputPath
) -> Iterator[tuple[int, bytes, T]]:
    detector, batch, size = DuplicateKeyDetector(), list[tuple[int, bytes, T]](), 0
    try:
        for row in rows:
            batch.append(row)
            _, raw, _ = row
            size += len(raw)
            if size > _BATCH_BYTES:
                yield from _check_batch(batch, detector, path)
                batch, size = [], 0
    except RecordError:
        # Of this error and duplicate keys in earlier rows, the earlier line is reported.
        yield from _check_batch(batch, detector, path)
        raise
    yield from _check_batch(batch, detector, path)


def _check_batch(
    rows: list[tuple[int, bytes, T]], detector: DuplicateKeyDetector, path: InputPath
) -> list[tuple[int, bytes, T]]:
    """Return the rows unchanged; refuse the first row with a duplicate key."""
    # The detector only suspects a batch, which is fast. Each line of a suspected batch is then checked.
    if rows and detector.suspects([raw for _, raw, _ in rows], [record for _, _, record in rows]):
        for line, raw, _ in rows:
            try:
                require_unique_keys(raw)
            except ValueError as error:
                raise RecordError(str(error), path=path, line=line) from error
    return rows


def read_lines(path: InputPath) -> Generator[tuple[int, int, bytes]]:
    """Read the non-blank lines of a file.

    Args:
        path: The file.

    Yields:
        Number of the line, from 1; byte offset of its start; its bytes.

    Raises:
        InputError: The file cannot be opened or read.
        RecordError: A line is longer than ``MAX_LINE_BYTES``.
    """
    with readable(path), path.open("rb") as file:
        yield from lines_of(file, path)


def lines_of(file: BinaryIO, path: InputPath) -> Iterator[tuple[int, int, bytes]]:
    """Yield the non-blank lines of an open file; see `read_lines`.

    Args:
        file: The file, at its start.
        path: Its name in errors.
    """
    offset = 0
    for number in count(1):
        raw = file.readline(MAX_LINE_BYTES + 1)
        if not raw:
            return
        if len(raw) > MAX_LINE_BYTES:
            raise line_too_long_error(path, number)
        start, offset = offset, offset + len(raw)
        if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
            raw, start = raw[3:], start + 3
        if raw and not raw.isspace():
            yield number, start, raw


def decode_record(
    raw: bytes,
    record_type: type[T],
    *,
    path: InputPath | None = None,
    line: int | None = None,
    detector: DuplicateKeyDetector | None = None,
    validated: bool = False,
) -> T:
    """Decode one line, strictly.

    Args:
        raw: The line's bytes.
        record_type: See `read_records`.
        path: The file's name for errors, or None.
        line: The line's number for errors, or None.
        detector: Detector of duplicate keys, or None for lines that this program wrote.
        validated: Whether the line was validated earlier, so that only types need to be checked.

    Returns:
        The record.

    Raises:
        RecordError: The line is not JSON, not UTF-8 or not such a record, or an object has a key twice.
    """
    try:
        record = _decode(raw, record_type)
        if isinstance(record, Case) and not validated:
            validate_case(record)
        if detector is not None:
            detector.check_line(raw, record)
    except (msgspec.ValidationError, ValueError) as error:
        message, field = _split_message_and_field(explained(str(error), record_type))
        if line is not None:
            message += line_hint(message, raw)
        raise RecordError(message, path=path, line=line, field=field) from error
    except RecursionError as error:
        raise RecordError("the JSON is nested too deeply", path=path, line=line) from error
    return record


def _decode(raw: bytes, record_type: type[T]) -> T:
    try:
        return _decoder(record_type)(raw)
    except msgspec.ValidationError:
        if record_type is not Output:
            raise
        return _with_spelled_out_calls(raw, record_type)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # The standard library reads lone surrogates, and has clearer errors for other text.
        return convert(_load_json(raw), record_type)


def _with_spelled_out_calls(raw: bytes, record_type: type[T]) -> T:
    """Decode an output again, with calls such as ``{name: arguments}`` written in full.

    A line without such calls raises the error of the first decoding again.
    """
    fields = _load_json(raw)
    spelled_out = with_spelled_out_calls(fields)
    return convert(fields if spelled_out == fields else spelled_out, record_type)


@cache
def _decoder(record_type: type[T]) -> Callable[[bytes], T]:
    return json_decoder(record_type).decode


def _load_json(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8").rstrip("\r\n"), parse_constant=_reject_constant)
    except UnicodeDecodeError as error:
        raise ValueError(not_utf8(error)) from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from error


def _reject_constant(name: str) -> Any:
    raise ValueError(f"not JSON: {name} is not a JSON number")


def _split_message_and_field(message: str) -> tuple[str, str | None]:
    match = _FIELD_AT_END.search(message)
    if match is None:
        return message, None
    return message[: match.start()], match[1] or None
