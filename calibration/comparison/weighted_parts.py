"""A system's rate as a weighted sum of means: of decided, judged and ungraded outputs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray
from ..corrected_rate.estimators import LabelledAndJudged, labels_only, power_tuned
from ..corrected_rate.few_labels import extra_weighted_variance
from ..corrected_rate.ungraded_levels import UngradedLevel
from ..intervals.clustered_means import Combination, combine_means
from ..intervals.variance import MIN_CLUSTERS
from ..row_weights import total_weight, weighted_mean
from ..statistic import Interval, Statistic
from .outputs import Graded


class WeightedPart(NamedTuple):
    """Rows of one mean, with its coefficient.

    Attributes:
        values: Values of the rows, shape ``(n,)``.
        cluster: Clusters of the rows, shape ``(n,)``.
        coefficient: Factor of the mean in the sum.
        extra_variance: Variance to add to that of the mean, for rows too few to show it.
        weight: Weights of the rows in the mean, or None if they weigh the same.
    """

    values: FloatArray
    cluster: IntArray
    coefficient: float
    extra_variance: float = 0.0
    weight: FloatArray | None = None

    @property
    def mean(self) -> float:
        """Mean of the rows."""
        return weighted_mean(self.values, self.weight)


def sum_of_parts(parts: Sequence[WeightedPart]) -> Combination:
    """Return the weighted sum of the parts' means, with its standard error over clusters.

    A part in a single cluster shows no spread. If other parts do, it is given the variance ``p (1 - p)`` of one
    result, with ``p`` smoothed by one pass and one fail.
    """
    is_single = [len(np.unique(part.cluster)) < MIN_CLUSTERS for part in parts]
    if all(is_single):
        # No part shows any spread, so `combine_means` decides whether there is a standard error.
        is_single = [False] * len(parts)
    total = combine_means(
        np.concatenate([part.values for part in parts]),
        np.repeat(np.arange(len(parts)), [len(part.values) for part in parts]),
        # Parts in a single cluster are added below, without a variance over clusters.
        np.array(
            [0.0 if single else part.coefficient for part, single in zip(parts, is_single, strict=True)]
        ),
        np.concatenate([part.cluster for part in parts]),
        _weights(parts),
    )
    extra_variance = sum(part.coefficient**2 * part.extra_variance for part in parts)
    for part, single in zip(parts, is_single, strict=True):
        if single:
            total = _with_single_cluster(total, part)
            extra_variance += part.coefficient**2 * _variance_of_one_result(part)
    return total._replace(
        error=math.sqrt(total.error**2 + extra_variance),
        row_error=math.sqrt(total.row_error**2 + extra_variance),
    )


def _weights(parts: Sequence[WeightedPart]) -> FloatArray | None:
    """Return the weights of all rows, or None if all rows of every part weigh the same."""
    if all(part.weight is None for part in parts):
        return None
    return np.concatenate(
        [np.ones(len(part.values)) if part.weight is None else part.weight for part in parts]
    )


def _with_single_cluster(total: Combination, part: WeightedPart) -> Combination:
    """Add a part in a single cluster to a sum, without its variance."""
    # The effective number of rows is 1 / (sum of coefficient^2 / n); the cluster size is averaged by these terms.
    term_of_others, term = 1 / total.rows, part.coefficient**2 / len(part.values)
    return total._replace(
        value=total.value + part.coefficient * part.mean,
        rows=1 / (term_of_others + term),
        cluster_size=(total.cluster_size * term_of_others + part.coefficient**2) / (term_of_others + term),
    )


def _variance_of_one_result(part: WeightedPart) -> float:
    """Return the variance of one result, its rate smoothed by one pass and one fail."""
    # The mean of corrected labels may be outside [0, 1]. One result and two added ones make three.
    rate = (min(1.0, max(0.0, part.mean)) + 1) / 3
    return rate * (1 - rate)


def corrected_rate_of(graded: Graded, level: float) -> Statistic:
    """Return the corrected pass rate of a system's undecided outputs."""
    is_graded, labelled = graded.is_graded, graded.labelled
    if labelled.sum() == is_graded.sum() and not graded.labelled_ungraded.any():
        with_label = graded.take(labelled)
        return labels_only(with_label.label, with_label.cluster, with_label.weight, level=level)
    return power_tuned(labelled_and_judged(graded), level=level).estimate


def labelled_and_judged(graded: Graded) -> LabelledAndJudged:
    """Return the undecided outputs as the data of a corrected rate."""
    labelled, weight = graded.labelled, graded.weight
    unlabelled = graded.is_graded & graded.is_undecided & ~labelled
    return LabelledAndJudged(
        graded.label[labelled],
        graded.result[labelled],
        graded.result[unlabelled],
        graded.cluster[labelled],
        graded.cluster[unlabelled],
        *((None, None) if weight is None else (weight[labelled], weight[unlabelled])),
        _ungraded_levels(graded),
    )


def _ungraded_levels(graded: Graded) -> tuple[UngradedLevel, ...]:
    """Return the kinds of ungraded outputs that have labels: by failed calls, and others."""
    ungraded, weight = ~graded.is_graded & graded.is_undecided, graded.weight
    levels: list[UngradedLevel] = []
    for rows in (ungraded & ~graded.by_failed_calls, ungraded & graded.by_failed_calls):
        with_label, without_label = rows & graded.labelled_ungraded, rows & ~graded.labelled_ungraded
        if with_label.any():
            weights = (None, None) if weight is None else (weight[with_label], weight[without_label])
            levels.append(
                UngradedLevel(
                    graded.label[with_label],
                    graded.cluster[with_label],
                    graded.cluster[without_label],
                    *weights,
                )
            )
    return tuple(levels)


def ungraded_bounds(graded: Graded, *, correct: bool) -> Interval | None:
    """Return the pass rate of all outputs if all ungraded ones failed, and if all passed.

    Ungraded outputs whose labels correct the rate keep these labels. None if no output is left out, or all are.
    """
    is_graded = graded.is_graded
    if is_graded.all() or not is_graded.any():
        return None
    row_shares = np.full(len(is_graded), 1.0) if graded.weight is None else graded.weight
    row_shares = row_shares / row_shares.sum()
    judged = is_graded & graded.is_undecided
    rate = corrected_rate_of(graded.take(judged), 0.95).value if correct and judged.any() else None
    if rate is None:
        passed_share, counted_by_label = (
            float(row_shares[is_graded] @ graded.result[is_graded]),
            np.zeros_like(is_graded),
        )
    else:
        decided, counted_by_label = is_graded & ~judged, graded.labelled_ungraded
        passed_share = (
            float(row_shares[decided] @ graded.result[decided]) + float(row_shares[judged].sum()) * rate
        )
        passed_share += float(row_shares[counted_by_label] @ graded.label[counted_by_label])
    left_out = ~is_graded & ~counted_by_label
    if not left_out.any():
        return None
    # A corrected rate may be outside [0, 1].
    low = min(1.0, max(0.0, passed_share))
    return low, min(1.0, low + float(row_shares[left_out].sum()))


def weighted_parts(graded: Graded, *, correct: bool) -> Iterator[WeightedPart]:
    """Yield the means that sum to the rate of all outputs, with their shares as coefficients.

    Args:
        graded: Outputs of one system.
        correct: Whether labels correct the judge's verdicts on undecided outputs.
    """
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
    judged_total = total_weight(len(data.label), data.label_weight)
    judged_total += total_weight(len(data.unlabelled), data.unlabelled_weight)
    total = judged_total + sum(level.total for level in data.ungraded)
    for level in data.ungraded:
        level_share = share * level.total / total
        yield WeightedPart(
            level.label, level.label_cluster, level_share, level.extra_variance, level.label_weight
        )
    yield from _corrected_parts(data, share * judged_total / total)


def _corrected_parts(data: LabelledAndJudged, share: float) -> Iterator[WeightedPart]:
    """Yield the means that sum to the corrected rate of judged outputs, times their share."""
    # Lambda; without unlabelled outputs, or if nothing could be combined, labels count alone.
    weight = (power_tuned(data).weight or 0.0) if len(data.unlabelled) else 0.0
    residual = data.label - weight * data.score
    n = len(residual)
    if weight:
        # Lambda was fitted to the same labels, which costs one more degree of freedom, like a slope.
        stretch, mean = np.sqrt((n - 1) / max(1, n - 2)), weighted_mean(residual, data.label_weight)
        residual = mean + stretch * (residual - mean)
    extra_variance = extra_weighted_variance(data, residual) if len(data.unlabelled) else 0.0
    yield WeightedPart(residual, data.label_cluster, share, extra_variance, data.label_weight)
    if weight:
        yield WeightedPart(
            data.unlabelled, data.unlabelled_cluster, share * weight, weight=data.unlabelled_weight
        )
