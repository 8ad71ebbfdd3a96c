"""Share of faults caught, by difficulty: a grid of decreasing logistic curves.

Answers weight the curves, and the weighted curves choose the next questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray

CAUGHT = 0.8
"""Share of faults caught at the level that a ladder estimates."""

_MIDDLES = np.linspace(-0.6, 1.6, 221)
"""Positions where curves are steepest; some are outside the ladder, so that thresholds there can be fitted."""

_SLOPES = np.geomspace(2.0, 120.0, 10)
"""Slopes from nearly straight over the ladder to a step between two levels."""

_TOPS = {0.998: 6.0, 0.98: 4.0, 0.95: 3.0, 0.9: 2.0, 0.84: 1.0, 0.76: 1.0, 0.65: 0.5, 0.5: 0.5, 0.3: 0.5}
_FLOORS = {0.002: 4.0, 0.02: 3.0, 0.05: 3.0, 0.1: 2.0, 0.2: 1.0, 0.35: 1.0, 0.5: 0.5, 0.65: 0.5}
"""Prior weights of the upper and lower asymptotes: few lapses and few catches by chance are most likely."""

_PRIOR_SLOPE = 12.0
"""Median of the slope's log-normal prior."""

_PRIOR_SLOPE_SD = 1.0
"""Standard deviation of the logarithm of the slope, in its prior."""

_NEGLIGIBLE = -14.0
"""Log-weight, relative to the likeliest curve, below which a curve is dropped: less than one in a million."""

_MIN_FALL = 0.1
"""Smallest fall of a curve; a smaller one could not be distinguished from a fall beyond the ladder."""

_EVEN_SHARE = 0.125
"""Share of a round of questions that is spread evenly over the levels; the others aim at the threshold."""


class LadderAnswers(NamedTuple):
    """Answers of one judge about the faults of one ladder.

    Attributes:
        level_index: Level of each fault, counted from 0, shape ``(n,)``.
        caught: 1 for a fault that was caught, else 0, shape ``(n,)``.
        cluster: Cluster number of each fault, shape ``(n,)``.
    """

    level_index: IntArray
    caught: FloatArray
    cluster: IntArray


class Posterior(NamedTuple):
    """Posterior distribution of curves, without the negligible ones.

    Attributes:
        curve: Parameters of the curves (middle, slope, top, floor), shape ``(k, 4)``.
        threshold: Position at which each curve is at `CAUGHT`, shape ``(k,)``: minus infinity before the easiest
            level, infinity beyond the hardest.
        weight: Posterior weights, which sum to 1, shape ``(k,)``.
    """

    curve: FloatArray
    threshold: FloatArray
    weight: FloatArray

    def shares(self, position: float) -> FloatArray:
        """Return the share caught at a position by each curve, shape ``(k,)``."""
        return _share(self.curve, np.array([position]))[:, 0]

    def quantiles(self, values: FloatArray, at: Sequence[float]) -> FloatArray:
        """Return posterior quantiles of a value of each curve."""
        order = np.argsort(values)
        return _quantiles(values[order], self.weight[order], at)


class CurveFamily:
    """Grid of candidate curves over the levels of one ladder.

    Each is ``floor + (top - floor) / (1 + exp(slope * (position - middle)))``. ``1 - top`` is the share of
    lapses, which does not depend on the level; ``floor`` is the share caught by chance.

    Args:
        positions: Positions of the levels, the easiest first: ascending from 0 to 1, shape ``(levels,)``.
    """

    def __init__(self, positions: Sequence[float]) -> None:
        self.positions = np.array(positions, dtype=np.float64)
        tops, floors = np.array(list(_TOPS)), np.array(list(_FLOORS))
        grid = np.stack(np.meshgrid(_MIDDLES, _SLOPES, tops, floors, indexing="ij"), axis=-1).reshape(-1, 4)
        self._curve = grid[grid[:, 2] - grid[:, 3] >= _MIN_FALL]

    @cached_property
    def _threshold(self) -> FloatArray:
        middle, slope, top, floor = self._curve.T
        # A curve that never rises to `CAUGHT` is below it before the easiest level.
        # The position solves `floor + (top - floor) / (1 + exp(slope * (position - middle))) = CAUGHT`.
        odds = (CAUGHT - floor) / np.where(top > CAUGHT, top - CAUGHT, 1.0)
        position = np.where(top > CAUGHT, middle - np.log(odds) / slope, -np.inf)
        return np.where(position < 0.0, -np.inf, np.where(position > 1.0, np.inf, position))

    @cached_property
    def _log_prior(self) -> FloatArray:
        _, slope, top, floor = self._curve.T
        log_prior_slope = -0.5 * ((np.log(slope) - np.log(_PRIOR_SLOPE)) / _PRIOR_SLOPE_SD) ** 2
        return log_prior_slope + np.log(_prior_of(_TOPS, top)) + np.log(_prior_of(_FLOORS, floor))

    @cached_property
    def _log_shares(self) -> tuple[FloatArray, FloatArray]:
        shares = _share(self._curve, self.positions)
        return np.log(shares), np.log1p(-shares)

    def posterior(self, answers: LadderAnswers, answer_weight: float = 1.0) -> Posterior:
        """Weight the curves by prior and answers.

        Each answer counts as ``answer_weight`` independent answers, at most 1.
        """
        levels = len(self.positions)
        caught = np.bincount(answers.level_index, weights=answers.caught, minlength=levels)
        missed = np.bincount(answers.level_index, weights=1.0 - answers.caught, minlength=levels)
        log_caught, log_missed = self._log_shares
        log_weight = self._log_prior + answer_weight * (log_caught @ caught + log_missed @ missed)
        log_weight -= log_weight.max()
        indices = np.flatnonzero(log_weight > _NEGLIGIBLE)
        weight = np.exp(log_weight[indices])
        return Posterior(self._curve[indices], self._threshold[indices], weight / weight.sum())


def next_levels(family: CurveFamily, answers: LadderAnswers, count: int) -> list[int]:
    """Choose the levels of the next ``count`` questions.

    The first questions are spread evenly. Later, seven of eight aim at the threshold, the level at which 80 %
    are caught: at one or two levels if it is known well, else at many. If it may lie beyond an end of the
    ladder, half of these go to that end and half are spread evenly, so that a flat curve is recognised.

    Returns:
        Level numbers, ascending, each repeated as often as it is asked about.
    """
    levels = _aimed_levels(family, answers, count) if len(answers.level_index) else []
    # The remaining questions are the even spread: each goes to the level asked about least often.
    times_asked = Counter[int](answers.level_index.tolist())
    for _ in range(count - len(levels)):
        least_asked = min(range(len(family.positions)), key=lambda level: (times_asked[level], level))
        times_asked[least_asked] += 1
        levels.append(least_asked)
    return sorted(levels)


def _aimed_levels(family: CurveFamily, answers: LadderAnswers, count: int) -> list[int]:
    """Return the levels nearest to evenly spaced posterior quantiles of the threshold.

    Of the quantiles beyond an end of the ladder every second one is dropped; its question goes to the even spread.
    """
    n_aimed = count - round(count * _EVEN_SHARE)
    posterior = family.posterior(answers)
    quantiles = posterior.quantiles(posterior.threshold, ((np.arange(n_aimed) + 0.5) / n_aimed).tolist())
    is_used = np.isfinite(quantiles) | (np.arange(n_aimed) % 2 == 0)
    nearest = np.abs(np.clip(quantiles[is_used], 0.0, 1.0)[:, None] - family.positions).argmin(axis=1)
    return nearest.tolist()


def _share(curve: FloatArray, positions: FloatArray) -> FloatArray:
    middle, slope, top, floor = (parameter[:, None] for parameter in curve.T)
    return floor + (top - floor) / (1.0 + np.exp(slope * (positions - middle)))


def _quantiles(values: FloatArray, weight: FloatArray, at: Sequence[float]) -> FloatArray:
    cumulative = np.cumsum(weight)
    targets = np.array(at, dtype=np.float64) * float(cumulative[-1])
    return values[np.minimum(np.searchsorted(cumulative, targets), len(values) - 1)]


def _prior_of(table: Mapping[float, float], values: FloatArray) -> FloatArray:
    """Return the prior weight of the asymptote nearest to each value."""
    nearest = np.abs(values[:, None] - np.array(list(table))).argmin(axis=1)
    return np.array(list(table.values()))[nearest]
