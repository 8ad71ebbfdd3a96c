"""From which score on should a verdict pass? The best threshold, and what it is worth on items that did not choose it."""

from __future__ import annotations

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..folds import folds_of
from ..sample import Cells
from ..statistics.estimator import ESTIMATORS
from .results import Threshold

MAX_CANDIDATES = 100
"""Thresholds tried: the distinct scores, or evenly spaced ones of them."""


def choose_threshold(
    label: FloatArray,
    score: FloatArray,
    cluster: IntArray,
    *,
    statistic: str = "balanced_accuracy",
    pass_at: float = 0.5,
) -> Threshold:
    """The threshold on the score that makes a statistic of the 2x2 table largest, cross-fitted.

    Args:
        label: Trusted values, shape ``(n,)``, none missing.
        score: The judge's scores, shape ``(n,)``, none missing.
        cluster: Cluster number of each row, shape ``(n,)``; a cluster is never split.
        statistic: One of `AGREEMENT`.
        pass_at: A label passes when it is at least this.

    Returns:
        The threshold, the least of equals.
    """
    right = label >= pass_at
    candidates = _candidates(score)
    if not len(score) or right.all() or not right.any():
        return _none(statistic, "needs labels of both classes", len(score))
    if len(candidates) < 2:  # noqa: PLR2004 - nothing to choose from
        return _none(statistic, "all scores are equal", len(score))
    passed = score >= candidates[:, None]
    fold, folds = folds_of(cluster)
    # One 2x2 table a candidate and fold: counts of (label, verdict).
    tables = np.stack(
        [_tables(right[fold == each], passed[:, fold == each]) for each in range(folds)], axis=1
    )
    whole = _values(tables.sum(axis=1), statistic)
    best = int(np.argmax(whole))
    if not np.isfinite(whole[best]):
        return _none(statistic, f"{statistic} is undefined at every threshold", len(score))
    apparent, held_out = float(whole[best]), _held_out(tables, statistic)
    optimism = None if held_out is None else apparent - held_out
    return Threshold(statistic, float(candidates[best]), apparent, held_out, optimism, None, len(score))


def _none(statistic: str, why: str, n: int) -> Threshold:
    return Threshold(statistic, None, None, None, None, why, n)


def _held_out(tables: FloatArray, statistic: str) -> float | None:
    if tables.shape[1] < 2:  # noqa: PLR2004 - nothing could be held out
        return None
    others = tables.sum(axis=1, keepdims=True) - tables
    chosen = np.argmax(_values(others, statistic), axis=0)
    judged = tables[chosen, np.arange(tables.shape[1])].sum(axis=0)
    value = float(_values(judged, statistic))
    return value if np.isfinite(value) else None


def _candidates(score: FloatArray) -> FloatArray:
    distinct = np.unique(score)
    if len(distinct) <= MAX_CANDIDATES:
        return distinct
    return distinct[np.linspace(0, len(distinct) - 1, MAX_CANDIDATES).astype(int)]


def _tables(right: BoolArray, passed: BoolArray) -> FloatArray:
    """``[[tn, fp], [fn, tp]]`` of each candidate, shape ``(candidates, 2, 2)``."""
    tp, fp = (passed & right).sum(axis=1), (passed & ~right).sum(axis=1)
    fn, tn = right.sum() - tp, (~right).sum() - fp
    return np.stack([tn, fp, fn, tp], axis=1).reshape(-1, 2, 2).astype(np.float64)


_QUADRANTS = Cells(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0]), 0.5)


def _values(tables: FloatArray, statistic: str) -> FloatArray:
    """The statistic of each table; minus infinity where it is undefined, which nothing chooses."""
    values = ESTIMATORS[statistic].formula(tables.reshape(*tables.shape[:-2], 4), _QUADRANTS)
    return np.where(np.isfinite(values), values, -np.inf)
