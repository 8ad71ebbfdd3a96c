"""Arguments that may mean the same in each other's place, by their names."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_COUNTERS = frozenset({"first", "second", "third", "one", "two", "three", "left", "right", "other"})


def may_change_places(one: str, other: str) -> bool:
    """Whether two arguments are named as if it did not matter which value stands in which.

    Args:
        one: An argument's name.
        other: Another's, of the same function.

    Returns:
        True where the names differ in nothing but a count: ``num1`` and ``num2``, ``a`` and ``b``, ``point_a`` and
        ``point_b``, ``first`` and ``second``. What they are for may be symmetrical (a sum, a distance).
    """
    return _kind(one) == _kind(other)


def _kind(name: str) -> list[str]:
    words = [word.lower() for word in _WORDS.findall(name)]
    return [word for word in words if len(word) > 1 and not word.isdigit() and word not in _COUNTERS]
