"""Encode records as JSON Lines; detect duplicate keys.

Decoders keep the last of several equal keys and do not report the others. Reading each object key by key would take ten times as long.
So decoded records are encoded again, and colons are counted: each lost key is a lost colon. Only lines that lost one are read key by
key.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeGuard, cast

import msgspec

from ..errors import RecordError

MAX_LINE_BYTES = 32 * 1024 * 1024
"""Limit on the length of a line. A whole line is in memory, so this bounds the cost of a hostile file."""


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is a JSON object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Return whether a value is a JSON array."""
    return isinstance(value, list)


def type_name(value: Any) -> str:
    """Return the name of a JSON value's type in plain words."""
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
        RecordError: The line is longer than `MAX_LINE_BYTES`.
    """
    line = encode_record(record)
    if len(line) > MAX_LINE_BYTES:
        raise line_too_long_error(path)
    return line


def line_too_long_error(path: object, line: int | None = None) -> RecordError:
    """Return the error about a line that is too long."""
    return RecordError(f"the line is longer than {MAX_LINE_BYTES >> 20} MiB", path=path, line=line)


def encode_record(record: object) -> bytes:
    """Encode a record as one line, newline included; see `encode_json`."""
    return encode_json(record) + b"\n"


def encode_json(value: object) -> bytes:
    r"""Encode a value as JSON.

    Lone surrogates, which are not valid in UTF-8 but may be in a model's reply or a file's name, are written as ``\u`` escapes.
    """
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(_json_value(value)).encode("ascii")


def encode_indented_json(value: object) -> bytes:
    """Encode a value as indented JSON, newline included; see `encode_json`."""
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
    except UnicodeEncodeError:
        return json.dumps(_json_value(value), indent=2).encode("ascii") + b"\n"


def _json_value(value: object) -> Any:
    """Convert a value to plain JSON types, with null for NaN and infinities as in msgspec."""
    # json.dumps writes NaN and Infinity; parse_constant is called for these when the text is read again.
    return json.loads(json.dumps(msgspec.to_builtins(value)), parse_constant=lambda _: None)


_MAX_KEY_LENGTH_SHOWN = 100
"""Longer keys are cut in error messages, in characters."""

_encode_into = msgspec.json.Encoder().encode_into
_encode_as_lines = msgspec.json.Encoder().encode_lines
_decode_lines = msgspec.json.Decoder().decode_lines


class DuplicateKeyDetector:
    """Detector of lines in which an object has a key twice; make one for each file.

    It compares lines with their decoded records by three tests, the fastest first. Lines that pass a test have no duplicates.

    1. The encoded records are the same bytes. Skipped from the first failure on, since the file's writer has another layout.
    2. The encoded records have as many colons. Skipped once a record left out a field that is in the line.
    3. The lines, decoded as plain JSON and encoded again, have as many colons.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._writes_like_us = True
        self._keeps_all_fields = True

    def suspects(self, lines: Sequence[bytes], records: Sequence[object]) -> bool:
        """Return whether any of the lines may have a duplicate key; False is certain."""
        text = lines[0] if len(lines) == 1 else b"".join(lines)
        self._writes_like_us = self._writes_like_us and _encode_lines(records) == text
        if self._writes_like_us:
            return False
        if _has_escaped_colon(text):  # encoded as a plain colon, it could replace a lost one in the count
            return True
        colons = text.count(b":")
        if self._keeps_all_fields and self._colons_of(records) == colons:
            return False
        try:
            plain_values = _decode_lines(text)
        except msgspec.DecodeError:  # a lone surrogate, which a model can produce
            return True
        # Even if a duplicate is the cause: skipping the second test costs only time.
        self._keeps_all_fields = False
        return self._colons_of(plain_values) != colons

    def _colons_of(self, values: Sequence[object]) -> int:
        """Count the colons in encoded values; -1, which no text has, if they cannot be encoded."""
        try:
            _encode_into(values, self._buffer)
        except UnicodeEncodeError:  # a lone surrogate
            return -1
        return self._buffer.count(b":")

    def check_line(self, line: bytes, record: object) -> None:
        """Check one line.

        Raises:
            ValueError: An object has a key twice.
        """
        if self.suspects([line], [record]):
            require_unique_keys(line)


def _has_escaped_colon(text: bytes) -> bool:
    return b"\\" in text and (rb"\u003a" in text or rb"\u003A" in text)


def _encode_lines(records: Sequence[object]) -> bytes:
    try:
        return _encode_as_lines(records)
    except UnicodeEncodeError:  # a lone surrogate
        return b""


def require_unique_keys(line: bytes) -> None:
    """Check a line, key by key.

    Raises:
        ValueError: An object has a key twice.
    """
    json.loads(line, object_pairs_hook=read_object)


def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object from its pairs, or raise a ValueError if it has a key twice."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError(duplicate_key_message(pairs))
    return value


def duplicate_key_message(pairs: Sequence[tuple[str, Any]]) -> str:
    """Return the error message for pairs of which two have the same key."""
    keys_seen, duplicate = set[str](), ""
    for key, _ in pairs:
        if key in keys_seen:
            duplicate = key
            break
        keys_seen.add(key)
    return f"the key {duplicate[:_MAX_KEY_LENGTH_SHOWN]!r} stands twice in one object; which one counts?"
