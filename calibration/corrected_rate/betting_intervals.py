"""Anytime-valid intervals: confidence sequences of the mean label, by betting.

Labels of outputs that are drawn one after another, without replacement, are bets against each supposed mean
of all outputs. A label minus lambda times how far its score is above the mean score of the outputs not yet
labelled has a known expectation under that mean, whatever lambda was chosen from earlier labels. So the judge
narrows the interval, and its errors cannot bias it.

The interval of a population adds the evidence that these outputs are unlike it, by Bernoulli likelihood
ratios, which bound those of all means of independent clusters in [0, 1]. The least product over the possible
means of these outputs is evidence against a mean of the population.

Source: Waudby-Smith and Ramdas 2024 (betting, without replacement, hedged capital); Angelopoulos et al. 2023
(prediction-powered).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import FloatArray, bisected
from ..betting import log_evidence, log_wealth
from ..statistic import Interval

_PRIOR_LABELS = 10.0
"""Labels that say that the judge is worth nothing, beside those so far."""

_ROUNDING = 1e-9

_WIDE = 1e-4
"""Level whose interval holds the means of these outputs that are looked at closely."""

_CLOSE, _ALL = 96, 48
"""Means of these outputs on each side of that interval, and of all that are possible, that are looked at."""

_MAX_SHIFT, _MIN_SHIFT = 2.4, 10.0
"""Differences between these outputs and the population that are bet on, each half of the one before, in
standard errors; the smallest is over the root of the number of clusters, which about twenty labels need."""


@dataclass(frozen=True, eq=False)
class LabelSequence:
    """Labels in the order in which they came, a random one, of some of these outputs.

    Attributes:
        label: Trusted values in [0, 1], shape ``(n,)``.
        score: The judge's scores of the same outputs, shape ``(n,)``.
        scores: The judge's scores of all outputs, shape ``(N,)``, these ``n`` included.
    """

    label: FloatArray
    score: FloatArray
    scores: FloatArray

    @cached_property
    def seen(self) -> FloatArray:
        """Sum of the labels before each, shape ``(n,)``."""
        return np.cumsum(self.label) - self.label

    @cached_property
    def left(self) -> FloatArray:
        """Outputs without a label before each label, shape ``(n,)``."""
        return len(self.scores) - np.arange(len(self.label), dtype=np.float64)

    @cached_property
    def weight(self) -> FloatArray:
        """Lambda for each label, from the labels before it, shape ``(n,)``."""
        variance = float(self.scores.var())
        if variance <= _ROUNDING:
            return np.zeros(len(self.label))
        before = np.arange(len(self.label), dtype=np.float64)
        scores = np.cumsum(self.score) - self.score
        products = np.cumsum(self.label * self.score) - self.label * self.score
        covariance = products - self.seen * scores / np.maximum(before, 1.0)
        return np.clip(covariance / (variance * (before + _PRIOR_LABELS)), -1.0, 1.0)

    @property
    def final_weight(self) -> float:
        """Lambda after all labels."""
        return float(self._extended.weight[-1])

    @cached_property
    def _extended(self) -> LabelSequence:
        return LabelSequence(np.append(self.label, 0.0), np.append(self.score, 0.0), self.scores)

    @cached_property
    def value(self) -> float:
        """Mean label, moved by lambda times the difference of the mean scores."""
        moved = self.final_weight * float(self.score.mean() - self.scores.mean())
        return min(1.0, max(0.0, float(self.label.mean()) - moved))

    @property
    def possible(self) -> Interval:
        """Mean labels of all outputs if all that are not labelled failed, and if they passed."""
        known, n = float(self.label.sum()), len(self.scores)
        return known / n, (known + n - len(self.label)) / n

    @cached_property
    def _above_mean(self) -> FloatArray:
        """Each score minus the mean score of the outputs not labelled before it, shape ``(n,)``."""
        rest = self.scores.sum() - (np.cumsum(self.score) - self.score)
        return self.score - rest / self.left

    @cached_property
    def _adjusted(self) -> FloatArray:
        """Labels that are bet on, shape ``(n,)``."""
        return self.label - self.weight * self._above_mean

    @cached_property
    def _ends(self) -> tuple[FloatArray, FloatArray]:
        """Least and greatest value that each adjusted label could have had."""
        mean = self.score - self._above_mean
        shifts = np.stack([self.weight * (each - mean) for each in (self.scores.min(), self.scores.max())])
        return -shifts.max(axis=0), 1.0 - shifts.min(axis=0)

    def log_evidence_above(self, mean: float) -> float:
        """Return the log evidence that the mean label of all outputs is above a supposed one."""
        return self._log_evidence(mean, self._adjusted, self._ends[0], 1.0)

    def log_evidence_below(self, mean: float) -> float:
        """Return the log evidence that the mean label of all outputs is below a supposed one."""
        return self._log_evidence(mean, self._adjusted, self._ends[1], -1.0)

    def _log_evidence(self, mean: float, adjusted: FloatArray, end: FloatArray, sign: float) -> float:
        expected = (len(self.scores) * mean - self.seen) / self.left
        # No labels of the outputs left could have this mean.
        if (expected < -_ROUNDING if sign > 0 else expected > 1 + _ROUNDING).any():
            return math.inf
        distance, stake = sign * (adjusted - expected), sign * (expected - end)
        certain = stake <= _ROUNDING
        if (distance[certain] > _ROUNDING).any():
            return math.inf
        gains = np.maximum(distance / np.where(certain, 1.0, stake), -1.0)
        return log_evidence(log_wealth(np.where(certain, 0.0, gains)))


def interval_of_these(labels: LabelSequence, level: float = 0.95) -> Interval:
    """Return the anytime-valid interval of the mean label of just these outputs."""
    needed = math.log(2 / (1 - level))
    ends = _ends(
        lambda mean: labels.log_evidence_above(mean) >= needed,
        lambda mean: labels.log_evidence_below(mean) >= needed,
    )
    least, most = labels.possible
    return max(ends[0], least), min(ends[1], most)


def interval_of_population(labels: LabelSequence, clusters: int, level: float = 0.95) -> Interval:
    """Return the anytime-valid interval of the mean label of their population.

    Args:
        labels: The labels so far.
        clusters: Number of independent clusters of equal size among all outputs.
        level: Nominal coverage, at every look together.
    """
    needed = math.log(2 / (1 - level))
    low, high = interval_of_these(labels, 1 - _WIDE)
    value = min(max(labels.value, low), high)
    smaller, larger = (
        np.union1d(np.linspace(*labels.possible, _ALL + 1), np.linspace(*ends, _CLOSE + 1))
        for ends in ((low, value), (value, high))
    )
    above = np.array([labels.log_evidence_above(mean) for mean in smaller.tolist()])
    below = np.array([labels.log_evidence_below(mean) for mean in larger.tolist()])

    def too_low(mean: float) -> bool:
        unlike = log_unlike(smaller, mean, clusters)
        return _least_sum(above, unlike) >= needed

    def too_high(mean: float) -> bool:
        unlike = log_unlike(1 - larger, 1 - mean, clusters)
        return _least_sum(below[::-1], unlike[::-1]) >= needed

    return _ends(too_low, too_high)


def _least_sum(falling: FloatArray, rising: FloatArray) -> float:
    """Return a lower bound on the sum of two functions between known points.

    Between two points the sum is at least that of the lower end of each.
    """
    return float((np.append(falling[1:], falling[-1:]) + rising).min())


def _ends(too_low: Callable[[float], bool], too_high: Callable[[float], bool]) -> Interval:
    """Return the ends between which no mean is rejected; rejections are monotonic."""
    low = bisected(0.0, 1.0, lambda mean: not too_low(mean), halvings=40)[0] if too_low(0.0) else 0.0
    high = bisected(0.0, 1.0, too_high, halvings=40)[1] if too_high(1.0) else 1.0
    return low, high


def log_unlike(means: FloatArray, mean: float, clusters: int) -> FloatArray:
    """Return the log evidence that clusters come from a population of a higher mean.

    Args:
        means: Possible means of the clusters, shape ``(K,)``.
        mean: Mean of the population.
        clusters: Number of clusters.
    """
    mean = min(max(mean, 1e-12), 1 - 1e-12)
    steps = math.floor(math.log2(_MAX_SHIFT * math.sqrt(clusters) / _MIN_SHIFT))
    shifts = _MAX_SHIFT * 0.5 ** np.arange(max(0, steps) + 1)
    shifted = mean + shifts * math.sqrt(mean * (1 - mean) / clusters)
    shifted = np.minimum(shifted, (1 + mean) / 2)
    slopes = np.log(shifted / mean) - np.log((1 - shifted) / (1 - mean))
    logs = clusters * (means[:, None] * slopes + np.log((1 - shifted) / (1 - mean)))
    top = logs.max(axis=1)
    return top + np.log(np.exp(logs - top[:, None]).mean(axis=1))
