"""Lin's concordance: correlation that also punishes a shift or another scale."""

from __future__ import annotations

from ..arrays import FloatArray, ratio
from ..sample import Cells
from .moments import cell_moments, constant_as_zero


def concordance(weights: FloatArray, cells: Cells) -> FloatArray:
    """2 s_xy / (s_x^2 + s_y^2 + (m_x - m_y)^2), moments with divisor n.

    Source: Lin 1989.

    Args:
        weights: Counts per cell, shape ``(..., m)``.
        cells: Their labels and scores.

    Returns:
        In [-1, 1], shape ``(...)``; NaN where label and score are one and the same constant.
    """
    values = cell_moments(weights, cells)
    total = constant_as_zero(values.label_variance + values.score_variance + values.difference**2)
    return ratio(2 * values.covariance, total)
