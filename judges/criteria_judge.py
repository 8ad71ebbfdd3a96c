"""Rubrics: a composite judge that asks about each criterion, and adds up the points.

`CriteriaJudge` asks once per criterion. A prompt may also judge all criteria in one reply, which `criteria_verdicts` splits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from ..records import Case, Criterion, ItemKey, JudgeId, Outcome, Output, Verdict
from ..records.rubric_points import Points, clipped, met_of, points_of
from .composite import (
    Deliberation,
    JudgeOfParts,
    JudgeQuestion,
    PartOutcome,
    outcome_of_ungraded,
    unreadable_guess,
)
from .criteria import NO_POSITIVE_POINTS, criteria_of, criterion_evidence, question_cases, question_ids
from .judge import Work
from .prompt_judge import PromptJudge

_VERSION = "points/1"
"""Version of the scoring, part of the fingerprint. Change it when the same verdicts on criteria give another score."""


@dataclass(frozen=True)
class CriteriaJudge(JudgeOfParts):
    """A judge that is asked about an item's criteria one by one."""

    @property
    def id(self) -> JudgeId:
        """See `Judge`."""
        return self._id("criteria", _VERSION)

    @property
    def by(self) -> str:
        """See `Judge`."""
        return self.shown_as or f"criteria/points@{self.judge.by}"

    @property
    def rounds(self) -> int:
        """See `Composite`: all criteria are asked about at once."""
        return 1

    def deliberate(self, case: Case, output: Output, repeat: int = 0) -> Deliberation:
        """Ask about each criterion, and add up the points; see `Composite`."""
        verdicts = yield [
            self._question(question_case, output, repeat) for question_case in question_cases(case)
        ]
        return self._combined(output, repeat, criteria_of(case), verdicts)

    def _question(self, case: Case, output: Output, repeat: int) -> JudgeQuestion:
        answer = msgspec.structs.replace(output, case_id=case.id)
        return JudgeQuestion(self.judge, case, answer, repeat, unreadable_guess(answer))

    def _combined(
        self, output: Output, repeat: int, criteria: Sequence[Criterion], verdicts: Sequence[Verdict]
    ) -> Verdict:
        met = [
            met_of(verdict.score, criterion.points)
            for criterion, verdict in zip(criteria, verdicts, strict=True)
        ]
        points = points_of(zip((criterion.points for criterion in criteria), met, strict=True))
        outcome, reason = _outcome(points, verdicts)
        return Verdict.on(
            output.key,
            by=self.by,
            judge=self.id,
            source="judge",
            outcome=outcome,
            score=clipped(points.shares[0]) if outcome == "graded" else None,
            reason=reason,
            evidence=_evidence(points, criteria, met, verdicts),
            repeat=repeat,
        )


def criterion_work(judge: PromptJudge, work: Iterable[Work]) -> Iterator[Work]:
    """Yield work; if the prompt asks by criterion, replace each case by its question cases."""
    for case, output, repeat in work:
        if not judge.prompt.by_criterion:
            yield case, output, repeat
            continue
        for question_case in question_cases(case):
            yield question_case, msgspec.structs.replace(output, case_id=question_case.id), repeat


def criteria_by(by: str) -> str:
    """Return the author of verdicts on single criteria, made from a reply on all criteria."""
    return f"criteria@{by}"


def criteria_verdicts(verdict: Verdict, judge: PromptJudge) -> list[Verdict]:
    """Split a verdict on all criteria into one per criterion, or none if it has no score."""
    rows: list[dict[str, Any]] = verdict.evidence.get("criteria", []) if verdict.graded else []
    ids = question_ids(verdict.case_id, [row["criterion"] for row in rows])
    return [
        Verdict.on(
            ItemKey(question_id, verdict.system, verdict.trial),
            by=criteria_by(judge.by),
            judge=judge.id.on_criteria,
            source="judge",
            score=met_of(row["met"], row["points"]),
            reason=row["reason"] or None,
            evidence={name: value for name, value in row.items() if name != "reason"},
            repeat=verdict.repeat,
        )
        for question_id, row in zip(ids, rows, strict=True)
    ]


def _outcome(points: Points, verdicts: Sequence[Verdict]) -> tuple[Outcome, str]:
    if not verdicts:
        return "not_applicable", "the case has no criterion"
    ungraded = [PartOutcome(verdict.outcome, verdict.reason) for verdict in verdicts if verdict.score is None]
    # A score from some of the criteria would not be comparable.
    if ungraded:
        outcome, reason = outcome_of_ungraded(ungraded)
        return outcome, f"{len(ungraded)} of {len(verdicts)} criteria without a verdict: {reason}"
    if not points.possible:
        return "not_applicable", NO_POSITIVE_POINTS
    return "graded", f"{points.low:g} of {points.possible:g} points, by {len(verdicts)} criteria"


def _evidence(
    points: Points, criteria: Sequence[Criterion], met: Sequence[float | None], verdicts: Sequence[Verdict]
) -> dict[str, Any]:
    """Return the evidence: the points, or their bounds if criteria are ungraded."""
    rows = [
        criterion_evidence(criterion) | ({"outcome": verdict.outcome} if share is None else {"met": share})
        for criterion, share, verdict in zip(criteria, met, verdicts, strict=True)
    ]
    evidence: dict[str, Any] = {"possible": points.possible, "criteria": rows}
    if all(share is not None for share in met):
        return {"achieved": points.low, **evidence}
    if points.possible:
        evidence["bounds"] = list(map(clipped, points.shares))
    return {"between": [points.low, points.high], **evidence}
