"""Statistics of graded scores: correlations, agreement of values, and distances.

A formula maps weights, counts per cell of shape ``(..., m)``, and the cells with their labels and scores to
values of shape ``(...)``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray, ratio
from ..sample import Cells


class Moments(NamedTuple):
    """First and second moments with divisor n; each of shape ``(...)``.

    Attributes:
        n: Number of rows.
        difference: Mean of score minus label.
        label_variance: Variance of the label.
        score_variance: Variance of the score.
        covariance: Covariance of label and score.
    """

    n: FloatArray
    difference: FloatArray
    label_variance: FloatArray
    score_variance: FloatArray
    covariance: FloatArray


def moments(weights: FloatArray, label: FloatArray, score: FloatArray) -> Moments:
    """Compute moments of values ``(m,)``, or of ranks ``(..., m)``.

    Ranks depend on the weights ``(..., m)``; moments are NaN where these sum to 0.
    """
    n = weights.sum(axis=-1)
    share = ratio(weights, n[..., None])
    # Values are distances from the first cell, so that constant input has a variance of exactly 0.
    x, y = label - label[..., :1], score - score[..., :1]
    mean_x, mean_y = (share * x).sum(axis=-1), (share * y).sum(axis=-1)
    return Moments(
        n,
        (share * (score - label)).sum(axis=-1),
        (share * x**2).sum(axis=-1) - mean_x**2,
        (share * y**2).sum(axis=-1) - mean_y**2,
        (share * x * y).sum(axis=-1) - mean_x * mean_y,
    )


def correlation_of(values: Moments) -> FloatArray:
    """Return Pearson's correlation from moments; NaN if label or score is constant."""
    return ratio(
        values.covariance,
        np.sqrt(constant_as_zero(values.label_variance)) * np.sqrt(constant_as_zero(values.score_variance)),
    )


def constant_as_zero(variance: FloatArray) -> FloatArray:
    """Return variances, where those that are only rounding are 0."""
    return np.where(variance.real <= 1e-14, 0.0, variance)  # noqa: PLR2004 - rounding of squares of numbers in [0, 1]


def cell_moments(weights: FloatArray, cells: Cells) -> Moments:
    """Return the moments of the labels and scores of the cells."""
    return moments(weights, cells.label, cells.score)


MAX_PAIRWISE_CELLS = 1_500
"""Maximum number of cells whose pairs Kendall's tau compares all at once; with more, it sorts per row of weights."""


def pearson(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute Pearson's correlation, in [-1, 1]; NaN if label or score is constant."""
    return correlation_of(cell_moments(weights, cells))


def spearman(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute Spearman's rank correlation, in [-1, 1]; NaN if label or score is constant.

    It is Pearson's correlation of the mid-ranks.
    """
    return correlation_of(
        moments(weights, _mid_ranks(weights, cells.label), _mid_ranks(weights, cells.score))
    )


def kendall_tau_b(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute Kendall's tau-b; NaN if label or score is constant.

    It is concordant minus discordant pairs, corrected for ties in each variable. Above ``MAX_PAIRWISE_CELLS``
    cells, weights must be whole numbers.

    Source: Kendall 1945.
    """
    if len(cells.label) > MAX_PAIRWISE_CELLS:
        return np.apply_along_axis(_tau_of_counts, -1, weights, cells.label, cells.score)
    n = weights.sum(axis=-1)
    order = np.sign(cells.label[:, None] - cells.label) * np.sign(cells.score[:, None] - cells.score)
    surplus = ((weights @ order) * weights).sum(axis=-1)
    untied_labels, untied_scores = (
        n**2 - (sum_by_value(weights, side) ** 2).sum(axis=-1) for side in (cells.label, cells.score)
    )
    # In shares of all pairs, so that the guard of `ratio` against rounding does not depend on n.
    scale = np.where(n == 0, 1.0, n)
    return ratio(surplus / scale**2, np.sqrt(untied_labels) / scale * np.sqrt(untied_scores) / scale)


def _tau_of_counts(counts: FloatArray, label: FloatArray, score: FloatArray) -> float:
    """Compute tau-b by sorting, from whole numbers of rows per cell."""
    times = counts.astype(np.int64)
    label, score = np.repeat(label, times), np.repeat(score, times)
    if not len(label) or label.min() == label.max() or score.min() == score.max():
        return float("nan")
    from scipy.stats import kendalltau  # noqa: PLC0415 - half a second to import, for tables of very many distinct pairs

    return float(kendalltau(label, score).statistic)


def sum_by_value(weights: FloatArray, values: FloatArray) -> FloatArray:
    """Return the total weight ``(..., q)`` of each distinct value, in ascending order."""
    distinct, code = np.unique(values, return_inverse=True)
    order: IntArray = np.argsort(code, kind="stable")
    return np.add.reduceat(
        weights[..., order], np.searchsorted(code[order], np.arange(len(distinct))), axis=-1
    )


def _mid_ranks(weights: FloatArray, values: FloatArray) -> FloatArray:
    """Return each cell's mid-rank as a share of all rows, so that the rounding guard fits any n."""
    code = np.unique(values, return_inverse=True)[1]
    margin = sum_by_value(weights, values)
    ranks = ratio(np.cumsum(margin, axis=-1) - margin / 2, margin.sum(axis=-1, keepdims=True))
    return ranks[..., code]


def concordance(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute Lin's concordance: 2 s_xy / (s_x^2 + s_y^2 + (m_x - m_y)^2), in [-1, 1].

    Moments have divisor n. It is NaN if label and score are the same constant.

    Source: Lin 1989.
    """
    values = cell_moments(weights, cells)
    denominator = constant_as_zero(values.label_variance + values.score_variance + values.difference**2)
    return ratio(2 * values.covariance, denominator)


def weighted_kappa(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute quadratic weighted kappa: a disagreement costs the squared difference.

    It is computed as Lin's concordance, which is identical (Fleiss and Cohen 1973): the table of many
    distinct values would be large and mostly empty. On equally spaced levels it is the usual quadratic kappa;
    unused levels change nothing.
    """
    return concordance(weights, cells)


def icc_a1(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute ICC(A,1): absolute agreement of single measurements, two-way.

    This is Shrout and Fleiss' ICC(2,1), with two raters. NaN also for a single row.

    Source: Shrout and Fleiss 1979; McGraw and Wong 1996.
    """
    values = cell_moments(weights, cells)
    n = values.n
    scale = ratio(n, n - 1)
    # Mean squares of the two-way analysis of variance, by rows, residuals and raters (MSR, MSE, MSC).
    row_square = scale * (values.label_variance + values.score_variance + 2 * values.covariance) / 2
    error_square = scale * (values.label_variance + values.score_variance - 2 * values.covariance) / 2
    rater_square = n * values.difference**2 / 2
    return ratio(
        row_square - error_square,
        row_square + error_square + 2 * ratio(rater_square - error_square, n),
    )


def mae(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute the mean of |score - label|."""
    return _mean(weights, np.abs(cells.score - cells.label))


def rmse(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute the root of the mean of (score - label)^2."""
    return np.sqrt(_mean(weights, (cells.score - cells.label) ** 2))


def signed_bias(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute the mean of score - label; above 0, the judge is too lenient."""
    return _mean(weights, cells.score - cells.label)


def _mean(weights: FloatArray, values: FloatArray) -> FloatArray:
    return ratio(weights @ values, weights.sum(axis=-1))
