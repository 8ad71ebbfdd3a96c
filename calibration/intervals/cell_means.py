"""A linear combination of means, with a standard error and degrees of freedom that hold for few and uneven clusters."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr

from ..arrays import FloatArray, IntArray
from .closed_forms import Interval, t_quantile, wilson_interval
from .variance import variance

_ROUNDING = 1e-12
_POWER = 0.8


class Combination(NamedTuple):
    """An estimate over clusters.

    Attributes:
        value: The estimate.
        error: Its standard error; 0 where no cluster differs from another, NaN where a spread cannot be told.
        degrees: Degrees of freedom of that error; NaN likewise.
        clusters: How many clusters there are.
    """

    value: float
    error: float
    degrees: float
    clusters: int

    @property
    def tellable(self) -> bool:
        """Whether there is a spread to tell: two clusters or more in every mean."""
        return math.isfinite(self.error)

    @property
    def flat(self) -> bool:
        """Whether no cluster differs from another."""
        return self.error <= _ROUNDING

    def interval(self, level: float, least: float = -1.0) -> Interval | None:
        """The values that `p` does not refuse at this level, within [``least``, 1]; None where nothing can be told."""
        if not self.tellable:
            return None
        if self.flat:
            unseen = 1 - ((1 - level) / 2) ** (1 / self.clusters)
            return self.value - unseen * (self.value - least), self.value + unseen * (1 - self.value)
        half = t_quantile(level, self.degrees) * self.error
        return max(least, self.value - half), min(1.0, self.value + half)

    def p(self) -> float | None:
        """Two-sided, of a value of 0; None where nothing can be told.

        Where all clusters say the same, a share of clusters that say the utmost contrary would bring the mean to 0: this is twice
        the chance that none of them was seen.
        """
        if not self.tellable:
            return None
        if self.flat:
            return min(1.0, 2 * (1 + abs(self.value)) ** -self.clusters)
        return float(2 * stdtr(self.degrees, -abs(self.value) / self.error))

    def rate_interval(self, level: float) -> Interval | None:
        """Wilson's interval with as many trials as the error is worth, for a combination that is a rate."""
        if not self.tellable:
            return None
        share = min(1.0, max(0.0, self.value))
        if self.flat or share in {0.0, 1.0}:
            return wilson_interval(share, self.clusters, level)
        worth = share * (1 - share) / self.error**2
        return wilson_interval(share, worth, level, z=t_quantile(level, self.degrees))

    def smallest_visible(self, level: float) -> float | None:
        """The true value that a test at this level finds four times in five; None where nothing can be told."""
        if not self.tellable or self.flat:
            return None
        return (t_quantile(level, self.degrees) + float(ndtri(_POWER))) * self.error


def mean_over_clusters(values: FloatArray, cluster: IntArray) -> Combination:
    """The mean of all values: `combine_means` with one cell."""
    return combine_means(values, np.zeros(len(values), dtype=np.int64), np.ones(1), cluster)


def combine_means(
    values: FloatArray, cell: IntArray, coefficient: FloatArray, cluster: IntArray
) -> Combination:
    """``sum of coefficient[k] * mean(values in cell k)``, clusters independent.

    The standard error is CR2, unbiased where rows are independent and of one variance; the degrees of freedom are Bell and
    McCaffrey's for the same case. For one cell, with a share ``w`` of the rows in each cluster::

        error^2 = sum of (cluster's sum of residuals)^2 / (1 - w) / n^2
        1 / degrees = sum of w^2 + (sum of q)^2 - sum of q^2,  q = w^2 / (1 - w)

    which is ``clusters - 1`` where clusters are of one size.

    Source: Bell and McCaffrey 2002; Pustejovsky and Tipton 2018, for a regression on the indicators of the cells.

    Args:
        values: Shape ``(n,)``.
        cell: Cell number of each, shape ``(n,)``; every cell has a row.
        coefficient: Of each cell's mean, shape ``(k,)``.
        cluster: Cluster number of each value, shape ``(n,)``.

    Returns:
        The combination. A cell whose rows are all in one cluster has no spread that could be told.
    """
    number = np.unique(cluster, return_inverse=True)[1]
    clusters, cells = int(number.max()) + 1, len(coefficient)
    place = number * cells + cell
    rows = np.bincount(cell, minlength=cells)
    means = np.bincount(cell, weights=values, minlength=cells) / rows
    shape = (clusters, cells)
    shares = np.bincount(place, minlength=clusters * cells).reshape(shape) / rows
    sums = np.bincount(place, weights=values - means[cell], minlength=clusters * cells).reshape(shape) / rows
    value = float(coefficient @ means)
    matters = coefficient != 0.0
    if bool((shares[:, matters] >= 1.0).any()):
        return Combination(value, math.nan, math.nan, clusters)
    left = 1.0 - np.where(matters, shares, 0.0)
    error = math.sqrt(variance(sums * coefficient, form="cr2", shares=1.0 - left))
    return Combination(value, error, _degrees(shares, left, coefficient**2 / rows), clusters)


def _degrees(shares: FloatArray, left: FloatArray, weight: FloatArray) -> float:
    """Bell and McCaffrey's: the squared trace of the error's quadratic form over the trace of its square."""
    own = shares @ weight
    beyond = shares / np.sqrt(left) * np.sqrt(weight)
    others = beyond.T @ beyond
    square = float((own**2).sum() + (others**2).sum() - ((beyond**2).sum(axis=1) ** 2).sum())
    return float(own.sum()) ** 2 / square
