"""Statistics of scores as probabilities of being right: ranking, calibration, and error.

A formula maps weights, counts per cell of shape ``(..., m)``, and the cells with their labels and scores to
values of shape ``(...)``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...records.made_scores import reaches
from ..arrays import FloatArray, IntArray, ratio
from ..sample import Cells
from .graded import sum_by_value


def auroc(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute the area under the ROC curve, in [0, 1]; NaN if only one class is present.

    It is P(score of a right row > score of a wrong row) + P(equal) / 2.

    Source: Hanley and McNeil 1982 (the Mann-Whitney form). A row is right when its label reaches ``pass_at``.
    """
    right = reaches(cells.label, cells.pass_at)
    positive = sum_by_value(weights * right, cells.score)
    negative = sum_by_value(weights * ~right, cells.score)
    # Wrong rows with a lower score, and half of those with an equal one.
    n_below = np.cumsum(negative, axis=-1) - negative / 2
    return ratio((positive * n_below).sum(axis=-1), positive.sum(axis=-1) * negative.sum(axis=-1))


def average_precision(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute average precision, in (0, 1]; NaN if no row is right.

    It is the sum over thresholds, strict to lax, of (recall gained) x (precision there).

    A row is right when its label reaches ``pass_at``. A judge that guesses has the prevalence, not 1/2.
    """
    right = reaches(cells.label, cells.pass_at)
    positive = sum_by_value(weights * right, cells.score)[..., ::-1]
    passed = np.cumsum(sum_by_value(weights, cells.score)[..., ::-1], axis=-1)
    precision = np.cumsum(positive, axis=-1) / np.where(passed == 0, 1.0, passed)
    return ratio((positive * precision).sum(axis=-1), positive.sum(axis=-1))


def brier(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute the Brier score, the mean of (score - outcome)^2, in [0, 1].

    The outcome is 1 if the label reaches ``pass_at``.

    Source: Brier 1950.
    """
    outcome = reaches(cells.label, cells.pass_at).astype(float)
    return ratio(weights @ (cells.score - outcome) ** 2, weights.sum(axis=-1))


BINS = 10
"""Number of bins of equal width on [0, 1]; a score on an edge is in the bin below it, as in Guo et al. 2017."""

_INNER_EDGES = np.arange(1, BINS) / BINS


def ece(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute the ECE: the mean over bins, weighted by rows, of |mean outcome - mean score|.

    It is biased upwards in small samples and depends on the bins: compare only values from equal sample sizes and
    bins.

    Source: Naeini et al. 2015.
    """
    gaps = weights @ ece_gaps(cells)
    # |x| without np.abs, which would drop the imaginary part that carries the derivative.
    return ratio((gaps * np.sign(gaps.real)).sum(axis=-1), weights.sum(axis=-1))


def ece_gaps(cells: Cells) -> FloatArray:
    """Return outcome minus score, in the column of the score's bin, shape ``(m, BINS)``."""
    outcome = reaches(cells.label, cells.pass_at).astype(np.float64)
    bin_indicator = np.eye(BINS)[np.searchsorted(_INNER_EDGES, cells.score)]
    return bin_indicator * (outcome - cells.score)[:, None]


class BrierParts(NamedTuple):
    """Parts of a Brier score: ``reliability - resolution + uncertainty + remainder``.

    Attributes:
        reliability: Mean squared distance of a group's score from its rate; 0 for a judge whose scores are
            rates.
        resolution: Mean squared distance of a group's rate from the overall rate; more is better.
        uncertainty: ``rate (1 - rate)``: the Brier score of a judge that knows only the overall rate.
        remainder: Variance of scores within groups; 0 if each group has a single score.
    """

    reliability: float
    resolution: float
    uncertainty: float
    remainder: float


def brier_parts(outcome: FloatArray, score: FloatArray, group: IntArray, count: FloatArray) -> BrierParts:
    """Compute Murphy's decomposition of the Brier score.

    Each array has shape ``(m,)``; groups are numbered without a gap, counts are above 0.

    Source: Murphy 1973; exact when every group is one distinct score, else with the remainder.
    """
    size, rate, mean_score = _groups(outcome, score, group, count)
    n, base_rate = size.sum(), float(size @ rate / size.sum())
    reliability = float(size @ (mean_score - rate) ** 2 / n)
    resolution = float(size @ (rate - base_rate) ** 2 / n)
    uncertainty, total = base_rate * (1 - base_rate), float(count @ (score - outcome) ** 2 / n)
    return BrierParts(reliability, resolution, uncertainty, total - (reliability - resolution + uncertainty))


def corrected_brier_parts(
    outcome: FloatArray, score: FloatArray, group: IntArray, count: FloatArray
) -> BrierParts | None:
    """Compute Murphy's decomposition, corrected for the bias of small groups.

    Rates of small groups vary by chance, which looks like miscalibration. The sum of the parts is unchanged.
    None if a group has a single row, since its variance cannot be estimated.

    Source: Ferro and Fricker 2012. Reliability and resolution may be below 0. The reliability is also the
    debiased squared calibration error of Kumar, Liang and Ma 2019 (arXiv 1909.10155).
    """
    size, rate, _ = _groups(outcome, score, group, count)
    if (size < 2).any():  # noqa: PLR2004 - a variance needs two
        return None
    parts, n = brier_parts(outcome, score, group, count), float(size.sum())
    # The biases are the variances of the groups' rates, and of the overall rate.
    rate_variance = float((size * rate * (1 - rate) / (size - 1)).sum()) / n
    base_rate_variance = parts.uncertainty / (n - 1)
    return BrierParts(
        parts.reliability - rate_variance,
        parts.resolution - rate_variance + base_rate_variance,
        parts.uncertainty + base_rate_variance,
        parts.remainder,
    )


def equal_mass_groups(score: FloatArray, count: FloatArray, groups: int = 10) -> IntArray:
    """Split scores into at most this many groups of about equal size.

    Returns group numbers, shape ``(m,)``, without a gap; equal scores stay together.
    """
    value_of_row = np.unique(score, return_inverse=True)[1]
    rows = np.bincount(value_of_row, weights=count)
    middle = (np.cumsum(rows) - rows / 2) / rows.sum()
    return np.unique(np.floor(groups * middle).astype(np.int64)[value_of_row], return_inverse=True)[1]


def _groups(
    outcome: FloatArray, score: FloatArray, group: IntArray, count: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the size, rate and mean score of each group."""
    size: FloatArray = np.bincount(group, weights=count).astype(np.float64)
    return (
        size,
        np.bincount(group, weights=count * outcome) / size,
        np.bincount(group, weights=count * score) / size,
    )
