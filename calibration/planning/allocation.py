"""How many of the next labels each stratum should get."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray


def neyman_allocation(
    size: IntArray, spread: FloatArray, labelled: IntArray, count: int, *, least: int = 10
) -> IntArray:
    """New labels for each stratum, so that the labels in all are in proportion to size times spread.

    That makes the variance of a stratified mean least. What a stratum has too many of already, others go without;
    none gets more labels than it has items, nor fewer than ``least`` where it has so many.

    Source: Neyman 1934; for prediction-powered estimates Fisch et al. 2024 (arXiv 2406.04291).

    Args:
        size: Items of each stratum, shape ``(K,)``.
        spread: Standard deviation of what the labels add to the judge, shape ``(K,)``, above 0.
        labelled: Items of each that have a label, shape ``(K,)``.
        count: How many new labels; more than there are items is all of them.
        least: Labels that each stratum must have in the end.

    Returns:
        New labels, shape ``(K,)``; their sum is ``count`` where so many items are left.

    Raises:
        ValueError: There are too few labels for the least of every stratum.
    """
    low = np.maximum(labelled, np.minimum(least, size))
    total = min(int(labelled.sum()) + count, int(size.sum()))
    if low.sum() > total:
        needed = int((low - labelled).sum())
        raise ValueError(f"{least} labels in each of {len(size)} strata take {needed} new ones, not {count}")
    wish = _shares(size * spread, low, size, total)
    given = np.clip(np.floor(wish + 1e-9).astype(np.int64), low, size)
    # What rounding left over goes to the largest remainders.
    for stratum in np.argsort(given - wish, kind="stable")[: total - int(given.sum())]:
        given[stratum] += 1
    return given - labelled


def _shares(weight: FloatArray, low: IntArray, high: IntArray, total: int) -> FloatArray:
    """Numbers in proportion to the weights, each within its bounds, that add up to the total; by bisection."""
    below, above = 0.0, float((high / weight).max())
    for _ in range(200):
        middle = (below + above) / 2
        if np.clip(middle * weight, low, high).sum() < total:
            below = middle
        else:
            above = middle
    return np.clip(above * weight, low, high)
