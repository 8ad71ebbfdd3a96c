"""Variance of a corrected rate that a handful of equal labels does not show."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..intervals.clustered_rates import usual_effect
from .estimators import LabelledAndJudged

_PSEUDO = 0.5
"""Outputs added of each of four kinds: rightly passed, wrongly passed, rightly failed, wrongly failed."""


def unseen_variance(data: LabelledAndJudged, observed: float) -> float:
    """Return the variance that the labelled part lacks beyond the variance ``observed``.

    Five labels that all pass have no spread. Their mean is taken to have at least the variance ``p (1 - p) (1
    - r^2) / n``, where ``p = (k + 1) / (n + 2)`` for ``k`` labels that pass, and ``r`` is the judge's
    correlation with them after adding half an output of each kind. Both approach the observed values as the
    number of labels grows. The default design effect is applied for clusters.
    """
    n = len(data.label)
    rate = (float(data.label.sum()) + 1) / (n + 2)
    floor = rate * (1 - rate) * (1 - _smoothed_correlation(data) ** 2) / n
    sizes = np.unique(data.label_cluster, return_counts=True)[1]
    return max(0.0, floor - observed) * usual_effect(float((sizes**2).sum()) / n)


def _smoothed_correlation(data: LabelledAndJudged) -> float:
    label = np.concatenate([data.label, [0.0, 0.0, 1.0, 1.0]])
    score = np.concatenate([data.score, [0.0, 1.0, 0.0, 1.0]])
    weight = np.concatenate([np.ones(len(data.label)), np.full(4, _PSEUDO)])
    return _correlation(label, score, weight / weight.sum())


def _correlation(first: FloatArray, second: FloatArray, weight: FloatArray) -> float:
    first, second = first - weight @ first, second - weight @ second
    return float(weight @ (first * second) / np.sqrt((weight @ first**2) * (weight @ second**2)))
