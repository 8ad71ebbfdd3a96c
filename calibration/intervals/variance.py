"""Variance of an estimate from the influence of clusters, for all analytic standard errors.

The influence of a row is how much it moves an estimate. Rows of one cluster depend on each other, clusters do not.
So influence is summed within clusters, and the squares of the sums are added over clusters. Clusters with equal
counts are one *group*, as in `Sample`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from ..arrays import FloatArray, IntArray, clusters_in, derivative, without_gaps

if TYPE_CHECKING:
    from ..sample import Sample
    from ..statistics.rates import Proportion

VarianceForm: TypeAlias = Literal["cr1", "cr2", "jackknife"]
"""Correction of the sum of squares, which is too small with few clusters.

* ``cr1``: times G / (G - 1), as in regression software.
* ``cr2``: unbiased if rows are independent with equal variances.
* ``jackknife``: leaving out one cluster at a time (CR3).

All agree if clusters have equal sizes. If a few clusters have most rows, each is larger than the one before.
"""

_SHARE_POWER = {"cr1": 0.0, "cr2": 0.5, "jackknife": 1.0}
"""Power of ``1 - share`` by which a cluster's sum is divided."""

_BLOCK = 1 << 20
"""Maximum number of array elements of a block in `influence`, which bounds its memory."""

MIN_CLUSTERS = 2
"""Minimum number of clusters for a standard error; a single one has no spread."""


def cluster_error(influence: FloatArray, cluster: IntArray, label_cluster: IntArray | None = None) -> float:
    """Compute the standard error over clusters of an estimate, from each row's influence.

    The influence has shape ``(n,)``; for a mean it is the distance from the mean, over n. The error is NaN
    for one cluster. If labels are scarce, pass their clusters as ``label_cluster``: their number sets the
    correction for few clusters.
    """
    clusters = None if label_cluster is None else max(MIN_CLUSTERS, clusters_in(label_cluster))
    return math.sqrt(variance(cluster_sums(influence, cluster), clusters=clusters))


def cluster_sums(values: FloatArray, cluster: IntArray) -> FloatArray:
    """Sum row values, shape ``(n,)``, by cluster, shape ``(G,)``, in order of cluster number."""
    number, clusters = without_gaps(cluster)
    return np.bincount(number, weights=values, minlength=clusters).astype(np.float64)


def variance(
    sums: FloatArray,
    times: IntArray | None = None,
    *,
    form: VarianceForm = "cr1",
    shares: FloatArray | float = 0.0,
    clusters: int | None = None,
) -> float:
    """Compute the variance of an estimate over clusters.

    Source: Liang and Zeger 1986; for evaluations Miller 2024 (arXiv 2411.00640); Bell and McCaffrey 2002 for
    ``cr2`` and the jackknife.

    Args:
        sums: Influence of one cluster of each group, shape ``(k,)``, or ``(k, q)`` if the estimate is a sum of
            q parts.
        times: Number of clusters in each group, shape ``(k,)``, or None for one in each.
        form: The correction for few clusters.
        shares: Share of the denominator, or of each part's, that is in one cluster; used by ``cr2`` and
            ``jackknife``.
        clusters: Number of clusters for the correction, or None for all.

    Returns:
        The variance; NaN with fewer than two clusters.
    """
    all_clusters = len(sums) if times is None else int(times.sum())
    corrected_for = all_clusters if clusters is None else clusters
    if corrected_for < MIN_CLUSTERS:
        return math.nan
    scaled = sums / (1.0 - shares) ** _SHARE_POWER[form] if _SHARE_POWER[form] else sums
    squares = (scaled if scaled.ndim == 1 else scaled.sum(axis=1)) ** 2
    return _factor(form, corrected_for) * float(squares.sum() if times is None else times @ squares)


def covariance(sums: FloatArray, times: IntArray) -> FloatArray:
    """Compute the covariance matrix ``(q, q)`` of estimates, of the form ``cr1``.

    ``sums`` ``(k, q)`` is the influence of one cluster of each group; at least two clusters are needed.
    """
    return _factor("cr1", int(times.sum())) * (sums.T @ (times[:, None] * sums))


def _factor(form: VarianceForm, clusters: int) -> float:
    """Return the factor of the sum of squares; the rest of the correction is in `_SHARE_POWER`."""
    if form == "cr1":
        return clusters / (clusters - 1)
    return (clusters - 1) / clusters if form == "jackknife" else 1.0


def degrees_of_freedom(shares: FloatArray, times: IntArray) -> float:
    """Compute Bell and McCaffrey's (2002) degrees of freedom for the error of a mean.

    They are the number of clusters minus one if clusters have equal sizes, else fewer.

    Args:
        shares: Share of all rows in a cluster of each group, each below 1; shape ``(k,)``.
        times: Number of clusters in each group, shape ``(k,)``.
    """
    ratios = shares**2 / (1 - shares)
    return 1 / float(times @ shares**2 + (times @ ratios) ** 2 - times @ ratios**2)


def left_out_error(values: FloatArray, times: IntArray | None = None) -> FloatArray:
    """Compute a standard error from estimates that each leave out one cluster.

    They may leave out a block of clusters instead (Kott 2001). Estimates of shape ``(k, ...)`` give an error of
    shape ``(...)``.

    Args:
        values: The estimates.
        times: Number of clusters whose omission gives the same estimate, shape ``(k,)``, or None for one each.
    """
    times = np.ones(len(values), dtype=np.int64) if times is None else times
    clusters = times.sum()
    mean = np.tensordot(times / clusters, values, axes=1)
    squares = np.tensordot(times, (values - mean) ** 2, axes=1)
    return np.sqrt((clusters - 1) / clusters * squares)


def influence(formula: Callable[[FloatArray], FloatArray], sample: Sample) -> FloatArray:
    """Return the influence of a row of each cell on a statistic, shape ``(m,)``.

    ``formula`` takes weights of the cells, shape ``(b, m)``. The influence sums to 0 over all rows.
    """
    counts, m = sample.counts, len(sample.counts)
    block_cells = max(1, _BLOCK // max(m, 1))
    slopes: list[FloatArray] = []
    for start in range(0, m, block_cells):
        # One row of the identity for each cell of the block.
        directions = np.zeros((min(block_cells, m - start), m))
        directions[np.arange(len(directions)), start + np.arange(len(directions))] = 1.0
        slopes.append(derivative(formula, counts, directions))
    slope = np.concatenate(slopes)
    return slope - (counts @ slope) / sample.n


def standard_error(values: FloatArray, sample: Sample, *, independent: bool = False) -> float:
    """Compute a standard error from influence values per cell: the delta method.

    It is over clusters (NaN with fewer than two), or over rows if ``independent``.
    """
    if independent:
        return math.sqrt(float(sample.counts @ values**2))
    return math.sqrt(variance(sample.groups @ values, sample.sizes))


class ClusterSpread(NamedTuple):
    """Denominator and standard error, over clusters, of a mean of some rows.

    Attributes:
        trials: Number of rows in the denominator; with weights their effective number.
        clusters: Number of clusters with such a row.
        cluster_size: Mean over rows of the size of their cluster: ``sum of m^2 / n``.
        degrees: Degrees of freedom of the standard error (`degrees_of_freedom`); NaN for one cluster.
        clustered: Standard error by ``cr1`` (`VarianceForm`); NaN for one cluster.
        jackknife: Standard error by leaving out one cluster at a time; NaN for one cluster.
    """

    trials: float
    clusters: int
    cluster_size: float
    degrees: float
    clustered: float
    jackknife: float


def spread_of_sums(
    totals: FloatArray, group_trials: FloatArray, times: IntArray | None = None
) -> ClusterSpread:
    """Return the spread of ``sum of totals / sum of trials`` over groups of equal clusters.

    Both arrays have one value per group, shape ``(k,)``, and at least one trial in total; ``times`` is the number of
    clusters in each group, or None for one in each.
    """
    times = np.ones(len(totals), dtype=np.int64) if times is None else times
    trials = float(times @ group_trials)
    influences = (totals - float(times @ totals) / trials * group_trials) / trials
    clusters = int(times[group_trials > 0].sum())
    shares, degrees, jackknife = group_trials / trials, math.nan, math.nan
    if clusters >= MIN_CLUSTERS:
        degrees = degrees_of_freedom(shares, times)
        jackknife = variance(influences, times, form="jackknife", shares=shares, clusters=clusters)
    return ClusterSpread(
        trials=round(trials),  # a number of rows; `spread_of_rows` has the effective one instead
        clusters=clusters,
        cluster_size=float(times @ group_trials**2) / trials,
        degrees=degrees,
        clustered=math.sqrt(variance(influences, times, clusters=clusters)),
        jackknife=math.sqrt(jackknife),
    )


def spread_of_rows(values: FloatArray, cluster: IntArray, weight: FloatArray | None = None) -> ClusterSpread:
    """Return the spread of the mean of at least one row; each array has shape ``(n,)``.

    Weights sum to the effective number of rows (`row_weights.scaled`).
    """
    if weight is None:
        return spread_of_sums(cluster_sums(values, cluster), cluster_sums(np.ones(len(values)), cluster))
    spread = spread_of_sums(cluster_sums(weight * values, cluster), cluster_sums(weight, cluster))
    return spread._replace(trials=float(weight.sum()))


def proportion_spread(proportion: Proportion, sample: Sample) -> ClusterSpread:
    """Return the spread of a proportion of a sample, with at least one trial."""
    quadrant = sample.cells.quadrant
    return mean_spread(quadrant @ proportion.successes.ravel(), quadrant @ proportion.trials.ravel(), sample)


def mean_spread(success: FloatArray, trial: FloatArray, sample: Sample) -> ClusterSpread:
    """Return the spread of a mean over the rows that are trials, at least one.

    ``success`` is 0 where ``trial`` is 0; both have a number per cell, shape ``(m,)``.
    """
    return spread_of_sums(sample.groups @ success, sample.groups @ trial, sample.sizes)
