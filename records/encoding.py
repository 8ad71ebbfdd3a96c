"""Records as lines of JSON."""

from __future__ import annotations

import json

import msgspec


def encode_record(record: object) -> bytes:
    r"""Encode a record as one line, newline included.

    Lone surrogates, which UTF-8 cannot carry but a model can produce, are written as ``\u`` escapes.
    """
    try:
        return msgspec.json.encode(record) + b"\n"
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(record)).encode("ascii") + b"\n"
