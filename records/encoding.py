"""Records as lines of JSON."""

from __future__ import annotations

import json

import msgspec

from ..errors import RecordError

MAX_LINE_BYTES = 32 * 1024 * 1024
"""Longer lines are neither read nor written: a line is held in memory whole, so this bounds what a hostile file can cost."""


def encode_line(record: object, path: object = None) -> bytes:
    """Encode a record as one line of a file that is to be read again; see `encode_record`.

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
        return json.dumps(msgspec.to_builtins(value)).encode("ascii")
