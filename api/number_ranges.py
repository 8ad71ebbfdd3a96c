"""Ranges of numbers in the Python API; the command line checks its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from ..errors import UsageError

Ends = Literal["neither", "low", "high", "both"]
"""Ends that belong to a range."""

_WORDS: Mapping[Ends, str] = {
    "neither": "above {} and below {}",
    "low": "from {} and below {}",
    "high": "above {} and at most {}",
    "both": "from {} to {}",
}


def require_range(
    option: str, number: float | None, low: float = 0.0, high: float = 1.0, ends: Ends = "neither"
) -> None:
    """Refuse a number outside its range.

    Raises:
        UsageError: It is outside, or not a number; None is in every range.
    """
    if number is None:
        return
    above = number >= low if ends in {"low", "both"} else number > low
    below = number <= high if ends in {"high", "both"} else number < high
    if not (above and below):
        what = f"of at least {low:g}" if math.isinf(high) else _WORDS[ends].format(f"{low:g}", f"{high:g}")
        raise UsageError(f"{option} expects a number {what}, got {number:g}")
