"""Cohen's kappa: agreement beyond what the two margins would give by chance."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, ratio


def cohen_kappa(table: FloatArray) -> FloatArray:
    """(p_o - p_e) / (1 - p_e), with p_e from the two raters' own margins.

    Source: Cohen 1960. Depends on prevalence and on the judge's bias; read it beside both.

    Args:
        table: Counts, rows one rater, columns the other, shape ``(..., q, q)``.

    Returns:
        At most 1, shape ``(...)``; NaN where both raters use one and the same category only.
    """
    share = ratio(table, table.sum(axis=(-2, -1), keepdims=True))
    observed = np.einsum("...ii->...", share)
    expected = (share.sum(axis=-1) * share.sum(axis=-2)).sum(axis=-1)
    return ratio(observed - expected, 1 - expected)
