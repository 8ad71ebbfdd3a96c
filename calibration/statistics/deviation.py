"""How far the judge's scores are from the labels: mean absolute error, root mean square error, signed bias."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, ratio
from ..sample import Cells


def mae(weights: FloatArray, cells: Cells) -> FloatArray:
    """Mean of |score - label|; weights ``(..., m)`` to ``(...)``."""
    return _mean(weights, np.abs(cells.score - cells.label))


def rmse(weights: FloatArray, cells: Cells) -> FloatArray:
    """Root of the mean of (score - label)^2; weights ``(..., m)`` to ``(...)``."""
    return np.sqrt(_mean(weights, (cells.score - cells.label) ** 2))


def signed_bias(weights: FloatArray, cells: Cells) -> FloatArray:
    """Mean of score - label: above 0, the judge is too kind; weights ``(..., m)`` to ``(...)``."""
    return _mean(weights, cells.score - cells.label)


def _mean(weights: FloatArray, values: FloatArray) -> FloatArray:
    return ratio(weights @ values, weights.sum(axis=-1))
