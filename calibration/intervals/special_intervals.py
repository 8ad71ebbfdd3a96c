"""Special intervals: differences and means of two shares, and calibration errors."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..arrays import FloatArray, bisected
from ..sample import Sample
from ..statistic import Interval
from ..statistics.probabilities import ece_gaps
from ..statistics.rates import Proportion, judge_rate, prevalence, true_negative_rate, true_positive_rate
from .closed_forms import normal_quantile, t_quantile
from .clustered_rates import (
    clustered_wilson_interval,
    effective_trials,
    informative_errors,
    student_ratio,
    unseen_share,
)
from .variance import MIN_CLUSTERS, covariance, mean_spread, proportion_spread

_DRAWS = 4_000
"""Number of errors drawn for a sum."""

_HALVINGS = 40
"""Maximum number of steps of the search for an end of an interval."""

_DOUBLINGS = 60
"""Maximum number of steps of the search for a value beyond that end."""

_POWER_CONSTRAINT = 0.16
"""Quantile of the sums that chance alone gives; a lower sum is luck, and gets the upper end of this quantile.

It is one standard error below the median, as in power-constrained limits (Cowan et al. 2011).
"""

_ROUNDING = 1e-12
"""A difference below this is rounding."""


def tango_interval(only_first: float, only_second: float, trials: float, z: float) -> Interval:
    """Compute the score interval of ``only_first - only_second``.

    It is Wilson's interval for a difference of two paired shares. ``trials`` is the number of pairs, which
    may be an effective one, and ``z`` is the quantile.

    Source: Tango 1998, with the closed form of the restricted estimate.
    """
    difference = only_first - only_second

    def excess(hypothesis: float) -> float:
        """Return the distance from a hypothesised difference, in standard errors under it."""
        # Maximum likelihood estimate of `only_second` under the hypothesis.
        slope = (2 - difference) * hypothesis - only_first - only_second
        share = (math.sqrt(max(0.0, slope**2 + 8 * only_second * hypothesis * (1 - hypothesis))) - slope) / 4
        variance = max(0.0, 2 * share + hypothesis * (1 - hypothesis)) / trials
        gap = difference - hypothesis
        return gap / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, gap)

    lower = bisected(-1.0, difference, lambda hypothesis: excess(hypothesis) <= z)
    upper = bisected(difference, 1.0, lambda hypothesis: excess(hypothesis) <= -z)
    return sum(lower) / 2, sum(upper) / 2


def bias_interval(sample: Sample, level: float) -> tuple[Interval, str]:
    """Return the interval of judge rate minus prevalence; see `paired_interval`."""
    signs = sample.cells.quadrant @ (judge_rate.successes - prevalence.successes).ravel()
    return paired_interval(signs, np.ones_like(signs), sample, level)


def paired_interval(
    signs: FloatArray, trial: FloatArray, sample: Sample, level: float
) -> tuple[Interval, str]:
    """Compute Tango's interval of a difference of two shares of the same rows.

    The number of pairs is the effective one.

    Args:
        signs: 1 for a cell where only the first succeeds, -1 where only the second does, else 0, shape ``(m,)``.
        trial: 1 for cells in both denominators, shape ``(m,)``.
        sample: The sample with these cells.
        level: Nominal coverage.
    """
    spread = mean_spread(signs, trial, sample)
    only_first, only_second = (float(sample.counts @ (signs == sign)) / spread.trials for sign in (1.0, -1.0))
    discordant_share = only_first + only_second
    pairs = effective_trials(
        spread,
        informative_errors(spread.trials * discordant_share, spread.cluster_size),
        discordant_share - (only_first - only_second) ** 2,
        student=student_ratio(level, spread.degrees),
    )
    ends = tango_interval(only_first, only_second, pairs, normal_quantile(level))
    return ends, f"Tango, Wilson's score for pairs{_basis(spread.clusters == spread.trials)}"


def balanced_accuracy_interval(sample: Sample, level: float) -> tuple[Interval, str]:
    """Return the interval of the mean of both rates; see `mean_rate_interval`."""
    return mean_rate_interval(sample, level, weight=lambda _: 0.5)


def mean_rate_interval(
    sample: Sample, level: float, *, weight: Callable[[FloatArray], float]
) -> tuple[Interval, str]:
    """Return the interval of a weighted mean of two rates, from the Wilson interval of each.

    ``weight`` returns the weight of the true positive rate, from the 2x2 table; it is taken as fixed. The distances
    from estimate to end are combined like standard errors, separately for each side, so that the interval is skewed
    if a rate is near 1. Clusters with both classes make the two rates depend on each other.

    Source: Donner and Zou 2012 (method of variance estimates recovery).
    """
    table, correlation = sample.cells.tables(sample.counts), _correlation(sample)
    first, second = (float(rate(table)) for rate in (true_positive_rate, true_negative_rate))
    spreads = [proportion_spread(rate, sample) for rate in (true_positive_rate, true_negative_rate)]
    first_ends, second_ends = (
        clustered_wilson_interval(value, spread, level)[0]
        for value, spread in zip((first, second), spreads, strict=True)
    )

    first_weight = weight(table)
    second_weight = 1.0 - first_weight

    def combined(first_distance: float, second_distance: float) -> float:
        first_part, second_part = first_weight * first_distance, second_weight * second_distance
        cross_term = 2 * correlation * first_part * second_part
        return math.sqrt(max(0.0, first_part**2 + second_part**2 + cross_term))

    mean = first_weight * first + second_weight * second
    (first_low, first_high), (second_low, second_high) = first_ends, second_ends
    low = mean - combined(first - first_low, second - second_low)
    high = mean + combined(first_high - first, second_high - second)
    independent = all(cluster_spread.clusters == cluster_spread.trials for cluster_spread in spreads)
    return (low, high), f"MOVER of Wilson intervals{_basis(independent)}"


def _correlation(sample: Sample) -> float:
    first, second = (_cluster_sums(rate, sample) for rate in (true_positive_rate, true_negative_rate))
    scale = math.sqrt(float(sample.sizes @ first**2) * float(sample.sizes @ second**2))
    return float(sample.sizes @ (first * second)) / scale if scale > 0 else 0.0


def _cluster_sums(rate: Proportion, sample: Sample) -> FloatArray:
    """Return each cluster's influence on a rate, by group, up to a factor, shape ``(k,)``."""
    success, trial = (sample.cells.quadrant @ cells.ravel() for cells in (rate.successes, rate.trials))
    share = float(sample.counts @ success) / float(sample.counts @ trial)
    return sample.groups @ (success - share * trial)


def _basis(independent: bool) -> str:  # noqa: FBT001 - the only argument
    return "" if independent else " on the cluster-effective n"


def magnitude_interval(parts: FloatArray, noise: FloatArray, clusters: int, level: float) -> Interval:
    """Return the interval of a sum of |part|, corrected for the upward bias of such a sum.

    A bootstrap takes the observed parts as the true ones, which doubles the bias. Instead, each candidate sum is
    represented by the nearest parts, in standard errors, that have this sum. Errors are drawn around them, and the
    candidate is in the interval if the observed sum is neither too large nor too small among the drawn sums (hybrid
    resampling, Chuang and Lai 2000). The interval always contains the observed sum.

    Errors are normal, with Student's quantile for few clusters. An observed sum that would be rare even if all parts
    were 0 does not shrink the interval further: its upper end is that of a sum one standard error below the usual
    one (power-constrained limits, Cowan et al. 2011).

    Args:
        parts: Estimates, shape ``(q,)``, asymptotically normal.
        noise: Covariance of their errors, shape ``(q, q)``.
        clusters: Number of clusters behind the covariance, at least 2.
        level: Nominal coverage.
    """
    parts, variance = _without_rounding(parts), np.diag(noise)
    variance = np.where(variance > _ROUNDING**2 * variance.max(initial=0.0), variance, 0.0)
    observed = float(np.abs(parts).sum())
    errors = _errors(noise, variance) * (t_quantile(level, clusters - 1) / normal_quantile(level))
    tail, side = (1 - level) / 2, np.where(parts < 0, -1.0, 1.0)

    def candidate(shift: float) -> FloatArray:
        """Return the nearest parts with another sum: each shifted in proportion to its variance."""
        return np.maximum(np.abs(parts) + shift * variance, 0.0) * side

    def sums(shift: float) -> FloatArray:
        return np.abs(candidate(shift) + errors).sum(axis=1)

    shift_to_zero = -_shift_to_zero(parts, variance)
    # The power constraint: an observed sum that is too small by luck is replaced.
    bounding_sum = max(observed, float(np.quantile(sums(shift_to_zero), _POWER_CONSTRAINT)))
    lowest_shift = _crossing(lambda shift: bool((sums(shift) >= observed).mean() >= tail), shift_to_zero, 0.0)
    highest_shift = _crossing(
        lambda shift: bool((sums(shift) <= bounding_sum).mean() < tail),
        shift_to_zero,
        _beyond(sums, bounding_sum, tail),
    )
    low, high = (float(np.abs(candidate(shift)).sum()) for shift in (lowest_shift, highest_shift))
    return min(low, observed), max(high, observed)


def _errors(noise: FloatArray, variance: FloatArray) -> FloatArray:
    """Return fixed normal errors with this covariance, as points of an integration.

    They are drawn with the symmetric root of the covariance, which is unique. Eigenvectors are not: their
    signs, and the basis for equal eigenvalues, depend on the processor's linear algebra. Parts without an
    error take no draws, so that empty parts change nothing.
    """
    varying = np.flatnonzero(variance)
    values, vectors = np.linalg.eigh(noise[np.ix_(varying, varying)])
    normal = np.random.default_rng(0).standard_normal((_DRAWS, len(varying)))
    errors = np.zeros((_DRAWS, len(variance)))
    errors[:, varying] = normal @ ((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
    return errors


def _without_rounding(parts: FloatArray) -> FloatArray:
    """Set parts that are 0 except for rounding to 0, since their sign would be arbitrary."""
    return np.where(np.abs(parts) > _ROUNDING, parts, 0.0)


def _shift_to_zero(parts: FloatArray, variance: FloatArray) -> float:
    """Return the shift that sets every part with an error to 0."""
    varies = variance > 0
    # Slightly more, because of rounding.
    return (1 + 1e-9) * float((np.abs(parts[varies]) / variance[varies]).max()) if varies.any() else 0.0


def _beyond(sums: Callable[[float], FloatArray], bounding_sum: float, tail: float) -> float:
    """Return a shift under which the bounding sum is too small."""
    shift = 1.0
    for _ in range(_DOUBLINGS):
        if (sums(shift) <= bounding_sum).mean() < tail:
            break
        shift *= 2
    return shift


def _crossing(condition: Callable[[float], bool], low: float, high: float) -> float:
    """Return the smallest shift from which on the condition is true."""
    return low if condition(low) else bisected(low, high, condition, halvings=_HALVINGS)[1]


def ece_interval(sample: Sample, level: float) -> tuple[Interval | None, str]:
    """Return the interval of the ECE, which allows for its bias (`magnitude_interval`)."""
    return gaps_interval(ece_gaps(sample.cells), sample, level)


def gaps_interval(gaps: FloatArray, sample: Sample, level: float) -> tuple[Interval | None, str]:
    """Return the interval of a calibration error over groups of scores, and its name.

    ``gaps``, shape ``(m, groups)``, are outcome minus score of each cell, in the column of its group.
    """
    clusters = sample.n_clusters
    if clusters < MIN_CLUSTERS:
        return None, "delta: no interval from a single cluster"
    parts: FloatArray = sample.counts @ gaps / sample.n
    # Influence of one cluster of each group on every part, shape (k, groups).
    influence: FloatArray = sample.groups @ (gaps - parts) / sample.n
    if np.abs(influence).max() * sample.n <= _ROUNDING:  # no row differs, so there is no spread
        error, unseen = float(np.abs(parts).sum()), unseen_share(sample, level)
        return (max(0.0, error - unseen), error + unseen * (1 - error)), "Wilson upper bound (none seen)"
    method_suffix = "" if sample.singletons else " over clusters"
    return magnitude_interval(
        parts, covariance(influence, sample.sizes), clusters, level
    ), f"delta{method_suffix}, inverted for bias"
