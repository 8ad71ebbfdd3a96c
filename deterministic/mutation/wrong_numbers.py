"""Wrong numbers: near, of the other sign, of another magnitude; in values and in texts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

_IN_TEXT = re.compile(r"(?<![\w.,/:-])(-?)(\d{1,15}(?:\.\d{1,15})?)(?![\w.,/:-]*\d)")
"""A number that stands alone: no part of a date, a time, a range, a version or a code."""


def near(value: float) -> Iterator[float]:
    """Whole numbers that are off by one."""
    if isinstance(value, int) or value.is_integer():
        yield value + 1
        yield value - 1


def other_sign(value: float) -> Iterator[float]:
    """The number with the other sign."""
    if value:
        yield -value


def other_magnitude(value: float) -> Iterator[float]:
    """Ten times as much, and a tenth where that is a number of the same type."""
    if not value:
        return
    if math.isfinite(value * 10):
        yield value * 10
    if isinstance(value, float):
        yield value / 10
    elif value % 10 == 0:
        yield value // 10


def near_in_text(text: str) -> Iterator[str]:
    """Texts in which one whole number is off by one."""
    for found in _IN_TEXT.finditer(text):
        if "." not in found[2]:
            yield _put(text, found, f"{found[1]}{int(found[2]) + 1}")


def other_sign_in_text(text: str) -> Iterator[str]:
    """Texts in which one number has lost its minus sign."""
    for found in _IN_TEXT.finditer(text):
        if found[1]:
            yield _put(text, found, found[2])


def other_magnitude_in_text(text: str) -> Iterator[str]:
    """Texts in which one number has lost its decimal point, or gained a zero."""
    for found in _IN_TEXT.finditer(text):
        digits = found[2].replace(".", "") if "." in found[2] else found[2] + "0"
        yield _put(text, found, found[1] + digits)


def _put(text: str, found: re.Match[str], number: str) -> str:
    return text[: found.start()] + number + text[found.end() :]
