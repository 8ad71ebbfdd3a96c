"""Where something begins to hold: a place on a line, found by halving."""

from __future__ import annotations

from collections.abc import Callable


def bisected(
    low: float, high: float, holds: Callable[[float], bool], *, halvings: int = 60
) -> tuple[float, float]:
    """Bisect a monotone condition; return its last failing and first holding points."""
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high
