"""The scale on which a prompt asks for its score."""

from __future__ import annotations

from dataclasses import dataclass

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Scale:
    """From the worst score to the best, and the step between scores where not every number in between is one.

    Attributes:
        minimum: The worst.
        maximum: The best.
        step: Distance of neighbouring scores; None when any number in between is a score.
    """

    minimum: float = 0.0
    maximum: float = 1.0
    step: float | None = 1.0

    def __contains__(self, value: float) -> bool:
        if not self.minimum <= value <= self.maximum:
            return False
        if self.step is None:
            return True
        steps = (value - self.minimum) / self.step
        return abs(steps - round(steps)) <= _TOLERANCE

    def normalise(self, value: float) -> float:
        """The score in [0, 1].

        Args:
            value: A number on the scale.
        """
        # Adding zero makes zero of minus zero, which judges do write.
        return (value - self.minimum) / (self.maximum - self.minimum) + 0.0

    def __str__(self) -> str:
        if self.step is None:
            return f"a number from {self.minimum:g} to {self.maximum:g}"
        count = round((self.maximum - self.minimum) / self.step)
        if count == 1:
            return f"{self.minimum:g} or {self.maximum:g}"
        return f"{self.minimum:g} to {self.maximum:g} in steps of {self.step:g}"
