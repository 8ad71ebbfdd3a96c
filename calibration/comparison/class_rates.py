"""Weighted means of the true positive and true negative rates, and their differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ..arrays import BoolArray, FloatArray, ratio
from ..intervals.special_intervals import mean_rate_interval, paired_interval
from ..sample import Cells, Estimator, Sample
from ..statistic import Interval

WEIGHTED = "weighted_accuracy"
"""Name of the statistic that weights errors by their costs."""


class ErrorCosts(NamedTuple):
    """Costs of the two errors of a judge, in any unit.

    Attributes:
        let_through: Cost of passing an output whose label fails.
        rejected: Cost of failing an output whose label passes.
    """

    let_through: float
    rejected: float


def weighted_accuracy(costs: ErrorCosts) -> Estimator:
    """Return the statistic "share of the cost of all possible errors that a judge avoids".

    It is the accuracy if both errors cost the same, and the balanced accuracy if costs are inversely
    proportional to the classes' frequencies.
    """
    costs_by_class = np.array(costs)

    def formula(weights: FloatArray, cells: Cells) -> FloatArray:
        table = cells.tables(weights)
        avoided = table[..., 0, 0] * costs.let_through + table[..., 1, 1] * costs.rejected
        return ratio(avoided, table.sum(axis=-1) @ costs_by_class)

    def weight(table: FloatArray) -> float:
        bad_cost, good_cost = table.sum(axis=1) * costs_by_class
        return float(good_cost / (bad_cost + good_cost))

    interval = partial(mean_rate_interval, weight=weight)
    return Estimator(
        WEIGHTED,
        "table",
        formula,
        "all labels are of one class",
        special_interval=interval,
        weight_of_passes=weight,
    )


class ClassDifference(NamedTuple):
    """Difference of two weighted means of TPR and TNR on the same rows.

    Attributes:
        value: First minus second.
        at_level: Function that returns the interval at any level.
        method: Name of the method.
    """

    value: float
    at_level: Callable[[float], Interval]
    method: str


def class_difference(estimator: Estimator, joint: Sample, second_passes: BoolArray) -> ClassDifference | None:
    """Return the difference of a weighted mean of TPR and TNR, or None for another statistic.

    It is None, too, with fewer than two clusters or only one class. Within a class the difference is that of two
    shares of the same rows, with Tango's interval on the effective number of pairs. The distances to the ends of
    both intervals are combined like standard errors (MOVER, Donner and Zou 2012).

    Args:
        estimator: The statistic.
        joint: Sample whose cells are distinct combinations of label, first and second score.
        second_passes: Whether the second score of each cell passes, shape ``(m,)``.
    """
    if estimator.weight_of_passes is None or joint.n_clusters < 2:  # noqa: PLR2004 - a spread needs two
        return None
    table = joint.cells.tables(joint.counts)
    if not table.sum(axis=1).all():
        return None
    is_good, first_passes = (joint.cells.quadrant @ cells for cells in (_LABEL_PASSES, _SCORE_PASSES))
    # Good rows count for the first where it passes more of them, bad rows where it passes fewer.
    # Each list below has the bad class first, then the good one.
    gains = [(second_passes - first_passes) * (1.0 - is_good), (first_passes - second_passes) * is_good]
    trials = [1.0 - is_good, is_good]
    weight_of_good = estimator.weight_of_passes(table)
    weights = np.array([1.0 - weight_of_good, weight_of_good])
    sizes = [float(joint.counts @ trial) for trial in trials]
    values = np.array([float(joint.counts @ gain) / n for gain, n in zip(gains, sizes, strict=True)])
    influence = [
        joint.groups @ (gain - value * trial)
        for gain, value, trial in zip(gains, values, trials, strict=True)
    ]
    correlation = _correlation(influence[0], influence[1], joint)

    def at_level(level: float) -> Interval:
        ends = np.array(
            [paired_interval(gain, trial, joint, level)[0] for gain, trial in zip(gains, trials, strict=True)]
        )
        lower, upper = weights * (values - ends[:, 0]), weights * (ends[:, 1] - values)
        value = float(weights @ values)
        return value - _combined(lower, correlation), value + _combined(upper, correlation)

    method_suffix = "" if joint.singletons else " on the cluster-effective n"
    return ClassDifference(float(weights @ values), at_level, f"MOVER of Tango intervals{method_suffix}")


_LABEL_PASSES, _SCORE_PASSES = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])
"""Quadrants with a passing label, and with a passing score."""


def _combined(distances: FloatArray, correlation: float) -> float:
    """Return the distance of the sum of two estimates to its end, from theirs (MOVER)."""
    first, second = distances.tolist()
    return math.sqrt(max(0.0, first**2 + second**2 + 2 * correlation * first * second))


def _correlation(first: FloatArray, second: FloatArray, joint: Sample) -> float:
    """Return the correlation of both classes' estimates, over clusters."""
    scale = math.sqrt(float(joint.sizes @ first**2) * float(joint.sizes @ second**2))
    return float(joint.sizes @ (first * second)) / scale if scale > 0 else 0.0
