"""The true mean from a judge's scores plus some labels: prediction-powered and post-stratified estimates.

Valid when the labelled items are a random sample of the population that the unlabelled ones are from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray
from ..intervals.closed_forms import cluster_wilson_interval, t_interval, wald_interval, wilson_interval
from ..statistic import Statistic, defined, undefined
from .rate_interval import RateInterval, rate_interval

ROUNDING = 1e-12
"""A standard error below this is rounding."""


@dataclass(frozen=True, eq=False)
class LabelledAndJudged:
    """Labelled items with their scores, and judged items without a label.

    Attributes:
        label: Trusted values, shape ``(n,)``.
        score: The judge's scores of the same items, shape ``(n,)``.
        unlabelled: The judge's scores of the other items, shape ``(N,)``.
        label_cluster: Cluster number of each labelled item, shape ``(n,)``.
        unlabelled_cluster: Cluster number of the others, shape ``(N,)``; a cluster may hold both sorts.
    """

    label: FloatArray
    score: FloatArray
    unlabelled: FloatArray
    label_cluster: IntArray
    unlabelled_cluster: IntArray

    @property
    def too_few(self) -> str | None:
        """Why nothing can be combined, if so."""
        if len(self.label) < 2:  # noqa: PLR2004 - a variance needs two
            return "fewer than two items have both a label and a score"
        if not len(self.unlabelled):
            return "no item is judged and not labelled: the labels say it all"
        return None


def tuned_lambda(data: LabelledAndJudged) -> float:
    """How far the judge is trusted: the weight of its scores that makes the variance least, within [0, 1].

    Source: Angelopoulos, Duchi and Zrnic 2023 (arXiv 2311.01453); covariance with ddof 0 over pooled variance with
    ddof 1, as their code has it.

    Returns:
        0 when the scores are constant: such a judge has nothing to add.
    """
    pooled = np.concatenate([data.score, data.unlabelled])
    variance = float(pooled.var(ddof=1))
    if variance <= 0.0:
        return 0.0
    covariance = float(((data.label - data.label.mean()) * (data.score - data.score.mean())).mean())
    return min(1.0, max(0.0, covariance / ((1 + len(data.label) / len(data.unlabelled)) * variance)))


def prediction_powered(
    data: LabelledAndJudged,
    weight: float,
    *,
    interval: RateInterval = "logit",
    scale: RateInterval | None = None,
    level: float = 0.95,
) -> Statistic:
    """PPI at weight 1, PPI++ at the tuned one: ``weight * mean(unlabelled) + mean(label - weight * score)``.

    Source: Angelopoulos et al. 2023 (arXiv 2301.09633, 2311.01453).

    Args:
        data: The items.
        weight: Lambda.
        interval: ``logit`` is clustered, and does not under-cover with few labels; ``wald`` takes items as independent.
        scale: Where the interval is symmetric, when that is not what ``interval`` says.
        level: Nominal coverage.

    Returns:
        The mean of the population.
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
    error = _standard_error(data, influence, clustered=interval == "logit", unbiased=scale == "logit")
    return _with_interval(value, error, scale, data, level)


def post_stratified(
    data: LabelledAndJudged, *, pass_at: float = 0.5, interval: RateInterval = "logit", level: float = 0.95
) -> Statistic:
    """Mean label of passed and of failed items, weighted by how often the judge passes the unlabelled.

    Source: the efficient estimator of arXiv 2601.05420, for a judge of two verdicts.

    Args:
        data: The items.
        pass_at: A score passes when it is at least this.
        interval: As in `prediction_powered`.
        level: Nominal coverage.

    Returns:
        The mean of the population; undefined when no labelled item is in one of the two strata.
    """
    if data.too_few:
        return undefined(data.too_few, n=len(data.label), level=level)
    passed, rate = data.score >= pass_at, float((data.unlabelled >= pass_at).mean())
    if passed.all() or not passed.any():
        only = "passed" if passed.all() else "failed"
        return undefined(f"the judge {only} every labelled item", n=len(data.label), level=level)
    means = float(data.label[~passed].mean()), float(data.label[passed].mean())
    value = (1 - rate) * means[0] + rate * means[1]
    share, mean = np.where(passed, rate, 1 - rate), np.where(passed, means[1], means[0])
    size = np.where(passed, float(passed.sum()), float((~passed).sum()))
    moved = (data.unlabelled >= pass_at).astype(float) - rate
    influence: tuple[FloatArray, FloatArray] = (
        share * (data.label - mean) / size,
        (means[1] - means[0]) * moved / len(data.unlabelled),
    )
    error = _standard_error(data, influence, clustered=interval == "logit", unbiased=False)
    return _with_interval(value, error, interval, data, level)


def labels_only(
    label: FloatArray, cluster: IntArray, *, interval: RateInterval = "logit", level: float = 0.95
) -> Statistic:
    """The mean of the labels, without the judge: what every correction has to beat.

    Args:
        label: Trusted values, shape ``(n,)``.
        cluster: Cluster number of each, shape ``(n,)``.
        interval: ``wald`` takes items as independent; else Wilson on the cluster-effective n for 0/1 labels, and a
            t-interval over clusters for fractions.
        level: Nominal coverage.

    Returns:
        The mean.
    """
    n = len(label)
    if not n:
        return undefined("no item has a label", n=0, level=level)
    value = float(label.mean())
    influence = (label - value) / n
    if interval == "wald":
        error = float(np.sqrt((influence**2).sum()))
        return defined(value, wald_interval(value, error, level), n=n, method="Wald", level=level)
    clusters, error = _over_clusters(influence, cluster)
    if np.isin(label, (0.0, 1.0)).all():
        method = "Wilson" if clusters == n else "Wilson on the cluster-effective n"
        return defined(
            value, cluster_wilson_interval(value, n, clusters, error, level), n=n, method=method, level=level
        )
    ends = t_interval(value, error, clusters, level) if clusters > 1 else None
    return defined(value, ends, n=n, method="cluster-t", level=level)


def label_equivalents(data: LabelledAndJudged, weight: float) -> float | None:
    """How many labels alone would be as precise as these labels with this judge; None where there is no variance."""
    if data.too_few:
        return None
    residual = data.label - weight * data.score
    combined = weight**2 * float(data.unlabelled.var()) / len(data.unlabelled) + float(residual.var()) / len(
        residual
    )
    return float(data.label.var()) / combined if combined > 0 else None


def _standard_error(
    data: LabelledAndJudged, influence: tuple[FloatArray, FloatArray], *, clustered: bool, unbiased: bool
) -> float:
    values = np.concatenate(influence)
    cluster = np.concatenate([data.label_cluster, data.unlabelled_cluster])
    several = len(np.unique(cluster)) < len(cluster)
    if not (clustered and several):
        n = len(data.label)
        variance = float((influence[0] ** 2).sum()) * (n / (n - 1) if unbiased else 1.0)
        return float(np.sqrt(variance + (influence[1] ** 2).sum()))
    sums = np.bincount(np.unique(cluster, return_inverse=True)[1], weights=values)
    # The labels are what is scarce: their clusters decide how much the spread is underestimated.
    labelled = max(2, len(np.unique(data.label_cluster)))
    return float(np.sqrt(labelled / (labelled - 1) * (sums**2).sum()))


def _over_clusters(influence: FloatArray, cluster: IntArray) -> tuple[int, float]:
    sums = np.bincount(np.unique(cluster, return_inverse=True)[1], weights=influence)
    clusters = len(sums)
    if clusters < 2:  # noqa: PLR2004 - one cluster has no spread
        return clusters, float("nan")
    return clusters, float(np.sqrt(clusters / (clusters - 1) * (sums**2).sum()))


def _with_interval(
    value: float, error: float, interval: RateInterval, data: LabelledAndJudged, level: float
) -> Statistic:
    n = len(data.label)
    if interval == "logit" and error <= ROUNDING and 0.0 <= value <= 1.0:
        # Nothing varies over clusters, which few of them do not prove: as wide as for labels alone, one a cluster.
        ends = wilson_interval(value, len(np.unique(data.label_cluster)), level)
        return defined(value, ends, n=n, method="Wilson", level=level)
    ends, method = rate_interval(value, error, interval, level)
    return defined(value, ends, n=n, method=method, level=level)
