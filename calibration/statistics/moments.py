"""Means, variances and covariance of label and judge, from weights on cells: what graded statistics share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, ratio
from ..sample import Cells


class Moments(NamedTuple):
    """First and second moments with divisor n; each of shape ``(...)``.

    Attributes:
        n: Rows.
        difference: Mean of score minus label.
        label_variance: Variance of the label.
        score_variance: Variance of the score.
        covariance: Covariance of the two.
    """

    n: FloatArray
    difference: FloatArray
    label_variance: FloatArray
    score_variance: FloatArray
    covariance: FloatArray


def moments(weights: FloatArray, label: FloatArray, score: FloatArray) -> Moments:
    """Weighted moments.

    Args:
        weights: Counts per cell, shape ``(..., m)``.
        label: Values of the cells ``(m,)``, or ranks ``(..., m)`` that depend on the weights.
        score: Likewise.

    Returns:
        The moments; NaN where the weights sum to 0.
    """
    n = weights.sum(axis=-1)
    share = ratio(weights, n[..., None])
    # From the first cell, so that constant input has a variance of exactly 0.
    x, y = label - label[..., :1], score - score[..., :1]
    mean_x, mean_y = (share * x).sum(axis=-1), (share * y).sum(axis=-1)
    return Moments(
        n,
        (share * (score - label)).sum(axis=-1),
        (share * x**2).sum(axis=-1) - mean_x**2,
        (share * y**2).sum(axis=-1) - mean_y**2,
        (share * x * y).sum(axis=-1) - mean_x * mean_y,
    )


def correlation_of(values: Moments) -> FloatArray:
    """Pearson's correlation from moments; NaN where a side is constant."""
    return ratio(
        values.covariance,
        np.sqrt(constant_as_zero(values.label_variance)) * np.sqrt(constant_as_zero(values.score_variance)),
    )


def constant_as_zero(variance: FloatArray) -> FloatArray:
    """Variances with those that are only rounding set to 0."""
    return np.where(variance.real <= 1e-14, 0.0, variance)  # noqa: PLR2004 - rounding of squares of numbers in [0, 1]


def cell_moments(weights: FloatArray, cells: Cells) -> Moments:
    """Moments of the labels and scores of the cells."""
    return moments(weights, cells.label, cells.score)
