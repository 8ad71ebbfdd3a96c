"""Dates in texts, shifted: by a day, a month or a year, in the form in which they are written."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_SLASHED = re.compile(r"(?<!\d)(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?!\d)")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_MONTH = "|".join(name for month in MONTHS for name in (month, month[:3]))
_DAY = r"\d{1,2}(?!\d)"
_WRITTEN = re.compile(
    rf"\b(?:(?:{_MONTH})\.? ({_DAY})|({_DAY})(?:st|nd|rd|th)? (?:of )?(?:{_MONTH}))", re.IGNORECASE
)
_YEAR = re.compile(r"(?<![\d.,/:-])((?:19|20)\d{2})(?![\d/:-])")
_LAST_COMMON_DAY = 28


def shifted(text: str) -> Iterator[str]:
    """Texts in which one date is another.

    Args:
        text: Any text.

    Yields:
        The text with a date a day or a month away (``2026-05-14``), the day or the year another (``14/5/2026``), the day
        another (``May 14th``), or the year another (``2026``).
    """
    for found in _ISO.finditer(text):
        yield from (_put(text, found.span(), date) for date in _around(found))
    for found in _SLASHED.finditer(text):
        first, separator, second, year = found.groups()
        yield _put(text, found.span(), f"{first}{separator}{second}{separator}{int(year) + 1}")
        yield _put(text, found.span(1), _other_day(first))
    for found in _WRITTEN.finditer(text):
        group = 1 if found[1] else 2
        yield _put(text, found.span(group), _other_day(found[group]))
    for found in _YEAR.finditer(text):
        yield _put(text, found.span(), str(int(found[1]) + 1))


def _around(found: re.Match[str]) -> Iterator[str]:
    year, month, day = map(int, found.groups())
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


def _put(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]
