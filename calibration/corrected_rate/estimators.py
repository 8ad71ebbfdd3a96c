"""Estimators of the true mean from scores and some labels: labels alone, PPI and PPI++.

They are valid if labelled and unlabelled items are random samples of one population.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray, clusters_in
from ..intervals.closed_forms import (
    normal_quantile,
    t_quantile,
    wald_interval,
    wilson_interval,
)
from ..intervals.clustered_rates import effective_trials, share_of
from ..intervals.variance import FEWEST, spread_of_rows
from ..intervals.variance import cluster_error as error_over_clusters
from ..statistic import Statistic, defined, undefined
from .rate_interval import ROUNDING, RateInterval, effective_n_interval, rate_interval


@dataclass(frozen=True, eq=False)
class LabelledAndJudged:
    """Labelled items with their scores, and judged items without a label.

    Attributes:
        label: Trusted values, shape ``(n,)``.
        score: The judge's scores of the same items, shape ``(n,)``.
        unlabelled: The judge's scores of the other items, shape ``(N,)``.
        label_cluster: Cluster number of each labelled item, shape ``(n,)``.
        unlabelled_cluster: Cluster number of the other items, shape ``(N,)``; a cluster may hold items of
            both kinds.
    """

    label: FloatArray
    score: FloatArray
    unlabelled: FloatArray
    label_cluster: IntArray
    unlabelled_cluster: IntArray

    @property
    def too_few(self) -> str | None:
        """Reason why labels and scores cannot be combined; None if they can."""
        if len(self.label) < 2:  # noqa: PLR2004 - a variance needs two
            return "fewer than two items have both a label and a score"
        if not len(self.unlabelled):
            return "every judged item has a label, so the labels alone are the estimate"
        return None

    @cached_property
    def clustered(self) -> bool:
        """True if a cluster has several items."""
        clusters = clusters_in(np.concatenate([self.label_cluster, self.unlabelled_cluster]))
        return clusters < len(self.label) + len(self.unlabelled)

    @cached_property
    def label_clusters(self) -> int:
        """Number of clusters that have a label."""
        return clusters_in(self.label_cluster)


class PowerTuned(NamedTuple):
    """Power-tuned estimate with its weight, lambda: how far the judge is trusted.

    The weight is the mean of several rounds' weights; None if labels and scores could not be combined.
    """

    weight: float | None
    estimate: Statistic


def tuned_lambda(data: LabelledAndJudged, least: float = 0.0) -> float:
    """Return the lambda within [``least``, 1] that makes the variance least.

    Lambda is the weight of the judge's scores: how far the judge is trusted. It is 0 if they are constant.
    ``least`` is 0 as published; with -1 even a judge that passes wrong outputs helps.

    Source: Angelopoulos, Duchi and Zrnic 2023 (arXiv 2311.01453); covariance with ddof 0 over pooled variance
    with ddof 1, as their code has it.
    """
    pooled = np.concatenate([data.score, data.unlabelled])
    variance = float(pooled.var(ddof=1))
    if variance <= 0.0:
        return 0.0
    covariance = float(((data.label - data.label.mean()) * (data.score - data.score.mean())).mean())
    return min(1.0, max(least, covariance / ((1 + len(data.label) / len(data.unlabelled)) * variance)))


def power_tuned(
    data: LabelledAndJudged, *, interval: RateInterval = "score", level: float = 0.95
) -> PowerTuned:
    """Return the PPI++ estimate with the lambda that makes the variance least.

    With ``score`` lambda may be below 0. If the judge would not make an interval over clusters narrower,
    lambda is 0 and the estimate that of the labels alone: a judge's errors may be correlated within clusters,
    which the published formula ignores. `docs/decisions/0016` has measurements.
    """
    if data.too_few:
        return PowerTuned(None, undefined(data.too_few, n=len(data.label), level=level))
    if interval != "score":
        weight = tuned_lambda(data)
        return PowerTuned(weight, prediction_powered(data, weight, interval=interval, level=level))
    weight = tuned_lambda(data, least=-1.0)
    combined = prediction_powered(data, weight, level=level)
    if weight and not data.clustered:
        return PowerTuned(weight, combined)
    alone = labels_only(data.label, data.label_cluster, level=level)
    narrower = weight and data.label_clusters > FEWEST and width(combined) < width(alone)
    return PowerTuned(weight, combined) if narrower else PowerTuned(0.0, alone)


def width(statistic: Statistic) -> float:
    """Return the width of an interval; 1 without one."""
    return 1.0 if statistic.low is None or statistic.high is None else statistic.high - statistic.low


def prediction_powered(
    data: LabelledAndJudged,
    weight: float,
    *,
    interval: RateInterval = "score",
    scale: RateInterval | None = None,
    level: float = 0.95,
) -> Statistic:
    """Return the prediction-powered estimate: PPI at weight (lambda) 1, PPI++ at the tuned one.

    The value is ``weight * mean(unlabelled) + mean(label - weight * score)``.

    The ``interval`` ``score`` is Wilson's on the effective n (`with_score_interval`), ``logit`` is clustered
    too, and ``wald`` takes items as independent. ``scale`` replaces the scale on which the interval is
    symmetric.

    Source: Angelopoulos et al. 2023 (arXiv 2301.09633, 2311.01453).
    """
    if data.too_few:
        return undefined(data.too_few, n=len(data.label), level=level)
    residual = data.label - weight * data.score
    value = weight * float(data.unlabelled.mean()) + float(residual.mean())
    influence = (
        (residual - residual.mean()) / len(residual),
        weight * (data.unlabelled - data.unlabelled.mean()) / len(data.unlabelled),
    )
    scale = scale or interval
    if scale == "score":
        return with_score_interval(value, influence, data, level, slope_fitted=weight not in {0.0, 1.0})
    error = standard_error(data, influence, clustered=interval != "wald", fitted=int(scale == "logit"))
    return with_interval(value, error, scale, data, level)


def with_score_interval(
    value: float,
    influence: tuple[FloatArray, FloatArray],
    data: LabelledAndJudged,
    level: float,
    *,
    slope_fitted: bool,
) -> Statistic:
    """Return the value with Wilson's interval on the effective n.

    A fitted slope takes one degree of freedom.

    Over clusters the design effect is averaged with the usual one, as for labels alone (`effective_trials`),
    and Student's quantile uses the effective number of clusters with labels: ``(sum of m)^2 / sum of m^2`` of
    their sizes.
    """
    share, n = min(1.0, max(0.0, value)), len(data.label)
    row_error = standard_error(data, influence, clustered=False, fitted=1 + slope_fitted)
    if not data.clustered:
        ends = effective_n_interval(share, row_error, n, level)
        return defined(share, ends, n=n, method="Wilson on the effective n", level=level)
    cluster_error = standard_error(data, influence, clustered=True, fitted=0)
    spread = spread_of_rows(data.label, data.label_cluster)._replace(
        clustered=cluster_error, jackknife=cluster_error
    )
    degrees = max(1.0, n / spread.cluster_size - 1 - slope_fitted)
    if spread.clusters in {1, n}:
        # Labels that are not clustered need no average with the default design effect; a single cluster has no spread.
        degrees = degrees if spread.clusters > 1 else 0
        ends = effective_n_interval(share, cluster_error, spread.clusters, level, degrees=degrees)
    else:
        student = t_quantile(level, degrees) / normal_quantile(level)
        errors = n * min(share, 1 - share)
        effective_share = effective_trials(spread, errors, row_error**2 * n, student=student) / n
        ends = effective_n_interval(share, row_error / math.sqrt(effective_share), n * effective_share, level)
    return defined(share, ends, n=n, method="Wilson on the cluster-effective n", level=level)


def labels_only(
    label: FloatArray, cluster: IntArray, *, interval: RateInterval = "score", level: float = 0.95
) -> Statistic:
    """Return the mean of ``(n,)`` labels alone, with the interval of `share_of`.

    ``wald`` takes items as independent.
    """
    n = len(label)
    if not n:
        return undefined("no item has a label", n=0, level=level)
    if interval != "wald":
        return share_of(label, cluster, level=level)
    value = float(label.mean())
    error = float(np.sqrt((((label - value) / n) ** 2).sum()))
    return defined(value, wald_interval(value, error, level), n=n, method="Wald", level=level)


def label_equivalents(data: LabelledAndJudged, weight: float) -> float | None:
    """Return the number of labels that alone are as precise as these labels with this judge.

    None if there is no variance.
    """
    if data.too_few:
        return None
    residual = data.label - weight * data.score
    combined = weight**2 * float(data.unlabelled.var()) / len(data.unlabelled) + float(residual.var()) / len(
        residual
    )
    return float(data.label.var()) / combined if combined > 0 else None


def standard_error(
    data: LabelledAndJudged, influence: tuple[FloatArray, FloatArray], *, clustered: bool, fitted: int
) -> float:
    """Return the standard error of an estimate, from the influence of labelled and other items.

    It is over clusters if requested and a cluster has several items; else its degrees of freedom are the
    number of labels minus ``fitted``.
    """
    if not (clustered and data.clustered):
        n = len(data.label)
        variance = float((influence[0] ** 2).sum()) * n / max(1, n - fitted)
        return float(np.sqrt(variance + (influence[1] ** 2).sum()))
    cluster = np.concatenate([data.label_cluster, data.unlabelled_cluster])
    return error_over_clusters(np.concatenate(influence), cluster, data.label_cluster)


def with_interval(
    value: float, error: float, interval: RateInterval, data: LabelledAndJudged, level: float
) -> Statistic:
    """Return the value with a logit or Wald interval."""
    n = len(data.label)
    if interval != "wald" and error <= ROUNDING and 0.0 <= value <= 1.0:
        # Few clusters without variation do not prove that there is none: use one label per cluster.
        ends = wilson_interval(value, data.label_clusters, level)
        return defined(value, ends, n=n, method="Wilson", level=level)
    ends, method = rate_interval(value, error, interval, level)
    return defined(value, ends, n=n, method=method, level=level)
