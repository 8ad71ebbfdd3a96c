"""Operators that plant faults of conversion: wrong unit, time zone, calendar or currency."""

from __future__ import annotations

import datetime as dt
import math
import random
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from ...records import OF_CALLS
from .near_values import ISO_DATE, replace_span
from .operator import Operator
from .subject import Site
from .value_faults import mutate_values

_FACTORS: Mapping[str, str] = {
    "kilometers": "0.621371192", "kilometres": "0.621371192", "km": "0.621371192", "miles": "1.609344",
    "meters": "3.2808399", "metres": "3.2808399", "feet": "0.3048", "centimeters": "0.393700787", "centimetres": "0.393700787",
    "cm": "0.393700787", "inches": "2.54", "kilograms": "2.20462262", "kg": "2.20462262", "pounds of weight": "0.45359237",
    "lbs": "0.45359237", "liters": "0.264172052", "litres": "0.264172052", "gallons": "3.785411784", "hours": "60", "minutes": "60", "seconds": "1000",
    "days": "24", "weeks": "7",
}  # fmt: skip
"""Factors by documented unit, which convert a quantity to the unit that it is mistaken for."""

_UNITS = re.compile(
    rf"\b(?:{'|'.join(map(re.escape, sorted(_FACTORS, key=len, reverse=True)))})\b", re.IGNORECASE
)
_DEGREES = re.compile(r"\b(?:(celsius)|fahrenheit)\b", re.IGNORECASE)
_CURRENCY = re.compile(r"\b(?:USD|EUR|GBP|JPY|CHF|dollars?|euros?|yen|francs?)\b", re.IGNORECASE)
_EXCHANGE_RATE = Fraction("0.85")
"""A plausible rate. Any rate would do, since an amount in another currency is wrong."""

_CLOCK_TIME = re.compile(r"(?<![\d:.+-])([01]\d|2[0-3]):([0-5]\d)(?!\d)")
_ZONE_OFFSETS_MINUTES = (60, -300, 330, 540)
"""Differences between time zones, such as those of Paris, New York, Delhi and Tokyo to UTC."""

_MONTHS_PER_YEAR = 12
_JULIAN_OFFSET = dt.timedelta(days=13)
"""Difference between the Julian and the Gregorian calendar from 1900 to 2100."""

_JULIAN_OFFSET_YEARS = range(1901, 2100)
"""Whole years in which that is the difference."""


def other_unit_of_quantity(site: Site, _rng: random.Random) -> Iterator[Any]:
    """Give a quantity in another unit than the documented one, if a single unit is documented."""
    number = _as_fraction(site.value)
    if number is None:
        return
    description = _description(site)
    units = {unit.lower() for unit in _UNITS.findall(description)}
    # True stands for Celsius, False for Fahrenheit.
    degrees = {bool(match[1]) for match in _DEGREES.finditer(description)}
    if len(units) == 1 and not degrees:
        yield from _round_like(number * Fraction(_FACTORS[units.pop()]), site.value)
    elif len(degrees) == 1 and not units:
        is_celsius = degrees.pop()
        yield from _round_like(number * 9 / 5 + 32 if is_celsius else (number - 32) * 5 / 9, site.value)


def other_zone(site: Site, _rng: random.Random) -> Iterator[Any]:
    """Give a clock time in another zone, within the same day."""
    if type(site.value) is not str:
        return
    for match in _CLOCK_TIME.finditer(site.value):
        minutes = int(match[1]) * 60 + int(match[2])
        for offset in _ZONE_OFFSETS_MINUTES:
            hour, minute = divmod(minutes + offset, 60)
            if 0 <= hour < 24:  # noqa: PLR2004 - another day would have to be written elsewhere
                yield replace_span(site.value, match.span(), f"{hour:02}:{minute:02}")


def other_calendar(site: Site, _rng: random.Random) -> Iterator[Any]:
    """Swap day and month of a date, or give its date in the Julian calendar."""
    if type(site.value) is not str:
        return
    for match in ISO_DATE.finditer(site.value):
        year, month, day = match.groups()
        if month != day and int(day) <= _MONTHS_PER_YEAR:
            yield replace_span(site.value, match.span(), f"{year}-{day}-{month}")
        if int(year) in _JULIAN_OFFSET_YEARS:
            try:
                date = dt.date(int(year), int(month), int(day)) - _JULIAN_OFFSET
            except ValueError:
                continue  # 2026-99-99 is a code, not a date
            yield replace_span(site.value, match.span(), date.isoformat())


def other_currency(site: Site, _rng: random.Random) -> Iterator[Any]:
    """Convert an amount to another currency."""
    number = _as_fraction(site.value)
    if number and _CURRENCY.search(_description(site)):
        yield from _round_like(number * _EXCHANGE_RATE, site.value)


def _description(site: Site) -> str:
    description = site.document.get("description")
    return description if isinstance(description, str) else ""


def _as_fraction(value: Any) -> Fraction | None:
    is_finite = type(value) is int or (type(value) is float and math.isfinite(value))
    return Fraction(value) if is_finite else None


def _round_like(number: Fraction, value: float) -> Iterator[float]:
    """Yield a number, rounded to the type of a value, unless that changes nothing or overflows."""
    try:
        rounded = round(number) if type(value) is int else round(float(number), 2)
    except OverflowError:
        return
    if rounded != value:
        yield rounded


CONVERSION_FAULTS = tuple(
    Operator(name, OF_CALLS, "fault", partial(mutate_values, perturb), about)
    for name, perturb, about in (
        ("unconverted_unit", other_unit_of_quantity, "a quantity in another unit than the documented one"),
        ("wrong_zone", other_zone, "a clock time as it is in another time zone"),
        ("wrong_calendar", other_calendar, "day and month in each other's place, or the Julian date"),
        ("wrong_currency", other_currency, "an amount as it would be in another currency"),
    )
)
"""Faults of conversion."""
