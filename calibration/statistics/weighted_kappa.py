"""Weighted kappa: disagreements count by how far apart the two values are."""

from __future__ import annotations

from ..arrays import FloatArray, ratio
from ..sample import Cells
from .concordance import concordance


def weighted_kappa_table(table: FloatArray, disagreement: FloatArray) -> FloatArray:
    """Kappa with any weights.

    Source: Cohen 1968.

    Args:
        table: Counts, rows one rater, columns the other, shape ``(..., q, q)``.
        disagreement: Cost of each pair of categories, shape ``(q, q)``, 0 on the diagonal.

    Returns:
        1 - observed cost / cost by chance, shape ``(...)``; NaN where chance costs nothing.
    """
    share = ratio(table, table.sum(axis=(-2, -1), keepdims=True))
    observed = (share * disagreement).sum(axis=(-2, -1))
    chance = share.sum(axis=-1)[..., :, None] * share.sum(axis=-2)[..., None, :]
    return 1 - ratio(observed, (chance * disagreement).sum(axis=(-2, -1)))


def weighted_kappa(weights: FloatArray, cells: Cells) -> FloatArray:
    """Quadratic weighted kappa on the values themselves: the cost of a pair is its squared difference.

    On values that are equally spaced levels this is the usual quadratic kappa; levels that were declared and never
    used change nothing. It is then, identically, Lin's concordance (Fleiss and Cohen 1973), which is how it is
    computed: the table of many distinct values would be large and empty.

    Args:
        weights: Counts per cell, shape ``(..., m)``.
        cells: Their labels and scores.

    Returns:
        In [-1, 1], shape ``(...)``; NaN where label and score are one and the same constant.
    """
    return concordance(weights, cells)
