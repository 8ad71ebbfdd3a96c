"""Gwet's AC1: agreement that does not collapse when one class dominates, and so flatters a constant judge."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, ratio


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
