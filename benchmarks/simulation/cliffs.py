"""Ladders on which a judge falls at one place, between two levels."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fiducial.calibration.ladders import CurveFamily
from fiducial.deterministic.mutation import DIALS

from .ladders import Planted, asked, falling
from .scenario import Scenario, mean, share

_LENGTH = math.log(48)


def cliffs(draws: int) -> Iterator[Scenario]:
    """Simulate judges that catch 98 % below a cliff and 5 % above it, and a smooth one."""
    for name in ("parallel_calls", "inference"):
        family = CurveFamily(DIALS[name].places)
        middle = len(family.positions) // 2
        low, high = family.positions[middle], family.positions[middle + 1]
        for part in (0.1, 0.5, 0.9):
            cliff = float(low + part * (high - low))
            before = "2 %" if name == "parallel_calls" else ""
            yield from _covered(
                f"{name}: cliff at {part:g} of a gap", before, family, Planted(cliff, 500.0), draws
            )
        smooth = falling(0.45, math.log(2.0) / _LENGTH if name == "parallel_calls" else 0.25)
        yield from _covered(f"{name}: smooth fall", "", family, smooth, draws)


def _covered(what: str, before: str, family: CurveFamily, judge: Planted, draws: int) -> Iterator[Scenario]:
    fits = [asked(family, judge, np.random.default_rng(seed), 270, 45) for seed in range(max(1, draws // 10))]
    yield share(
        f"{what}: covers", before, "at least 90 %", [fit.low <= judge.threshold <= fit.high for fit in fits]
    )
    yield mean(
        f"{what}: width of the interval",
        "",
        "",
        [fit.high - fit.low for fit in fits if math.isfinite(fit.high - fit.low)],
    )
