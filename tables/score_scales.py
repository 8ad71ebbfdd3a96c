"""Scales of judges' scores in other tools' files: one for all judges, or one for each."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ..records.score_kinds import ScoreKind
from .grades import PLAIN, GradeScale


class ScoreScales(msgspec.Struct, frozen=True):
    """Scales of judges' scores.

    Attributes:
        default: The scale of every judge that has none of its own.
        by_judge: Scales of single judges, by name; in a table with a column per judge the name is the column's.
        kinds: What the scores of single judges are, as declared; the name "" stands for all other judges.
    """

    default: GradeScale = PLAIN
    by_judge: Mapping[str, GradeScale] = {}
    kinds: Mapping[str, ScoreKind] = {}

    def of(self, judge: str) -> GradeScale:
        """Return the scale of a judge."""
        return self.by_judge.get(judge, self.default)

    def is_declared(self, judge: str) -> bool:
        """Return whether the user gave a scale for a judge."""
        return self.of(judge).ends is not None


UNIT_SCORES = ScoreScales()
"""Scores in [0, 1]."""
