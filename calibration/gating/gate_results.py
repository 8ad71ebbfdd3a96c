"""Result types of a gate; `gate --json` is these, field by field."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from ...records.made_scores import reaches, rounded_score

GateAnswer: TypeAlias = Literal["passes", "fails", "cannot tell"]
"""Answer of a gate; ``cannot tell`` if the data leave both others possible."""


def clears(value: float, limit: float) -> bool:
    """Return whether a number reaches a limit, errors of rounding aside."""
    return reaches(rounded_score(value), limit)


class GateBounds(msgspec.Struct, frozen=True, kw_only=True):
    """Ends between which a number is, whatever the ungraded outputs are.

    Attributes:
        value: The number over graded outputs, or None if nothing is graded.
        low: Lower end of the interval with all ungraded outputs at their worst, or None without an interval.
        high: Upper end with all of them at their best, at ``high_level``.
        least: The number if all of these were at their worst.
        most: The number if all of them were at their best.
        certain_low: Lower end if the ungraded outputs were as the graded ones are, or None if unknown.
        certain_high: Upper end under the same assumption.
        n: Number of cases with a graded output.
        of: Number of cases.
        level: Nominal coverage of the interval that ``low`` ends.
        high_level: Nominal coverage of the interval that ``high`` ends, higher if several conditions may fail.
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
        condition: As it was given: ``min overall=0.8``.
        limit: The limit.
        answer: The answer.
        why: What the answer rests on, in a sentence.
        would_tell: What would tell, if the answer is ``cannot tell``.
        bounds: The number and its ends, or None for a count.
        by: Who graded: ``checkers``, ``judge, uncorrected``, ``judge, corrected by labels``.
        share: Share of the counted cases that pass, or outputs that are graded, or None for a rate, a change or a cost.
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
