"""Scott's pi, and Fleiss' kappa, which is the same idea for many raters."""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray, ratio


def scott_pi(table: FloatArray) -> FloatArray:
    """(p_o - p_e) / (1 - p_e), with p_e from the mean of the two margins.

    Source: Scott 1955. Never above Cohen's kappa.

    Args:
        table: Counts, rows one rater, columns the other, shape ``(..., q, q)``.

    Returns:
        At most 1, shape ``(...)``; NaN where both raters use one and the same category only.
    """
    share = ratio(table, table.sum(axis=(-2, -1), keepdims=True))
    margin = (share.sum(axis=-1) + share.sum(axis=-2)) / 2
    expected = (margin**2).sum(axis=-1)
    return ratio(np.einsum("...ii->...", share) - expected, 1 - expected)


def fleiss_kappa(ratings: FloatArray) -> float:
    """Fleiss' kappa.

    Source: Fleiss 1971.

    Args:
        ratings: How many raters put each item in each category, shape ``(items, categories)``; every row sums to the
            same number of raters, at least 2.

    Returns:
        At most 1; NaN when one category has all ratings.

    Raises:
        ValueError: Items have different numbers of raters, or fewer than two.
    """
    raters = ratings.sum(axis=1)
    if len(raters) == 0 or raters[0] < 2 or (raters != raters[0]).any():  # noqa: PLR2004 - a pair of raters
        raise ValueError("every item needs the same number of raters, at least 2")
    observed = ((ratings**2).sum(axis=1) - raters).mean() / (raters[0] * (raters[0] - 1))
    expected = ((ratings.sum(axis=0) / ratings.sum()) ** 2).sum()
    return float(ratio(np.asarray(observed - expected), np.asarray(1 - expected)))
