"""Area under the ROC curve: does a right output get a higher score than a wrong one?"""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, ratio
from ..sample import Cells
from .correlation import sum_by_value


def auroc(weights: FloatArray, cells: Cells) -> FloatArray:
    """P(score of a right row > score of a wrong row) + P(equal) / 2.

    Source: Hanley and McNeil 1982 (the Mann-Whitney form). A row is right when its label reaches ``pass_at``.

    Args:
        weights: Counts per cell, shape ``(..., m)``.
        cells: Their labels and scores.

    Returns:
        In [0, 1], shape ``(...)``; NaN where only one class is present.
    """
    right = cells.label >= cells.pass_at
    positive = sum_by_value(weights * right, cells.score)
    negative = sum_by_value(weights * ~right, cells.score)
    beaten = np.cumsum(negative, axis=-1) - negative / 2
    return ratio((positive * beaten).sum(axis=-1), positive.sum(axis=-1) * negative.sum(axis=-1))
