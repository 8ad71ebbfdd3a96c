"""Variance of repeated trials, split into case and sampling, and the gain from more of each."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from .arrays import FloatArray, IntArray, numbered, without_gaps
from .intervals.closed_forms import normal_quantile, t_quantile
from .intervals.variance import MIN_CLUSTERS, left_out_error
from .statistic import Statistic, defined, undefined

_MAX_SHARE = 1 - 1e-9
"""Limit of shares, above which Fisher's scale is infinite."""

_ROUNDING = 1e-9
"""A variance or width below this is rounding."""


class VarianceSplit(msgspec.Struct, frozen=True, kw_only=True):
    """Variance of one result, split into case and sampling.

    Attributes:
        by_case: Share of a result's variance that is between cases; the rest is between trials of a case.
        within: Variance between trials of a case; 0 if all trials of each case agree.
        half_width: Half-width of the interval of the mean; approximate if no interval was given.
        twice_the_trials: Half-width with twice as many trials of every case.
        endless_trials: Half-width in the limit of infinitely many trials of every case, or None if cases do not
            vary more than sampling explains.
        twice_the_cases: Half-width with twice as many cases.
    """

    by_case: Statistic
    within: float | None = None
    half_width: float | None = None
    twice_the_trials: float | None = None
    endless_trials: float | None = None
    twice_the_cases: float | None = None

    @property
    def tells(self) -> bool:
        """True if the share has an interval of some width."""
        low, high = self.by_case.low, self.by_case.high
        return low is not None and high is not None and high - low > _ROUNDING


def variance_split(
    values: FloatArray,
    case: IntArray,
    cluster: IntArray,
    *,
    mean: Statistic | None = None,
    level: float = 0.95,
) -> VarianceSplit | None:
    """Split the variance of ``(n,)`` results of repeated trials, or None if no case has two.

    It is a one-way analysis of variance with random cases, unbiased for any numbers of trials. The interval of the
    share is a jackknife over clusters on Fisher's scale, with its upper end halfway to that on log-odds. The variance
    of the mean is over clusters; the part that sampling adds is the variance within cases over the number of results.
    Half-widths are in proportion to the square root of that variance.

    Source: Searle, Casella and McCulloch 1992, section 3.6; Miller 2024 (arXiv 2411.00640) for evaluations.

    Args:
        values: Results in [0, 1].
        case: Number of the case, or of any other repeated unit, of each result.
        cluster: Cluster number; equal for all trials of a case.
        mean: The mean with its interval, whose half-width is that of the split; None takes the normal
            approximation.
        level: Nominal coverage.
    """
    distinct, case_number = numbered(case)
    cases, trials = len(distinct), len(values)
    if cases == trials:
        return None
    if cases < MIN_CLUSTERS:
        return VarianceSplit(by_case=undefined("there is one case", n=cases, level=level))
    case_sums = _case_sums(values, case_number, cases)
    cluster_of_case = np.zeros(cases, dtype=np.int64)
    cluster_of_case[case_number] = cluster
    code, clusters = without_gaps(cluster_of_case)
    cluster_sums = np.stack([_sums(code, row, clusters) for row in case_sums])
    between, within = (float(component) for component in _components(cluster_sums.sum(axis=1)))
    if between + within <= 0.0:
        return VarianceSplit(by_case=undefined("all results are alike", n=cases, level=level))
    share = _share(min(1.0, max(0.0, between / (between + within))), cluster_sums, cases, level)
    within = within if within > _ROUNDING else 0.0
    if clusters < MIN_CLUSTERS:
        return VarianceSplit(by_case=share, within=within)
    trials_by_case, sum_by_case, *_ = case_sums
    residual = _sums(code, sum_by_case - values.mean() * trials_by_case, clusters) / trials
    variance = float((residual**2).sum()) * clusters / (clusters - 1)
    if variance <= _ROUNDING**2:
        return VarianceSplit(by_case=share, within=within)
    sampling = min(within / trials, variance)
    scale = normal_quantile(level)
    if mean is not None and mean.low is not None and mean.high is not None:
        scale = (mean.high - mean.low) / 2 / math.sqrt(variance)

    def half_width(of_mean: float) -> float:
        return scale * math.sqrt(of_mean)

    return VarianceSplit(
        by_case=share,
        within=within,
        half_width=half_width(variance),
        twice_the_trials=half_width(variance - sampling / 2),
        endless_trials=half_width(variance - sampling) if variance > sampling else None,
        twice_the_cases=half_width(variance / 2),
    )


def _sums(code: IntArray, values: FloatArray, count: int) -> FloatArray:
    """Return the sum of the values of each code, shape ``(count,)``."""
    return np.bincount(code, weights=values, minlength=count).astype(np.float64)


def _case_sums(values: FloatArray, case: IntArray, cases: int) -> FloatArray:
    """Return the sums of the analysis by case, shape ``(6, cases)``.

    By row they are the number of trials, the sum, the sum of squares, the squared number of trials, the squared sum
    over the number of trials, and 1. Added over cases, they are the sums of a set of cases.
    """
    trials, total, squares = (
        _sums(case, weights, cases) for weights in (np.ones(len(values)), values, values**2)
    )
    return np.stack([trials, total, squares, trials**2, total**2 / trials, np.ones(cases)])


def _components(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the variances between and within cases, from sums over cases, shape ``(6, ...)``."""
    trials, total, squares, squared_trials, between_squares, cases = sums
    freedom = trials - cases
    within = np.where(freedom > 0, (squares - between_squares) / np.where(freedom > 0, freedom, 1.0), 0.0)
    mean_square = (between_squares - total**2 / trials) / np.maximum(cases - 1, 1)
    # Trials per case: their mean if all cases have equal numbers, else less (Searle et al. 1992, section 3.6).
    size = (trials - squared_trials / trials) / np.maximum(cases - 1, 1)
    return (mean_square - within) / size, within


def _share(share: float, sums: FloatArray, cases: int, level: float) -> Statistic:
    """Return the share with its jackknife interval; ``sums`` have shape ``(6, clusters)``."""
    clusters = sums.shape[1]
    if clusters <= MIN_CLUSTERS:
        return defined(share, n=cases, method="no interval from so few clusters", level=level)
    # Each column leaves out one cluster.
    between, within = _components(sums.sum(axis=1, keepdims=True) - sums)
    total = between + within
    left_out = np.where(total > 0, between / np.where(total > 0, total, 1.0), 0.0)
    quantile = t_quantile(level, clusters - 1)
    half_width = quantile * float(left_out_error(np.arctanh(np.clip(left_out, -_MAX_SHARE, _MAX_SHARE))))
    centre = math.atanh(min(share, _MAX_SHARE))
    high = math.tanh(centre + half_width)
    if left_out.min() > 0.0 and share > 0.0:
        high = (high + _high_on_log_odds(share, left_out, quantile)) / 2
    ends = max(0.0, math.tanh(centre - half_width)), max(share, high)
    return defined(share, ends, n=cases, method="jackknife over clusters", level=level)


def _high_on_log_odds(share: float, left_out: FloatArray, quantile: float) -> float:
    """Return the upper end of an interval on the scale of log-odds.

    Small shares have larger errors on that scale: a few cases that fail seldom show all of them.
    """
    error = float(left_out_error(np.log(left_out / (1 - np.minimum(left_out, _MAX_SHARE)))))
    centre = math.log(share / (1 - min(share, _MAX_SHARE)))
    return 1 / (1 + math.exp(-centre - quantile * error))
