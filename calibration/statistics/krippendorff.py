"""Krippendorff's alpha: observed over expected disagreement, at four levels of measurement.

Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from ..arrays import FloatArray, IntArray, ratio
from ..sample import Cells

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
"""Level of measurement, which sets the distance of two values; other modules call a coverage ``level``."""


def value_counts(ratings: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Count the distinct values of each unit's ratings.

    Args:
        ratings: Values, shape ``(raters, units)``, NaN where missing.

    Returns:
        The distinct values ``(q,)``, and their counts ``(units, q)``.
    """
    rated = np.isfinite(ratings)
    values, code = np.unique(ratings[rated], return_inverse=True)
    counts = np.zeros((ratings.shape[1], len(values)))
    np.add.at(counts, (np.nonzero(rated)[1], code), 1.0)
    return values, counts


def alpha_of_units(
    weights: FloatArray, units: FloatArray, values: FloatArray, level: Level = "nominal"
) -> FloatArray:
    """Compute alpha from counts of values per unit; NaN if all values are equal.

    Args:
        weights: Weight of each unit, shape ``(..., k)``.
        units: Counts of each unit's values, shape ``(k, q)``; every unit has at least two values.
        values: The values, shape ``(q,)``.
        level: Level of measurement.
    """
    # A unit of u values has u (u - 1) ordered pairs, which count as u values.
    weights = weights / (units.sum(axis=1) - 1.0)
    pairs = np.einsum("...k,kc,kd->...cd", weights, units, units, optimize=True)
    # No value is paired with itself.
    coincidences = pairs - (weights @ units)[..., None] * np.eye(len(values))
    margin = coincidences.sum(axis=-1)
    distance = _DISTANCES[level](values, margin)
    # In shares, so that the guard against rounding does not depend on n.
    total = margin.sum(axis=-1)
    chance_disagreement = margin[..., :, None] * margin[..., None, :] * distance
    observed = ratio((coincidences * distance).sum(axis=(-2, -1)), total)
    expected = ratio(chance_disagreement.sum(axis=(-2, -1)), total * (total - 1.0))
    return 1.0 - ratio(observed, expected)


def _nominal(values: FloatArray, margin: FloatArray) -> FloatArray:
    del margin
    return (values[:, None] != values).astype(np.float64)


def _ordinal(values: FloatArray, margin: FloatArray) -> FloatArray:
    del values
    # The sum of margins from c to k, less half of both ends, is the distance of their mid-ranks.
    rank = np.cumsum(margin, axis=-1) - margin / 2
    return (rank[..., :, None] - rank[..., None, :]) ** 2


def _interval(values: FloatArray, margin: FloatArray) -> FloatArray:
    del margin
    return (values[:, None] - values) ** 2


def _ratio(values: FloatArray, margin: FloatArray) -> FloatArray:
    del margin
    return np.nan_to_num(ratio(values[:, None] - values, values[:, None] + values)) ** 2


_DISTANCES: dict[Level, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}
"""Functions from values ``(q,)`` and their counts ``(..., q)`` to squared distances ``(..., q, q)``."""


def alpha_interval(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute interval alpha of label and judge; NaN if all values are equal."""
    centre = cells.label[:1]
    return _two_raters(weights, cells.label - centre, cells.score - centre)


def alpha_ordinal(weights: FloatArray, cells: Cells) -> FloatArray:
    """Compute ordinal alpha of label and judge: the interval alpha of the pooled mid-ranks.

    NaN if all values are equal.
    """
    m = len(cells.label)
    values, code = np.unique(np.concatenate([cells.label, cells.score]), return_inverse=True)
    margin = _pooled(weights, code, len(values))
    total = margin.sum(axis=-1, keepdims=True)
    rank = ratio(np.cumsum(margin, axis=-1) - margin / 2, total)
    return _two_raters(weights, rank[..., code[:m]], rank[..., code[m:]])


def _pooled(weights: FloatArray, code: IntArray, q: int) -> FloatArray:
    """Return the weights of the values of both raters, shape ``(..., q)``."""
    order = np.argsort(code, kind="stable")
    doubled_weights = np.concatenate([weights, weights], axis=-1)[..., order]
    starts = np.searchsorted(code[order], np.arange(q))
    return np.add.reduceat(doubled_weights, starts, axis=-1)


def _two_raters(weights: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return interval alpha of two raters' values without gaps, from their moments."""
    n = weights.sum(axis=-1)
    share = ratio(weights, n[..., None])
    observed = (share * (x - y) ** 2).sum(axis=-1)
    mean = (share * (x + y)).sum(axis=-1) / 2
    spread = (share * (x**2 + y**2)).sum(axis=-1) / 2 - mean**2
    # Two of 2 n values, drawn without replacement, have a mean squared difference of 4 n spread / (2 n - 1).
    return 1 - (2 * n - 1) * ratio(observed, spread) / (4 * np.where(n == 0, 1, n))
