"""Estimators of the true mean from scores and some labels: labels alone, PPI and PPI++.

They are valid if labelled and unlabelled items are random samples of one population.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from ..intervals.variance import MIN_CLUSTERS, spread_of_rows
from ..intervals.variance import cluster_error as error_over_clusters
from ..row_weights import mean_influence, scaled, weighted_mean
from ..statistic import Statistic, defined, undefined
from .rate_interval import ROUNDING, RateInterval, effective_n_interval, rate_interval
from .ungraded_levels import UngradedLevel, sum_of_levels


@dataclass(frozen=True, eq=False)
class LabelledAndJudged:
    """Labelled items with their scores, and judged items without a label.

    Attributes:
        label: Trusted values, shape ``(n,)``.
        score: The judge's scores of the same items, shape ``(n,)``.
        unlabelled: The judge's scores of the other items, shape ``(N,)``.
        label_cluster: Cluster number of each labelled item, shape ``(n,)``.
        unlabelled_cluster: Cluster number of each other item, shape ``(N,)``; a cluster may have labelled and
            other items.
        label_weight: Weights of the labelled items, or None if all items weigh 1.
        unlabelled_weight: Weights of the other items.
        ungraded: Items without a score, by kind, if some of the kind have labels.
    """

    label: FloatArray
    score: FloatArray
    unlabelled: FloatArray
    label_cluster: IntArray
    unlabelled_cluster: IntArray
    label_weight: FloatArray | None = None
    unlabelled_weight: FloatArray | None = None
    ungraded: tuple[UngradedLevel, ...] = ()

    @property
    def too_few(self) -> str | None:
        """Why labels and scores cannot be combined, or None if they can."""
        if len(self.label) < 2:  # noqa: PLR2004 - a variance needs two
            return "fewer than two items have both a label and a score"
        if not len(self.unlabelled) and not self.ungraded:
            return "every judged item has a label, so the labels alone are the estimate"
        return None

    @cached_property
    def with_ungraded(self) -> LabelledAndJudged:
        """All items, graded or not. The score of an ungraded one is a placeholder, not to be used."""
        if not self.ungraded:
            return self
        levels = self.ungraded
        n_unlabelled = sum(len(level.unlabelled_cluster) for level in levels)
        is_weighted = self.label_weight is not None

        def joined_weights(
            graded: FloatArray | None, ungraded: Sequence[FloatArray | None]
        ) -> FloatArray | None:
            weights = [weight for weight in (graded, *ungraded) if weight is not None]
            return np.concatenate(weights) if is_weighted else None

        return LabelledAndJudged(
            np.concatenate([self.label, *(level.label for level in levels)]),
            np.concatenate([self.score, *(np.zeros(len(level.label)) for level in levels)]),
            np.concatenate([self.unlabelled, np.zeros(n_unlabelled)]),
            np.concatenate([self.label_cluster, *(level.label_cluster for level in levels)]),
            np.concatenate([self.unlabelled_cluster, *(level.unlabelled_cluster for level in levels)]),
            joined_weights(self.label_weight, [level.label_weight for level in levels]),
            joined_weights(self.unlabelled_weight, [level.unlabelled_weight for level in levels]),
        )

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

    With several rounds of labels the weight is their mean. It is None if labels and scores could not be combined.
    """

    weight: float | None
    estimate: Statistic


def tuned_lambda(data: LabelledAndJudged, least: float = 0.0) -> float:
    """Return the lambda within [``least``, 1] that minimises the variance.

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
    """Return the PPI++ estimate with the lambda that minimises the variance.

    With ``interval="score"`` lambda may be below 0. If the judge would not make an interval over clusters narrower,
    lambda is 0 and the estimate that of the labels alone: a judge's errors may be correlated within clusters,
    which the published formula ignores. `docs/decisions/0016` has measurements.
    """
    if data.too_few:
        return PowerTuned(None, undefined(data.too_few, n=len(data.label), level=level))
    if not len(data.unlabelled):
        return PowerTuned(0.0, prediction_powered(data, 0.0, interval=interval, level=level))
    if interval != "score":
        weight = tuned_lambda(data)
        return PowerTuned(weight, prediction_powered(data, weight, interval=interval, level=level))
    weight = tuned_lambda(data, least=-1.0)
    combined = prediction_powered(data, weight, level=level)
    if weight and not data.clustered:
        return PowerTuned(weight, combined)
    if data.ungraded:
        without_judge = prediction_powered(data, 0.0, level=level)
    else:
        without_judge = labels_only(data.label, data.label_cluster, data.label_weight, level=level)
    is_narrower = weight and data.label_clusters > MIN_CLUSTERS and width(combined) < width(without_judge)
    return PowerTuned(weight, combined) if is_narrower else PowerTuned(0.0, without_judge)


def width(statistic: Statistic) -> float:
    """Return the width of a statistic's interval; 1, the widest for a rate, if it has none."""
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

    The value is ``weight * mean(unlabelled) + mean(label - weight * score)``. Items without a score are added
    by their own labels (`sum_of_levels`).

    The interval ``score`` is Wilson's on the effective n (`with_score_interval`), ``logit`` is over clusters,
    too, and ``wald`` takes items as independent. ``scale`` replaces the scale on which the interval is computed,
    but not whether items are clustered.

    Source: Angelopoulos et al. 2023 (arXiv 2301.09633, 2311.01453).
    """
    if data.too_few:
        return undefined(data.too_few, n=len(data.label), level=level)
    residual = data.label - weight * data.score
    weights = data.label_weight, data.unlabelled_weight
    value = weighted_mean(residual, data.label_weight)
    score_influence = np.zeros(len(data.unlabelled))
    if len(data.unlabelled):
        value = weight * weighted_mean(data.unlabelled, data.unlabelled_weight) + value
        score_influence = weight * mean_influence(data.unlabelled, data.unlabelled_weight)
    influence, extra_variance = (mean_influence(residual, data.label_weight), score_influence), 0.0
    if data.ungraded:
        value, influence, extra_variance = sum_of_levels(value, influence, weights, data.ungraded)
        data = data.with_ungraded
    scale = scale or interval
    if scale == "score":
        # A lambda of 0 or 1 was set, not fitted.
        slope_fitted = weight not in {0.0, 1.0}
        return with_score_interval(
            value, influence, data, level, slope_fitted=slope_fitted, extra_variance=extra_variance
        )
    error = standard_error(data, influence, clustered=interval != "wald", fitted=int(scale == "logit"))
    return with_interval(value, math.sqrt(error**2 + extra_variance), scale, data, level)


def with_score_interval(
    value: float,
    influence: tuple[FloatArray, FloatArray],
    data: LabelledAndJudged,
    level: float,
    *,
    slope_fitted: bool,
    extra_variance: float = 0.0,
) -> Statistic:
    """Return the value with Wilson's interval on the effective n.

    A fitted slope takes one degree of freedom. ``extra_variance`` is added to that of the influence.

    Over clusters the design effect is averaged with the default one, as for labels alone (`effective_trials`),
    and Student's quantile uses the effective number of labelled clusters: ``(sum of m)^2 / sum of m^2`` for
    clusters of ``m`` labels.
    """
    share, labels = min(1.0, max(0.0, value)), len(data.label)
    row_error = standard_error(data, influence, clustered=False, fitted=1 + slope_fitted)
    row_error = math.sqrt(row_error**2 + extra_variance) if extra_variance else row_error
    weight = None if data.label_weight is None else scaled(data.label_weight)
    n = labels if weight is None else float(weight.sum())
    if not data.clustered:
        ends = effective_n_interval(share, row_error, n, level)
        return defined(share, ends, n=labels, method="Wilson on the effective n", level=level)
    cluster_error = standard_error(data, influence, clustered=True, fitted=0)
    cluster_error = math.sqrt(cluster_error**2 + extra_variance) if extra_variance else cluster_error
    spread = spread_of_rows(data.label, data.label_cluster, weight)._replace(
        clustered=cluster_error, jackknife=cluster_error
    )
    degrees = max(1.0, n / spread.cluster_size - 1 - slope_fitted)
    if spread.clusters in {1, n}:
        # Independent labels need no default design effect, and a single cluster has no spread to average it with.
        degrees = degrees if spread.clusters > 1 else 0
        ends = effective_n_interval(share, cluster_error, spread.clusters, level, degrees=degrees)
    else:
        student = t_quantile(level, degrees) / normal_quantile(level)
        minority = n * min(share, 1 - share)
        effective_share = effective_trials(spread, minority, row_error**2 * n, student=student) / n
        ends = effective_n_interval(share, row_error / math.sqrt(effective_share), n * effective_share, level)
    return defined(share, ends, n=labels, method="Wilson on the cluster-effective n", level=level)


def labels_only(
    label: FloatArray,
    cluster: IntArray,
    weight: FloatArray | None = None,
    *,
    interval: RateInterval = "score",
    level: float = 0.95,
) -> Statistic:
    """Return the mean of ``(n,)`` labels alone, with the interval of `share_of`.

    ``wald`` takes items as independent.
    """
    n = len(label)
    if not n:
        return undefined("no item has a label", n=0, level=level)
    if interval != "wald":
        return share_of(label, cluster, weight, level=level)
    value = weighted_mean(label, weight)
    error = float(np.sqrt((mean_influence(label, weight) ** 2).sum()))
    return defined(value, wald_interval(value, error, level), n=n, method="Wald", level=level)


def label_equivalents(data: LabelledAndJudged, weight: float) -> float | None:
    """Return the number of labels that alone are as precise as these labels with this judge.

    None if there is no variance.
    """
    if data.too_few:
        return None
    residual = data.label - weight * data.score
    score_variance = weight**2 * float(data.unlabelled.var()) / len(data.unlabelled)
    variance = score_variance + float(residual.var()) / len(residual)
    return float(data.label.var()) / variance if variance > 0 else None


def standard_error(
    data: LabelledAndJudged, influence: tuple[FloatArray, FloatArray], *, clustered: bool, fitted: int
) -> float:
    """Return the standard error of an estimate, from the influence of labelled and other items.

    It is over clusters if ``clustered`` and a cluster has several items. Otherwise its degrees of freedom are the
    number of labels minus ``fitted``, the number of fitted parameters.
    """
    labelled_influence, other_influence = influence
    if not (clustered and data.clustered):
        n = len(data.label)
        variance = float((labelled_influence**2).sum()) * n / max(1, n - fitted)
        return float(np.sqrt(variance + (other_influence**2).sum()))
    cluster = np.concatenate([data.label_cluster, data.unlabelled_cluster])
    return error_over_clusters(np.concatenate(influence), cluster, data.label_cluster)


def with_interval(
    value: float, error: float, interval: RateInterval, data: LabelledAndJudged, level: float
) -> Statistic:
    """Return the value with a logit or Wald interval."""
    n = len(data.label)
    if interval != "wald" and error <= ROUNDING and 0.0 <= value <= 1.0:
        # A few equal clusters do not prove that there is no variation: use one label per cluster.
        ends = wilson_interval(value, data.label_clusters, level)
        return defined(value, ends, n=n, method="Wilson", level=level)
    ends, method = rate_interval(value, error, interval, level)
    return defined(value, ends, n=n, method=method, level=level)
