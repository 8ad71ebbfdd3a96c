"""Average precision: the area under the precision-recall curve, as a sum of steps."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, ratio
from ..sample import Cells
from .correlation import sum_by_value


def average_precision(weights: FloatArray, cells: Cells) -> FloatArray:
    """Sum over thresholds, strict to lax, of (recall gained) x (precision there).

    A row is right when its label reaches ``pass_at``. A judge without a clue has the prevalence, not 1/2.

    Args:
        weights: Counts per cell, shape ``(..., m)``.
        cells: Their labels and scores.

    Returns:
        In (0, 1], shape ``(...)``; NaN where no row is right.
    """
    right = cells.label >= cells.pass_at
    positive = sum_by_value(weights * right, cells.score)[..., ::-1]
    kept = np.cumsum(sum_by_value(weights, cells.score)[..., ::-1], axis=-1)
    precision = np.cumsum(positive, axis=-1) / np.where(kept == 0, 1.0, kept)
    return ratio((positive * precision).sum(axis=-1), positive.sum(axis=-1))
