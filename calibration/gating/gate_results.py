"""Result types of a gate; `gate --json` is these, field by field."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from ...records.made_scores import reaches, rounded_score

GateAnswer: TypeAlias = Literal["passes", "fails", "cannot tell"]
"""Answer of a gate; ``cannot tell`` if the data leave both others possible."""


def clears(value: float, limit: float) -> bool:
    """Return whether a number reaches a limit, up to rounding."""
    return reaches(rounded_score(value), limit)


class GateBounds(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of a number, whatever the grades of ungraded outputs would be.

    Attributes:
        value: The number on graded outputs, or None if nothing is graded.
        low: Lower end of the interval if all ungraded outputs failed, or None without an interval.
        high: Upper end of the interval, at ``high_level``, if all ungraded outputs passed.
        least: The number if all ungraded outputs failed.
        most: The number if all ungraded outputs passed.
        certain_low: Lower end of the interval of graded outputs alone, or None if unknown.
        certain_high: Upper end of the interval of graded outputs alone, or None if unknown.
        n: Number of cases with a graded output.
        of: Number of all cases.
        level: Nominal coverage of the interval whose lower end is ``low``.
        high_level: Nominal coverage of the interval whose upper end is ``high``; it is higher if there are several
            conditions.
    """

    value: float | None
    low: float | None
    high: float | None
    least: float | None = None
    most: float | None = None
    certain_low: float | None = None
    certain_high: float | None = None
    n: int
    of: int
    level: float = 0.95
    high_level: float = 0.95


class GateCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One condition on one system.

    Attributes:
        system: The system; empty for a condition on the whole run.
        condition: The condition as the user wrote it: ``min overall=0.8``.
        limit: Limit of the condition.
        answer: Whether the condition passes.
        why: Basis of the answer, as a sentence.
        would_tell: What would give an answer, if it is ``cannot tell``.
        bounds: The number and its bounds, or None for a count.
        by: Graders: ``checkers``, ``judge, uncorrected``, ``judge, corrected by labels``.
        share: For a count of cases the share that passes, of graded outputs the share that is graded; None for a rate,
            a change or a cost.
    """

    system: str
    condition: str
    limit: float
    answer: GateAnswer
    why: str
    would_tell: str = ""
    bounds: GateBounds | None = None
    by: str = ""
    share: float | None = None
