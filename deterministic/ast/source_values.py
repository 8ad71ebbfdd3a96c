"""Shared reading of Java and JavaScript values from source text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any


def reader(form: str, convert: Callable[[str], float], *, suffix: bool = False) -> Callable[[str], Any]:
    """Return a reader of numbers of a form, a regular expression; anything else stays text.

    With ``suffix``, the last letter is not part of the number.
    """
    pattern = re.compile(rf"\A{form}$")

    def read(text: str) -> Any:
        if not pattern.match(text):
            return text
        value = number_or_text(convert, _without_suffix(text) if suffix else text)
        return text if isinstance(value, str) else value

    return read


read_integer = reader(r"-?\d+", int)


def read_boolean(text: str) -> bool | str:
    """Read ``true`` or ``false``; anything else stays text."""
    return {"true": True, "false": False}.get(text, text)


def read_text(text: str) -> str:
    """Return the text unchanged."""
    return text


def read_number(text: str) -> int | float | str:
    """Read an integer, or else a float, as Python does; anything else stays text."""
    value = number_or_text(int, text)
    return number_or_text(float, text) if value is text else value


def number_or_text(convert: Callable[[str], Any], text: str) -> Any:
    """Convert a text to a number; return the text if Python cannot convert it."""
    try:
        return convert(text)
    except ValueError:
        return text


def _without_suffix(text: str) -> str:
    """Return a literal without its last letter; as by ``$``, a final newline is ignored."""
    return text.removesuffix("\n")[:-1]


def in_quotes(text: str, quotes: str) -> bool:
    """Return whether a text starts and ends with the same quote; a single character counts."""
    return text[:1] in tuple(quotes) and text.endswith(text[0])


def split_items(text: str) -> list[str]:
    """Split a text at commas, even within quotes, and strip the pieces."""
    return [piece.strip() for piece in text.split(",")]


def spans(text: str, opening: re.Pattern[str], closing: str, *, at_least: int = 0) -> Iterator[str]:
    """Yield the text between each opening and the next closing on the same line.

    These are the groups of ``re.finditer(opening + "(.*?)" + closing)``, found in linear time.
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
