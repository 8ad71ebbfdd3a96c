"""p-values of several tests, adjusted: Holm, Benjamini-Hochberg, Benjamini-Yekutieli."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray


def holm(p_values: FloatArray) -> FloatArray:
    """Holm's step-down: holds the chance of any false alarm, whatever the dependence.

    Source: Holm 1979.

    Args:
        p_values: Shape ``(m,)``.

    Returns:
        Adjusted p-values in the order given, at most 1.
    """
    order = np.argsort(p_values, kind="stable")
    steps = np.arange(len(p_values), 0, -1) * p_values[order]
    return _back(np.maximum.accumulate(steps), order)


def benjamini_hochberg(p_values: FloatArray) -> FloatArray:
    """Benjamini and Hochberg's step-up: holds the share of false alarms among alarms, for screening.

    Source: Benjamini and Hochberg 1995.

    Args:
        p_values: Shape ``(m,)``, independent or positively dependent.

    Returns:
        Adjusted p-values in the order given, at most 1.
    """
    order = np.argsort(p_values, kind="stable")
    steps = len(p_values) / np.arange(1, len(p_values) + 1) * p_values[order]
    return _back(np.minimum.accumulate(steps[::-1])[::-1], order)


def benjamini_yekutieli(p_values: FloatArray) -> FloatArray:
    """Like `benjamini_hochberg`, under any dependence.

    Source: Benjamini and Yekutieli 2001.
    """
    penalty = float((1 / np.arange(1, len(p_values) + 1)).sum())
    return np.minimum(1.0, benjamini_hochberg(p_values) * penalty)


def _back(adjusted: FloatArray, order: np.ndarray[tuple[int], np.dtype[np.intp]]) -> FloatArray:
    result = np.empty_like(adjusted)
    result[order] = np.minimum(1.0, adjusted)
    return result
