"""Correlations of label and judge: Pearson, Spearman and Kendall. They rank; they do not see a shifted judge."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray, ratio
from ..sample import Cells
from .moments import cell_moments, correlation_of, moments

MAX_PAIRWISE_CELLS = 1_500
"""Up to here Kendall's tau compares all pairs of cells at once; beyond it, one sorted pass per row of weights."""


def pearson(weights: FloatArray, cells: Cells) -> FloatArray:
    """Pearson's product-moment correlation.

    Args:
        weights: Counts per cell, shape ``(..., m)``.
        cells: Their labels and scores.

    Returns:
        In [-1, 1], shape ``(...)``; NaN where label or score is constant.
    """
    return correlation_of(cell_moments(weights, cells))


def spearman(weights: FloatArray, cells: Cells) -> FloatArray:
    """Spearman's rank correlation: Pearson's of the mid-ranks.

    Args:
        weights: Counts per cell, shape ``(..., m)``.
        cells: Their labels and scores.

    Returns:
        In [-1, 1], shape ``(...)``; NaN where label or score is constant.
    """
    return correlation_of(
        moments(weights, _mid_ranks(weights, cells.label), _mid_ranks(weights, cells.score))
    )


def kendall_tau_b(weights: FloatArray, cells: Cells) -> FloatArray:
    """Kendall's tau-b: concordant minus discordant pairs, corrected for ties on either side.

    Source: Kendall 1945.

    Args:
        weights: Counts per cell, shape ``(..., m)``; whole numbers above ``MAX_PAIRWISE_CELLS`` cells.
        cells: Their labels and scores.

    Returns:
        In [-1, 1], shape ``(...)``; NaN where label or score is constant.
    """
    if len(cells.label) > MAX_PAIRWISE_CELLS:
        return np.apply_along_axis(_tau_of_counts, -1, weights, cells.label, cells.score)
    n = weights.sum(axis=-1)
    order = np.sign(cells.label[:, None] - cells.label) * np.sign(cells.score[:, None] - cells.score)
    surplus = ((weights @ order) * weights).sum(axis=-1)
    untied = [n**2 - (sum_by_value(weights, side) ** 2).sum(axis=-1) for side in (cells.label, cells.score)]
    scale = np.where(n == 0, 1.0, n)
    return ratio(surplus / scale**2, np.sqrt(untied[0]) / scale * np.sqrt(untied[1]) / scale)


def _tau_of_counts(counts: FloatArray, label: FloatArray, score: FloatArray) -> float:
    times = counts.astype(np.int64)
    label, score = np.repeat(label, times), np.repeat(score, times)
    if not len(label) or label.min() == label.max() or score.min() == score.max():
        return float("nan")
    from scipy.stats import kendalltau  # noqa: PLC0415 - half a second to import, for tables of very many distinct pairs

    return float(kendalltau(label, score).statistic)


def sum_by_value(weights: FloatArray, values: FloatArray) -> FloatArray:
    """Total weight of each distinct value, in ascending order.

    Args:
        weights: Shape ``(..., m)``.
        values: Shape ``(m,)``.

    Returns:
        Shape ``(..., q)``.
    """
    distinct, code = np.unique(values, return_inverse=True)
    order: IntArray = np.argsort(code, kind="stable")
    return np.add.reduceat(
        weights[..., order], np.searchsorted(code[order], np.arange(len(distinct))), axis=-1
    )


def _mid_ranks(weights: FloatArray, values: FloatArray) -> FloatArray:
    """Mid-rank of each cell as a share of all rows, so that the guard against rounding fits any n."""
    code = np.unique(values, return_inverse=True)[1]
    margin = sum_by_value(weights, values)
    ranks = ratio(np.cumsum(margin, axis=-1) - margin / 2, margin.sum(axis=-1, keepdims=True))
    return ranks[..., code]
