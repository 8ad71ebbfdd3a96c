"""The Brier score taken apart: is a judge that gives probabilities reliable, and does it tell items apart?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray


class BrierParts(NamedTuple):
    """The parts of a Brier score: ``reliability - resolution + uncertainty + remainder``.

    Attributes:
        reliability: Mean squared distance of a group's score from its rate; 0 for a judge whose scores are rates.
        resolution: Mean squared distance of a group's rate from the rate of all; the more the better.
        uncertainty: ``rate (1 - rate)``: what the score of a judge would be that knows the rate and nothing else.
        remainder: What scores vary within groups; 0 where a group is one score.
    """

    reliability: float
    resolution: float
    uncertainty: float
    remainder: float


def brier_parts(outcome: FloatArray, score: FloatArray, group: IntArray, count: FloatArray) -> BrierParts:
    """Murphy's decomposition of the Brier score.

    Source: Murphy 1973; exact when every group is one distinct score, else with the remainder.

    Args:
        outcome: 1 for right, 0 for wrong, shape ``(m,)``.
        score: Probabilities of right, shape ``(m,)``.
        group: Group number of each, shape ``(m,)``: 0, 1, ... without a gap.
        count: How often each occurs, shape ``(m,)``, above 0.

    Returns:
        The parts.
    """
    size, rate, mean = _groups(outcome, score, group, count)
    n, base = size.sum(), float(size @ rate / size.sum())
    reliability, resolution = float(size @ (mean - rate) ** 2 / n), float(size @ (rate - base) ** 2 / n)
    uncertainty, brier = base * (1 - base), float(count @ (score - outcome) ** 2 / n)
    return BrierParts(reliability, resolution, uncertainty, brier - (reliability - resolution + uncertainty))


def corrected_brier_parts(
    outcome: FloatArray, score: FloatArray, group: IntArray, count: FloatArray
) -> BrierParts | None:
    """The decomposition without the bias that small groups have: their rates vary by chance, which looks like a fault.

    Source: Ferro and Fricker 2012. Reliability and resolution may be below 0. The reliability is also the debiased squared
    calibration error of Kumar, Liang and Ma 2019 (arXiv 1909.10155).

    Args:
        outcome: 1 for right, 0 for wrong, shape ``(m,)``.
        score: Probabilities of right, shape ``(m,)``.
        group: Group number of each, shape ``(m,)``: 0, 1, ... without a gap.
        count: How often each occurs, shape ``(m,)``, above 0.

    Returns:
        The parts, with the same sum; None where a group has a single row, whose chance cannot be told.
    """
    size, rate, _ = _groups(outcome, score, group, count)
    if (size < 2).any():  # noqa: PLR2004 - a variance needs two
        return None
    plain, n = brier_parts(outcome, score, group, count), float(size.sum())
    chance = float((size * rate * (1 - rate) / (size - 1)).sum()) / n
    whole = plain.uncertainty / (n - 1)
    return BrierParts(
        plain.reliability - chance,
        plain.resolution - chance + whole,
        plain.uncertainty + whole,
        plain.remainder,
    )


def equal_mass_groups(score: FloatArray, count: FloatArray, groups: int = 10) -> IntArray:
    """Groups of about as many rows each, by score; equal scores stay together.

    Args:
        score: Shape ``(m,)``.
        count: How often each occurs, shape ``(m,)``.
        groups: How many at most.

    Returns:
        Group numbers without a gap, shape ``(m,)``.
    """
    which = np.unique(score, return_inverse=True)[1]
    rows = np.bincount(which, weights=count)
    middle = (np.cumsum(rows) - rows / 2) / rows.sum()
    return np.unique(np.floor(groups * middle).astype(np.int64)[which], return_inverse=True)[1]


def _groups(
    outcome: FloatArray, score: FloatArray, group: IntArray, count: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rows, rate and mean score of each group."""
    size: FloatArray = np.bincount(group, weights=count).astype(np.float64)
    return (
        size,
        np.bincount(group, weights=count * outcome) / size,
        np.bincount(group, weights=count * score) / size,
    )
