"""Dials: operators with levels of difficulty.

A dial makes rungs: a case, a right output and a faulty one, at one level.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from ....errors import ConfigurationError
from ....records import Case, OperatorFamily, Output


class Rung(msgspec.Struct, frozen=True):
    """A case with a right and a faulty output, at one level.

    Attributes:
        case: The case; its id is set later.
        right: A right output.
        faulty: The same output with a fault.
        change: Description of the fault, in a sentence.
        label: The faulty output's score by construction, or None if the strict checker decides.
    """

    case: Case
    right: Output
    faulty: Output
    change: str
    label: float | None = None


Make: TypeAlias = Callable[[int, int], Rung]
"""Makes a rung from a seed and a level, always the same one; the rungs of a seed differ only in their level."""


class Dial(msgspec.Struct, frozen=True):
    """An operator with a difficulty.

    Attributes:
        name: Name, unique among dials and operators.
        family: The outputs that it makes.
        make: Function that makes a rung.
        levels: Numbers from easy to hard or, with ``steps``, from 1 to the number of steps.
        unit: Unit of a level.
        about: Description in one line, for people.
        steps: Names of the levels, if these are kinds instead of numbers.
    """

    name: str
    family: OperatorFamily
    make: Make
    levels: tuple[int, ...]
    unit: str
    about: str
    steps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse levels that are not in order, or too few to be easy and hard."""
        ascending = sorted(set(self.levels))
        if len(ascending) < 2 or ascending[0] <= 0 or list(self.levels) not in (ascending, ascending[::-1]):  # noqa: PLR2004 - an easiest and a hardest
            raise ConfigurationError(
                f"dial {self.name!r}: expected two or more positive levels, rising or falling, got {self.levels}"
            )

    @property
    def __wrapped__(self) -> Make:
        """The function that makes the questions, for finding its source."""
        return self.make

    @property
    def places(self) -> list[float]:
        """Positions of the levels from 0 (easiest) to 1 (hardest).

        Numbers have positions by their logarithm; steps are evenly spaced.
        """
        heights = [float(level) if self.steps else math.log(level) for level in self.levels]
        return [(height - heights[0]) / (heights[-1] - heights[0]) for height in heights]

    def level_at(self, position: float) -> float:
        """Return the level at a position, which may be between two levels; the inverse of `places`."""
        low, high = float(self.levels[0]), float(self.levels[-1])
        return low + position * (high - low) if self.steps else low * (high / low) ** position


def steps(name: str, family: OperatorFamily, make: Make, kinds: tuple[str, ...], about: str) -> Dial:
    """Make a dial whose levels are kinds, from easy to hard."""
    return Dial(name, family, make, tuple(range(1, len(kinds) + 1)), "step", about, kinds)
