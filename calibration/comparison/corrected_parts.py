"""Means that sum to a system's corrected rate: of decided, judged and ungraded outputs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..corrected_rate.estimators import LabelledAndJudged, labels_only, power_tuned
from ..corrected_rate.few_labels import extra_weighted_variance
from ..corrected_rate.ungraded_levels import UngradedLevel
from ..row_weights import total_weight, weighted_mean
from ..statistic import Interval, Statistic
from .outputs import Graded
from .weighted_parts import WeightedPart


def corrected_rate_of(graded: Graded, level: float) -> Statistic:
    """Return the corrected pass rate of a system's undecided outputs."""
    is_graded, labelled = graded.is_graded, graded.labelled
    if labelled.sum() == is_graded.sum() and not graded.labelled_ungraded.any():
        known = graded.take(labelled)
        return labels_only(known.label, known.cluster, known.weight, level=level)
    return power_tuned(labelled_and_judged(graded), level=level).estimate


def labelled_and_judged(graded: Graded) -> LabelledAndJudged:
    """Return the undecided outputs: judged with a label, judged without one, and ungraded."""
    labelled, weight = graded.labelled, graded.weight
    rest = graded.is_graded & graded.is_undecided & ~labelled
    return LabelledAndJudged(
        graded.label[labelled],
        graded.result[labelled],
        graded.result[rest],
        graded.cluster[labelled],
        graded.cluster[rest],
        *((None, None) if weight is None else (weight[labelled], weight[rest])),
        _ungraded(graded),
    )


def _ungraded(graded: Graded) -> tuple[UngradedLevel, ...]:
    """Return the ungraded outputs with labels by kind, failed calls apart."""
    ungraded, weight = ~graded.is_graded & graded.is_undecided, graded.weight
    levels: list[UngradedLevel] = []
    for rows in (ungraded & ~graded.by_failed_calls, ungraded & graded.by_failed_calls):
        known, rest = rows & graded.labelled_ungraded, rows & ~graded.labelled_ungraded
        if known.any():
            weights = (None, None) if weight is None else (weight[known], weight[rest])
            levels.append(
                UngradedLevel(graded.label[known], graded.cluster[known], graded.cluster[rest], *weights)
            )
    return tuple(levels)


def ungraded_bounds(graded: Graded, *, correct: bool) -> Interval | None:
    """Return the pass rate of all outputs if all ungraded ones failed, and if all passed.

    Labels that correct the rate stay. None if no output is left out, or all are.
    """
    is_graded = graded.is_graded
    if is_graded.all() or not is_graded.any():
        return None
    share = np.full(len(is_graded), 1.0) if graded.weight is None else graded.weight
    share = share / share.sum()
    judged = is_graded & graded.is_undecided
    rate = corrected_rate_of(graded.take(judged), 0.95).value if correct and judged.any() else None
    if rate is None:
        passed, known = float(share[is_graded] @ graded.result[is_graded]), np.zeros_like(is_graded)
    else:
        decided, known = is_graded & ~judged, graded.labelled_ungraded
        passed = float(share[decided] @ graded.result[decided]) + float(share[judged].sum()) * rate
        passed += float(share[known] @ graded.label[known])
    low, left_out = min(1.0, max(0.0, passed)), ~is_graded & ~known
    return (low, min(1.0, low + float(share[left_out].sum()))) if left_out.any() else None


def weighted_parts(graded: Graded, *, correct: bool) -> Iterator[WeightedPart]:
    """Yield the means that sum to the rate: of decided and undecided outputs, by their shares."""
    share = graded.share(graded.is_undecided)
    if share < 1.0:
        decided = graded.take(~graded.is_undecided)
        yield WeightedPart(decided.result, decided.cluster, 1 - share, weight=decided.weight)
    if share == 0.0:
        return
    if not correct:
        judged = graded.take(graded.is_undecided & graded.is_graded)
        yield WeightedPart(judged.result, judged.cluster, share, weight=judged.weight)
        return
    data = labelled_and_judged(graded)
    judged = total_weight(len(data.label), data.label_weight)
    judged += total_weight(len(data.unlabelled), data.unlabelled_weight)
    whole = judged + sum(level.total for level in data.ungraded)
    for level in data.ungraded:
        part = share * level.total / whole
        yield WeightedPart(level.label, level.label_cluster, part, level.extra_variance, level.label_weight)
    yield from _corrected_parts(data, share * judged / whole)


def _corrected_parts(data: LabelledAndJudged, share: float) -> Iterator[WeightedPart]:
    """Yield the means that sum to the corrected rate of judged outputs, times their share."""
    weight = (power_tuned(data).weight or 0.0) if len(data.unlabelled) else 0.0
    residual = data.label - weight * data.score
    n = len(residual)
    if weight:
        # The weight was fitted to the same labels, which costs one more degree of freedom, like a slope.
        stretch, mean = np.sqrt((n - 1) / max(1, n - 2)), weighted_mean(residual, data.label_weight)
        residual = mean + stretch * (residual - mean)
    extra_variance = extra_weighted_variance(data, residual) if len(data.unlabelled) else 0.0
    yield WeightedPart(residual, data.label_cluster, share, extra_variance, data.label_weight)
    if weight:
        yield WeightedPart(
            data.unlabelled, data.unlabelled_cluster, share * weight, weight=data.unlabelled_weight
        )
