"""Checks of callers' arguments: unknown names, choices, and ranges of numbers.

Messages name options of the command line, which `FiducialError` turns into arguments for callers in Python.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, Literal, get_args

from ..errors import UsageError
from ..records import nearest

Ends = Literal["neither", "low", "high", "both"]
"""Ends that belong to a range."""

_WORDS: Mapping[Ends, str] = {
    "neither": "above {} and below {}",
    "low": "from {} and below {}",
    "high": "above {} and at most {}",
    "both": "from {} to {}",
}


def refuse_unknown(
    arguments: Iterable[str], declared: type, *, hints: Mapping[str, str] | None = None
) -> None:
    """Refuse arguments that a function does not take.

    Python checks names in a signature only, not those of a TypedDict.

    Args:
        arguments: Names of the arguments.
        declared: The TypedDict that declares them.
        hints: By name, what to write instead.

    Raises:
        UsageError: A name is unknown.
    """
    names = declared.__annotations__
    for name in arguments:
        if name not in names:
            instead = (hints or {}).get(name)
            hint = f": {instead}" if instead else nearest(name, names)
            raise UsageError(f"{name}= is not an argument of this function{hint}")


def require_choice(name: str, value: object, choices: Any) -> None:
    """Refuse a value that is not one of the strings of a ``Literal``.

    Raises:
        UsageError: It is another value.
    """
    *others, last = get_args(choices)
    if value not in [*others, last]:
        raise UsageError(f"{name} expects {', '.join(others)} or {last}, got {value!r}")


def require_range(
    name: str, number: float | None, low: float = 0.0, high: float = 1.0, ends: Ends = "neither"
) -> None:
    """Refuse a number outside its range.

    Raises:
        UsageError: It is outside, or not a finite number; None is in every range.
    """
    if number is None:
        return
    if not isinstance(number, Real):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all typed
        raise UsageError(f"{name} expects a number, got {number!r}")
    above = number >= low if ends in {"low", "both"} else number > low
    below = number <= high if ends in {"high", "both"} else number < high
    if not (above and below and math.isfinite(number)):
        raise UsageError(f"{name} expects {_described(low, high, ends)}, got {number:g}")


def _described(low: float, high: float, ends: Ends) -> str:
    if math.isinf(low):
        return "a finite number"
    if math.isinf(high):
        return f"a number {'of at least' if ends in {'low', 'both'} else 'above'} {low:g}"
    return f"a number {_WORDS[ends].format(f'{low:g}', f'{high:g}')}"


def require_whole(name: str, number: int | None, low: int = 1) -> None:
    """Refuse a number that is not whole, or is too low.

    Raises:
        UsageError: It is; None is accepted.
    """
    if number is not None and (not isinstance(number, Integral) or number < low):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all typed
        raise UsageError(f"{name} expects a whole number of at least {low}, got {number!r}")
