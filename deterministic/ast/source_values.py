"""Read Java and JavaScript values from source text: what both languages share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any


def make_reader(
    number_pattern: str, convert: Callable[[str], float], *, suffix: bool = False
) -> Callable[[str], Any]:
    """Return a reader of numbers that match a regular expression; other texts stay as they are.

    With ``suffix``, the last letter (``10L``) is not part of the number.
    """
    pattern = re.compile(rf"\A{number_pattern}$")

    def read(text: str) -> Any:
        if not pattern.match(text):
            return text
        value = number_or_text(convert, _without_suffix(text) if suffix else text)
        return text if isinstance(value, str) else value

    return read


read_integer = make_reader(r"-?\d+", int)


def read_boolean(text: str) -> bool | str:
    """Read ``true`` or ``false``, and return other texts unchanged."""
    return {"true": True, "false": False}.get(text, text)


def read_text(text: str) -> str:
    """Return the text unchanged: the reader of a type whose values are texts."""
    return text


def read_number(text: str) -> int | float | str:
    """Read an integer, or else a float, as Python does, and return other texts unchanged."""
    value = number_or_text(int, text)
    is_integer = value is not text  # the text itself comes back if it is none
    return value if is_integer else number_or_text(float, text)


def number_or_text(convert: Callable[[str], Any], text: str) -> Any:
    """Convert a text to a number, or return the text if Python cannot convert it."""
    try:
        return convert(text)
    except ValueError:
        return text


def _without_suffix(text: str) -> str:
    """Return a literal without its suffix, and without a final newline, which ``$`` lets pass."""
    return text.removesuffix("\n")[:-1]


def is_quoted(text: str, quotes: str) -> bool:
    """Return whether a text starts and ends with one quote; a lone quote counts, as in BFCL."""
    return text[:1] in tuple(quotes) and text.endswith(text[0])


def split_items(text: str) -> list[str]:
    """Split a text at commas, as in BFCL even within quotes, and strip the pieces."""
    return [piece.strip() for piece in text.split(",")]


def spans(text: str, opening: re.Pattern[str], closing: str, *, at_least: int = 0) -> Iterator[str]:
    """Yield the text between each opening and the next closing on the same line.

    These are the groups of ``re.finditer(opening + "(.*?)" + closing)``, found in linear time. ``at_least`` is the minimum length of
    the text: 1 stands for ``(.+?)``.
    """
    position = 0
    while (match := opening.search(text, position)) is not None:
        start = match.end()
        line_end = text.find("\n", start)
        end = text.find(closing, start + at_least, len(text) if line_end < 0 else line_end)
        if end < 0:
            position = match.start() + 1
        else:
            yield text[start:end]
            position = end + len(closing)
