"""Units of measure in texts, taken for their neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PAIRS = (
    ("celsius", "fahrenheit"),
    ("metric", "imperial"),
    ("kilometers", "miles"),
    ("kilometer", "mile"),
    ("kilometres", "miles"),
    ("km", "mi"),
    ("meters", "feet"),
    ("meter", "foot"),
    ("metres", "feet"),
    ("m", "ft"),
    ("centimeters", "inches"),
    ("cm", "in"),
    ("kilograms", "pounds"),
    ("kg", "lb"),
    ("grams", "ounces"),
    ("liters", "gallons"),
    ("litres", "gallons"),
    ("hours", "minutes"),
    ("hour", "minute"),
    ("days", "weeks"),
    ("months", "years"),
    ("monthly", "yearly"),
    ("daily", "weekly"),
    ("USD", "EUR"),
    ("dollars", "euros"),
    ("GBP", "EUR"),
    ("pounds sterling", "euros"),
    ("m/s", "km/h"),
    ("kph", "mph"),
    ("bytes", "bits"),
)
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
    """Texts in which one unit is another.

    Args:
        text: Any text; a unit of one or two letters counts only after a number, or where it is the whole text.

    Yields:
        The text with ``celsius`` for ``fahrenheit``, ``km`` for ``mi`` and so on, capitals kept.
    """
    for found in _UNIT.finditer(text):
        if len(found[0]) > _SHORT or found[0] == text or text[: found.start()].rstrip()[-1:].isdigit():
            other = _like(_OTHER[found[0].lower()], found[0])
            yield text[: found.start()] + other + text[found.end() :]


def _like(word: str, model: str) -> str:
    if model.isupper():
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word.lower()
