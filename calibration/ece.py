"""Expected calibration error: how far scores are from the rates they promise, bin by bin."""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray, ratio
from .sample import Cells

BINS = 10
"""Bins of equal width on [0, 1]; a score on an edge belongs to the bin below it, as in Guo et al. 2017."""

_INNER_EDGES = np.arange(1, BINS) / BINS


def ece(weights: FloatArray, cells: Cells) -> FloatArray:
    """Sum over bins of (share of rows) x |mean outcome - mean score|.

    Source: Naeini et al. 2015. Biased upwards in small samples, and dependent on the bins: compare only like with like.

    Args:
        weights: Counts per cell, shape ``(..., m)``.
        cells: Their labels and scores.

    Returns:
        In [0, 1], shape ``(...)``.
    """
    outcome = (cells.label >= cells.pass_at).astype(float)
    member = np.eye(BINS)[np.searchsorted(_INNER_EDGES, cells.score)]
    gaps = weights @ (member * (outcome - cells.score)[:, None])
    # |x| without np.abs, which would drop the imaginary part that carries the derivative.
    return ratio((gaps * np.sign(gaps.real)).sum(axis=-1), weights.sum(axis=-1))
