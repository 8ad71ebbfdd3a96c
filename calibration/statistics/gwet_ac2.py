"""Gwet's AC2: AC1 in which near misses count for something."""

from __future__ import annotations

from ..arrays import FloatArray, ratio


def gwet_ac2(table: FloatArray, agreement: FloatArray) -> FloatArray:
    """(p_a - p_e) / (1 - p_e), with p_e = sum of weights * sum of pi_k (1 - pi_k) / (q (q - 1)).

    Source: Gwet, Handbook of Inter-Rater Reliability, 2014. With weights of 1 on the diagonal only it is AC1.

    Args:
        table: Counts, rows one rater, columns the other, shape ``(..., q, q)``, q the declared categories, at least 2.
        agreement: How far each pair of categories agrees, shape ``(q, q)``, 1 on the diagonal.

    Returns:
        At most 1, shape ``(...)``; NaN for an empty table.
    """
    q = table.shape[-1]
    share = ratio(table, table.sum(axis=(-2, -1), keepdims=True))
    margin = (share.sum(axis=-1) + share.sum(axis=-2)) / 2
    expected = agreement.sum() * (margin * (1 - margin)).sum(axis=-1) / (q * (q - 1))
    return ratio((share * agreement).sum(axis=(-2, -1)) - expected, 1 - expected)
