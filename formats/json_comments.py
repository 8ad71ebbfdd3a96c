"""JSON as people write it by hand: comments from ``#`` or ``//`` to the end of a line."""

from __future__ import annotations

import re

_STRING_OR_COMMENT = re.compile(rb'"(?:[^"\\\n]|\\.)*"|(?:#|//)[^\r\n]*')
_BYTE_OFFSET = re.compile(r" \(byte (\d+)\)")


def without_comments(raw: bytes) -> bytes:
    """Blank out the comments outside strings; every other byte keeps its place."""
    return _STRING_OR_COMMENT.sub(
        lambda piece: piece[0] if piece[0][:1] == b'"' else b" " * len(piece[0]), raw
    )


def line_of_error(raw: bytes, message: str) -> int | None:
    """Return the line of the byte that a parser's message names, or None if it names none."""
    offset = _BYTE_OFFSET.search(message)
    return None if offset is None else raw.count(b"\n", 0, int(offset[1])) + 1
