"""Weighted sums of means of parts, such as a rate over decided and undecided outputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray
from ..intervals.clustered_means import Combination, combine_means
from ..intervals.variance import MIN_CLUSTERS
from ..row_weights import weighted_mean


class WeightedPart(NamedTuple):
    """Rows of one mean, with its coefficient.

    Attributes:
        values: The rows' values.
        cluster: Their clusters.
        coefficient: Coefficient of the mean.
        extra_variance: Variance that too few rows hide.
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

    A part in a single cluster shows no spread. Beside parts that do, it has the variance ``p (1 - p)`` of one
    result, with ``p`` drawn towards a half as if one more had passed and one had failed.
    """
    is_single = [len(np.unique(part.cluster)) < MIN_CLUSTERS for part in parts]
    if all(is_single):
        is_single = [False] * len(parts)
    total = combine_means(
        np.concatenate([part.values for part in parts]),
        np.repeat(np.arange(len(parts)), [len(part.values) for part in parts]),
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
            extra_variance += part.coefficient**2 * _variance_of_one(part)
    return total._replace(
        error=math.sqrt(total.error**2 + extra_variance),
        row_error=math.sqrt(total.row_error**2 + extra_variance),
    )


def _weights(parts: Sequence[WeightedPart]) -> FloatArray | None:
    """Return the weights of all rows, or None if rows weigh the same in every part."""
    if all(part.weight is None for part in parts):
        return None
    return np.concatenate(
        [np.ones(len(part.values)) if part.weight is None else part.weight for part in parts]
    )


def _with_single_cluster(total: Combination, part: WeightedPart) -> Combination:
    """Add a part in a single cluster to a sum, without its variance."""
    squares, added = 1 / total.rows, part.coefficient**2 / len(part.values)
    return total._replace(
        value=total.value + part.coefficient * part.mean,
        rows=1 / (squares + added),
        cluster_size=(total.cluster_size * squares + part.coefficient**2) / (squares + added),
    )


def _variance_of_one(part: WeightedPart) -> float:
    rate = (min(1.0, max(0.0, part.mean)) + 1) / 3
    return rate * (1 - rate)
