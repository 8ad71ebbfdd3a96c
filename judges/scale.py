"""The scale on which a prompt asks for its score."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

_TOLERANCE = 1e-9
_MOST_STEPS = 1e6


@dataclass(frozen=True, slots=True)
class Scale:
    """Scale of scores: least, greatest, the better end, and the step if scores are discrete.

    Attributes:
        minimum: The least.
        maximum: The greatest.
        step: Distance of neighbouring scores; None when any number in between is a score.
        better: Which end is the best score.

    Raises:
        ValueError: The numbers make no scale.
    """

    minimum: float = 0.0
    maximum: float = 1.0
    step: float | None = 1.0
    better: Literal["high", "low"] = "high"

    def __post_init__(self) -> None:
        span = self.maximum - self.minimum
        if not math.isfinite(span) or not math.isfinite(self.step or 0.0):
            raise ValueError("minimum, maximum and step are finite numbers")
        if span <= 0 or (self.step is not None and self.step <= 0):
            raise ValueError("minimum must be below maximum, and step above 0")
        if self.step is not None and span > _MOST_STEPS * self.step:
            raise ValueError(f"there are more than {_MOST_STEPS:,.0f} steps from minimum to maximum")
        if self.maximum not in self:
            raise ValueError("the steps from minimum do not reach maximum")

    def __contains__(self, value: float) -> bool:
        if not self.minimum <= value <= self.maximum:
            return False
        if self.step is None:
            return True
        steps = (value - self.minimum) / self.step
        return abs(steps - round(steps)) <= _TOLERANCE

    def nearest(self, value: float) -> float:
        """Return the score that a value on the scale stands for: 0.9999999999 is 1 where steps are whole."""
        if self.step is None:
            return value
        return min(self.maximum, self.minimum + round((value - self.minimum) / self.step) * self.step)

    @property
    def is_unit(self) -> bool:
        """True if scores are already in [0, 1], with 1 the best."""
        return (self.minimum, self.maximum, self.better) == (0.0, 1.0, "high")

    @property
    def is_binary(self) -> bool:
        """True if there are exactly two scores."""
        return self.step is not None and self.maximum - self.minimum == self.step

    @property
    def flipped(self) -> Scale:
        """The same numbers, with the other end the best."""
        return replace(self, better="low" if self.better == "high" else "high")

    def worst_of(self, values: Iterable[float]) -> float:
        """Return the worst of several scores."""
        return min(values) if self.better == "high" else max(values)

    def normalise(self, value: float) -> float:
        """Return the score in [0, 1], where 1 is the best."""
        distance = value - self.minimum if self.better == "high" else self.maximum - value
        # Adding zero makes zero of minus zero, which judges do write.
        return distance / (self.maximum - self.minimum) + 0.0

    def __str__(self) -> str:
        best = "" if self.better == "high" else f", {self.minimum:g} the best"
        if self.step is None:
            return f"a number from {self.minimum:g} to {self.maximum:g}{best}"
        count = round((self.maximum - self.minimum) / self.step)
        if count == 1:
            return f"{self.minimum:g} or {self.maximum:g}{best}"
        return f"{self.minimum:g} to {self.maximum:g} in steps of {self.step:g}{best}"
