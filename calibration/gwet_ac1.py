"""Gwet's AC1: agreement that does not collapse when one class dominates, and so flatters a constant judge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .arrays import FloatArray, ratio


def gwet_ac1(table: FloatArray) -> FloatArray:
    """(p_a - p_e) / (1 - p_e), with p_e = sum of pi_k (1 - pi_k) / (q - 1) and pi the mean of the margins.

    Source: Gwet 2008. On a set that is 95 % right a judge that always passes has 0.947: never read it alone.

    Args:
        table: Counts, rows one rater, columns the other, shape ``(..., q, q)``, q the declared categories, at least 2.

    Returns:
        At most 1, shape ``(...)``; NaN for an empty table.
    """
    share = ratio(table, table.sum(axis=(-2, -1), keepdims=True))
    margin = (share.sum(axis=-1) + share.sum(axis=-2)) / 2
    expected = (margin * (1 - margin)).sum(axis=-1) / (table.shape[-1] - 1)
    return ratio(np.einsum("...ii->...", share) - expected, 1 - expected)


class ManyRaters(NamedTuple):
    """A coefficient of many raters and its standard error over items."""

    value: float
    standard_error: float


def gwet_ac1_many(ratings: FloatArray) -> ManyRaters:
    """AC1 for any number of raters, with gaps.

    Source: Gwet 2008; the standard error is that of items drawn at random, without finite correction.

    Args:
        ratings: How many raters put each item in each category, shape ``(items, q)``; rows may sum to different
            numbers of raters. Items nobody rated are left out.

    Returns:
        The coefficient and its standard error; NaN when no item has two ratings.

    Raises:
        ValueError: Fewer than two categories.
    """
    if ratings.shape[1] < 2:  # noqa: PLR2004 - chance needs two categories
        raise ValueError("AC1 needs at least two categories")
    ratings = ratings[ratings.sum(axis=1) > 0]
    raters = ratings.sum(axis=1)
    paired = raters > 1
    n, n_paired, q = len(ratings), int(paired.sum()), ratings.shape[1]
    if not n_paired:
        return ManyRaters(float("nan"), float("nan"))
    pairs = np.where(paired, raters * (raters - 1), 1.0)
    agreement = np.where(paired, (ratings * (ratings - 1)).sum(axis=1) / pairs, 0.0)
    share = ratings / raters[:, None]
    margin = share.mean(axis=0)
    expected = float((margin * (1 - margin)).sum() / (q - 1))
    value = (agreement.sum() / n_paired - expected) / (1 - expected)
    own = (n / n_paired) * (agreement - expected * paired) / (1 - expected)
    chance = (share * (1 - margin)).sum(axis=1) / (q - 1)
    residual = own - 2 * (1 - value) * (chance - expected) / (1 - expected) - value
    return ManyRaters(
        float(value), float(np.sqrt((residual**2).sum() / (n * (n - 1)))) if n > 1 else float("nan")
    )
