"""Active labelling: draw doubtful items more often, and weight their labels by the chance.

Chances are recorded; labels may be drawn in one round or several.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..intervals.closed_forms import wilson_interval
from ..intervals.variance import cluster_error
from ..statistic import defined, undefined
from .estimators import PowerTuned
from .rate_interval import ROUNDING, RateInterval, rate_interval

UNIFORM = 0.2
"""Share of draws that ignores doubt; it bounds each item's chance from below, and so label weights from above."""

_SCORE_BINS = 10
"""Number of equal bins of scores, if there are more distinct scores than that."""

MIN_ERROR_PROBABILITY = 0.03
"""Minimum probability of an error read from a score, since scores of 0 and 1 are sometimes wrong."""


@dataclass(frozen=True, eq=False)
class DrawnLabels:
    """Judged items, some of them drawn for labelling with known chances.

    Attributes:
        label: Trusted values, shape ``(M,)``; NaN where the item was not drawn.
        score: The judge's scores, shape ``(M,)``.
        probability: Chance with which a labelled item was drawn, shape ``(M,)``; used only for items with a
            label.
        cluster: Cluster number of each item, shape ``(M,)``.
    """

    label: FloatArray
    score: FloatArray
    probability: FloatArray
    cluster: IntArray

    @property
    def labelled(self) -> BoolArray:
        """Mask of the items with a label."""
        return np.isfinite(self.label)

    @property
    def weight(self) -> FloatArray:
        """Number of items that each label stands for; 0 where there is none."""
        return np.where(self.labelled, 1.0 / np.where(self.labelled, self.probability, 1.0), 0.0)

    def average(self, values: FloatArray) -> float:
        """Return the weighted mean over the labelled items (Hajek 1971)."""
        return float((self.weight * np.where(self.labelled, values, 0.0)).sum() / self.weight.sum())


def draw_probabilities(score: FloatArray, label: FloatArray, count: int) -> FloatArray:
    """Return the chance to draw each unlabelled item, from scores and labels so far.

    The shape is ``(M,)``; labelled items have chance 0. About ``count`` items are drawn.

    Chances are proportional to the standard deviation of the label among items with about the same score
    (Neyman 1934; Zrnic and Candes 2024, arXiv 2403.03208). It is estimated from the labels so far and from
    the score itself, read as a probability.
    """
    distinct_scores = np.unique(score)
    group = (
        np.searchsorted(distinct_scores, score)
        if len(distinct_scores) <= _SCORE_BINS
        else np.minimum((score * _SCORE_BINS).astype(np.int64), _SCORE_BINS - 1)
    )
    unlabelled = ~np.isfinite(label)
    doubt = np.zeros(len(score))
    probability = np.clip(score, MIN_ERROR_PROBABILITY, 1 - MIN_ERROR_PROBABILITY)
    for group_number in np.unique(group).tolist():
        in_group = group == group_number
        labels = label[in_group & ~unlabelled]
        # The score counts as two labels, so a group without labels has the doubt that its scores imply.
        rate = (labels.sum() + 2 * probability) / (len(labels) + 2)
        doubt = np.where(in_group & unlabelled, np.sqrt(rate * (1 - rate)), doubt)
    n_unlabelled = int(unlabelled.sum())
    if count >= n_unlabelled:
        return unlabelled.astype(np.float64)
    chance = count * ((1 - UNIFORM) * doubt / doubt.sum() + UNIFORM * unlabelled / n_unlabelled)
    return np.minimum(chance, 1.0)


def active_lambda(data: DrawnLabels) -> float:
    """Return the lambda within [0, 1] that minimises the variance of `weighted_estimate`.

    Lambda is the weight of the judge's scores: how far the judge is trusted.
    """
    labels, scores = _contributions(data)
    variance = float(scores.var())
    if variance <= 0.0:
        return 0.0
    covariance = float(((labels - labels.mean()) * (scores - scores.mean())).mean())
    # The variance of `labels + lambda * scores` is least at minus the regression slope of labels on scores.
    return min(1.0, max(0.0, -covariance / variance))


class InfluenceEstimate(NamedTuple):
    """An estimate, and the influence of each item on it.

    Attributes:
        value: The estimate.
        influence: Influence of each item, for a random choice of both items and labels, shape ``(M,)``.
        design: Each item's part of the variance from the random choice of labels alone, shape ``(M,)``.
    """

    value: float
    influence: FloatArray
    design: FloatArray


def weighted_estimate(data: DrawnLabels, weight: float) -> InfluenceEstimate:
    """Estimate the mean label from labels drawn with unequal, known chances.

    The value is ``lambda * mean(score) + weighted mean of (label - lambda * score)``, with weight 1 / chance for
    each label.

    Source: Zrnic and Candes 2024 (arXiv 2403.03208), with Hajek's weighted mean, which does not depend on the
    number of items that happen to be drawn.
    """
    labels, scores = _contributions(data)
    size = len(data.score)
    value = weight * float(data.score.mean()) + data.average(data.label - weight * data.score)
    residual = np.where(data.labelled, data.label - weight * data.score, 0.0)
    residual = np.where(data.labelled, residual - data.average(residual), 0.0)
    # Items are drawn independently, so the variance of each is (1 - p) (residual / (p M))^2.
    chance_not_drawn = 1 - np.where(data.labelled, data.probability, 1.0)
    design = chance_not_drawn * (data.weight * residual / size) ** 2
    return InfluenceEstimate(value, (labels + weight * scores) / size, design)


def _contributions(data: DrawnLabels) -> tuple[FloatArray, FloatArray]:
    """Return each item's contributions by its label and by its score, shape ``(M,)`` each.

    The estimate is the mean of the first plus lambda times the second.
    """
    label = np.where(data.labelled, data.label, 0.0)
    label_mean, score_mean = data.average(label), data.average(data.score)
    labels = label_mean + data.weight * np.where(data.labelled, label - label_mean, 0.0)
    scores = data.score - score_mean - data.weight * (data.score - score_mean)
    return labels, scores


def active_estimate(
    data: DrawnLabels,
    *,
    drawn_in: IntArray | None = None,
    finite: bool = False,
    interval: RateInterval = "score",
    level: float = 0.95,
) -> PowerTuned:
    """Estimate the mean label from one or several rounds of draws.

    Undefined with fewer than two labels. In each round earlier labels have a chance of 1, and each new label weighs
    1 / its chance in that round.
    However those chances depend on earlier labels, the error of a round has mean 0 given the rounds before.
    So the errors of rounds are uncorrelated, and their estimates are averaged with weights proportional to
    their new labels.

    Source: Zrnic and Candes 2024 (arXiv 2403.03208), whose sequential estimate this is, with batches for
    single labels.

    Args:
        data: The items; the chance of each label is the one in its own round.
        drawn_in: Round in which each label was drawn, shape ``(M,)``: 1, 2, ...; 0 before the first. None if
            there is one round.
        finite: Whether to estimate the mean of just these items, drawn one by one, rather than of their
            population.
        interval: ``wald`` is symmetric; any other is ``logit``. Both are clustered for a population.
        level: Nominal coverage.
    """
    count = int(data.labelled.sum())
    if count < 2:  # noqa: PLR2004 - a variance needs two
        return PowerTuned(
            None, undefined("fewer than two items have both a label and a score", n=count, level=level)
        )
    weight, value, error = _average_of_rounds(data, drawn_in, finite=finite)
    if error <= ROUNDING and 0.0 <= value <= 1.0 and not finite:
        # A few equal clusters do not prove that there is no variation.
        ends, method = wilson_interval(value, len(np.unique(data.cluster[data.labelled])), level), "Wilson"
    else:
        ends, method = rate_interval(value, error, interval if error > 0 else "wald", level)
    return PowerTuned(weight, defined(value, ends, n=count, method=method, level=level))


class _AverageOfRounds(NamedTuple):
    """Average over rounds, with its lambda and standard error."""

    weight: float
    value: float
    error: float


def _average_of_rounds(data: DrawnLabels, drawn_in: IntArray | None, *, finite: bool) -> _AverageOfRounds:
    """Average the estimates of all rounds, weighted by their numbers of new labels."""
    rounds = _rounds(data, drawn_in)
    lambdas = [active_lambda(part) for part, _ in rounds]
    estimates: list[InfluenceEstimate] = [
        weighted_estimate(part, weight) for (part, _), weight in zip(rounds, lambdas, strict=True)
    ]
    shares = np.array([n_new for _, n_new in rounds], dtype=np.float64)
    shares /= shares.sum()
    value = float(shares @ [estimate.value for estimate in estimates])
    if finite:
        error = float(np.sqrt((shares**2) @ [estimate.design.sum() for estimate in estimates]))
    else:
        influence: FloatArray = shares @ np.stack([estimate.influence for estimate in estimates])
        error = cluster_error(influence - influence.mean(), data.cluster, data.cluster[data.labelled])
    return _AverageOfRounds(float(shares @ lambdas), value, error)


def _rounds(data: DrawnLabels, drawn_in: IntArray | None) -> list[tuple[DrawnLabels, int]]:
    """Return the data known after each round, with the number of new labels in that round."""
    if drawn_in is None or not (drawn_in[data.labelled] > 0).any():
        return [(data, int(data.labelled.sum()))]
    rounds: list[tuple[DrawnLabels, int]] = []
    numbers: list[int] = np.unique(drawn_in[data.labelled & (drawn_in > 0)]).tolist()
    for number in numbers:
        label = np.where(drawn_in <= number, data.label, np.nan)
        chance = np.where(drawn_in == number, data.probability, 1.0)
        n_new = int((data.labelled & (drawn_in == number)).sum())
        rounds.append((DrawnLabels(label, data.score, chance, data.cluster), n_new))
    return rounds
