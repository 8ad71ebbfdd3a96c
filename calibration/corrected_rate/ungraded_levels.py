"""Ungraded outputs as further levels of the predictor, estimated from their own labels.

A judge's rate leaves out what it did not grade. If some of these outputs have labels, the rate of all outputs is
the weighted sum of both parts. The labels of each part only need to be a random sample of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray
from ..case_weights import weights_of, weights_of_rows
from ..row_weights import mean_influence, total_weight, weighted_mean
from ..tables.calibration_table import FAILED, Table
from .estimation_results import UngradedShares


class UngradedLevel(NamedTuple):
    """Ungraded outputs of one kind, at least one of them labelled.

    Attributes:
        label: Labels, shape ``(n,)``.
        label_cluster: Cluster of each labelled output, shape ``(n,)``.
        unlabelled_cluster: Cluster of each output without a label, shape ``(N,)``.
        label_weight: Weights of the labelled outputs, or None if all outputs weigh 1.
        unlabelled_weight: Weights of the outputs without a label, or None.
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
    def extra_variance(self) -> float:
        """Variance to add, since a few equal labels have none.

        The rate is smoothed by one pass and one fail, as in `few_labels`.
        """
        n = len(self.label)
        rate = (float(self.label.sum()) + 1) / (n + 2)
        observed = float((mean_influence(self.label, self.label_weight) ** 2).sum())
        return max(0.0, rate * (1 - rate) / n - observed)


class SumOfLevels(NamedTuple):
    """A rate of graded and ungraded outputs together.

    Attributes:
        value: The rate.
        influence: Influence of each labelled and of each unlabelled output on it; graded ones come first.
        extra_variance: Variance that few labels do not show.
    """

    value: float
    influence: tuple[FloatArray, FloatArray]
    extra_variance: float


def sum_of_levels(
    value: float,
    influence: tuple[FloatArray, FloatArray],
    weights: tuple[FloatArray | None, FloatArray | None],
    levels: tuple[UngradedLevel, ...],
) -> SumOfLevels:
    """Add ungraded outputs to the rate of graded ones, by their shares.

    Args:
        value: Rate of the graded outputs.
        influence: Influence of labelled and of unlabelled graded outputs on it.
        weights: Weights of the same outputs, or None if all outputs weigh 1.
        levels: Ungraded outputs by kind.
    """
    totals = [
        sum(
            total_weight(len(part_influence), weight)
            for part_influence, weight in zip(influence, weights, strict=True)
        )
    ]
    totals += [level.total for level in levels]
    total_of_all = sum(totals)
    means = [value, *(level.mean for level in levels)]
    rate = sum(total * mean for total, mean in zip(totals, means, strict=True)) / total_of_all

    def influence_on_rate(of_mean: FloatArray, weight: FloatArray | None, part: int) -> FloatArray:
        """Return influence by the part's mean, plus that by its share, which is an estimate, too."""
        row_weight: FloatArray = np.ones(len(of_mean)) if weight is None else weight
        by_share: FloatArray = row_weight * (means[part] - rate) / total_of_all
        return totals[part] / total_of_all * of_mean + by_share

    labelled = [influence_on_rate(influence[0], weights[0], 0)]
    others = [influence_on_rate(influence[1], weights[1], 0)]
    for part, level in enumerate(levels, start=1):
        labelled.append(
            influence_on_rate(mean_influence(level.label, level.label_weight), level.label_weight, part)
        )
        no_influence = np.zeros(len(level.unlabelled_cluster))
        others.append(influence_on_rate(no_influence, level.unlabelled_weight, part))
    extra_variance = sum(
        (total / total_of_all) ** 2 * level.extra_variance
        for total, level in zip(totals[1:], levels, strict=True)
    )
    return SumOfLevels(rate, (np.concatenate(labelled), np.concatenate(others)), extra_variance)


def ungraded_levels(table: Table) -> tuple[UngradedLevel, ...]:
    """Return the ungraded items with labels by kind, failed calls apart."""
    ungraded, labelled = np.isnan(table.score), np.isfinite(table.label)
    failed = np.isfinite(table.numbers[FAILED]) if FAILED in table.numbers else np.zeros(len(table), np.bool_)
    levels: list[UngradedLevel] = []
    for rows in (ungraded & ~failed, ungraded & failed):
        with_label, without_label = rows & labelled, rows & ~labelled
        if with_label.any():
            levels.append(
                UngradedLevel(
                    table.label[with_label],
                    table.cluster[with_label],
                    table.cluster[without_label],
                    weights_of_rows(table, with_label),
                    weights_of_rows(table, without_label),
                )
            )
    return tuple(levels)


def ungraded_shares(table: Table) -> UngradedShares | None:
    """Return the shares of ungraded rows, by weight, or None if every row is graded."""
    ungraded, labelled = np.isnan(table.score), np.isfinite(table.label)
    if not ungraded.any():
        return None
    weight = weights_of(table)
    share = np.full(len(table), 1 / len(table)) if weight is None else weight / weight.sum()
    with_label = ungraded & labelled
    return UngradedShares(
        labelled=float(share[with_label].sum()),
        passed=float(share[with_label] @ table.label[with_label]),
        unlabelled=float(share[ungraded & ~labelled].sum()),
    )
