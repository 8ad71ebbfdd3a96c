"""Intervals of calibration errors, which allow for their bias."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..sample import Sample
from ..statistic import Interval
from ..statistics.probabilities import ece_gaps
from .clustered_rates import unseen_share
from .magnitudes import magnitude_interval
from .variance import covariance

_ROUNDING = 1e-12


def ece_interval(sample: Sample, level: float) -> tuple[Interval | None, str]:
    """Interval of the calibration error that allows for its bias; see `magnitude_interval`."""
    return gaps_interval(ece_gaps(sample.cells), sample, level)


def gaps_interval(gaps: FloatArray, sample: Sample, level: float) -> tuple[Interval | None, str]:
    """Return the interval, and its name, of a calibration error over groups of scores.

    ``gaps`` ``(m, groups)`` are outcome less score of each cell, in its group's column.
    """
    clusters = sample.n_clusters
    if clusters < 2:  # noqa: PLR2004 - one cluster has no spread
        return None, "delta: no interval from a single cluster"
    parts: FloatArray = sample.counts @ gaps / sample.n
    # Each cluster's share in the deviation of every part, shape (k, groups).
    moved: FloatArray = sample.groups @ (gaps - parts) / sample.n
    if np.abs(moved).max() * sample.n <= _ROUNDING:  # no row differs: none tells a spread
        error, unseen = float(np.abs(parts).sum()), unseen_share(sample, level)
        return (max(0.0, error - unseen), error + unseen * (1 - error)), "Wilson, bound on what was not seen"
    over = "" if sample.singletons else " over clusters"
    return magnitude_interval(
        parts, covariance(moved, sample.sizes), clusters, level
    ), f"delta{over}, inverted for bias"
