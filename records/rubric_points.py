"""Add up the points of an output by a rubric.

The score is HealthBench's (Arora et al. 2025, section 3, and `simple-evals/healthbench_eval.py`): the points of the criteria that are
met, divided by the sum of the positive points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .made_scores import rounded_score


class Points(NamedTuple):
    """Points of an output by a rubric; some of its criteria may be ungraded.

    Attributes:
        low: Points if all ungraded criteria turn out badly: good ones are not met, bad ones are.
        high: Points if all ungraded criteria turn out well.
        possible: Sum of the positive points.
    """

    low: float
    high: float
    possible: float

    @property
    def shares(self) -> tuple[float, float]:
        """Low and high points divided by the possible points, which must not be 0."""
        return rounded_score(self.low / self.possible), rounded_score(self.high / self.possible)


def points_of(graded: Iterable[tuple[float, float | None]]) -> Points:
    """Add up the points of criteria.

    Args:
        graded: Points of each criterion, and how far it is met in [0, 1], or None if unknown.
    """
    graded = list(graded)
    return Points(
        low=math.fsum(min(points, 0.0) if met is None else points * met for points, met in graded),
        high=math.fsum(max(points, 0.0) if met is None else points * met for points, met in graded),
        possible=math.fsum(max(points, 0.0) for points, _ in graded),
    )


def met_of(score: float | None, points: float) -> float | None:
    """Return how far a criterion is met.

    A verdict's score of 1 is always good, but a criterion with points below 0 is met by something bad, so its score is reversed.
    """
    return score if score is None or points >= 0 else rounded_score(1.0 - score)


def clipped(value: float) -> float:
    """Return a value, cut to [0, 1]."""
    return min(1.0, max(0.0, value))


def tag_names(tags: Sequence[str] | Mapping[str, Any]) -> list[str]:
    """Return the tags of a criterion as names; a tag with a value becomes ``name:value``."""
    if isinstance(tags, Mapping):
        return [f"{name}:{value}" for name, value in tags.items()]
    return list(dict.fromkeys(tags))
