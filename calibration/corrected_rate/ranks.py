"""Which system is best, second, third - and which places the data leave open."""

from __future__ import annotations

from collections.abc import Mapping

from ..statistic import Statistic, defined, undefined


def simultaneous_level(level: float, systems: int) -> float:
    """Return the level each interval needs for all of them to hold at once (Bonferroni)."""
    return 1 - (1 - level) / max(systems, 1)


def ranks(rates: Mapping[str, Statistic], *, level: float = 0.95) -> dict[str, Statistic]:
    """Rank systems by their rates, 1 for the highest, with the ranks each may have.

    Equal rates share the better rank. A rank is undefined where the rate has no interval.

    A system is surely worse than those whose intervals lie wholly above its own, and surely better than those whose lie
    wholly below. Where the intervals hold together at the level, so do all ranks together.

    Source: Klein, Wright and Wieczorek 2020.
    """
    placed = {
        name: (rate.value, rate.low, rate.high)
        for name, rate in rates.items()
        if rate.value is not None and rate.low is not None and rate.high is not None
    }
    result: dict[str, Statistic] = {}
    for name in rates:
        if name not in placed:
            result[name] = undefined("the system's rate has no interval", n=len(placed), level=level)
            continue
        value, low, high = placed[name]
        better = sum(other > value for other, _, _ in placed.values())
        surely_better = sum(other > high for _, other, _ in placed.values())
        surely_worse = sum(other < low for _, _, other in placed.values())
        result[name] = defined(
            1.0 + better,
            (1.0 + surely_better, float(len(placed) - surely_worse)),
            n=len(placed),
            method="simultaneous intervals",
            level=level,
        )
    return result
