"""Active labelling: draw doubtful items more often, write down how often, and weigh their labels by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray

UNIFORM = 0.2
"""Share of the draws that takes no notice of doubt: no item's chance, and so no label's weight, gets out of hand."""

_BINS = 10

SUREST = 0.03
"""A judge is not believed to be surer than this."""


@dataclass(frozen=True, eq=False)
class DrawnLabels:
    """Judged items of which some were drawn, with known chances, to be labelled.

    Attributes:
        label: Trusted values, shape ``(M,)``; NaN where the item was not drawn.
        score: The judge's scores, shape ``(M,)``.
        probability: With what chance a labelled item was drawn, shape ``(M,)``; read only where there is a label.
        cluster: Cluster number of each item, shape ``(M,)``.
    """

    label: FloatArray
    score: FloatArray
    probability: FloatArray
    cluster: IntArray

    @property
    def known(self) -> BoolArray:
        """Which items have a label."""
        return np.isfinite(self.label)

    @property
    def weight(self) -> FloatArray:
        """How many items each label stands for; 0 where there is none."""
        return np.where(self.known, 1.0 / np.where(self.known, self.probability, 1.0), 0.0)

    def average(self, values: FloatArray) -> float:
        """Weighted mean over the labelled items (Hajek 1971)."""
        return float((self.weight * np.where(self.known, values, 0.0)).sum() / self.weight.sum())


def draw_probabilities(score: FloatArray, label: FloatArray, count: int) -> FloatArray:
    """With what chance to draw each unlabelled item, so that about ``count`` are drawn.

    In proportion to the standard deviation of the label among items with about the same score (Neyman 1934; Zrnic and
    Candes 2024, arXiv 2403.03208): labels so far tell it, and the score itself, read as a probability.

    Args:
        score: The judge's scores, shape ``(M,)``.
        label: Labels so far, shape ``(M,)``; NaN where there is none.
        count: How many items can be labelled.

    Returns:
        Shape ``(M,)``; 0 for items that have a label.
    """
    values = np.unique(score)
    group = (
        np.searchsorted(values, score)
        if len(values) <= _BINS
        else np.minimum((score * _BINS).astype(np.int64), _BINS - 1)
    )
    open_items = ~np.isfinite(label)
    doubt = np.zeros(len(score))
    for each in np.unique(group).tolist():
        mine = group == each
        seen = label[mine & ~open_items]
        # The score counts as two labels.
        rate = (seen.sum() + 2 * np.clip(score, SUREST, 1 - SUREST)) / (len(seen) + 2)
        doubt = np.where(mine & open_items, np.sqrt(rate * (1 - rate)), doubt)
    total = int(open_items.sum())
    if count >= total:
        return open_items.astype(np.float64)
    chance = count * ((1 - UNIFORM) * doubt / doubt.sum() + UNIFORM * open_items / total)
    return np.minimum(chance, 1.0)


def active_lambda(data: DrawnLabels) -> float:
    """How far the judge is trusted: the weight of its scores that makes the variance least, within [0, 1]."""
    labels, scores = _parts(data)
    spread = float(scores.var())
    if spread <= 0.0:
        return 0.0
    return min(1.0, max(0.0, -float(((labels - labels.mean()) * (scores - scores.mean())).mean()) / spread))


class Moved(NamedTuple):
    """An estimate, and how each item moves it.

    Attributes:
        value: The estimate.
        influence: Of each item, whether it is of the population by chance or drawn by chance, shape ``(M,)``.
        design: Variance that the chance of being drawn gives each item, shape ``(M,)``.
    """

    value: float
    influence: FloatArray
    design: FloatArray


def moved(data: DrawnLabels, weight: float) -> Moved:
    """The mean label from labels drawn with unequal, known chances.

    ``lambda * mean(score) + weighted mean of (label - lambda * score)``, each label weighing 1 / its chance.

    Source: Zrnic and Candes 2024 (arXiv 2403.03208), with Hajek's weighted mean, which does not mind how many items
    happened to be drawn.

    Args:
        data: The items, at least one with a label.
        weight: Lambda.
    """
    labels, scores = _parts(data)
    size = len(data.score)
    value = weight * float(data.score.mean()) + data.average(data.label - weight * data.score)
    residual = np.where(data.known, data.label - weight * data.score, 0.0)
    residual = np.where(data.known, residual - data.average(residual), 0.0)
    drawn = 1 - np.where(data.known, data.probability, 1.0)
    return Moved(value, (labels + weight * scores) / size, drawn * (data.weight * residual / size) ** 2)


def _parts(data: DrawnLabels) -> tuple[FloatArray, FloatArray]:
    """What each item adds to the estimate: a part of its label, and a part that lambda multiplies; shape ``(M,)`` each."""
    label = np.where(data.known, data.label, 0.0)
    label_mean, score_mean = data.average(label), data.average(data.score)
    labels = label_mean + data.weight * np.where(data.known, label - label_mean, 0.0)
    scores = data.score - score_mean - data.weight * (data.score - score_mean)
    return labels, scores
