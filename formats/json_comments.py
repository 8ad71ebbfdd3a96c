"""JSON as people write it by hand: comments from ``#`` or ``//`` to the end of a line."""

from __future__ import annotations

import re

_PIECE = re.compile(rb'"(?:[^"\\\n]|\\.)*"|(?:#|//)[^\r\n]*')
_BYTE = re.compile(r" \(byte (\d+)\)")


def without_comments(raw: bytes) -> bytes:
    """Blank out the comments outside strings; every other byte keeps its place."""
    return _PIECE.sub(lambda found: found[0] if found[0][:1] == b'"' else b" " * len(found[0]), raw)


def line_of_error(raw: bytes, message: str) -> int | None:
    """Return the line of the byte in a parser's message, or None if it names none."""
    found = _BYTE.search(message)
    return None if found is None else raw.count(b"\n", 0, int(found[1])) + 1
