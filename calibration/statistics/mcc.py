"""Matthews correlation coefficient: what a judge is worth for correcting a rate."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, ratio


def mcc(table: FloatArray) -> FloatArray:
    """(tp tn - fp fn) / sqrt((tp + fp)(tp + fn)(tn + fp)(tn + fn)): Pearson's correlation of 0/1 label and verdict.

    Source: Matthews 1975. With N unlabelled and n labelled rows a judge of this correlation cuts the variance of the
    corrected rate by the factor ``1 - mcc**2 * N / (N + n)``.

    Args:
        table: ``[[tn, fp], [fn, tp]]``, shape ``(..., 2, 2)``.

    Returns:
        In [-1, 1], shape ``(...)``; NaN where a margin is empty.
    """
    total = table.sum(axis=(-2, -1), keepdims=True)
    # Shares, not counts: a product of four counts of a large table leaves the range where floats are exact.
    share = ratio(table, total)
    row, column = share.sum(axis=-1), share.sum(axis=-2)
    margins = row[..., 0] * row[..., 1] * column[..., 0] * column[..., 1]
    return ratio(
        share[..., 1, 1] * share[..., 0, 0] - share[..., 0, 1] * share[..., 1, 0],
        np.sqrt(margins),
    )
