"""Statistic: a number with its interval, or the reason why there is none."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias, overload

import msgspec

Interval: TypeAlias = tuple[float, float]
"""Both ends."""

TransformedScale: TypeAlias = Literal["fisher", "logit"]
"""Where a statistic with ends is symmetric: Fisher's z for those in [-1, 1], log-odds for those in [0, 1]."""


class Statistic(msgspec.Struct, frozen=True, kw_only=True):
    """One statistic, as it is printed and written to JSON.

    Attributes:
        value: The point estimate; None when it cannot be computed.
        low: Lower end of the interval; None when there is none.
        high: Upper end of the interval; None when there is none.
        level: Nominal coverage of the interval.
        method: How the interval was made; None when there is none.
        n: Rows behind the value: the denominator of a proportion, else the number of (label, score) pairs.
        undefined: Why there is no value; None when there is one.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    method: str | None = None
    n: int
    undefined: str | None = None

    def __str__(self) -> str:
        if self.value is None:
            return f"undefined: {self.undefined}"
        if self.low is None or self.high is None:
            return f"{self.value:.3f} on {self.n:,}"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] on {self.n:,}"


Statistics: TypeAlias = dict[str, Statistic]
"""By name."""


def defined(
    value: float,
    interval: tuple[float, float] | None = None,
    *,
    n: int,
    method: str | None,
    level: float = 0.95,
) -> Statistic:
    """Return a statistic with a value, and its interval if one could be made.

    The interval is None or not finite if not; ``method`` then says so.

    Raises:
        ValueError: The value is not finite; what cannot be computed goes to `undefined`.
    """
    if not math.isfinite(value):
        raise ValueError(f"a defined statistic is finite, got {value!r}")
    low, high = (None, None) if interval is None else interval
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        low = high = None
    return Statistic(value=value, low=low, high=high, level=level, method=method, n=n)


def undefined(why: str, *, n: int, level: float = 0.95) -> Statistic:
    """Return a statistic that cannot be computed, with the reason: never 0, never NaN."""
    return Statistic(n=n, level=level, undefined=why)


class StatisticEntry:
    """Attribute access to an entry of ``statistics``.

    ``found.mcc`` is ``found.statistics["mcc"]``.

    Args:
        mapping: The field that holds it.
    """

    def __init__(self, mapping: str = "statistics") -> None:
        self._mapping, self._name = mapping, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, found: None, owner: type) -> StatisticEntry: ...
    @overload
    def __get__(self, found: object, owner: type) -> Statistic: ...
    def __get__(self, found: Any, owner: type) -> Statistic | StatisticEntry:
        if found is None:
            return self
        statistic: Statistic | None = getattr(found, self._mapping).get(self._name)
        if statistic is None:
            raise AttributeError(f"{self._name} was not estimated here")
        return statistic
