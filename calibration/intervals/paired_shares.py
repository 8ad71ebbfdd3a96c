"""Intervals of two shares together: their difference on the same rows, and their mean."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import FloatArray
from ..bisection import bisected
from ..sample import Sample
from ..statistic import Interval
from ..statistics.rates import Proportion, judge_rate, prevalence, true_negative_rate, true_positive_rate
from .closed_forms import normal_quantile
from .clustered_rates import clustered_wilson_interval, effective_trials, student_ratio, told_by
from .variance import mean_spread, proportion_spread


def tango_interval(only_first: float, only_second: float, trials: float, z: float) -> Interval:
    """Compute the score interval of ``only_first - only_second``.

    This difference of two paired shares has the pairs' version of Wilson's interval.

    ``trials`` are pairs, perhaps an effective number, and ``z`` is the quantile.

    Source: Tango 1998, with the closed form of the restricted estimate.
    """
    difference = only_first - only_second

    def excess(supposed: float) -> float:
        """Distance of the data from the supposed difference, in standard errors that hold under it."""
        # The share `only_second` that is likeliest when the difference is the supposed one.
        slope = (2 - difference) * supposed - only_first - only_second
        share = (math.sqrt(max(0.0, slope**2 + 8 * only_second * supposed * (1 - supposed))) - slope) / 4
        variance = max(0.0, 2 * share + supposed * (1 - supposed)) / trials
        gap = difference - supposed
        return gap / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, gap)

    lower = bisected(-1.0, difference, lambda supposed: excess(supposed) <= z)
    upper = bisected(difference, 1.0, lambda supposed: excess(supposed) <= -z)
    return sum(lower) / 2, sum(upper) / 2


def bias_interval(sample: Sample, level: float) -> tuple[Interval, str]:
    """Interval of judge rate less prevalence; see `paired_interval`."""
    signs = sample.cells.quadrant @ (judge_rate.successes - prevalence.successes).ravel()
    return paired_interval(signs, np.ones_like(signs), sample, level)


def paired_interval(
    signs: FloatArray, trial: FloatArray, sample: Sample, level: float
) -> tuple[Interval, str]:
    """Compute Tango's interval of a difference of two shares of the same rows.

    Its number of pairs is the effective one of the clusters.

    A cell of ``signs`` ``(m,)`` is 1 where only the first succeeds, -1 where only the second does, else 0; ``trial`` is 1 for those in both denominators.
    """
    spread = mean_spread(signs, trial, sample)
    only_first, only_second = (float(sample.counts @ (signs == sign)) / spread.trials for sign in (1.0, -1.0))
    differ = only_first + only_second
    worth = effective_trials(
        spread,
        told_by(spread.trials * differ, spread.cluster_size),
        differ - (only_first - only_second) ** 2,
        student=student_ratio(level, spread.degrees),
    )
    ends = tango_interval(only_first, only_second, worth, normal_quantile(level))
    return ends, f"Tango, Wilson's score for pairs{_basis(spread.clusters == spread.trials)}"


def balanced_accuracy_interval(sample: Sample, level: float) -> tuple[Interval, str]:
    """Interval of the mean of two rates from the Wilson interval of each.

    The distances from estimate to end are combined as standard errors are, each side by itself, so that the interval is
    skewed where a rate is near 1. Clusters that hold both classes make the two rates depend on each other.

    Source: Donner and Zou 2012 (method of variance estimates recovery).
    """
    rates = (true_positive_rate, true_negative_rate)
    values = [float(rate(sample.cells.tables(sample.counts))) for rate in rates]
    spreads = [proportion_spread(rate, sample) for rate in rates]
    ends = [
        clustered_wilson_interval(value, each, level)[0] for value, each in zip(values, spreads, strict=True)
    ]
    correlation = _correlation(sample)
    down, up = (
        math.sqrt(max(0.0, first**2 + second**2 + 2 * correlation * first * second)) / 2
        for first, second in zip(
            *([value - low, high - value] for value, (low, high) in zip(values, ends, strict=True)),
            strict=True,
        )
    )
    middle = sum(values) / 2
    independent = all(each.clusters == each.trials for each in spreads)
    return (middle - down, middle + up), f"MOVER of Wilson intervals{_basis(independent)}"


def _correlation(sample: Sample) -> float:
    """Return the correlation of both rates' estimates, over clusters."""
    first, second = (_cluster_sums(rate, sample) for rate in (true_positive_rate, true_negative_rate))
    scale = math.sqrt(float(sample.sizes @ first**2) * float(sample.sizes @ second**2))
    return float(sample.sizes @ (first * second)) / scale if scale > 0 else 0.0


def _cluster_sums(rate: Proportion, sample: Sample) -> FloatArray:
    """Return each cluster's influence on a rate, by group, up to a factor, shape ``(k,)``."""
    success, trial = (sample.cells.quadrant @ cells.ravel() for cells in (rate.successes, rate.trials))
    share = float(sample.counts @ success) / float(sample.counts @ trial)
    return sample.groups @ (success - share * trial)


def _basis(independent: bool) -> str:  # noqa: FBT001 - it is the answer that is worded
    return "" if independent else " on the cluster-effective n"
