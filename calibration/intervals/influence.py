"""Influence values and cluster sums: the one implementation behind every analytic standard error."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, derivative
from ..sample import Sample
from ..statistics.rates import Proportion

_BLOCK = 1 << 20


def influence(formula: Callable[[FloatArray], FloatArray], sample: Sample) -> FloatArray:
    """How much a row of each cell moves the statistic, times n; the mean over all rows is 0.

    Args:
        formula: Maps cell weights ``(b, m)`` to values ``(b,)``.
        sample: The sample.

    Returns:
        Influence values per cell, shape ``(m,)``.
    """
    counts, m = sample.counts, len(sample.counts)
    rows = max(1, _BLOCK // max(m, 1))
    pieces: list[FloatArray] = []
    for start in range(0, m, rows):
        directions = np.zeros((min(rows, m - start), m))
        directions[np.arange(len(directions)), start + np.arange(len(directions))] = 1.0
        pieces.append(derivative(formula, counts, directions))
    slope = np.concatenate(pieces) * sample.n
    return slope - (counts @ slope) / sample.n


def standard_error(values: FloatArray, sample: Sample) -> float:
    """Standard error that takes rows as independent: the delta method, with divisor n.

    Args:
        values: Influence values per cell, shape ``(m,)``.
        sample: The sample.

    Returns:
        ``sqrt(sum of squares over rows) / n``.
    """
    return float(np.sqrt(sample.counts @ values**2)) / sample.n


def cluster_standard_error(values: FloatArray, sample: Sample, clusters: int | None = None) -> float:
    """Standard error that takes clusters as independent, with the usual factor G / (G - 1) on the variance.

    Source: Liang and Zeger 1986; for evaluations Miller 2024 (arXiv 2411.00640).

    Args:
        values: Influence values per cell, shape ``(m,)``.
        sample: The sample.
        clusters: How many clusters take part; all, when None.

    Returns:
        ``sqrt(G / (G - 1) * sum of squared cluster sums) / n``; NaN with fewer than two clusters.
    """
    clusters = sample.n_clusters if clusters is None else clusters
    if clusters < 2:  # noqa: PLR2004 - one cluster has no spread
        return float("nan")
    sums: FloatArray = sample.groups @ values
    return float(np.sqrt(clusters / (clusters - 1) * (sample.sizes @ sums**2))) / sample.n


class ProportionSpread(NamedTuple):
    """A proportion's denominator, and its standard error in three ways.

    Attributes:
        trials: Rows in the denominator.
        clusters: Clusters that have one.
        independent: Standard error that takes rows as independent.
        clustered: Over clusters, with the factor G / (G - 1), as regression software has it; NaN for one cluster.
        jackknife: Over clusters, leaving out one at a time; NaN for one cluster. Equal to ``clustered`` where clusters
            are of one size, and larger, rightly, where a few of them hold most of the trials.
    """

    trials: int
    clusters: int
    independent: float
    clustered: float
    jackknife: float


def proportion_spread(proportion: Proportion, sample: Sample) -> ProportionSpread:
    """Standard errors of a proportion.

    Args:
        proportion: Its cells of the 2x2 table.
        sample: The sample, with at least one trial.

    Returns:
        What an interval needs.
    """
    quadrant = sample.cells.quadrant
    return mean_spread(quadrant @ proportion.successes.ravel(), quadrant @ proportion.trials.ravel(), sample)


def mean_spread(success: FloatArray, trial: FloatArray, sample: Sample) -> ProportionSpread:
    """Standard errors of the mean of some values over those rows that are trials.

    Args:
        success: Value of each cell, shape ``(m,)``; 0 where it is no trial.
        trial: 1 for each cell that is a trial, shape ``(m,)``.
        sample: The sample, with at least one trial.

    Returns:
        What an interval needs.
    """
    trials = float(sample.counts @ trial)
    residual = success - float(sample.counts @ success) / trials * trial
    values = residual * (sample.n / trials)
    trials_of: FloatArray = sample.groups @ trial
    residual_of: FloatArray = sample.groups @ residual
    clusters = int(sample.sizes[trials_of > 0].sum())
    jackknife = float("nan")
    if clusters > 1:
        moved = sample.sizes @ (residual_of / (trials - trials_of)) ** 2
        jackknife = float(np.sqrt((clusters - 1) / clusters * moved))
    return ProportionSpread(
        trials=round(trials),
        clusters=clusters,
        independent=standard_error(values, sample),
        clustered=cluster_standard_error(values, sample, clusters),
        jackknife=jackknife,
    )
