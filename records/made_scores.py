"""Compute scores from scores without errors of rounding; compare them with thresholds.

The sum of three scores of 0.7 is 2.0999999999999996, and a third of that is below 0.7: without rounding, their mean would fail at a
threshold of 0.7.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_DIGITS = 12
"""Decimal digits of a computed score; no scale has as many."""

_MAX_ROUNDING_ERROR = 5e-15
"""Largest rounding error of a computed score.

A number such as 1/3 is further from its 12 digits, so it is not an error of rounding. It keeps all its digits, as a threshold of 1/3 does.
"""


def rounded_score(score: float) -> float:
    """Round a computed score to 12 digits if it differs from that only by errors of rounding."""
    rounded = round(score, _DIGITS)
    return rounded if abs(score - rounded) <= _MAX_ROUNDING_ERROR else score


def mean_score(scores: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """Return the mean of one or more scores; the mean of equal scores is exactly their value."""
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
    """Return whether a score, or each score of an array, passes: it is not below its threshold.

    All comparisons of scores with thresholds are made here, without a tolerance: computed scores are rounded where they are computed. NaN
    reaches no threshold.
    """
    return score >= threshold
