"""Counting hits over draws, and how a table of them is printed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from fiducial.calibration import Statistic


class Target(NamedTuple):
    """Target range of a share; misses within two Monte Carlo errors count as hits."""

    what: str
    least: float
    most: float


COVERAGE = Target("coverage of nominal 95 %", 0.935, 0.965)
AT_LEAST = Target("coverage of exact or simultaneous 95 %", 0.945, 1.0)
UNEVEN_COVERAGE = Target("coverage of nominal 95 %, clusters few or uneven", 0.92, 1.0)
FALSE_CERTIFICATES = Target("certificates of more than there is, nominal 5 %", 0.0, 0.07)
SIZE = Target("rejections at 5 %, nothing to find", 0.0, 0.055)
BROKEN = Target("broken guarantees, 10 % allowed", 0.0, 0.10)
NEVER = Target("share of draws", 0.0, 0.0)
FOUND = Target("share of draws", 0.0, 1.0)
ASSURED = Target("as narrow as planned, wanted in 80 %", 0.78, 0.9)
POWER = Target("power planned as 80 %", 0.78, 1.0)


def width_of(found: Statistic) -> float | None:
    """Return the width of an interval, or None where there is none."""
    return None if found.low is None or found.high is None else found.high - found.low


class Tally:
    """Hits by name."""

    def __init__(self, title: str, target: Target) -> None:
        self.title, self.target = title, target
        self.hits: dict[str, list[int]] = {}

    def add(self, name: str, hit: bool | None) -> None:  # noqa: FBT001 - the value is what is counted
        """Count one draw; None is an interval or a p-value that was refused."""
        counts = self.hits.setdefault(name, [0, 0, 0])
        if hit is None:
            counts[2] += 1
        else:
            counts[0] += bool(hit)
            counts[1] += 1

    def covers(self, name: str, statistic: Statistic, truth: float) -> None:
        """Count whether an interval holds the truth."""
        low, high = statistic.low, statistic.high
        self.add(name, None if low is None or high is None else low <= truth <= high)

    def lines(self) -> Iterator[str]:
        """Yield one line per name: share, Monte Carlo error, and whether it meets the target."""
        yield f"{self.title}: {self.target.what}"
        for name, (hits, draws, refused) in self.hits.items():
            if not draws:
                yield f"  {name:<40} refused in all {refused:,} draws"
                continue
            share = hits / draws
            error = math.sqrt(max(share * (1 - share), 1 / draws) / draws)
            within = self.target.least - 2 * error <= share <= self.target.most + 2 * error
            note = "" if within else "   <- outside"
            note += f"   (refused in {refused:,})" if refused else ""
            yield f"  {name:<40} {share:6.1%} +- {error:.1%} of {draws:,}{note}"

    def short(self) -> Iterator[str]:
        """Yield one line: smallest and largest share, shares outside, draws refused."""
        shares = {name: hits / draws for name, (hits, draws, _) in self.hits.items() if draws}
        outside = sum("<- outside" in line for line in self.lines())
        refused = sum(hit[2] for hit in self.hits.values())
        note = f"; {outside} outside" if outside else ""
        note += f"; refused in {refused:,} draws" if refused else ""
        yield from _range(f"{self.title}: {self.target.what}", shares, "{:.1%}", note)


class Means:
    """Means by name, for targets that are numbers and not shares."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.sums: dict[str, list[float]] = {}

    def add(self, name: str, value: float | None) -> None:
        """Count one draw; None is a value that was refused."""
        if value is not None:
            sums = self.sums.setdefault(name, [0.0, 0.0, 0.0])
            for power in range(3):
                sums[power] += value**power

    def lines(self) -> Iterator[str]:
        """Yield one line per name: mean and Monte Carlo error."""
        yield self.title
        for name, (draws, total, squares) in self.sums.items():
            mean = total / draws
            error = math.sqrt(max(0.0, squares / draws - mean**2) / draws)
            yield f"  {name:<52} {mean:+.4f} +- {error:.4f} of {draws:,.0f}"

    def short(self) -> Iterator[str]:
        """Yield one line in all: the smallest and the largest mean."""
        yield from _range(
            self.title, {name: each[1] / each[0] for name, each in self.sums.items()}, "{:.4f}", ""
        )


def _range(title: str, values: dict[str, float], form: str, note: str) -> Iterator[str]:
    if not values:
        yield f"{title}: refused in all"
        return
    least, most = (pick(values, key=values.__getitem__) for pick in (min, max))
    ends = f"{form.format(values[least])} ({least}) to {form.format(values[most])} ({most})"
    yield f"{title}, {len(values)} cells: {ends}{note}"


Table: TypeAlias = Callable[[int], Iterator[Tally | Means]]
"""Function from a number of draws to the results that are printed."""
