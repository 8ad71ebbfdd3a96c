"""Variance of a corrected rate that a handful of equal labels does not show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import FloatArray
from ..intervals.clustered_rates import default_effect
from .estimators import LabelledAndJudged

_MAX_GROUPS = 4
"""Maximum number of groups of labels with about equal weights."""

_PSEUDO_OUTPUTS = 0.5
"""Outputs added for each combination of label and verdict, to smooth the correlation."""


def extra_variance(data: LabelledAndJudged, observed: float) -> float:
    """Return the variance to add to ``observed``, which a few equal labels understate.

    Five labels that all pass have no spread. The variance of their mean is taken to be at least
    ``p (1 - p) (1 - r^2) / n``, where ``p = (k + 1) / (n + 2)`` for ``k`` labels that pass, and ``r`` is the
    judge's correlation with them after adding half an output of each kind. Both approach the observed values
    as the number of labels grows. The default design effect is applied for clusters.
    """
    return _shortfall(data, observed, _smoothed_correlation(data))


def _shortfall(data: LabelledAndJudged, observed: float, correlation: float) -> float:
    """Return how far ``observed`` is below the assumed variance; see `extra_variance`."""
    n = len(data.label)
    rate = (float(data.label.sum()) + 1) / (n + 2)
    floor = rate * (1 - rate) * (1 - correlation**2) / n
    sizes = np.unique(data.label_cluster, return_counts=True)[1]
    return max(0.0, floor - observed) * default_effect(float((sizes**2).sum()) / n)


def extra_weighted_variance(data: LabelledAndJudged, residual: FloatArray) -> float:
    """Return `extra_variance` for weighted labels, summed over groups of about equal weight.

    A few equal labels with large weights understate the variance as much as a few equal labels alone.
    """
    if data.label_weight is None:
        return extra_variance(data, float(residual.var(ddof=1)) / len(residual))
    weight, total = data.label_weight, float(data.label_weight.sum())
    edges = np.unique(np.quantile(weight, np.arange(1, _MAX_GROUPS) / _MAX_GROUPS))
    group, extra = np.searchsorted(edges, weight), 0.0
    for number in np.unique(group).tolist():
        rows = group == number
        n, share = int(rows.sum()), float(weight[rows].sum()) / total
        observed = float(residual[rows].var(ddof=1)) / n if n > 1 else 0.0
        group_data = replace(data, label=data.label[rows], label_cluster=data.label_cluster[rows])
        # The correlation is of all labels: a group may have too few for one of its own.
        extra += share**2 * _shortfall(group_data, observed, _smoothed_correlation(data))
    return extra


def _smoothed_correlation(data: LabelledAndJudged) -> float:
    """Return the correlation of labels and scores, with half an output of each kind added."""
    label = np.concatenate([data.label, [0.0, 0.0, 1.0, 1.0]])
    score = np.concatenate([data.score, [0.0, 1.0, 0.0, 1.0]])
    weight = np.concatenate([np.ones(len(data.label)), np.full(4, _PSEUDO_OUTPUTS)])
    return _correlation(label, score, weight / weight.sum())


def _correlation(first: FloatArray, second: FloatArray, weight: FloatArray) -> float:
    first, second = first - weight @ first, second - weight @ second
    return float(weight @ (first * second) / np.sqrt((weight @ first**2) * (weight @ second**2)))
