"""Scott's pi: agreement beyond chance, chance by the mean margin."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, ratio


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
