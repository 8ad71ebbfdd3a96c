"""Wrapping around calls in a reply: brackets, blanks, code fences, a tag."""

from __future__ import annotations

from ...errors import DecodingError

MAX_CODE = 50_000
"""Longer code is refused: no real call is nearly as long, and this bounds what a hostile reply can cost."""

_OPENING_TAG = "<TOOLCALL>"
_CLOSING_TAG = "</TOOLCALL>"


def wrap(text: str) -> str:
    """Make a bracketed list of a reply, as BFCL does before any further reading.

    Backticks, newlines and spaces (nothing else: no tab, no carriage return) are stripped; a missing bracket is added
    at either end, independently of the other.
    """
    text = text.strip("`\n ")
    if not text.startswith("["):
        text = "[" + text
    if not text.endswith("]"):
        text += "]"
    return text


def untag(text: str) -> str:
    """Return the content of the first ``<TOOLCALL>`` element, without surrounding white space."""
    start = text.find(_OPENING_TAG)
    end = text.find(_CLOSING_TAG, start + len(_OPENING_TAG)) if start >= 0 else -1
    if end < 0:
        raise DecodingError(
            f"expected the calls between {_OPENING_TAG} and {_CLOSING_TAG}, found no such pair"
        )
    return text[start + len(_OPENING_TAG) : end].strip()


def bounded(code: str) -> str:
    """Return the code, or raise a DecodingError if it is longer than ``MAX_CODE``."""
    if len(code) > MAX_CODE:
        raise DecodingError(f"too large: {len(code):,} characters of code, at most {MAX_CODE:,} are read")
    return code
