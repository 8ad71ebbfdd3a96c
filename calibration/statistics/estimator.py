"""Estimator: a named formula of a sample, built in or custom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..arrays import FloatArray
from ..sample import Cells, Sample
from ..statistic import Interval, TransformedScale
from .rates import Proportion

MAX_CELLS = 25_000
"""Above this many distinct (label, score) pairs, blocks of clusters are left out in turn instead of a bootstrap."""

StatisticFamily: TypeAlias = Literal["table", "graded", "probability", "custom"]
"""``table``: the 2x2 table of passes; ``graded``: scores and labels as they are; ``probability``: scores as probabilities of passing;
``custom``: a function of the user's."""

OwnInterval: TypeAlias = Callable[[Sample, float], tuple[Interval | None, str]]
"""Maps a sample and a level to an interval and its name."""


@dataclass(frozen=True)
class Estimator:
    """One statistic of a sample.

    Attributes:
        name: Its name in JSON.
        family: What it is computed from.
        formula: Maps cell weights ``(..., m)`` and the cells to values ``(...)``, NaN where undefined.
        undefined: When it is undefined, in words.
        proportion: Successes and trials, for a proportion.
        own_interval: The default interval, where Wilson's does not apply and BCa does not hold its level.
        few_clusters: How its jackknife is brought to a scale without ends, where few clusters count: ``fisher`` in [-1, 1], ``logit`` in
            [0, 1]; None where BCa is kept.
        max_cells: Above this many cells it is not bootstrapped.
    """

    name: str
    family: StatisticFamily
    formula: Callable[[FloatArray, Cells], FloatArray]
    undefined: str
    proportion: Proportion | None = None
    own_interval: OwnInterval | None = None
    few_clusters: TransformedScale | None = None
    max_cells: int = MAX_CELLS

    def of(self, cells: Cells) -> Callable[[FloatArray], FloatArray]:
        """Return the formula as a function of the weights alone."""
        return lambda weights: self.formula(weights, cells)
