"""Interval of a sum of absolute values, corrected for its upward bias.

Every error of a part adds to the sum.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import FloatArray
from ..bisection import bisected
from ..statistic import Interval
from .closed_forms import normal_quantile, t_quantile

_DRAWS, _HALVINGS, _DOUBLINGS = 4_000, 40, 60

_ROUNDING = 1e-12

_LUCKY = 0.16
"""A sum in this lowest part of what nothing at all would give is luck, and bounds the truth no closer than its end."""


def magnitude_interval(parts: FloatArray, covariance: FloatArray, clusters: int, level: float) -> Interval:
    """Return the sums of |part| that are consistent with the observed sum.

    Under each, the observed sum is neither too large nor too small; the interval always contains it.

    A bootstrap takes the parts seen for the true ones, and doubles the bias. Instead, for each candidate sum the parts
    nearest to those seen, in standard errors, are taken for true; errors are drawn around them; and the candidate is
    kept when what was seen lies in the middle of what comes out (hybrid resampling, Chuang and Lai 2000). Errors are
    normal, with Student's quantile for few clusters. What is so near to nothing that even nothing would seldom give it
    does not shrink the interval further: the largest sum is that of a result a standard error below what nothing gives
    (power-constrained limits, Cowan et al. 2011).

    Args:
        parts: Estimates, shape ``(q,)``, asymptotically normal.
        covariance: Of their errors, shape ``(q, q)``.
        clusters: Behind the covariance, at least 2.
        level: Nominal coverage.
    """
    parts, variance = _without_rounding(parts), np.diag(covariance)
    variance = np.where(variance > _ROUNDING**2 * variance.max(initial=0.0), variance, 0.0)
    seen = float(np.abs(parts).sum())
    errors = _errors(covariance, variance) * (t_quantile(level, clusters - 1) / normal_quantile(level))
    tail, side = (1 - level) / 2, np.where(parts < 0, -1.0, 1.0)

    def supposed(shift: float) -> FloatArray:
        """Return the nearest parts with another sum.

        All are shifted from 0, or towards it, in proportion to their variance.
        """
        return np.maximum(np.abs(parts) + shift * variance, 0.0) * side

    def sums(shift: float) -> FloatArray:
        return np.abs(supposed(shift) + errors).sum(axis=1)

    nothing = -_furthest(parts, variance)
    bounding = max(seen, float(np.quantile(sums(nothing), _LUCKY)))
    least = _crossing(lambda shift: bool((sums(shift) >= seen).mean() >= tail), nothing, 0.0)
    largest = _crossing(
        lambda shift: bool((sums(shift) <= bounding).mean() < tail), nothing, _beyond(sums, bounding, tail)
    )
    low, high = (float(np.abs(supposed(shift)).sum()) for shift in (least, largest))
    return min(low, seen), max(high, seen)


def _errors(covariance: FloatArray, variance: FloatArray) -> FloatArray:
    """Return fixed normal errors with this covariance.

    They are always the same: an integration, not a resampling.

    They are drawn through the symmetric root of the covariance, which is unique. Eigenvectors are not: their signs, and any basis of
    equal eigenvalues, are up to the processor's linear algebra. Parts without an error take no draws, so that empty ones change nothing.
    """
    loose = np.flatnonzero(variance)
    values, vectors = np.linalg.eigh(covariance[np.ix_(loose, loose)])
    normal = np.random.default_rng(0).standard_normal((_DRAWS, len(loose)))
    errors = np.zeros((_DRAWS, len(variance)))
    errors[:, loose] = normal @ ((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
    return errors


def _without_rounding(parts: FloatArray) -> FloatArray:
    """Set parts that are 0 but for rounding to 0, so that their sign has no effect.

    The sign would decide the direction of their assumed difference.
    """
    return np.where(np.abs(parts) > _ROUNDING, parts, 0.0)


def _furthest(parts: FloatArray, variance: FloatArray) -> float:
    """Return the shift that removes every part that could be 0."""
    loose = variance > 0
    # A little further, so that rounding leaves nothing either.
    return (1 + 1e-9) * float((np.abs(parts[loose]) / variance[loose]).max()) if loose.any() else 0.0


def _beyond(sums: Callable[[float], FloatArray], seen: float, tail: float) -> float:
    """Return a shift so large that the observed sum would be too small."""
    shift = 1.0
    for _ in range(_DOUBLINGS):
        if (sums(shift) <= seen).mean() < tail:
            break
        shift *= 2
    return shift


def _crossing(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the least shift from which the condition holds."""
    return low if holds(low) else bisected(low, high, holds, halvings=_HALVINGS)[1]
