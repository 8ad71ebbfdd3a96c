"""DeLong's test: do two scores, on the same items, differ in their area under the ROC curve?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, stdtr

from ..arrays import BoolArray, FloatArray, IntArray
from ..intervals.cell_means import combine_means


class DeLong(NamedTuple):
    """Two areas, compared.

    Attributes:
        areas: Of the first and of the second score.
        difference: First minus second.
        standard_error: Of the difference, over clusters; NaN where all of a class is in one.
        p: Two-sided; None where the difference has no spread.
    """

    areas: tuple[float, float]
    difference: float
    standard_error: float
    p: float | None


def delong(
    right: BoolArray, first: FloatArray, second: FloatArray, cluster: IntArray | None = None
) -> DeLong | None:
    """DeLong's test for two correlated areas, by mid-ranks.

    The variance of an area is that of two means of placements, one a class; where rows cluster it is taken over clusters, and the
    p is Student's (`combine_means`).

    Source: DeLong, DeLong and Clarke-Pearson 1988; Sun and Xu 2014 for the mid-ranks; Obuchowski 1997 for clusters.

    Args:
        right: Whether the row is right, shape ``(n,)``.
        first: A score, shape ``(n,)``.
        second: The other.
        cluster: Cluster number of each row; None when every row is its own.

    Returns:
        The comparison; None with fewer than two rows of either class.
    """
    if min(int(right.sum()), int((~right).sum())) < 2:  # noqa: PLR2004 - a variance needs two
        return None
    placements = [_placements(right, score) for score in (first, second)]
    areas = float(placements[0][right].mean()), float(placements[1][right].mean())
    rows = np.arange(len(right)) if cluster is None else cluster
    spread = combine_means(placements[0] - placements[1], right.astype(np.int64), np.ones(2), rows)
    difference = areas[0] - areas[1]
    if not spread.tellable or spread.flat:
        return DeLong(areas, difference, spread.error, None)
    if spread.clusters == len(right):
        return DeLong(areas, difference, spread.error, float(2 * ndtr(-abs(difference) / spread.error)))
    p = float(2 * stdtr(spread.degrees, -abs(difference) / spread.error))
    return DeLong(areas, difference, spread.error, p)


def _placements(positive: BoolArray, score: FloatArray) -> FloatArray:
    """For each right row the share of wrong rows it beats, for each wrong row the share of right rows that beat it."""
    ranks, m = mid_ranks(score), int(positive.sum())
    result = np.empty(len(score))
    result[positive] = (ranks[positive] - mid_ranks(score[positive])) / (len(score) - m)
    result[~positive] = 1.0 - (ranks[~positive] - mid_ranks(score[~positive])) / m
    return result


def mid_ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1, equal values sharing the mean of theirs, shape ``(n,)``."""
    _, code, times = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(times) - (times - 1) / 2)[code]
