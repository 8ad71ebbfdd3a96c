"""Variance of a corrected rate that a handful of equal labels does not show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import FloatArray
from ..intervals.clustered_rates import usual_effect
from .estimators import LabelledAndJudged

_GROUPS = 4
"""Most groups of labels with about equal weights."""

_PSEUDO = 0.5
"""Outputs added of each of four kinds: rightly passed, wrongly passed, rightly failed, wrongly failed."""


def unseen_variance(data: LabelledAndJudged, observed: float) -> float:
    """Return the variance that the labelled part lacks beyond the variance ``observed``.

    Five labels that all pass have no spread. Their mean is taken to have at least the variance ``p (1 - p) (1
    - r^2) / n``, where ``p = (k + 1) / (n + 2)`` for ``k`` labels that pass, and ``r`` is the judge's
    correlation with them after adding half an output of each kind. Both approach the observed values as the
    number of labels grows. The default design effect is applied for clusters.
    """
    return _unseen(data, observed, _smoothed_correlation(data))


def _unseen(data: LabelledAndJudged, observed: float, correlation: float) -> float:
    n = len(data.label)
    rate = (float(data.label.sum()) + 1) / (n + 2)
    floor = rate * (1 - rate) * (1 - correlation**2) / n
    sizes = np.unique(data.label_cluster, return_counts=True)[1]
    return max(0.0, floor - observed) * usual_effect(float((sizes**2).sum()) / n)


def unseen_weighted_variance(data: LabelledAndJudged, residual: FloatArray) -> float:
    """Return `unseen_variance` of labels with weights, for each group of equal ones.

    A few labels of cases with few trials have half of the weight, say: that they are equal hides as much.
    """
    if data.label_weight is None:
        return unseen_variance(data, float(residual.var(ddof=1)) / len(residual))
    weight, total = data.label_weight, float(data.label_weight.sum())
    ends = np.unique(np.quantile(weight, np.arange(1, _GROUPS) / _GROUPS))
    group, unseen = np.searchsorted(ends, weight), 0.0
    for number in np.unique(group).tolist():
        rows = group == number
        n, share = int(rows.sum()), float(weight[rows].sum()) / total
        observed = float(residual[rows].var(ddof=1)) / n if n > 1 else 0.0
        part = replace(data, label=data.label[rows], label_cluster=data.label_cluster[rows])
        unseen += share**2 * _unseen(part, observed, _smoothed_correlation(data))
    return unseen


def _smoothed_correlation(data: LabelledAndJudged) -> float:
    label = np.concatenate([data.label, [0.0, 0.0, 1.0, 1.0]])
    score = np.concatenate([data.score, [0.0, 1.0, 0.0, 1.0]])
    weight = np.concatenate([np.ones(len(data.label)), np.full(4, _PSEUDO)])
    return _correlation(label, score, weight / weight.sum())


def _correlation(first: FloatArray, second: FloatArray, weight: FloatArray) -> float:
    first, second = first - weight @ first, second - weight @ second
    return float(weight @ (first * second) / np.sqrt((weight @ first**2) * (weight @ second**2)))
