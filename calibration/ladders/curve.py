"""Share caught by difficulty: a grid of falling logistic curves.

Compute how likely the answers leave each curve, and choose the next questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray

CAUGHT = 0.8
"""The share caught at the level that a ladder looks for."""

_MIDDLES = np.linspace(-0.6, 1.6, 221)
_SLOPES = np.geomspace(2.0, 120.0, 10)
_TOPS = {0.998: 6.0, 0.98: 4.0, 0.95: 3.0, 0.9: 2.0, 0.84: 1.0, 0.76: 1.0, 0.65: 0.5, 0.5: 0.5, 0.3: 0.5}
_FLOORS = {0.002: 4.0, 0.02: 3.0, 0.05: 3.0, 0.1: 2.0, 0.2: 1.0, 0.35: 1.0, 0.5: 0.5, 0.65: 0.5}
_USUAL_SLOPE, _SLOPE_SPREAD = 12.0, 1.0
_NEGLIGIBLE = -14.0
_FALL = 0.1
"""A curve falls by this much at least; what falls less looks like one that falls beyond the ladder."""

_EVENLY = 0.125
"""Of each round of questions: the share that goes evenly over all levels."""


class LadderAnswers(NamedTuple):
    """Answers of one judge about the faults of one ladder.

    Attributes:
        rung: Which level each fault was of, counted from 0, shape ``(n,)``.
        caught: 1 where it was caught, shape ``(n,)``.
        cluster: Cluster number of each, shape ``(n,)``.
    """

    rung: IntArray
    caught: FloatArray
    cluster: IntArray


class Likely(NamedTuple):
    """Curves that answers leave likely.

    Attributes:
        curve: Their parameters (middle, slope, top, floor), shape ``(k, 4)``.
        threshold: Where each catches `CAUGHT`, shape ``(k,)``: minus infinity before the easiest level, infinity beyond the hardest.
        weight: Posterior weights, shape ``(k,)``, their sum 1.
    """

    curve: FloatArray
    threshold: FloatArray
    weight: FloatArray

    def shares(self, place: float) -> FloatArray:
        """Return the share that each curve catches at a place, shape ``(k,)``."""
        return _share(self.curve, np.array([place]))[:, 0]

    def quantiles(self, values: FloatArray, at: Sequence[float]) -> FloatArray:
        """Posterior quantiles of a value of each curve."""
        order = np.argsort(values)
        return _quantiles(values[order], self.weight[order], at)


class CurveFamily:
    """All curves that are thought of, over the levels of one ladder.

    Each is ``floor + (top - floor) / (1 + exp(slope * (place - middle)))``. ``1 - top`` are lapses, which do not depend on the level; ``floor`` is what is caught without being seen.

    Args:
        places: Places of the levels, the easiest first: ascending from 0 to 1, shape ``(levels,)``.
    """

    def __init__(self, places: Sequence[float]) -> None:
        self.places = np.array(places, dtype=np.float64)
        tops, floors = np.array(list(_TOPS)), np.array(list(_FLOORS))
        grid = np.stack(np.meshgrid(_MIDDLES, _SLOPES, tops, floors, indexing="ij"), axis=-1).reshape(-1, 4)
        self._curve = grid[grid[:, 2] - grid[:, 3] >= _FALL]

    @cached_property
    def _threshold(self) -> FloatArray:
        middle, slope, top, floor = self._curve.T
        odds = (CAUGHT - floor) / np.where(top > CAUGHT, top - CAUGHT, 1.0)
        found = np.where(top > CAUGHT, middle - np.log(odds) / slope, -np.inf)
        return np.where(found < 0.0, -np.inf, np.where(found > 1.0, np.inf, found))

    @cached_property
    def _log_prior(self) -> FloatArray:
        _, slope, top, floor = self._curve.T
        steep = -0.5 * ((np.log(slope) - np.log(_USUAL_SLOPE)) / _SLOPE_SPREAD) ** 2
        return steep + np.log(_looked_up(_TOPS, top)) + np.log(_looked_up(_FLOORS, floor))

    @cached_property
    def _log_shares(self) -> tuple[FloatArray, FloatArray]:
        shares = _share(self._curve, self.places)
        return np.log(shares), np.log1p(-shares)

    def likely(self, answers: LadderAnswers, worth: float = 1.0) -> Likely:
        """Return the curves that the answers leave likely; without answers, the prior.

        Each answer counts as ``worth`` independent ones, at most 1.
        """
        levels = len(self.places)
        caught = np.bincount(answers.rung, weights=answers.caught, minlength=levels)
        missed = np.bincount(answers.rung, weights=1.0 - answers.caught, minlength=levels)
        log_caught, log_missed = self._log_shares
        log = self._log_prior + worth * (log_caught @ caught + log_missed @ missed)
        log -= log.max()
        kept = np.flatnonzero(log > _NEGLIGIBLE)
        weight = np.exp(log[kept])
        return Likely(self._curve[kept], self._threshold[kept], weight / weight.sum())


def next_levels(family: CurveFamily, answers: LadderAnswers, count: int) -> list[int]:
    """Choose the levels of the next ``count`` questions.

    Levels are numbers in ascending order, repeated as often as each is to be asked about.

    The first questions go evenly over the levels. Later, seven of eight go to the levels next to evenly spaced quantiles of the level at which
    80 % may be caught, by the answers so far: if that level is known well, to one or two levels, else to many. If it may be beyond an end of
    the ladder, half of these go to that end and half evenly, so that a flat curve is recognised.
    """
    aimed = 0 if not len(answers.rung) else count - round(count * _EVENLY)
    chosen: list[int] = []
    if aimed:
        likely = family.likely(answers)
        at = ((np.arange(aimed) + 0.5) / aimed).tolist()
        places = likely.quantiles(likely.threshold, at)
        kept = np.isfinite(places) | (np.arange(aimed) % 2 == 0)
        nearest = np.abs(np.clip(places[kept], 0.0, 1.0)[:, None] - family.places).argmin(axis=1)
        chosen = nearest.tolist()
    asked = Counter[int](answers.rung.tolist())
    for _ in range(count - len(chosen)):
        least = min(range(len(family.places)), key=lambda level: (asked[level], level))
        asked[least] += 1
        chosen.append(least)
    return sorted(chosen)


def _share(curve: FloatArray, places: FloatArray) -> FloatArray:
    middle, slope, top, floor = (each[:, None] for each in curve.T)
    return floor + (top - floor) / (1.0 + np.exp(slope * (places - middle)))


def _quantiles(values: FloatArray, weight: FloatArray, at: Sequence[float]) -> FloatArray:
    below = np.cumsum(weight)
    wanted = np.array(at, dtype=np.float64) * float(below[-1])
    return values[np.minimum(np.searchsorted(below, wanted), len(values) - 1)]


def _looked_up(table: dict[float, float], values: FloatArray) -> FloatArray:
    nearest = np.abs(values[:, None] - np.array(list(table))).argmin(axis=1)
    return np.array(list(table.values()))[nearest]
