"""Scale of scores: its numbers, which end is the best, and the scores of words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Literal, SupportsFloat

import msgspec

from .made_scores import rounded_score

_TOLERANCE = 1e-9
"""A value that is no further from a score, in steps, counts as that score."""

_MAX_STEPS = 1e6
"""Limit on the steps of a scale."""


def is_finite(number: SupportsFloat) -> bool:
    """Return whether a number is finite; False for an integer beyond all floats."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def distance(low: float, high: float) -> float | None:
    """Return ``high - low``, or None unless both ends and this distance are finite."""
    if not is_finite(low) or not is_finite(high):
        return None
    span = float(high) - float(low)
    return span if math.isfinite(span) else None


class Scale(msgspec.Struct, frozen=True):
    """Possible scores of a judge or a person, and which end is the best.

    Attributes:
        minimum: Lowest score.
        maximum: Highest score.
        step: Distance between neighbouring scores, or None if every number between the ends is a score.
        better: The end that is the best score.
        is_declared: Whether anybody declared the ends; a number above 1 on an undeclared scale is asked about.
        pass_at: Pass threshold in the scale's own numbers, or None to keep fractions.
        words: Scores in [0, 1] of words besides the usual ones, or None for a word that means "no grade".
        all_alike: Whether words may give all grades of a column one score.

    Raises:
        ValueError: The numbers do not make a scale.
    """

    minimum: float = 0.0
    maximum: float = 1.0
    step: float | None = None
    better: Literal["high", "low"] = "high"
    is_declared: bool = True
    pass_at: float | None = None
    words: Mapping[str, float | None] = {}
    all_alike: bool = False

    def __post_init__(self) -> None:
        span = distance(self.minimum, self.maximum)
        if span is None or not is_finite(self.step or 0.0):
            raise ValueError("minimum, maximum and step must be finite numbers")
        if span <= 0 or (self.step is not None and self.step <= 0):
            raise ValueError("minimum must be below maximum, and step above 0")
        if self.step is not None and span > _MAX_STEPS * self.step:
            raise ValueError(f"there are more than {_MAX_STEPS:,.0f} steps from minimum to maximum")
        if self.maximum not in self:
            raise ValueError("the steps from minimum do not reach maximum")

    @classmethod
    def from_ends(
        cls,
        ends: tuple[float, float] | None = None,
        *,
        step: float | None = None,
        pass_at: float | None = None,
        words: Mapping[str, float | None] = {},
        all_alike: bool = False,
    ) -> Scale:
        """Return a scale by its worst and its best score; [0, 1] and undeclared without them."""
        worst, best = ends or (0.0, 1.0)
        return cls(
            min(worst, best),
            max(worst, best),
            step,
            better="high" if worst < best else "low",
            is_declared=ends is not None,
            pass_at=pass_at,
            words=words,
            all_alike=all_alike,
        )

    def __contains__(self, value: float) -> bool:
        if not self.minimum <= value <= self.maximum:
            return False
        if self.step is None:
            return True
        steps = (value - self.minimum) / self.step
        return abs(steps - round(steps)) <= _TOLERANCE

    def nearest(self, value: float) -> float:
        """Return the score nearest to a value: 1 for 0.9999999999 in steps of 1."""
        if self.step is None:
            return value
        return min(self.maximum, self.minimum + round((value - self.minimum) / self.step) * self.step)

    @property
    def ends(self) -> tuple[float, float]:
        """The worst and the best score."""
        return (self.minimum, self.maximum) if self.better == "high" else (self.maximum, self.minimum)

    @property
    def is_unit(self) -> bool:
        """True if scores are already in [0, 1], with 1 the best."""
        return (self.minimum, self.maximum, self.better) == (0.0, 1.0, "high")

    @property
    def is_binary(self) -> bool:
        """True if there are exactly two scores."""
        return self.step is not None and round((self.maximum - self.minimum) / self.step) == 1

    @property
    def flipped(self) -> Scale:
        """Scale with the other end as the best."""
        return msgspec.structs.replace(self, better="low" if self.better == "high" else "high")

    @property
    def reads_numbers(self) -> bool:
        """True if the user said what numbers mean: by the ends, or by a pass threshold."""
        return self.is_declared or self.pass_at is not None

    def worst_of(self, values: Iterable[float]) -> float:
        """Return the worst of several scores."""
        return min(values) if self.better == "high" else max(values)

    def share(self, value: float) -> float:
        """Return the distance from the worst score as a share of the scale, unrounded."""
        distance = value - self.minimum if self.better == "high" else self.maximum - value
        return distance / (self.maximum - self.minimum)

    def normalise(self, value: float) -> float:
        """Return the score in [0, 1]; 1 is the best."""
        if self.step is not None and value in self:
            # Whole steps avoid rounding errors: 0.6 on a scale with 0 as the best is 0.4, not 0.3999999999999999.
            steps = round((self.maximum - self.minimum) / self.step)
            above_minimum = round((value - self.minimum) / self.step)
            return (above_minimum if self.better == "high" else steps - above_minimum) / steps
        # Adding zero turns minus zero, which some judges write, into zero.
        return rounded_score(self.share(value)) + 0.0

    def __str__(self) -> str:
        best = "" if self.better == "high" else f", {self.minimum:g} the best"
        if self.step is None:
            return f"a number from {self.minimum:g} to {self.maximum:g}{best}"
        if self.is_binary:
            return f"{self.minimum:g} or {self.maximum:g}{best}"
        return f"{self.minimum:g} to {self.maximum:g} in steps of {self.step:g}{best}"


PASS_OR_FAIL = Scale(step=1.0)
"""Scale with the scores 0 and 1."""

UNDECLARED_SCALE = Scale(is_declared=False)
"""Scale of grades for which nobody declared one."""


def judge_scale(scales: Mapping[str, Scale], judge: str = "") -> Scale:
    """Return a judge's scale; the name "" stands for all judges that are not named."""
    return scales.get(judge) or scales.get("", UNDECLARED_SCALE)


def named_judges(scales: Mapping[str, Scale]) -> list[str]:
    """Return the judges that have a scale of their own."""
    return [judge for judge in scales if judge]
