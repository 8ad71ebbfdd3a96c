"""Stratified prediction-powered estimates; each stratum has its own labels and lambda."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..intervals.closed_forms import normal_quantile, t_quantile
from ..intervals.variance import MIN_CLUSTERS, cluster_error
from ..row_weights import mean_influence, scaled, weighted_mean
from ..statistic import Statistic, defined, undefined
from .active_labels import MIN_ERROR_PROBABILITY
from .estimation_results import StratumEstimate
from .estimators import LabelledAndJudged, labels_only, prediction_powered, tuned_lambda
from .rate_interval import RateInterval, rate_interval

MIN_STRATUM_LABELS = 10
"""Minimum number of labels in a stratum, unless all of its items have one (docs/decisions/0008)."""

_MAX_LEVERAGE = 0.9
"""Maximum leverage; it bounds the factor by which a single label's residual is scaled."""

_SCORES_WEIGHT = 2
"""Number of labels that the judge's scores count as in the pooled spread."""

_POOLED_WEIGHT = 30
"""Number of labels that all strata together count as in the spread of one (docs/decisions/0008)."""


@dataclass(frozen=True, eq=False)
class StratifiedItems:
    """Judged items in strata, some of them labelled.

    Attributes:
        label: Trusted values, shape ``(M,)``; NaN where there is none.
        score: The judge's scores, shape ``(M,)``.
        stratum: Stratum number of each item, shape ``(M,)``.
        cluster: Cluster number of each item, shape ``(M,)``; a cluster may be in several strata.
        names: Names of the strata, by number; every stratum has an item.
        weight: Weight of each item, shape ``(M,)``, or None if all weigh 1. A finite set has no weights.
    """

    label: FloatArray
    score: FloatArray
    stratum: IntArray
    cluster: IntArray
    names: Sequence[str]
    weight: FloatArray | None = None

    def labelled(self, stratum: int) -> BoolArray:
        """Return a mask of the labelled items of a stratum, shape ``(M,)``."""
        return (self.stratum == stratum) & np.isfinite(self.label)

    def part(self, stratum: int) -> LabelledAndJudged:
        """Return one stratum's data."""
        labelled = self.labelled(stratum)
        rest = (self.stratum == stratum) & ~labelled
        return LabelledAndJudged(
            self.label[labelled],
            self.score[labelled],
            self.score[rest],
            self.cluster[labelled],
            self.cluster[rest],
            *((None, None) if self.weight is None else (self.weight[labelled], self.weight[rest])),
        )

    @property
    def share(self) -> FloatArray | float:
        """Share of each item in the mean of all."""
        return 1 / len(self.label) if self.weight is None else self.weight / self.weight.sum()


def stratum_estimates(
    items: StratifiedItems, *, interval: RateInterval = "score", level: float = 0.95
) -> dict[str, StratumEstimate]:
    """Estimate each stratum separately, to show it and to allocate the next labels."""
    parts = [items.part(number) for number in range(len(items.names))]
    lambdas = [0.0 if part.too_few else tuned_lambda(part) for part in parts]
    squares = [_residual_squares(part, weight) for part, weight in zip(parts, lambdas, strict=True)]
    pooled = _pooled_variance(items, sum(squares)) if parts else 0.0
    return {
        name: StratumEstimate(
            n=len(part.label) + len(part.unlabelled),
            n_labelled=len(part.label),
            weight=weight,
            spread=float(np.sqrt((square + _POOLED_WEIGHT * pooled) / (len(part.label) + _POOLED_WEIGHT))),
            estimate=_stratum_estimate(part, weight, interval, level),
        )
        for name, part, weight, square in zip(items.names, parts, lambdas, squares, strict=True)
    }


def stratified_prediction_powered(
    items: StratifiedItems, *, finite: bool = False, interval: RateInterval = "score", level: float = 0.95
) -> Statistic:
    """Estimate the mean label by PPI++ in each stratum, weighted by the strata's shares.

    Each stratum has its own lambda. Undefined if a stratum has too few labels.

    Valid when the labelled items of each stratum are a random sample of it, of any size. If the strata are a
    judge's two verdicts, this is the post-stratified estimate.

    Source: Fisch et al. 2024 (arXiv 2406.04291). For a population the variance of the strata's shares, which
    are estimates too, is added. If nothing varies in a stratum, half a contrary label in one more is assumed
    (Jeffreys), because few equal labels do not prove a rate of 0 or 1. Student's quantile and residuals
    scaled by their leverage keep the level if strata have few labels.

    Args:
        items: The items.
        finite: Whether to estimate the mean of just these items, drawn one by one in each stratum, rather
            than of their population.
        interval: ``wald`` takes items as independent; any other is ``logit``, clustered for a population.
        level: Nominal coverage.
    """
    n = int(np.isfinite(items.label).sum())
    too_few = _why_too_few(items)
    if too_few is not None:
        return undefined(too_few, n=n, level=level)
    parts = [_stratum_part(items, number, finite=finite) for number in range(len(items.names))]
    value = sum(part.share * part.value for part in parts)
    influence = np.sum([part.influence for part in parts], axis=0)
    if not finite:
        # The strata's shares in a population are estimates, too, so their error is added.
        means = np.array([part.value for part in parts])
        influence = influence + (means[items.stratum] - value) * items.share
    variance = sum(part.extra_variance for part in parts)
    clustered = interval != "wald" and not finite
    clusters = len(np.unique(items.cluster[np.isfinite(items.label)])) if clustered else n
    if clusters < MIN_CLUSTERS:
        # `MIN_CLUSTERS` is the number below which there is no variance over clusters.
        method = "logit, stratified: no interval from a single cluster"
        return defined(value, n=n, method=method, level=level)
    error = float(np.sqrt(variance + _variance(influence, items, clustered=clustered)))
    error *= _student_factor(error**2, parts, clusters, level)
    ends, scale = rate_interval(value, error, interval, level)
    method = f"{scale}, stratified" + (", finite set" if finite else "")
    return defined(value, ends, n=n, method=method, level=level)


class _StratumPart(NamedTuple):
    """Contribution of a stratum to the estimate.

    Attributes:
        share: Share of all items that are in the stratum.
        value: Estimated mean.
        influence: Influence of each item on the whole estimate, shape ``(M,)``.
        extra_variance: Variance assumed if nothing varies in the stratum, else 0.
        variance: Variance from the labels.
        freedom: Degrees of freedom of that variance.
    """

    share: float
    value: float
    influence: FloatArray
    extra_variance: float
    variance: float
    freedom: float


def _stratum_part(items: StratifiedItems, number: int, *, finite: bool) -> _StratumPart:
    data, labelled, in_stratum = items.part(number), items.labelled(number), items.stratum == number
    n, rest = len(data.label), len(data.unlabelled)
    share = (n + rest) / len(items.label) if items.weight is None else _share_of(items, in_stratum)
    # `weight` is lambda, the weight of the judge's scores; weights of items have a longer name.
    weight = tuned_lambda(data) if rest else 0.0
    unlabelled = weighted_mean(data.unlabelled, data.unlabelled_weight) if rest else 0.0
    value = weight * unlabelled + weighted_mean(data.label - weight * data.score, data.label_weight)
    effective_labels = n if data.label_weight is None else float(scaled(data.label_weight).sum())
    # The finite population correction: 1 - n / N of the stratum.
    finite_factor = rest / (n + rest) if finite else 1.0
    # In a finite set the labelled items are in the mean score, too; see `finite_prediction_powered`.
    residual = data.label - weight * ((n + rest) / rest if finite and rest else 1.0) * data.score
    influence = np.zeros(len(items.label))
    freedom = effective_labels - 1 - (weight > 0.0)
    if np.ptp(residual) == 0.0 or freedom < 1:
        extra_variance = finite_factor * share**2 * _jeffreys_variance(effective_labels) / effective_labels
        freedom = max(effective_labels - 1, 1)
        return _StratumPart(share, value, influence, extra_variance, extra_variance, freedom)
    label_influence = mean_influence(residual, data.label_weight)
    # HC2: residuals of labels with much leverage are too small.
    label_influence = label_influence / np.sqrt(1 - _leverage(data.score, weight, data.label_weight))
    influence[labelled] = share * np.sqrt(finite_factor) * label_influence
    if not finite and rest:
        score_influence = mean_influence(data.unlabelled, data.unlabelled_weight)
        influence[in_stratum & ~labelled] = share * weight * score_influence
    return _StratumPart(share, value, influence, 0.0, float((influence[labelled] ** 2).sum()), freedom)


def _share_of(items: StratifiedItems, rows: BoolArray) -> float:
    return float(np.broadcast_to(items.share, rows.shape)[rows].sum())


def _student_factor(variance: float, parts: list[_StratumPart], clusters: int, level: float) -> float:
    """Return Student's quantile over the normal one: few labels or clusters widen the interval.

    Source: Satterthwaite 1946 for the degrees of freedom of a sum of variances.
    """
    squares = sum(part.variance**2 / part.freedom for part in parts)
    freedom = min(clusters - 1, variance**2 / squares) if squares > 0 else clusters - 1
    return t_quantile(level, freedom) / normal_quantile(level)


def _variance(influence: FloatArray, items: StratifiedItems, *, clustered: bool) -> float:
    if not clustered or len(np.unique(items.cluster)) == len(influence):
        return float((influence**2).sum())
    return cluster_error(influence, items.cluster, items.cluster[np.isfinite(items.label)]) ** 2


def _leverage(score: FloatArray, weight: float, label_weight: FloatArray | None = None) -> FloatArray:
    """Return each label's leverage on the mean and a tuned lambda (MacKinnon and White 1985)."""
    leverage = (
        np.full(len(score), 1 / len(score)) if label_weight is None else label_weight / label_weight.sum()
    )
    distance = score - score.mean()
    # A lambda at 0 or 1 was clipped, so labels have no leverage on it.
    if 0.0 < weight < 1.0:
        leverage += distance**2 / (distance**2).sum()
    return np.minimum(leverage, _MAX_LEVERAGE)


def _jeffreys_variance(n: float) -> float:
    """Return the variance of a 0/1 label if half a label of ``n + 1`` contradicts the others."""
    rate = 0.5 / (n + 1)
    return rate * (1 - rate)


def _why_too_few(items: StratifiedItems) -> str | None:
    for number, name in enumerate(items.names):
        size, labels = int((items.stratum == number).sum()), int(items.labelled(number).sum())
        if labels < min(MIN_STRATUM_LABELS, size):
            return f"stratum {name!r} has {labels} labels on {size:,} items; it takes at least {min(MIN_STRATUM_LABELS, size)}"
    return None if len(items.label) else "no item has a judge's score"


def _stratum_estimate(
    data: LabelledAndJudged, weight: float, interval: RateInterval, level: float
) -> Statistic:
    if len(data.unlabelled):
        return prediction_powered(data, weight, interval=interval, level=level)
    return labels_only(data.label, data.label_cluster, data.label_weight, interval=interval, level=level)


def _residual_squares(data: LabelledAndJudged, weight: float) -> float:
    residual = data.label - weight * data.score
    return float(((residual - residual.mean()) ** 2).sum()) if len(residual) else 0.0


def _pooled_variance(items: StratifiedItems, squares: float) -> float:
    """Return the pooled variance of the residuals within strata.

    The variance that the judge's scores imply, read as probabilities, counts as two labels.
    """
    probability = np.clip(items.score, MIN_ERROR_PROBABILITY, 1 - MIN_ERROR_PROBABILITY)
    doubt = float((probability * (1 - probability)).mean())
    return (squares + _SCORES_WEIGHT * doubt) / (int(np.isfinite(items.label).sum()) + _SCORES_WEIGHT)
