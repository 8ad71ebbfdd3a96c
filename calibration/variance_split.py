"""Variance of repeated trials, split into case and sampling, and the gain from more of each."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from .arrays import FloatArray, IntArray, numbered, without_gaps
from .intervals.closed_forms import normal_quantile, t_quantile
from .intervals.variance import FEWEST
from .statistic import Statistic, defined, undefined


class VarianceSplit(msgspec.Struct, frozen=True, kw_only=True):
    """Variance of one result, by its case and by sampling.

    Attributes:
        by_case: Share of a result's variance that is between cases; the rest is between trials of a case.
        half_width: Approximate half-width of the interval of the mean.
        twice_the_trials: Half-width with twice as many trials of every case.
        endless_trials: Half-width with endlessly many trials of every case.
        twice_the_cases: Half-width with twice as many cases.
    """

    by_case: Statistic
    half_width: float | None = None
    twice_the_trials: float | None = None
    endless_trials: float | None = None
    twice_the_cases: float | None = None


def variance_split(
    values: FloatArray, case: IntArray, cluster: IntArray, *, level: float = 0.95
) -> VarianceSplit | None:
    """Split the variance of ``(n,)`` results of repeated trials; None if no case has two.

    One-way analysis of variance with random cases, unbiased for any numbers of trials; the interval of the
    share is a jackknife over clusters on Fisher's scale, with its upper end halfway to that on log-odds. The
    mean's variance is over clusters; sampling's part of it is the variance within cases over the number of
    results.

    Source: Searle, Casella and McCulloch 1992, section 3.6; Miller 2024 (arXiv 2411.00640) for evaluations.

    Args:
        values: Results in [0, 1].
        case: Number of the case, or of any other repeated unit, of each result.
        cluster: Cluster number; equal for all trials of a case.
        level: Nominal coverage.
    """
    number, cases = numbered(case)[1], len(np.unique(case))
    if cases == len(values):
        return None
    if cases < FEWEST:
        return VarianceSplit(by_case=undefined("there is one case", n=cases, level=level))
    sums = _case_sums(values, number, cases)
    of_case = np.zeros(cases, dtype=np.int64)
    of_case[number] = cluster
    code, clusters = without_gaps(of_case)
    by_cluster = np.stack([np.bincount(code, weights=each, minlength=clusters) for each in sums]).astype(
        np.float64
    )
    between, within = (float(each) for each in _components(by_cluster.sum(axis=1)))
    if between + within <= 0.0:
        return VarianceSplit(by_case=undefined("all results are alike", n=cases, level=level))
    share = min(1.0, max(0.0, between / (between + within)))
    trials = len(values)
    mean = values.mean()
    residual = np.bincount(code, weights=sums[1] - mean * sums[0], minlength=clusters) / trials
    error2 = float((residual**2).sum()) * clusters / (clusters - 1) if clusters >= FEWEST else math.nan
    sampling = min(max(0.0, within) / trials, error2)
    z = normal_quantile(level)
    widths = {
        "half_width": error2,
        "twice_the_trials": error2 - sampling / 2,
        "endless_trials": error2 - sampling,
        "twice_the_cases": error2 / 2,
    }
    halves = {name: z * math.sqrt(max(0.0, each)) for name, each in widths.items() if math.isfinite(each)}
    return VarianceSplit(by_case=_share(share, by_cluster, cases, level), **halves)


def _case_sums(values: FloatArray, case: IntArray, cases: int) -> FloatArray:
    """Return the sums of the analysis by case, shape ``(6, cases)``.

    They are trials, sum, sum of squares, squared trials, squared sum over trials, and 1.
    """
    trials = np.bincount(case, minlength=cases).astype(np.float64)
    total = np.bincount(case, weights=values, minlength=cases)
    squares = np.bincount(case, weights=values**2, minlength=cases)
    return np.stack([trials, total, squares, trials**2, total**2 / trials, np.ones(cases)]).astype(np.float64)


def _components(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the variances between and within cases, from sums over cases, shape ``(6, ...)``."""
    trials, total, squares, squared, parts, cases = sums
    freedom = trials - cases
    within = np.where(freedom > 0, (squares - parts) / np.where(freedom > 0, freedom, 1.0), 0.0)
    mean_square = (parts - total**2 / trials) / np.maximum(cases - 1, 1)
    size = (trials - squared / trials) / np.maximum(cases - 1, 1)
    return (mean_square - within) / size, within


def _share(share: float, by_cluster: FloatArray, cases: int, level: float) -> Statistic:
    """Return the share with its jackknife interval."""
    clusters = by_cluster.shape[1]
    if clusters <= FEWEST:
        return defined(share, n=cases, method="no interval from so few clusters", level=level)
    between, within = _components(by_cluster.sum(axis=1, keepdims=True) - by_cluster)
    total = between + within
    left_out = np.where(total > 0, between / np.where(total > 0, total, 1.0), 0.0)
    scaled = np.arctanh(np.clip(left_out, -_MOST, _MOST))
    error = math.sqrt(float(((scaled - scaled.mean()) ** 2).sum()) * (clusters - 1) / clusters)
    centre, reach = math.atanh(min(share, _MOST)), t_quantile(level, clusters - 1) * error
    high = math.tanh(centre + reach)
    if left_out.min() > 0.0 and share > 0.0:
        high = (high + _on_log_odds(share, left_out, t_quantile(level, clusters - 1))) / 2
    ends = max(0.0, math.tanh(centre - reach)), max(share, high)
    return defined(share, ends, n=cases, method="jackknife over clusters", level=level)


def _on_log_odds(share: float, left_out: FloatArray, quantile: float) -> float:
    """Return the upper end of an interval on the scale of log-odds.

    There small shares have larger errors: a few cases that fail seldom show all of them.
    """
    odds = np.log(left_out / (1 - np.minimum(left_out, _MOST)))
    clusters = len(odds)
    error = math.sqrt(float(((odds - odds.mean()) ** 2).sum()) * (clusters - 1) / clusters)
    centre = math.log(share / (1 - min(share, _MOST)))
    return 1 / (1 + math.exp(-centre - quantile * error))


_MOST = 1 - 1e-9
"""Shares beyond this have no finite place on Fisher's scale."""
