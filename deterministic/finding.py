"""Finding: what a checker says before it is tied to a case, a system and a rule set."""

from __future__ import annotations

from typing import Any

import msgspec

from ..records import Outcome


class Finding(msgspec.Struct, frozen=True):
    """Finding of a checker.

    Attributes:
        outcome: ``graded``, or why a checker cannot grade this.
        score: In [0, 1] when graded.
        error_type: The kind of fault, in the original's words where there is an original.
        reason: One sentence: which argument, what was expected, what came.
        evidence: Details a machine may read.
    """

    outcome: Outcome
    score: float | None = None
    error_type: str | None = None
    reason: str | None = None
    evidence: dict[str, Any] = {}

    @property
    def valid(self) -> bool:
        """True if everything was right."""
        return self.score == 1.0


PASSED = Finding("graded", 1.0)
"""Nothing was wrong."""


def fault(error_type: str, reason: str, **evidence: Any) -> Finding:
    """Return a finding that something was wrong and the system is to blame: graded 0."""
    return Finding("graded", 0.0, error_type, reason, evidence)


def undecided(reason: str, **evidence: Any) -> Finding:
    """Return a finding that the checker cannot decide; a judge has to."""
    return Finding("undecided", None, None, reason, evidence)
