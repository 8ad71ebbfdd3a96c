"""DeLong's test: do two scores, on the same items, differ in their area under the ROC curve?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ..arrays import BoolArray, FloatArray


class DeLong(NamedTuple):
    """Two areas, compared.

    Attributes:
        areas: Of the first and of the second score.
        difference: First minus second.
        standard_error: Of the difference, rows independent.
        p: Two-sided; None where the difference has no spread.
    """

    areas: tuple[float, float]
    difference: float
    standard_error: float
    p: float | None


def delong(right: BoolArray, first: FloatArray, second: FloatArray) -> DeLong | None:
    """DeLong's test for two correlated areas, by mid-ranks.

    Source: DeLong, DeLong and Clarke-Pearson 1988; Sun and Xu 2014 for the mid-ranks.

    Args:
        right: Whether the row is right, shape ``(n,)``.
        first: A score, shape ``(n,)``.
        second: The other.

    Returns:
        The comparison; None with fewer than two rows of either class.
    """
    if min(int(right.sum()), int((~right).sum())) < 2:  # noqa: PLR2004 - a variance needs two
        return None
    of_positive, of_negative = zip(*(_placements(right, score) for score in (first, second)), strict=True)
    areas = (float(of_positive[0].mean()), float(of_positive[1].mean()))
    gap_positive, gap_negative = of_positive[0] - of_positive[1], of_negative[0] - of_negative[1]
    error = float(
        np.sqrt(gap_positive.var(ddof=1) / len(gap_positive) + gap_negative.var(ddof=1) / len(gap_negative))
    )
    difference = areas[0] - areas[1]
    p = float(2 * ndtr(-abs(difference) / error)) if error > 0 else None
    return DeLong(areas, difference, error, p)


def _placements(positive: BoolArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:
    """For each right row the share of wrong rows it beats, for each wrong row the share of right rows that beat it."""
    ranks = mid_ranks(score)
    m, n = int(positive.sum()), int((~positive).sum())
    of_positive = (ranks[positive] - mid_ranks(score[positive])) / n
    of_negative = 1.0 - (ranks[~positive] - mid_ranks(score[~positive])) / m
    return of_positive, of_negative


def mid_ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1, equal values sharing the mean of theirs, shape ``(n,)``."""
    _, code, times = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(times) - (times - 1) / 2)[code]
