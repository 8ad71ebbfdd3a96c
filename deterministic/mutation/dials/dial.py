"""Dial: an operator with a difficulty.

From a seed and a level it makes a case, a right output and a faulty one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from ....errors import ConfigurationError
from ....records import Case, OperatorFamily, Output


class Rung(msgspec.Struct, frozen=True):
    """One question at one level.

    Attributes:
        case: What was to be done; its id is set later.
        right: A right output.
        faulty: The same with a fault.
        change: The fault, in a sentence.
        label: The faulty output's score by construction; None if the strict checker decides.
    """

    case: Case
    right: Output
    faulty: Output
    change: str
    label: float | None = None


Make: TypeAlias = Callable[[int, int], Rung]
"""Of a seed and a level; the same for the same two, and of one seed alike at all levels."""


class Dial(msgspec.Struct, frozen=True):
    """An operator with a difficulty.

    Attributes:
        name: Unique among dials and operators.
        family: Which sort of output it makes.
        make: Makes a question.
        levels: From easy to hard: numbers of something, or, with ``steps``, 1 to as many.
        unit: What a level counts.
        about: One line for a person.
        steps: Meaning of each level, if levels are kinds instead of numbers.
    """

    name: str
    family: OperatorFamily
    make: Make
    levels: tuple[int, ...]
    unit: str
    about: str
    steps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse levels that have no positions between easy and hard."""
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

        Numbers are placed by their logarithm, steps evenly.
        """
        heights = [float(level) if self.steps else math.log(level) for level in self.levels]
        return [(height - heights[0]) / (heights[-1] - heights[0]) for height in heights]

    def level_at(self, place: float) -> float:
        """Return the level at a place, interpolated between levels."""
        low, high = float(self.levels[0]), float(self.levels[-1])
        return low + place * (high - low) if self.steps else low * (high / low) ** place


def steps(name: str, family: OperatorFamily, make: Make, kinds: tuple[str, ...], about: str) -> Dial:
    """Make a dial whose levels are kinds, from easy to hard."""
    return Dial(name, family, make, tuple(range(1, len(kinds) + 1)), "step", about, kinds)
