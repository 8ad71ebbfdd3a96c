"""Means and shares of rows in clusters, and the paired difference of two, with what could have been found."""

from __future__ import annotations

import math
from itertools import product

import msgspec
import numpy as np
from scipy.special import betaincinv

from ..arrays import FloatArray, IntArray
from ..sample import make_sample
from ..statistic import Statistic, defined, undefined
from ..statistics.estimator import ESTIMATORS
from .closed_forms import normal_quantile, t_interval, t_quantile
from .measurement import Settings, measure
from .variance import Estimate, cluster_sums

_FEWEST = 2
_ENUMERATED, _DRAWN = 13, 20_000
"""Up to so many clusters with a difference every pattern of signs is looked at; of more, so many are drawn."""


class Shift(msgspec.Struct, frozen=True, kw_only=True):
    """A paired difference.

    Attributes:
        difference: Its mean, with an interval.
        p: Of no difference, two-sided; None when there are no pairs.
        minimum_detectable: The smallest difference that so many pairs show with 80 % chance; None when none is.
    """

    difference: Statistic
    p: float | None
    minimum_detectable: float | None


def share_of(passed: FloatArray, cluster: IntArray, *, level: float = 0.95) -> Statistic:
    """A share of rows, with Wilson's interval on the cluster-effective n.

    Args:
        passed: 0 or 1, shape ``(n,)``.
        cluster: Cluster number of each row, shape ``(n,)``.
        level: Nominal coverage.

    Returns:
        The share; undefined without rows.
    """
    if not len(passed):
        return undefined("no row was graded", n=0, level=level)
    sample = make_sample(np.ones(len(passed)), passed, cluster)
    return measure([ESTIMATORS["judge_rate"]], sample, Settings(level=level))["judge_rate"]


def mean_of(values: FloatArray, cluster: IntArray, *, level: float = 0.95, least: float = -1.0) -> Statistic:
    """A mean of values in [-1, 1], with a cluster-t interval.

    Args:
        values: Shape ``(n,)``.
        cluster: Cluster number of each row, shape ``(n,)``.
        level: Nominal coverage.
        least: The smallest value there can be.

    Returns:
        The mean. Where all values are equal the interval says how large a share of clusters could differ and not have
        been seen: ``1 - ((1 - level) / 2)^(1 / clusters)``.
    """
    if not len(values):
        return undefined("no row was graded", n=0, level=level)
    value, error, clusters = _spread(values, cluster)
    if clusters < _FEWEST:
        return defined(
            value, n=len(values), method="cluster-t: no interval from a single cluster", level=level
        )
    if error == 0.0:
        room = 1 - ((1 - level) / 2) ** (1 / clusters)
        interval = max(least, value - room), min(1.0, value + room)
        return defined(value, interval, n=len(values), method="bound on what was not seen", level=level)
    low, high = t_interval(value, error, clusters, level)
    return defined(value, (max(least, low), min(1.0, high)), n=len(values), method="cluster-t", level=level)


def paired_shift(differences: FloatArray, cluster: IntArray, *, level: float = 0.95, seed: int = 0) -> Shift:
    """The mean of paired differences, tested by flipping signs of clusters.

    Under the null hypothesis the two sides of each pair are exchangeable, so a cluster's sum is as likely as its negative. The test
    is exact; of 0/1 outcomes, one pair a cluster, it is McNemar's exact test.

    Args:
        differences: In [-1, 1], shape ``(n,)``.
        cluster: Cluster number of each pair, shape ``(n,)``.
        level: Of the interval.
        seed: For the patterns of signs, when there are too many for all of them.

    Returns:
        Difference, p-value and the minimum detectable difference.
    """
    difference = mean_of(differences, cluster, level=level)
    if not len(differences):
        return Shift(difference=difference, p=None, minimum_detectable=None)
    sums = cluster_sums(differences, cluster)
    return Shift(
        difference=difference,
        p=_sign_flip_p(sums[sums != 0.0], seed),
        minimum_detectable=_minimum_detectable(differences, cluster, level),
    )


def _sign_flip_p(sums: FloatArray, seed: int) -> float:
    if not len(sums):
        return 1.0
    # Sums of fractions differ by rounding alone; what is as far out as what was seen must count.
    observed = abs(float(sums.sum())) - 1e-9
    if len(sums) <= _ENUMERATED:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(sums))))
        return float((np.abs(signs @ sums) >= observed).mean())
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(_DRAWN, len(sums)))
    return float(((np.abs(signs @ sums) >= observed).sum() + 1) / (_DRAWN + 1))


def _minimum_detectable(differences: FloatArray, cluster: IntArray, level: float) -> float | None:
    """By the spread that was seen, and never less than what enough clusters with a difference make significant."""
    _, error, clusters = _spread(differences, cluster)
    needed = math.ceil(math.log2(2 / (1 - level)))
    if clusters < max(needed, _FEWEST):
        return None
    power = normal_quantile(0.6)  # two-sided 0.6 is one-sided 0.8
    by_spread = (t_quantile(level, clusters - 1) + power) * error
    by_count = float(betaincinv(needed, clusters - needed + 1, 0.8))
    return min(1.0, max(by_spread, by_count))


def _spread(values: FloatArray, cluster: IntArray) -> tuple[float, float, int]:
    """Mean, its standard error over clusters, and how many clusters there are."""
    value = float(values.mean())
    codes = np.unique(cluster, return_inverse=True)[1]
    clusters = int(codes.max()) + 1
    if clusters < _FEWEST or np.ptp(values) == 0.0:
        return value, 0.0, clusters
    return value, Estimate(value, (values - value) / len(values), codes).error(), clusters
