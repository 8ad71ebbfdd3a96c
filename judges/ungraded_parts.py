"""Outcome of an answer or a rubric with ungraded parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from ..records import UNGRADED, Outcome


class CombinedOpinions(NamedTuple):
    """Outcome, score and reason of a verdict that combines several opinions."""

    outcome: Outcome
    score: float | None
    reason: str


class PartOutcome(NamedTuple):
    """Outcome of a part, with its reason."""

    outcome: Outcome
    reason: str | None


def outcome_of_ungraded(parts: Iterable[PartOutcome]) -> tuple[Outcome, str]:
    """Return the outcome of a combined verdict with these ungraded parts, and a reason.

    It is ``failed`` if a call failed, since failed calls are retried, and a verdict must not depend on when they were made. Else
    it is the most frequent outcome.
    """
    ungraded = list(parts)
    counts = Counter(part.outcome for part in ungraded)
    outcome: Outcome = "failed" if counts["failed"] else max(UNGRADED, key=lambda each: counts[each])
    reasons = (part.reason for part in ungraded if part.outcome == outcome and part.reason)
    return outcome, next(reasons, outcome)
