"""Brier score: mean squared error of a score read as the probability of being right."""

from __future__ import annotations

from ..arrays import FloatArray, ratio
from ..sample import Cells


def brier(weights: FloatArray, cells: Cells) -> FloatArray:
    """Mean of (score - outcome)^2, the outcome being 1 where the label reaches ``pass_at``.

    Source: Brier 1950.

    Args:
        weights: Counts per cell, shape ``(..., m)``.
        cells: Their labels and scores.

    Returns:
        In [0, 1], shape ``(...)``.
    """
    outcome = (cells.label >= cells.pass_at).astype(float)
    return ratio(weights @ (cells.score - outcome) ** 2, weights.sum(axis=-1))
