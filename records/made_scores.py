"""Scores made of other scores, free of the rounding errors of binary fractions.

Three scores of 0.7 have the sum 2.0999999999999996, whose third is below 0.7: without care they would fail at a threshold of 0.7.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_DIGITS = 12
"""Decimal digits of a made score; no scale has as many."""

_ERROR = 5e-15
"""Most that rounding adds to a made score. A third is further from its 12 digits, and keeps all of its own, as a threshold of 1/3 does."""


def rounded_score(score: float) -> float:
    """Round a number made of scores to 12 digits if it is that number up to errors of rounding."""
    rounded = round(score, _DIGITS)
    return rounded if abs(score - rounded) <= _ERROR else score


def mean_score(scores: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """Return the mean of at least one score; that of equal scores is exactly their value."""
    if min(scores) == max(scores):
        return scores[0]
    if weights is None:
        return rounded_score(math.fsum(scores) / len(scores))
    weighted = math.fsum(weight * score for weight, score in zip(weights, scores, strict=True))
    return rounded_score(weighted / math.fsum(weights))


@overload
def reaches(score: float, threshold: float) -> bool: ...
@overload
def reaches(
    score: npt.NDArray[np.float64], threshold: float | npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]: ...
def reaches(score: Any, threshold: Any) -> Any:
    """Return whether a score, or each of several, passes: it is not below its threshold.

    The only place where a score meets a threshold, and exact: scores made of scores are rounded where they are made. NaN reaches none.
    """
    return score >= threshold
