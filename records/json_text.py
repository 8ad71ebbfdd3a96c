"""Encode records as JSON Lines; detect duplicate keys.

Decoders keep the last of several equal keys and do not report the others, and reading every object key by key takes ten times as long as decoding. So decoded
records are encoded again, and their colons counted: each lost pair is a lost colon. Only lines that lost one are read key by key.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeGuard, cast

import msgspec

from ..errors import RecordError

MAX_LINE_BYTES = 32 * 1024 * 1024
"""Maximum length of a line that is read or written. A whole line is in memory, so this bounds the cost of a hostile file."""


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is a JSON object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Return whether a value is a JSON array."""
    return isinstance(value, list)


def type_name(value: Any) -> str:
    """Return the name of a value's type for people."""
    kind = cast("type[object]", type(value))
    names: dict[type[object], str] = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        type(None): "null",
    }
    return names.get(kind, "a number" if isinstance(value, int | float) else kind.__name__)


def encode_line(record: object, path: object = None) -> bytes:
    """Encode a record as a line that `read_records` can read; see `encode_record`.

    Raises:
        RecordError: The line is longer than may be read.
    """
    line = encode_record(record)
    if len(line) > MAX_LINE_BYTES:
        raise too_long(path)
    return line


def too_long(path: object, line: int | None = None) -> RecordError:
    """Return the error about a line that is too long."""
    return RecordError(f"the line is longer than {MAX_LINE_BYTES >> 20} MiB", path=path, line=line)


def encode_record(record: object) -> bytes:
    """Encode a record as one line, newline included; see `encode_json`."""
    return encode_json(record) + b"\n"


def encode_json(value: object) -> bytes:
    r"""Encode a value as JSON.

    Lone surrogates, which UTF-8 cannot carry but a model or the name of a file can hold, are written as ``\u`` escapes.
    """
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(_json_value(value)).encode("ascii")


def indented_json(value: object) -> bytes:
    """Encode a value as JSON for people and machines, newline included; see `encode_json`."""
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
    except UnicodeEncodeError:
        return json.dumps(_json_value(value), indent=2).encode("ascii") + b"\n"


def _json_value(value: object) -> Any:
    """Convert a value to plain JSON types, with null for NaN and infinities as in msgspec."""
    return json.loads(json.dumps(msgspec.to_builtins(value)), parse_constant=lambda _: None)


_LONGEST = 100
_write = msgspec.json.Encoder().encode_into
_write_lines = msgspec.json.Encoder().encode_lines
_read_lines = msgspec.json.Decoder().decode_lines


class DuplicateKeyDetector:
    """Detector of lines in which an object has a key twice, for the lines of one writer.

    It compares lines with their decoded records by three tests, the cheapest first. Lines that pass one have no duplicates.

    1. The encoded records are the same bytes. After one failure, this writer's lines skip the test.
    2. The encoded records have as many colons. After a record left out a field, lines skip the test.
    3. The lines, decoded as plain JSON and encoded, have as many colons.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._writes_like_us = True
        self._keeps_all_fields = True

    def suspects(self, lines: Sequence[bytes], records: Sequence[object]) -> bool:
        """Return whether a line may have a duplicate key; if False, none has."""
        text = lines[0] if len(lines) == 1 else b"".join(lines)
        self._writes_like_us = self._writes_like_us and _encoded_lines(records) == text
        if self._writes_like_us:
            return False
        if _has_escaped_colon(text):  # encoded as a plain colon, it could make up for a lost one
            return True
        colons = text.count(b":")
        if self._keeps_all_fields and self._colons_of(records) == colons:
            return False
        try:
            plain = _read_lines(text)
        except msgspec.DecodeError:  # a lone surrogate, which a model can produce
            return True
        self._keeps_all_fields = False
        return self._colons_of(plain) != colons

    def _colons_of(self, values: Sequence[object]) -> int:
        try:
            _write(values, self._buffer)
        except UnicodeEncodeError:  # a lone surrogate
            return -1
        return self._buffer.count(b":")

    def refuse(self, line: bytes, record: object) -> None:
        """Refuse one line.

        Raises:
            ValueError: A key stands twice in one object.
        """
        if self.suspects([line], [record]):
            require_unique_keys(line)


def _has_escaped_colon(text: bytes) -> bool:
    return b"\\" in text and (rb"\u003a" in text or rb"\u003A" in text)


def _encoded_lines(records: Sequence[object]) -> bytes:
    try:
        return _write_lines(records)
    except UnicodeEncodeError:  # a lone surrogate
        return b""


def require_unique_keys(line: bytes) -> None:
    """Read a line key by key.

    Raises:
        ValueError: A key stands twice in one object.
    """
    json.loads(line, object_pairs_hook=read_object)


def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object from its pairs; a ValueError if a key occurs twice."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError(stands_twice(pairs))
    return value


def stands_twice(pairs: Sequence[tuple[str, Any]]) -> str:
    """Return the message about pairs with a duplicate key."""
    seen = set[str]()
    twice = next(key for key, _ in pairs if key in seen or seen.add(key))
    return f"the key {twice[:_LONGEST]!r} stands twice in one object; which one counts?"
