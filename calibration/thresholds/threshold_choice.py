"""Choice of a threshold that is best by a statistic, or clearly better than the one in use."""

from __future__ import annotations

import numpy as np

from ...records.made_scores import reaches
from ..arrays import BoolArray, FloatArray, IntArray, folds_of
from ..intervals.clustered_means import Combination, combine_means
from ..sample import QUADRANTS
from ..statistic import defined, undefined
from ..statistic_catalogue import ESTIMATORS
from .threshold_results import BetterThreshold, ChosenThreshold

MAX_CANDIDATES = 100
"""Maximum number of thresholds tried; if there are more distinct scores, evenly spaced ones are tried."""

CLEAR_GAIN = 0.05
"""Minimum gain in balanced accuracy that is reported."""

MAX_GAIN_P = 0.02
"""Maximum p-value of a gain that is reported.

At 0.05, up to 6 % of judges at chance had a reported gain, because the folds share training items.
"""

_ROUNDING = 1e-12
"""Values that differ by less are equally good."""


def choose_threshold(
    right: BoolArray, score: FloatArray, cluster: IntArray, *, statistic: str = "balanced_accuracy"
) -> ChosenThreshold:
    """Choose the threshold in (0, 1] that maximizes a statistic of `AGREEMENT`, cross-fitted.

    Arrays have shape ``(n,)``, and a cluster is never split. The lowest of equally good thresholds is chosen,
    except one that every score reaches: it is chosen only if no other is as good.
    """
    if not len(score) or right.all() or not right.any():
        return ChosenThreshold(statistic, undefined="needs labels of both classes", n=len(score))
    if np.ptp(score) == 0:
        return ChosenThreshold(statistic, undefined="all scores are equal", n=len(score))
    if np.isin(score, (0.0, 1.0)).all():
        return ChosenThreshold(statistic, undefined="all scores are 0 or 1", n=len(score))
    candidates = _evenly_spaced(np.unique(score[score > 0.0]))
    if candidates[0] == score.min():
        # Every score reaches this one, and the first of equally good ones is chosen.
        candidates = np.roll(candidates, -1)
    passed = score >= candidates[:, None]
    fold, folds = folds_of(cluster)
    # One 2x2 table of label and verdict for each candidate and fold.
    tables = np.stack(
        [_tables(right[fold == index], passed[:, fold == index]) for index in range(folds)], axis=1
    )
    values = _values(tables.sum(axis=1), statistic)
    best = int(_first_best(values))
    if not np.isfinite(values[best]):
        return ChosenThreshold(
            statistic, undefined=f"{statistic} is undefined at every threshold", n=len(score)
        )
    apparent, held_out = float(values[best]), _held_out(tables, statistic)
    optimism = None if held_out is None else apparent - held_out
    threshold = float(candidates[best])
    return ChosenThreshold(statistic, threshold, apparent, held_out, optimism, n=len(score))


def _first_best(values: FloatArray) -> IntArray:
    """Return the index of the first of the largest values along the first axis, up to rounding."""
    return np.argmax(values >= values.max(axis=0) - _ROUNDING, axis=0)


def _held_out(tables: FloatArray, statistic: str) -> float | None:
    """Return the statistic of all folds, each at the threshold that is best on the other folds."""
    if tables.shape[1] < 2:  # noqa: PLR2004 - nothing could be held out
        return None
    others = tables.sum(axis=1, keepdims=True) - tables
    chosen = _first_best(_values(others, statistic))
    held_out_table = tables[chosen, np.arange(tables.shape[1])].sum(axis=0)
    value = float(_values(held_out_table, statistic))
    return value if np.isfinite(value) else None


def _evenly_spaced(distinct: FloatArray) -> FloatArray:
    if len(distinct) <= MAX_CANDIDATES:
        return distinct
    return distinct[np.linspace(0, len(distinct) - 1, MAX_CANDIDATES).astype(int)]


def _tables(right: BoolArray, passed: BoolArray) -> FloatArray:
    """Return ``[[tn, fp], [fn, tp]]`` of each candidate, shape ``(candidates, 2, 2)``."""
    tp, fp = (passed & right).sum(axis=1), (passed & ~right).sum(axis=1)
    fn, tn = right.sum() - tp, (~right).sum() - fp
    return np.stack([tn, fp, fn, tp], axis=1).reshape(-1, 2, 2).astype(np.float64)


def _values(tables: FloatArray, statistic: str) -> FloatArray:
    """Return the statistic of each table; minus infinity where undefined, so it is never best."""
    values = ESTIMATORS[statistic].formula(tables.reshape(*tables.shape[:-2], 4), QUADRANTS)
    return np.where(np.isfinite(values), values, -np.inf)


def better_threshold(
    right: BoolArray, score: FloatArray, cluster: IntArray, pass_at: float, *, level: float = 0.95
) -> BetterThreshold | None:
    """Choose the threshold anew, cross-fitted, and compare it with ``pass_at``.

    Arrays have shape ``(n,)``, and a cluster is never split.

    The gain is in balanced accuracy, which is the mean of two shares: of passes among right items, and of fails
    among wrong ones. So its error over clusters is that of a sum of means (`combine_means`). None if no score lies
    between 0 and 1, since there is nothing to choose then.
    """
    if np.isin(score, (0.0, 1.0)).all():
        return None
    if right.all() or not right.any():
        return _no_threshold(pass_at, "needs labels of both classes", len(score), level)
    fold, folds = folds_of(cluster)
    if folds < 2:  # noqa: PLR2004 - nothing could be held out
        return _no_threshold(
            pass_at, "there is only one cluster, so nothing can be held out", len(score), level
        )
    candidates = _candidates(score, pass_at)
    pass_counts = _pass_counts(candidates, score, right, fold)
    total = pass_counts.sum(axis=0)
    chosen = np.array([_best(candidates, total - fold_counts, pass_at) for fold_counts in pass_counts])
    gain = _gain(right, reaches(score, chosen[fold]), reaches(score, pass_at), cluster)
    p = gain.p()
    method = "cluster-t (CR2), cross-fitted" if gain.estimable else "no interval: a class is in one cluster"
    return BetterThreshold(
        pass_at=pass_at,
        better_at=_best(candidates, total, pass_at),
        gain=defined(gain.value, gain.interval(level), n=len(score), method=method, level=level),
        clear=p is not None and p <= MAX_GAIN_P and gain.value >= CLEAR_GAIN,
    )


def _gain(right: BoolArray, newly_passed: BoolArray, passed: BoolArray, cluster: IntArray) -> Combination:
    """Return the gain in balanced accuracy of new verdicts over present ones."""
    # 1 where only the new verdict is right, -1 where only the present one is right.
    gained = np.where(right, 1.0, -1.0) * (newly_passed.astype(np.float64) - passed)
    return combine_means(gained, right.astype(np.int64), np.full(2, 0.5), cluster)


def _no_threshold(pass_at: float, why: str, n: int, level: float) -> BetterThreshold:
    return BetterThreshold(
        pass_at=pass_at, better_at=pass_at, gain=undefined(why, n=n, level=level), clear=False
    )


def _candidates(score: FloatArray, pass_at: float) -> FloatArray:
    """Return candidate thresholds, ascending: the current one and the distinct scores.

    There are at most `MAX_CANDIDATES` scores, evenly spaced among the distinct ones.
    """
    return np.unique(np.append(_evenly_spaced(np.unique(score[score > 0.0])), pass_at))


def _pass_counts(candidates: FloatArray, score: FloatArray, right: BoolArray, fold: IntArray) -> IntArray:
    """Count the wrong and the right rows of each fold that pass at each candidate.

    The shape is ``(folds, 2, candidates + 1)``; the first entry of the last axis counts all rows.
    """
    shape = (int(fold.max()) + 1, 2, len(candidates) + 1)
    candidates_reached = np.searchsorted(candidates, score, side="right")
    index = np.ravel_multi_index((fold, right.astype(np.int64), candidates_reached), shape)
    counts = np.bincount(index, minlength=int(np.prod(shape))).reshape(shape)
    # A row passes at a candidate if it reaches that one or more, so counts are added from the end.
    return counts[..., ::-1].cumsum(axis=-1)[..., ::-1]


def _best(candidates: FloatArray, pass_counts: IntArray, pass_at: float) -> float:
    """Return the candidate with the largest balanced accuracy, or the current one if none is.

    Among equally good others the lowest is returned.
    """
    wrong_passed, right_passed = pass_counts
    n_wrong, n_right = wrong_passed[0], right_passed[0]
    if not (n_wrong and n_right):  # without a class there is no balanced accuracy
        return pass_at
    youden = right_passed[1:] / n_right - wrong_passed[1:] / n_wrong
    best, current = int(np.argmax(youden)), int(np.searchsorted(candidates, pass_at))
    return pass_at if youden[current] >= youden[best] - _ROUNDING else float(candidates[best])
