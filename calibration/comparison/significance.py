"""Tests (McNemar, Fisher, DeLong), adjusted p-values, and ranks of systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, gammaln, ndtr, stdtr

from ..arrays import BoolArray, FloatArray, IntArray
from ..intervals.clustered_means import combine_means
from ..statistic import Statistic, defined, undefined


class McNemar(NamedTuple):
    """The p-values of McNemar's test, two-sided.

    Attributes:
        exact_p: Binomial, conservative.
        midp: Binomial with half of the observed probability; the one to use (Fagerland et al. 2013).
    """

    exact_p: float
    midp: float


def mcnemar(a_only: int, b_only: int) -> McNemar:
    """Return McNemar's p-values; 1 with no discordant item.

    Source: McNemar 1947; exact and mid-p forms as in Fagerland, Lydersen and Laake 2013.
    """
    if min(a_only, b_only) < 0:
        raise ValueError("counts are at least 0")
    discordant = a_only + b_only
    if discordant == 0:
        return McNemar(1.0, 1.0)
    fewer = min(a_only, b_only)
    tail = float(bdtr(fewer, discordant, 0.5))
    point_probability = tail - (float(bdtr(fewer - 1, discordant, 0.5)) if fewer else 0.0)
    return McNemar(exact_p=min(1.0, 2 * tail), midp=min(1.0, 2 * tail - point_probability))


def fisher_one_sided(first: int, first_n: int, second: int, second_n: int) -> float:
    """Return Fisher's exact p-value of "the first group has no higher rate of events".

    Source: Fisher 1935; the hypergeometric distribution given all margins.
    """
    events, n = first + second, first_n + second_n
    as_extreme = np.arange(first, min(events, first_n) + 1)
    log_ways = _log_choose(first_n, as_extreme) + _log_choose(second_n, events - as_extreme)
    return min(1.0, float(np.exp(log_ways - _log_choose(n, events)).sum()))


def _log_choose(n: int, k: IntArray | int) -> FloatArray:
    return gammaln(n + 1) - gammaln(np.add(k, 1)) - gammaln(np.subtract(n, k) + 1)


class DeLong(NamedTuple):
    """Comparison of two areas under the ROC curve.

    Attributes:
        areas: Areas under the ROC curve of the first and of the second score.
        difference: First minus second.
        standard_error: Standard error of the difference, over clusters; NaN if a class is in a single cluster.
        p: Two-sided p-value of equal areas, or None if the difference has no spread.
    """

    areas: tuple[float, float]
    difference: float
    standard_error: float
    p: float | None


def delong(
    right: BoolArray, first: FloatArray, second: FloatArray, cluster: IntArray | None = None
) -> DeLong | None:
    """Compute DeLong's test for two correlated areas under the ROC curve, by mid-ranks.

    Each array has shape ``(n,)``. None with fewer than two rows of either class.

    The variance of an area is that of two means of placements, one for each class. If clusters have several rows,
    it is over clusters, and the p-value is Student's (`combine_means`).

    Source: DeLong, DeLong and Clarke-Pearson 1988; Sun and Xu 2014 for the mid-ranks; Obuchowski 1997 for
    clusters.
    """
    if min(int(right.sum()), int((~right).sum())) < 2:  # noqa: PLR2004 - a variance needs two
        return None
    by_score = [placements(right, score) for score in (first, second)]
    # An area under the curve is the mean placement of the right rows.
    areas = float(by_score[0][right].mean()), float(by_score[1][right].mean())
    clusters = np.arange(len(right)) if cluster is None else cluster
    # The influences of both classes add up, so the error is that of the sum of their means.
    contrast = combine_means(by_score[0] - by_score[1], right.astype(np.int64), np.ones(2), clusters)
    difference = areas[0] - areas[1]
    if not contrast.estimable or contrast.flat:
        return DeLong(areas, difference, contrast.error, None)
    if contrast.clusters == len(right):
        return DeLong(areas, difference, contrast.error, float(2 * ndtr(-abs(difference) / contrast.error)))
    p = float(2 * stdtr(contrast.degrees, -abs(difference) / contrast.error))
    return DeLong(areas, difference, contrast.error, p)


def placements(positive: BoolArray, score: FloatArray) -> FloatArray:
    """Return each row's placement: the share of rows of the other class ranked correctly.

    For a positive row it is the share of negative rows with a lower score, for a negative row the share of
    positive rows with a higher one; ties count half.
    """
    ranks, m = mid_ranks(score), int(positive.sum())
    result = np.empty(len(score))
    result[positive] = (ranks[positive] - mid_ranks(score[positive])) / (len(score) - m)
    result[~positive] = 1.0 - (ranks[~positive] - mid_ranks(score[~positive])) / m
    return result


def mid_ranks(values: FloatArray) -> FloatArray:
    """Return ranks from 1, shape ``(n,)``; equal values share the mean of their ranks."""
    _, code, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[code]


def holm(p_values: FloatArray) -> FloatArray:
    """Adjust p-values by Holm's step-down, which bounds the chance of any false alarm.

    It is valid under any dependence. The order of the p-values is kept.

    Source: Holm 1979.
    """
    order = np.argsort(p_values, kind="stable")
    steps = np.arange(len(p_values), 0, -1) * p_values[order]
    return _unsort(np.maximum.accumulate(steps), order)


def benjamini_hochberg(p_values: FloatArray) -> FloatArray:
    """Adjust p-values by Benjamini and Hochberg's step-up, for screening.

    It bounds the share of false alarms among alarms, for independent or positively dependent tests.

    Source: Benjamini and Hochberg 1995.
    """
    order = np.argsort(p_values, kind="stable")
    steps = len(p_values) / np.arange(1, len(p_values) + 1) * p_values[order]
    return _unsort(np.minimum.accumulate(steps[::-1])[::-1], order)


def benjamini_yekutieli(p_values: FloatArray) -> FloatArray:
    """Adjust p-values as `benjamini_hochberg` does, under any dependence.

    Source: Benjamini and Yekutieli 2001.
    """
    penalty = float((1 / np.arange(1, len(p_values) + 1)).sum())
    return np.minimum(1.0, benjamini_hochberg(p_values) * penalty)


def adjust_known(
    p_values: Sequence[float | None], method: Callable[[FloatArray], FloatArray] = holm
) -> list[float | None]:
    """Adjust the known p-values; None stays None and is not counted."""
    adjusted = iter(method(np.array([p for p in p_values if p is not None], dtype=np.float64)).tolist())
    return [None if p is None else next(adjusted) for p in p_values]


def _unsort(adjusted: FloatArray, order: np.ndarray[tuple[int], np.dtype[np.intp]]) -> FloatArray:
    result = np.empty_like(adjusted)
    result[order] = np.minimum(1.0, adjusted)
    return result


def simultaneous_level(level: float, systems: int) -> float:
    """Return the level each interval needs for all of them to hold at once (Bonferroni)."""
    return 1 - (1 - level) / max(systems, 1)


class _RateWithInterval(NamedTuple):
    """Rate of a system whose interval is defined."""

    value: float
    low: float
    high: float


def ranks(rates: Mapping[str, Statistic], *, level: float = 0.95) -> dict[str, Statistic]:
    """Rank systems by their rates, 1 for the highest, with an interval of ranks for each.

    Equal rates share the better rank. A rank is undefined if the rate has no interval, or no other rate has one.
    A system without a rate may rank above any other.

    A system is surely worse than systems whose intervals lie entirely above its own, and surely better than
    those whose intervals lie entirely below. If the intervals are simultaneous at the level, so are the ranks.

    Source: Klein, Wright and Wieczorek 2020.
    """
    ranked = {
        name: _RateWithInterval(rate.value, rate.low, rate.high)
        for name, rate in rates.items()
        if rate.value is not None and rate.low is not None and rate.high is not None
    }
    result: dict[str, Statistic] = {}
    for name in rates:
        if name not in ranked:
            result[name] = undefined("the system's rate has no interval", n=len(ranked), level=level)
            continue
        if len(ranked) == 1:
            result[name] = undefined("no other system's rate has an interval", n=1, level=level)
            continue
        interval = ranked[name]
        better = sum(other.value > interval.value for other in ranked.values())
        surely_better = sum(other.low > interval.high for other in ranked.values())
        surely_worse = sum(other.high < interval.low for other in ranked.values())
        result[name] = defined(
            1.0 + better,
            (1.0 + surely_better, float(len(rates) - surely_worse)),
            n=len(ranked),
            method="simultaneous intervals",
            level=level,
        )
    return result
