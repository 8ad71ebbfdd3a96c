"""Anytime-valid intervals: confidence sequences of the mean label, by betting.

Outputs are labelled one after another, drawn without replacement, and each label is a bet against every
hypothesised mean of all outputs. What is bet on is the label minus lambda times (its score minus the mean
score of the outputs not yet labelled). Its expectation under the hypothesis is known, whatever lambda was
chosen from earlier labels. So the judge narrows the interval, and its errors cannot bias it.

The interval of a population adds the evidence that these outputs differ from it, by Bernoulli likelihood
ratios, which bound those of all means of independent clusters in [0, 1]. The smallest product over the
possible means of these outputs is the evidence against a population mean.

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
"""Pseudo-labels by which lambda is shrunk towards 0, so that a few labels do not set it."""

_ROUNDING = 1e-9
"""A difference below this is rounding."""

_FINE_GRID_ERROR = 1e-4
"""Error level of the interval in which the grid over means of these outputs is fine."""

_FINE_POINTS = 96
"""Grid points on each side of the estimate in that interval."""

_COARSE_POINTS = 48
"""Grid points over all possible means."""

_MAX_SHIFT = 2.4
"""Largest difference between outputs and population that is bet on, in standard errors."""

_MIN_SHIFT_TIMES_ROOT = 10.0
"""Smallest such difference, in standard errors, times the root of the number of clusters.

Each difference is half of the one before. About twenty labels need one as small as this.
"""


@dataclass(frozen=True, eq=False)
class LabelSequence:
    """Labels of some of these outputs, in their random order.

    Attributes:
        label: Trusted values in [0, 1], shape ``(n,)``.
        score: The judge's scores of the same outputs, shape ``(n,)``.
        scores: The judge's scores of all outputs, shape ``(N,)``, including these ``n``.
    """

    label: FloatArray
    score: FloatArray
    scores: FloatArray

    @cached_property
    def label_sum_before(self) -> FloatArray:
        """Sum of the earlier labels, for each label, shape ``(n,)``."""
        return np.cumsum(self.label) - self.label

    @cached_property
    def unlabelled_before(self) -> FloatArray:
        """Number of outputs not labelled before each label, shape ``(n,)``."""
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
        covariance = products - self.label_sum_before * scores / np.maximum(before, 1.0)
        return np.clip(covariance / (variance * (before + _PRIOR_LABELS)), -1.0, 1.0)

    @property
    def final_weight(self) -> float:
        """Lambda after all labels."""
        return float(self._with_next_label.weight[-1])

    @cached_property
    def _with_next_label(self) -> LabelSequence:
        # `weight` at this added label depends on all labels before it only; its own values do not matter.
        return LabelSequence(np.append(self.label, 0.0), np.append(self.score, 0.0), self.scores)

    @cached_property
    def value(self) -> float:
        """Mean label, corrected by lambda times the difference of the mean scores."""
        correction = self.final_weight * float(self.score.mean() - self.scores.mean())
        return min(1.0, max(0.0, float(self.label.mean()) - correction))

    @property
    def possible_means(self) -> Interval:
        """Mean label of all outputs if every unlabelled one failed, and if every one passed."""
        label_sum, n = float(self.label.sum()), len(self.scores)
        return label_sum / n, (label_sum + n - len(self.label)) / n

    @cached_property
    def _above_mean(self) -> FloatArray:
        """Each score minus the mean score of the outputs not yet labelled, shape ``(n,)``."""
        remaining_sum = self.scores.sum() - (np.cumsum(self.score) - self.score)
        return self.score - remaining_sum / self.unlabelled_before

    @cached_property
    def _adjusted(self) -> FloatArray:
        """Labels corrected by the judge's scores, which are bet on, shape ``(n,)``."""
        return self.label - self.weight * self._above_mean

    @cached_property
    def _adjusted_range(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest value that each adjusted label could have had."""
        mean = self.score - self._above_mean
        extreme_scores = (self.scores.min(), self.scores.max())
        shifts = np.stack([self.weight * (score - mean) for score in extreme_scores])
        return -shifts.max(axis=0), 1.0 - shifts.min(axis=0)

    def log_evidence_above(self, mean: float) -> float:
        """Return the log evidence that the mean label of all outputs is above this one."""
        return self._log_evidence(mean, self._adjusted, self._adjusted_range[0], 1.0)

    def log_evidence_below(self, mean: float) -> float:
        """Return the log evidence that the mean label of all outputs is below this one."""
        return self._log_evidence(mean, self._adjusted, self._adjusted_range[1], -1.0)

    def _log_evidence(self, mean: float, adjusted: FloatArray, range_end: FloatArray, sign: float) -> float:
        expected = (len(self.scores) * mean - self.label_sum_before) / self.unlabelled_before
        # The outputs not yet labelled could not have this mean, whatever their labels.
        if (expected < -_ROUNDING if sign > 0 else expected > 1 + _ROUNDING).any():
            return math.inf
        # `stake` is the largest possible loss; gains are in its units, so at least -1.
        distance, stake = sign * (adjusted - expected), sign * (expected - range_end)
        # Where nothing can be lost, any gain refutes the mean.
        certain = stake <= _ROUNDING
        if (distance[certain] > _ROUNDING).any():
            return math.inf
        gains = np.maximum(distance / np.where(certain, 1.0, stake), -1.0)
        return log_evidence(log_wealth(np.where(certain, 0.0, gains)))


def interval_of_these(labels: LabelSequence, level: float = 0.95) -> Interval:
    """Return the anytime-valid interval of the mean label of just these outputs."""
    evidence_needed = math.log(2 / (1 - level))
    ends = _unrejected_means(
        lambda mean: labels.log_evidence_above(mean) >= evidence_needed,
        lambda mean: labels.log_evidence_below(mean) >= evidence_needed,
    )
    lowest, highest = labels.possible_means
    return max(ends[0], lowest), min(ends[1], highest)


def interval_of_population(labels: LabelSequence, clusters: int, level: float = 0.95) -> Interval:
    """Return the anytime-valid interval of the mean label of their population.

    Args:
        labels: The labels so far.
        clusters: Number of independent clusters of equal size among all outputs.
        level: Nominal coverage, at every look together.
    """
    evidence_needed = math.log(2 / (1 - level))
    low, high = interval_of_these(labels, 1 - _FINE_GRID_ERROR)
    value = min(max(labels.value, low), high)
    smaller, larger = (
        np.union1d(
            np.linspace(*labels.possible_means, _COARSE_POINTS + 1), np.linspace(*ends, _FINE_POINTS + 1)
        )
        for ends in ((low, value), (value, high))
    )
    evidence_above = np.array([labels.log_evidence_above(mean) for mean in smaller.tolist()])
    evidence_below = np.array([labels.log_evidence_below(mean) for mean in larger.tolist()])

    def too_low(mean: float) -> bool:
        evidence_unlike = log_unlike(smaller, mean, clusters)
        return _least_sum(evidence_above, evidence_unlike) >= evidence_needed

    def too_high(mean: float) -> bool:
        # With passes and fails swapped, "lower" becomes "higher"; reversed, the first function falls again.
        evidence_unlike = log_unlike(1 - larger, 1 - mean, clusters)
        return _least_sum(evidence_below[::-1], evidence_unlike[::-1]) >= evidence_needed

    return _unrejected_means(too_low, too_high)


def _least_sum(falling: FloatArray, rising: FloatArray) -> float:
    """Return a lower bound on the sum of a falling and a rising function, known at grid points.

    Between two points each function is at least the smaller of its two end values.
    """
    return float((np.append(falling[1:], falling[-1:]) + rising).min())


def _unrejected_means(too_low: Callable[[float], bool], too_high: Callable[[float], bool]) -> Interval:
    """Return the interval in which no mean is rejected.

    Rejections are monotonic, so each end is found by bisection.
    """
    low = bisected(0.0, 1.0, lambda mean: not too_low(mean), halvings=40)[0] if too_low(0.0) else 0.0
    high = bisected(0.0, 1.0, too_high, halvings=40)[1] if too_high(1.0) else 1.0
    return low, high


def log_unlike(means: FloatArray, mean: float, clusters: int) -> FloatArray:
    """Return the log evidence that these clusters have a higher mean than their population.

    Args:
        means: Possible means of the clusters, shape ``(K,)``.
        mean: Mean of the population.
        clusters: Number of clusters.
    """
    mean = min(max(mean, 1e-12), 1 - 1e-12)  # so that both logarithms are finite
    halvings = math.floor(math.log2(_MAX_SHIFT * math.sqrt(clusters) / _MIN_SHIFT_TIMES_ROOT))
    shifts = _MAX_SHIFT * 0.5 ** np.arange(max(0, halvings) + 1)
    shifted = mean + shifts * math.sqrt(mean * (1 - mean) / clusters)
    # A mean near 1 has no room for large shifts: halve the distance to 1 instead.
    shifted = np.minimum(shifted, (1 + mean) / 2)
    slopes = np.log(shifted / mean) - np.log((1 - shifted) / (1 - mean))
    logs = clusters * (means[:, None] * slopes + np.log((1 - shifted) / (1 - mean)))
    # The log of the mean likelihood ratio over all shifts, without overflow.
    top = logs.max(axis=1)
    return top + np.log(np.exp(logs - top[:, None]).mean(axis=1))
