"""Ungraded outputs as levels of the predictor, each with labels of its own.

A judge's rate leaves out what it did not grade. If labels show how many of these outputs pass, the rate of all
outputs is the sum of both parts. The labels of each part need to be a random sample of it, and nothing more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray
from ..row_weights import mean_influence, total_weight, weighted_mean


class UngradedLevel(NamedTuple):
    """Ungraded outputs of one kind, at least one of them with a label.

    Attributes:
        label: Labels, shape ``(n,)``.
        label_cluster: Their clusters.
        unlabelled_cluster: Clusters of those without a label, shape ``(N,)``.
        label_weight: Weights of the labelled outputs, or None if all outputs weigh 1.
        unlabelled_weight: Weights of the others.
    """

    label: FloatArray
    label_cluster: IntArray
    unlabelled_cluster: IntArray
    label_weight: FloatArray | None = None
    unlabelled_weight: FloatArray | None = None

    @property
    def total(self) -> float:
        """Number of outputs, by weight."""
        labelled = total_weight(len(self.label), self.label_weight)
        return labelled + total_weight(len(self.unlabelled_cluster), self.unlabelled_weight)

    @property
    def mean(self) -> float:
        """Mean label."""
        return weighted_mean(self.label, self.label_weight)

    @property
    def least_variance(self) -> float:
        """Variance that the mean of few equal labels lacks: one more passed, and one failed."""
        n = len(self.label)
        rate = (float(self.label.sum()) + 1) / (n + 2)
        return max(
            0.0, rate * (1 - rate) / n - float((mean_influence(self.label, self.label_weight) ** 2).sum())
        )


class SumOfLevels(NamedTuple):
    """A rate of graded and ungraded outputs together.

    Attributes:
        value: The rate.
        influence: Influence of each labelled output on it, and of each other: graded ones first.
        unseen: Variance that few labels do not show.
    """

    value: float
    influence: tuple[FloatArray, FloatArray]
    unseen: float


def sum_of_levels(
    value: float,
    influence: tuple[FloatArray, FloatArray],
    weights: tuple[FloatArray | None, FloatArray | None],
    levels: tuple[UngradedLevel, ...],
) -> SumOfLevels:
    """Add ungraded outputs to the rate of graded ones, by their estimated shares."""
    totals = [sum(total_weight(len(each), weight) for each, weight in zip(influence, weights, strict=True))]
    totals += [level.total for level in levels]
    whole = sum(totals)
    means = [value, *(level.mean for level in levels)]
    rate = sum(total * mean for total, mean in zip(totals, means, strict=True)) / whole

    def composed(of_mean: FloatArray, weight: FloatArray | None, part: int) -> FloatArray:
        own: FloatArray = np.ones(len(of_mean)) if weight is None else weight
        return totals[part] / whole * of_mean + own * (means[part] - rate) / whole

    labelled = [composed(influence[0], weights[0], 0)]
    others = [composed(influence[1], weights[1], 0)]
    for part, level in enumerate(levels, start=1):
        labelled.append(composed(mean_influence(level.label, level.label_weight), level.label_weight, part))
        none = np.zeros(len(level.unlabelled_cluster))
        others.append(composed(none, level.unlabelled_weight, part))
    unseen = sum(
        (total / whole) ** 2 * level.least_variance for total, level in zip(totals[1:], levels, strict=True)
    )
    return SumOfLevels(rate, (np.concatenate(labelled), np.concatenate(others)), unseen)
