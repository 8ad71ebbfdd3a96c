"""Names, dates, numbers and units that are near the right ones, in values and in texts."""

from __future__ import annotations

import datetime as dt
import math
import random
import re
from collections.abc import Iterator

_LAST_WORDS = ("Harper", "Winslow", "Grove", "Marsh", "Thornton", "Ridge")
_ENDINGS = ("ton", "ville", "ford")
_STRAY = ("Larkspur", "Riverton", "Ashdown")
_LONGEST = 80


def near_names(text: str, chance: random.Random) -> Iterator[str]:
    """Yield different names that begin like a name.

    The last word is another, or a single word becomes a longer name.

    Only what looks like a name has any: short, capitals at the beginning of its first and last word, no digits.
    """
    words = text.split(" ")
    is_name = all(word[:1].isupper() for word in (words[0], words[-1]))
    if not is_name or len(text) > _LONGEST or any(map(str.isdigit, text)):
        return
    if len(words) > 1:
        yield " ".join([*words[:-1], chance.choice(_LAST_WORDS)])
    elif text.isalpha():
        yield text + chance.choice(_ENDINGS)


def stray_text(unlike: str) -> str:
    """Return an unrelated word that does not occur in a text."""
    return next(word for word in _STRAY if word.lower() not in unlike.lower() or word == _STRAY[-1])


ISO_DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_SLASHED = re.compile(r"(?<!\d)(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?!\d)")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MONTH = "|".join(name for month in MONTHS for name in (month, month[:3]))
_DAY = r"\d{1,2}(?!\d)"
_WRITTEN = re.compile(
    rf"\b(?:(?:{_MONTH})\.? ({_DAY})|({_DAY})(?:st|nd|rd|th)? (?:of )?(?:{_MONTH}))", re.IGNORECASE
)
_YEAR = re.compile(r"(?<![\d.,/:-])((?:19|20)\d{2})(?![\d/:-])")
_LAST_COMMON_DAY = 28


def shifted_dates(text: str) -> Iterator[str]:
    """Yield texts with one date changed.

    A day or a month away (``2026-05-14``), another day or year (``14/5/2026``), another day (``May 14th``), or another year
    (``2026``).
    """
    for match in ISO_DATE.finditer(text):
        yield from (put(text, match.span(), date) for date in _around(match))
    for match in _SLASHED.finditer(text):
        first, separator, second, year = match.groups()
        yield put(text, match.span(), f"{first}{separator}{second}{separator}{int(year) + 1}")
        yield put(text, match.span(1), _other_day(first))
    for match in _WRITTEN.finditer(text):
        group = 1 if match[1] else 2
        yield put(text, match.span(group), _other_day(match[group]))
    for match in _YEAR.finditer(text):
        yield put(text, match.span(), str(int(match[1]) + 1))


def _around(match: re.Match[str]) -> Iterator[str]:
    year, month, day = map(int, match.groups())
    try:
        date = dt.date(year, month, day)
        yield (date + dt.timedelta(days=1)).isoformat()
        yield (date - dt.timedelta(days=1)).isoformat()
        yield date.replace(month=month % 12 + 1, day=min(day, _LAST_COMMON_DAY)).isoformat()
    except (ValueError, OverflowError):
        return  # 2026-99-99 is a code, not a date


def _other_day(day: str) -> str:
    number = int(day)
    return str(number + 1 if number < _LAST_COMMON_DAY else number - 1)


def put(text: str, span: tuple[int, int], new: str) -> str:
    """Replace a span of a text."""
    return text[: span[0]] + new + text[span[1] :]


_IN_TEXT = re.compile(r"(?<![\w.,/:-])(-?)(\d{1,15}(?:\.\d{1,15})?)(?![\w.,/:-]*\d)")
"""A number that stands alone: no part of a date, a time, a range, a version or a code."""


def near_numbers(value: float) -> Iterator[float]:
    """Yield whole numbers that are off by one."""
    if isinstance(value, int) or value.is_integer():
        yield value + 1
        yield value - 1


def other_sign(value: float) -> Iterator[float]:
    """Yield the number with the other sign."""
    if value:
        yield -value


def other_magnitude(value: float) -> Iterator[float]:
    """Yield ten times a number, and a tenth if that has the same type."""
    if not value:
        return
    if math.isfinite(value * 10):
        yield value * 10
    if isinstance(value, float):
        yield value / 10
    elif value % 10 == 0:
        yield value // 10


def near_in_text(text: str) -> Iterator[str]:
    """Yield texts in which one whole number is off by one."""
    for found in _IN_TEXT.finditer(text):
        if "." not in found[2]:
            yield put(text, found.span(), f"{found[1]}{int(found[2]) + 1}")


def other_sign_in_text(text: str) -> Iterator[str]:
    """Yield texts in which one number has lost its minus sign."""
    for found in _IN_TEXT.finditer(text):
        if found[1]:
            yield put(text, found.span(), found[2])


def other_magnitude_in_text(text: str) -> Iterator[str]:
    """Yield texts in which one number has lost its decimal point or gained a zero."""
    for found in _IN_TEXT.finditer(text):
        digits = found[2].replace(".", "") if "." in found[2] else found[2] + "0"
        yield put(text, found.span(), found[1] + digits)


_PAIRS = (
    ("celsius", "fahrenheit"), ("metric", "imperial"), ("kilometers", "miles"), ("kilometer", "mile"), ("kilometres", "miles"),
    ("km", "mi"), ("meters", "feet"), ("meter", "foot"), ("metres", "feet"), ("m", "ft"), ("centimeters", "inches"), ("cm", "in"),
    ("kilograms", "pounds"), ("kg", "lb"), ("grams", "ounces"), ("liters", "gallons"), ("litres", "gallons"),
    ("hours", "minutes"), ("hour", "minute"), ("days", "weeks"), ("months", "years"), ("monthly", "yearly"), ("daily", "weekly"),
    ("USD", "EUR"), ("dollars", "euros"), ("GBP", "EUR"), ("pounds sterling", "euros"),
    ("m/s", "km/h"), ("kph", "mph"), ("bytes", "bits"),
)  # fmt: skip
# Of several neighbours the first one listed counts.
_OTHER = {one.lower(): other for pair in reversed(_PAIRS) for one, other in (pair, pair[::-1])}
_UNIT = re.compile(
    r"(?<![\w/])(?:"
    + "|".join(re.escape(unit) for unit in sorted(_OTHER, key=len, reverse=True))
    + r")(?![\w/])",
    re.IGNORECASE,
)
_SHORT = 2


def other_unit(text: str) -> Iterator[str]:
    """Yield texts with one unit exchanged: ``celsius`` for ``fahrenheit``, ``km`` for ``mi``.

    Capitals are kept.

    A unit of one or two letters counts only after a number, or if it is the whole text.
    """
    for found in _UNIT.finditer(text):
        if len(found[0]) > _SHORT or found[0] == text or text[: found.start()].rstrip()[-1:].isdigit():
            other = _like(_OTHER[found[0].lower()], found[0])
            yield put(text, found.span(), other)


def _like(word: str, model: str) -> str:
    if model.isupper():
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word.lower()
