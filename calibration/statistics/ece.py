"""Expected calibration error: how far scores are from the rates they promise, bin by bin."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, ratio
from ..intervals.closed_forms import Interval
from ..intervals.magnitudes import magnitude_interval
from ..intervals.variance import covariance
from ..sample import Cells, Sample

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
    gaps = weights @ _gaps(cells)
    # |x| without np.abs, which would drop the imaginary part that carries the derivative.
    return ratio((gaps * np.sign(gaps.real)).sum(axis=-1), weights.sum(axis=-1))


def ece_interval(sample: Sample, level: float) -> tuple[Interval | None, str]:
    """Interval of the calibration error that allows for its bias; see `magnitude_interval`."""
    clusters = sample.n_clusters
    if clusters < 2:  # noqa: PLR2004 - one cluster has no spread
        return None, "delta: no interval from a single cluster"
    gaps = _gaps(sample.cells)
    parts: FloatArray = sample.counts @ gaps / sample.n
    # Each cluster's share in the deviation of every part, shape (k, BINS).
    moved: FloatArray = sample.groups @ (gaps - parts) / sample.n
    over = "" if sample.singletons else " over clusters"
    return magnitude_interval(
        parts, covariance(moved, sample.sizes), clusters, level
    ), f"delta{over}, inverted for bias"


def _gaps(cells: Cells) -> FloatArray:
    """Outcome less score, in the column of the score's bin, shape ``(m, BINS)``."""
    outcome = (cells.label >= cells.pass_at).astype(np.float64)
    member = np.eye(BINS)[np.searchsorted(_INNER_EDGES, cells.score)]
    return member * (outcome - cells.score)[:, None]
