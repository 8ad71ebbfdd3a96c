"""Make names, dates, numbers and units that are near the right ones, in values and in texts."""

from __future__ import annotations

import datetime as dt
import math
import random
import re
from collections.abc import Iterator

# Words that are unlikely to be right by chance.
_LAST_WORDS = ("Harper", "Winslow", "Grove", "Marsh", "Thornton", "Ridge")
_NAME_SUFFIXES = ("ton", "ville", "ford")
_STRAY_WORDS = ("Larkspur", "Riverton", "Ashdown")
_MAX_NAME_LENGTH = 80


def near_names(text: str, rng: random.Random) -> Iterator[str]:
    """Yield names that begin like a name: with another last word, or with a suffix.

    A text counts as a name if it is short, has no digits, and its first and last word are capitalized.
    """
    words = text.split(" ")
    is_name = all(word[:1].isupper() for word in (words[0], words[-1]))
    if not is_name or len(text) > _MAX_NAME_LENGTH or any(map(str.isdigit, text)):
        return
    if len(words) > 1:
        yield " ".join([*words[:-1], rng.choice(_LAST_WORDS)])
    elif text.isalpha():
        yield text + rng.choice(_NAME_SUFFIXES)


def stray_text(unlike: str) -> str:
    """Return an unrelated word that does not occur in a text, or the last one if all occur."""
    return next(
        word for word in _STRAY_WORDS if word.lower() not in unlike.lower() or word == _STRAY_WORDS[-1]
    )


ISO_DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_SLASHED_DATE = re.compile(r"(?<!\d)(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?!\d)")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MONTHS = len(MONTHS)
_MONTH = "|".join(name for month in MONTHS for name in (month, month[:3]))
_DAY = r"\d{1,2}(?!\d)"
_ORDINAL_SUFFIX = r"(?:st|nd|rd|th)"
_WRITTEN_DATE = re.compile(
    rf"\b(?:(?:{_MONTH})\.? ({_DAY})|({_DAY}){_ORDINAL_SUFFIX}? (?:of )?(?:{_MONTH}))", re.IGNORECASE
)
_YEAR = re.compile(r"(?<![\d.,/:-])((?:19|20)\d{2})(?![\d/:-])")
# Last day that each month has, and last day of any month.
_LAST_DAY_OF_ALL_MONTHS, _LAST_DAY = 28, 31


def shift_dates(text: str) -> Iterator[str]:
    """Yield texts with one date changed.

    An ISO date moves by a day or a month, ``14/5/2026`` gets another day or year, ``May 14th`` another day, ``2026`` the next year.
    """
    for match in ISO_DATE.finditer(text):
        yield from (replace_span(text, match.span(), date) for date in _dates_near(match))
    for match in _SLASHED_DATE.finditer(text):
        yield from (replace_span(text, match.span(), date) for date in _slashed_dates_near(match))
    for match in _WRITTEN_DATE.finditer(text):
        group = 1 if match[1] else 2
        if 1 <= int(match[group]) <= _LAST_DAY:
            other_day = _pad_like(_other_days(int(match[group]))[0], match[group])
            yield _replace_number(text, match.span(group), other_day)
    for match in _YEAR.finditer(text):
        yield replace_span(text, match.span(), str(int(match[1]) + 1))


def _dates_near(match: re.Match[str]) -> Iterator[str]:
    year, month, day = map(int, match.groups())
    try:
        date = dt.date(year, month, day)
        yield (date + dt.timedelta(days=1)).isoformat()
        yield (date - dt.timedelta(days=1)).isoformat()
        next_month, next_year = month % _MONTHS + 1, year + month // _MONTHS
        yield dt.date(next_year, next_month, min(day, _LAST_DAY_OF_ALL_MONTHS)).isoformat()
    except (ValueError, OverflowError):
        return  # 2026-99-99 is a code, not a date


def _slashed_dates_near(match: re.Match[str]) -> Iterator[str]:
    """Yield dates with another year or another first number.

    Since it is not known whether day or month is first, a date must be valid in each order in which the original is.
    """
    first, separator, second, year = match.groups()
    numbers = int(first), int(second), int(year)
    orders = [order for order in ((0, 1), (1, 0)) if _is_date(numbers, order)]
    if not orders:
        return  # 99.99.2026 is a code, not a date
    # 29 February exists again four years later.
    for other_year in (numbers[2] + 1, numbers[2] + 4):
        if all(_is_date((*numbers[:2], other_year), order) for order in orders):
            yield f"{first}{separator}{second}{separator}{other_year}"
            break
    for other_first in _other_days(numbers[0]):
        if all(_is_date((other_first, *numbers[1:]), order) for order in orders):
            yield f"{_pad_like(other_first, first)}{separator}{second}{separator}{year}"
            break


def _is_date(numbers: tuple[int, int, int], order: tuple[int, int]) -> bool:
    """Return whether numbers are a date; ``order`` has the indexes of day and month."""
    day, month = order
    try:
        dt.date(numbers[2], numbers[month], numbers[day])
    except ValueError:
        return False
    return True


def _other_days(day: int) -> tuple[int, int]:
    return (day + 1, day - 1) if day < _LAST_DAY_OF_ALL_MONTHS else (day - 1, day + 1)


def _pad_like(number: int, model: str) -> str:
    return str(number).zfill(len(model)) if model.startswith("0") else str(number)


def _replace_number(text: str, span: tuple[int, int], new: str) -> str:
    """Replace an integer in a text, and adapt the ending of an ordinal (``1st``, ``2nd``)."""
    match = _ORDINAL_SUFFIX_AT.match(text, span[1])
    if match is None:
        return replace_span(text, span, new)
    # 11th, 12th and 13th are no exceptions, unlike 1st, 2nd and 3rd.
    ending = "th" if new[-2:-1] == "1" else _SUFFIX_BY_DIGIT.get(new[-1], "th")
    return replace_span(
        text, (span[0], match.end()), new + (ending.upper() if match[0].isupper() else ending)
    )


_ORDINAL_SUFFIX_AT = re.compile(rf"{_ORDINAL_SUFFIX}\b", re.IGNORECASE)
_SUFFIX_BY_DIGIT = {"1": "st", "2": "nd", "3": "rd"}


def replace_span(text: str, span: tuple[int, int], new: str) -> str:
    """Replace a span of a text."""
    return text[: span[0]] + new + text[span[1] :]


_NUMBER_IN_TEXT = re.compile(r"(?<![\w.,/:-])(-?)(\d{1,15}(?:\.\d{1,15})?)(?![\w.,/:-]*\d)")
"""A number that is not part of a date, a time, a range, a version or a code."""


def near_numbers(value: float) -> Iterator[float]:
    """Yield the integers next to an integer, or to a float with an integer value."""
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
    if isinstance(value, int):
        yield value * 10
        if value % 10 == 0:
            yield value // 10
    elif math.isfinite(value):
        if math.isfinite(value * 10):
            yield value * 10
        yield value / 10


def near_numbers_in_text(text: str) -> Iterator[str]:
    """Yield texts in which one whole number is off by one."""
    for match in _NUMBER_IN_TEXT.finditer(text):
        if "." not in match[2]:
            yield _replace_number(text, match.span(2), str(int(match[2]) + 1))


def other_sign_in_text(text: str) -> Iterator[str]:
    """Yield texts in which one number has lost its minus sign."""
    for match in _NUMBER_IN_TEXT.finditer(text):
        if match[1] and float(match[2]):
            yield replace_span(text, match.span(), match[2])


def other_magnitude_in_text(text: str) -> Iterator[str]:
    """Yield texts in which one number has lost its decimal point or gained a zero.

    Zero has no other magnitude.
    """
    for match in _NUMBER_IN_TEXT.finditer(text):
        if not float(match[2]):
            continue
        if "." in match[2]:
            yield replace_span(text, match.span(2), match[2].replace(".", "").lstrip("0"))
        else:
            yield _replace_number(text, match.span(2), match[2] + "0")


# Pairs of units; a unit may be in several.
_UNIT_PAIRS = (
    ("celsius", "fahrenheit"), ("metric", "imperial"), ("kilometers", "miles"), ("kilometer", "mile"), ("kilometres", "miles"),
    ("km", "mi"), ("meters", "feet"), ("meter", "foot"), ("metres", "feet"), ("m", "ft"), ("centimeters", "inches"), ("cm", "in"),
    ("kilograms", "pounds"), ("kg", "lb"), ("grams", "ounces"), ("liters", "gallons"), ("litres", "gallons"),
    ("hours", "minutes"), ("hour", "minute"), ("days", "weeks"), ("months", "years"), ("monthly", "yearly"), ("daily", "weekly"),
    ("USD", "EUR"), ("dollars", "euros"), ("GBP", "EUR"), ("pounds sterling", "euros"),
    ("m/s", "km/h"), ("kph", "mph"), ("bytes", "bits"),
)  # fmt: skip
# Of several counterparts, the first one listed counts.
_OTHER_UNIT = {one.lower(): other for pair in reversed(_UNIT_PAIRS) for one, other in (pair, pair[::-1])}
_UNIT = re.compile(
    r"(?<![\w/])(?:"
    + "|".join(re.escape(unit) for unit in sorted(_OTHER_UNIT, key=len, reverse=True))
    + r")(?![\w/])",
    re.IGNORECASE,
)
_MAX_SHORT_UNIT_LENGTH = 2
_AMOUNT_AT_END = re.compile(r"(?<![\d.,])([$€£¥]? ?)[\d.,]*\d\Z")
_PHRASE_END = re.compile(r" ?(?:\Z|[).,;:!?\]])")


def other_unit(text: str) -> Iterator[str]:
    """Yield texts with one unit exchanged: ``celsius`` for ``fahrenheit``, ``km`` for ``mi``.

    Letter case is kept. A unit of one or two letters counts only if it is the whole text, or follows a number that is not an amount of
    money. ``M`` (million) is not a unit, and ``in`` is one only at the end of a phrase, where it is no preposition.
    """
    for match in _UNIT.finditer(text):
        if len(match[0]) > _MAX_SHORT_UNIT_LENGTH or _is_short_unit(text, match):
            replacement = _in_letter_case_of(_OTHER_UNIT[match[0].lower()], match[0])
            yield replace_span(text, match.span(), replacement)


def _is_short_unit(text: str, match: re.Match[str]) -> bool:
    unit = match[0]
    if unit == "M":
        return False
    if unit == text:
        return True
    amount = _AMOUNT_AT_END.search(text[: match.start()].rstrip())
    if amount is None or amount[1].strip():
        return False
    return unit.lower() != "in" or _PHRASE_END.match(text, match.end()) is not None


def _in_letter_case_of(word: str, model: str) -> str:
    if model.isupper():
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word.lower()
