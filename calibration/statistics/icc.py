"""Intraclass correlations: the share of variance that is the items', when label and judge are raters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, ratio
from ..sample import Cells
from .moments import cell_moments


def icc_a1(weights: FloatArray, cells: Cells) -> FloatArray:
    """ICC(A,1): absolute agreement of single measurements, two-way; Shrout and Fleiss' ICC(2,1), with two raters.

    Source: Shrout and Fleiss 1979; McGraw and Wong 1996.

    Args:
        weights: Counts per cell, shape ``(..., m)``.
        cells: Their labels and scores.

    Returns:
        At most 1, shape ``(...)``; NaN where all values are one and the same, or there is one row.
    """
    values = cell_moments(weights, cells)
    n = values.n
    scale = ratio(n, n - 1)
    rows = scale * (values.label_variance + values.score_variance + 2 * values.covariance) / 2
    errors = scale * (values.label_variance + values.score_variance - 2 * values.covariance) / 2
    columns = n * values.difference**2 / 2
    return ratio(rows - errors, rows + errors + 2 * ratio(columns - errors, n))


class IntraclassCorrelations(NamedTuple):
    """Shrout and Fleiss' six forms; McGraw and Wong's names in the comments."""

    icc1: float  # ICC(1)
    icc2: float  # ICC(A,1)
    icc3: float  # ICC(C,1)
    icc1k: float  # ICC(k)
    icc2k: float  # ICC(A,k)
    icc3k: float  # ICC(C,k)


def intraclass_correlations(ratings: FloatArray) -> IntraclassCorrelations:
    """All six intraclass correlations of a complete table.

    Source: Shrout and Fleiss 1979.

    Args:
        ratings: Shape ``(items, raters)``, at least 2 by 2, without gaps.

    Returns:
        The six; NaN where there is no variance.

    Raises:
        ValueError: The table is too small or has gaps.
    """
    n, k = ratings.shape
    if min(n, k) < 2 or not np.isfinite(ratings).all():  # noqa: PLR2004 - variance needs two
        raise ValueError("intraclass correlations need a complete table of at least 2 items and 2 raters")
    grand, item, rater = ratings.mean(), ratings.mean(axis=1), ratings.mean(axis=0)
    rows = k * ((item - grand) ** 2).sum() / (n - 1)
    columns = n * ((rater - grand) ** 2).sum() / (k - 1)
    errors = ((ratings - item[:, None] - rater + grand) ** 2).sum() / ((n - 1) * (k - 1))
    within = ((ratings - item[:, None]) ** 2).sum() / (n * (k - 1))

    def share(numerator: float, denominator: float) -> float:
        return float(ratio(np.asarray(numerator), np.asarray(denominator)))

    return IntraclassCorrelations(
        share(rows - within, rows + (k - 1) * within),
        share(rows - errors, rows + (k - 1) * errors + k * (columns - errors) / n),
        share(rows - errors, rows + (k - 1) * errors),
        share(rows - within, rows),
        share(rows - errors, rows + (columns - errors) / n),
        share(rows - errors, rows),
    )
