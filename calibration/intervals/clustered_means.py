"""Inference on means of rows in clusters, paired differences, and sums of means.

Each has a standard error, an interval, a p-value, and a minimum detectable effect.
"""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

import msgspec
import numpy as np
from scipy.special import betaincinv, ndtri, stdtr

from ..arrays import FloatArray, IntArray, without_gaps
from ..statistic import Statistic, defined, undefined
from .closed_forms import Interval, normal_quantile, t_quantile, wilson_interval
from .clustered_rates import averaged_effect, default_effect, informative_errors
from .variance import MIN_CLUSTERS, cluster_sums, variance

_ROUNDING = 1e-12
"""A value below this is rounding."""

_POWER = 0.8
"""Chance to detect the minimum detectable effect."""

_MAX_ENUMERATED = 13
"""Maximum number of clusters whose sign patterns are enumerated."""

_DRAWS = 20_000
"""Number of sign patterns drawn for more clusters."""


class Combination(NamedTuple):
    """A linear combination of means over clusters, with its errors.

    Attributes:
        value: The estimate.
        error: Standard error; 0 if all clusters are equal, NaN if it cannot be estimated.
        degrees: Degrees of freedom of the error; NaN if the error is NaN.
        clusters: Number of clusters.
        rows: Effective number of rows if they were independent: 1 over the sum of squared weights.
        cluster_size: Mean over rows of the effective size of their cluster.
        row_error: Standard error if rows were independent.
    """

    value: float
    error: float
    degrees: float
    clusters: int
    rows: float
    cluster_size: float
    row_error: float

    @property
    def estimable(self) -> bool:
        """True if the error could be estimated: every mean has two clusters or more."""
        return math.isfinite(self.error)

    @property
    def flat(self) -> bool:
        """True if no cluster differs from another."""
        return self.error <= _ROUNDING

    def interval(self, level: float, least: float = -1.0) -> Interval | None:
        """Return the values that the test of `p` does not reject, within [``least``, 1].

        None if the error cannot be estimated.
        """
        if not self.estimable:
            return None
        if self.flat:
            # If all values are 0, rows have the default dependence. A value other than 0 that all rows share was
            # observed once per cluster.
            units = self.clusters if self.value else self.rows / self._default_effect
            unseen = 1 - ((1 - level) / 2) ** (1 / units)
            return self.value - unseen * (self.value - least), self.value + unseen * (1 - self.value)
        half_width = t_quantile(level, self.degrees) * self.error
        return max(least, self.value - half_width), min(1.0, self.value + half_width)

    def p(self) -> float | None:
        """Return the two-sided p-value for a true value of 0, or None if it cannot be computed.

        If all clusters are equal, the true mean could be 0 only if some share of clusters were at the opposite end.
        The p-value is twice the chance to observe none of these.
        """
        if not self.estimable:
            return None
        if self.flat:
            return min(1.0, 2 * (1 + abs(self.value)) ** -self.clusters)
        return float(2 * stdtr(self.degrees, -abs(self.value) / self.error))

    def rate_interval(self, level: float) -> Interval | None:
        """Return Wilson's interval for a combination that is a rate, on its effective n.

        The effective n is as in `clustered_rates`. None if the error cannot be estimated.
        """
        if not self.estimable:
            return None
        share = min(1.0, max(0.0, self.value))
        errors, observed = self.rows * min(share, 1 - share), 0.0
        if errors > _ROUNDING:
            student = t_quantile(level, self.degrees) / normal_quantile(level)
            observed = self.rows * (max(self.error, self.row_error) * student) ** 2 / (share * (1 - share))
        informative = informative_errors(errors, self.cluster_size)
        effect = averaged_effect(observed, self._default_effect, informative)
        return wilson_interval(share, self.rows / effect, level)

    @property
    def _default_effect(self) -> float:
        return default_effect(self.cluster_size)

    def smallest_visible(self, level: float) -> float | None:
        """Return the true value that is detected with 80 % power, or None if it cannot be computed."""
        if not self.estimable or self.flat:
            return None
        return (t_quantile(level, self.degrees) + float(ndtri(_POWER))) * self.error


def mean_over_clusters(values: FloatArray, cluster: IntArray) -> Combination:
    """Return the mean of all values: `combine_means` with one cell."""
    return combine_means(values, np.zeros(len(values), dtype=np.int64), np.ones(1), cluster)


def combine_means(
    values: FloatArray,
    cell: IntArray,
    coefficient: FloatArray,
    cluster: IntArray,
    weight: FloatArray | None = None,
) -> Combination:
    """Return ``sum of coefficient[k] * mean(values in cell k)``, with errors over clusters.

    The standard error is CR2, which is unbiased if rows are independent with equal variances. The degrees of
    freedom are Bell and McCaffrey's for the same case. For one cell, with a share ``w`` of the rows in each cluster::

        error^2 = sum of (cluster's sum of residuals)^2 / (1 - w) / n^2
        1 / degrees = sum of w^2 + (sum of q)^2 - sum of q^2,  q = w^2 / (1 - w)

    which is ``clusters - 1`` if clusters have equal sizes. The error cannot be estimated if all rows of a
    cell are in one cluster.

    Source: Bell and McCaffrey 2002; Pustejovsky and Tipton 2018, for a regression on the indicators of the
    cells.

    Args:
        values: Values of the rows, shape ``(n,)``.
        cell: Cell number of each row, shape ``(n,)``; every cell has a row.
        coefficient: Coefficient of each cell's mean, shape ``(k,)``.
        cluster: Cluster number of each value, shape ``(n,)``.
        weight: Weight of each value in the mean of its cell, shape ``(n,)``, or None for equal ones.
    """
    if weight is not None:
        return _combine_weighted(values, cell, coefficient, cluster, weight)
    number, clusters = without_gaps(cluster)
    cells = len(coefficient)
    cluster_cell = number * cells + cell
    rows_per_cell = np.bincount(cell, minlength=cells)
    means = np.bincount(cell, weights=values, minlength=cells) / rows_per_cell
    shape = (clusters, cells)
    shares = np.bincount(cluster_cell, minlength=clusters * cells).reshape(shape) / rows_per_cell
    sums = (
        np.bincount(cluster_cell, weights=values - means[cell], minlength=clusters * cells).reshape(shape)
        / rows_per_cell
    )
    value = _without_rounding(float(coefficient @ means))
    has_coefficient = coefficient != 0.0
    if bool((shares[:, has_coefficient] >= 1.0).any()):
        return Combination(value, math.nan, math.nan, clusters, math.nan, math.nan, math.nan)
    other_share = 1.0 - np.where(has_coefficient, shares, 0.0)
    error = math.sqrt(variance(sums * coefficient, form="cr2", shares=1.0 - other_share))
    row_weight = (np.abs(coefficient) / rows_per_cell)[cell]
    squares = float((row_weight**2).sum())
    return Combination(
        value,
        error,
        _degrees(shares, other_share, coefficient**2 / rows_per_cell),
        clusters,
        rows=1 / squares,
        cluster_size=float(((shares @ np.abs(coefficient)) ** 2).sum()) / squares,
        row_error=math.sqrt(float((row_weight**2 * (values - means[cell]) ** 2).sum())),
    )


def _without_rounding(value: float) -> float:
    # An interval asks whether a sum is 0, and processors round it differently.
    return 0.0 if abs(value) <= _ROUNDING else value


def _combine_weighted(
    values: FloatArray, cell: IntArray, coefficient: FloatArray, cluster: IntArray, weight: FloatArray
) -> Combination:
    """Return `combine_means` of weighted values."""
    number, clusters = without_gaps(cluster)
    cells = len(coefficient)
    cluster_cell = number * cells + cell
    share = weight / np.bincount(cell, weights=weight, minlength=cells)[cell]
    squared_shares = np.bincount(cell, weights=share**2, minlength=cells)
    means = np.bincount(cell, weights=share * values, minlength=cells)
    residual = values - means[cell]
    shares, sums = (
        np.bincount(cluster_cell, weights=array, minlength=clusters * cells)
        .reshape(clusters, cells)
        .astype(np.float64)
        for array in (share, share * residual)
    )
    value = _without_rounding(float(coefficient @ means))
    has_coefficient = coefficient != 0.0
    if bool((shares[:, has_coefficient] >= 1.0).any()):
        return Combination(value, math.nan, math.nan, clusters, math.nan, math.nan, math.nan)
    other_share = 1.0 - np.where(has_coefficient, shares, 0.0)
    row_weight = np.abs(coefficient)[cell] * share
    squared_sums = ((sums * coefficient) / np.sqrt(other_share)).sum(axis=1) ** 2
    # If a few rows have most of the weight, and vary unlike the others, the fourth moments of the clusters' sums show
    # fewer degrees of freedom.
    fourth_moment = float((squared_sums**2).sum())
    # For normal sums the fourth moment is three times the squared variance.
    observed_degrees = 3 * float(squared_sums.sum()) ** 2 / fourth_moment if fourth_moment else math.inf
    squares = float((row_weight**2).sum())
    return Combination(
        value,
        math.sqrt(variance(sums * coefficient, form="cr2", shares=1.0 - other_share)),
        max(1.0, min(_degrees(shares, other_share, coefficient**2 * squared_shares), observed_degrees)),
        clusters,
        rows=1 / squares,
        cluster_size=float(((shares @ np.abs(coefficient)) ** 2).sum()) / squares,
        row_error=math.sqrt(float((row_weight**2 * residual**2).sum())),
    )


def _degrees(shares: FloatArray, other_share: FloatArray, weight: FloatArray) -> float:
    """Compute Bell and McCaffrey's degrees of freedom.

    They are the squared trace of the variance's quadratic form over the trace of its square.
    """
    diagonal = shares @ weight
    scaled = shares / np.sqrt(other_share) * np.sqrt(weight)
    products = scaled.T @ scaled
    trace_of_square = float((diagonal**2).sum() + (products**2).sum() - ((scaled**2).sum(axis=1) ** 2).sum())
    return float(diagonal.sum()) ** 2 / trace_of_square


class Shift(msgspec.Struct, frozen=True, kw_only=True):
    """A paired difference.

    Attributes:
        difference: Mean difference, with an interval.
        p: Two-sided p-value of no difference, or None without pairs.
        minimum_detectable: Smallest difference that this many pairs detect with 80 % power, or None if no
            difference can be detected.
    """

    difference: Statistic
    p: float | None
    minimum_detectable: float | None


def mean_of(values: FloatArray, cluster: IntArray, *, level: float = 0.95, least: float = -1.0) -> Statistic:
    """Return the mean of ``(n,)`` values, with the interval of `mean_over_clusters`.

    Values are in [-1, 1], none below ``least``.
    """
    if not len(values):
        return undefined("no row was graded", n=0, level=level)
    return _with_interval(mean_over_clusters(values, cluster), len(values), level, least)


def _with_interval(combination: Combination, n: int, level: float, least: float) -> Statistic:
    if not combination.estimable:
        return defined(
            combination.value, n=n, method="cluster-t: no interval from a single cluster", level=level
        )
    method = "upper bound (none seen)" if combination.flat else "cluster-t (CR2)"
    return defined(combination.value, combination.interval(level, least), n=n, method=method, level=level)


def paired_shift(differences: FloatArray, cluster: IntArray, *, level: float = 0.95, seed: int = 0) -> Shift:
    """Test the mean of paired differences in [-1, 1], shape ``(n,)``, over clusters.

    The interval contains 0 exactly when the test finds no difference.

    The p-value is the larger of two. One is Student's over clusters, which guards against clusters of very unequal
    sizes. The other is that of flipping signs of clusters, which guards against few differing pairs: under the null
    hypothesis the two sides of each pair are exchangeable, so a cluster's sum is as likely as its negative. For
    0/1 outcomes with one pair per cluster, sign flips are McNemar's exact test. ``seed`` is for drawing sign
    patterns if there are too many to enumerate.
    """
    if not len(differences):
        return Shift(difference=mean_of(differences, cluster, level=level), p=None, minimum_detectable=None)
    mean, sums = mean_over_clusters(differences, cluster), cluster_sums(differences, cluster)
    difference, student = _with_interval(mean, len(differences), level, -1.0), mean.p()
    p = _sign_flip_p(sums[sums != 0.0], seed)
    p = p if student is None else max(p, student)
    # The sign-flip test may accept 0 where Student's interval lacks it: extend that to 0.
    if p > 1 - level and difference.low is not None and difference.high is not None:
        ends = min(difference.low, 0.0), max(difference.high, 0.0)
        difference = msgspec.structs.replace(difference, low=ends[0], high=ends[1])
    return Shift(difference=difference, p=p, minimum_detectable=_minimum_detectable(mean, level))


def _sign_flip_p(sums: FloatArray, seed: int) -> float:
    if not len(sums):
        return 1.0
    # Sums of fractions differ by rounding; a sum as extreme as the observed one must count.
    observed = abs(float(sums.sum())) - 1e-9
    if len(sums) <= _MAX_ENUMERATED:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(sums))))
        return float((np.abs(signs @ sums) >= observed).mean())
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(_DRAWS, len(sums)))
    # The observed pattern counts as one of the draws, so that p is never 0.
    return float(((np.abs(signs @ sums) >= observed).sum() + 1) / (_DRAWS + 1))


def _minimum_detectable(combination: Combination, level: float) -> float | None:
    """Return the minimum detectable shift, by the observed spread.

    It is at least the shift with which enough clusters differ for the sign-flip test, with 80 % power.
    """
    # With k differing clusters the smallest p-value of sign flips is 2 / 2^k.
    needed = math.ceil(math.log2(2 / (1 - level)))
    if combination.clusters < max(needed, MIN_CLUSTERS):
        return None
    by_spread = combination.smallest_visible(level) or 0.0
    # The share with which a binomial number of differing clusters reaches `needed` with 80 % power.
    by_count = float(betaincinv(needed, combination.clusters - needed + 1, _POWER))
    return min(1.0, max(by_spread, by_count))
