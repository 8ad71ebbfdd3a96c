"""Conditions of a gate on the rates of one run, and what would tell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from ...calibration.gating.gate_bounds import (
    answer_of,
    corrected_bounds,
    gated_scores,
    more_cases,
    rate_bounds,
    trial_bounds,
)
from ...calibration.gating.gate_results import GateBounds, GateCheck
from ...calibration.statistic import Statistic
from ...errors import InputError
from ...records import ItemKey
from .gate_comparability import ids_with
from .gate_numbers import Minimum
from .gated_runs import GatedOutput, GatedRun

Row: TypeAlias = tuple[str, str, float | None]
"""Case, cluster and score of an output."""


class GateQuestion(NamedTuple):
    """A condition on a system, with who graded it, and why that may not do.

    Attributes:
        system: The system.
        condition: The condition as it was given.
        limit: The least value.
        by: Who graded.
        doubt: Why no number is an answer; empty without a reason.
    """

    system: str
    condition: str
    limit: float
    by: str
    doubt: str


def rows_of(
    run: GatedRun, outputs: Mapping[ItemKey, GatedOutput], only: Collection[str] | None = None
) -> list[Row]:
    """Return the outputs, or those of some cases, as rows."""
    return [
        (key.case_id, run.clusters.get(key.case_id, key.case_id), each.score)
        for key, each in outputs.items()
        if only is None or key.case_id in only
    ]


def _unseen(count: int) -> list[Row]:
    return [(f"\0{number}", f"\0{number}", None) for number in range(count)]


def graders(run: GatedRun, outputs: Mapping[ItemKey, GatedOutput], *, corrected: bool) -> str:
    """Say who graded outputs."""
    judges = {each.by for each in outputs.values() if each.judged}
    if not judges:
        return "checkers" if run.store is not None else "scorers"
    return "judge, corrected by labels" if corrected else "judge, uncorrected"


def guesses(run: GatedRun, outputs: Mapping[ItemKey, GatedOutput]) -> str:
    """Say which judge of these outputs is not shown to be better than chance; empty if none."""
    judges = sorted({each.by for each in outputs.values() if each.judged} & run.guessing.keys())
    return f"judge {judges[0]} is {run.guessing[judges[0]]} by the labels" if judges else ""


def minimum_checks(run: GatedRun, minimum: Minimum, conditions: int) -> Iterator[GateCheck]:
    """Yield the condition on each system."""
    only = None if not minimum.tag else tagged(run, minimum.tag)
    for system, outputs in run.systems.items():
        asked = _checked(outputs) if minimum.statistic == "pass_rate" else outputs
        rows = rows_of(run, asked, only)
        if minimum.statistic != "pass_rate":
            rows += _absent(run, system, only)
        corrected = run.corrected.get(system) if only is None and minimum.statistic == "overall" else None
        scores = gated_scores(rows)
        if minimum.k is not None:
            bounds = trial_bounds(scores, minimum.k, conditions=conditions)
        elif corrected is not None:
            bounds = _of_corrected(corrected, rows, conditions)
        else:
            bounds = rate_bounds(scores, conditions=conditions)
        by = graders(run, asked, corrected=corrected is not None)
        doubt = "" if corrected is not None else guesses(run, asked)
        question = GateQuestion(system, f"min {minimum}", minimum.at_least, by, doubt)
        yield rate_check(question, bounds, rows)


def _checked(outputs: Mapping[ItemKey, GatedOutput]) -> dict[ItemKey, GatedOutput]:
    """Return the outputs that checkers graded."""
    return {key: each for key, each in outputs.items() if not each.judged and each.score is not None}


def _of_corrected(corrected: Statistic, rows: list[Row], conditions: int) -> GateBounds:
    graded = sum(score is not None for *_, score in rows) / max(1, len(rows))
    return corrected_bounds(corrected, graded, of=len({case for case, *_ in rows}), conditions=conditions)


def _absent(run: GatedRun, system: str, only: Collection[str] | None) -> list[Row]:
    """Return rows for outputs that a system lacks, of these cases where cases are known."""
    missing = run.missing.get(system, 0)
    if only is None or not missing:
        return _unseen(missing)
    have = {key.case_id for key in run.systems[system]}
    return [(case, run.clusters.get(case, case), None) for case in only if case not in have]


def tagged(run: GatedRun, tag: str) -> frozenset[str]:
    """Return the ids of the cases with a tag.

    Raises:
        InputError: There are none, or the cases cannot be read.
    """
    if run.cases is None:
        raise InputError(f"tag {tag!r} is in the cases, and they are gone or changed", path=run.name)
    found = frozenset(ids_with(run.cases, tag))
    if not found:
        raise InputError(f"no case has the tag {tag!r}", path=run.name)
    return found


def rate_check(question: GateQuestion, bounds: GateBounds, rows: list[Row]) -> GateCheck:
    """Answer a condition by the bounds of a number, unless its grades are in doubt."""
    answer = "cannot tell" if question.doubt else answer_of(bounds, question.limit)
    ungraded = sum(score is None for *_, score in rows)
    return GateCheck(
        system=question.system,
        condition=question.condition,
        limit=question.limit,
        answer=answer,
        why=question.doubt or _ends(bounds, ungraded),
        would_tell=_would_tell(bounds, question, ungraded) if answer == "cannot tell" else "",
        bounds=bounds,
        by=question.by,
    )


def _ends(bounds: GateBounds, ungraded: int) -> str:
    if bounds.value is None:
        return "nothing is graded"
    if bounds.low is None or bounds.high is None:
        return f"{bounds.value:.4f} without an interval"
    left = f"; the ends count {ungraded:,} ungraded as failures and as passes" if ungraded else ""
    return f"{bounds.value:.4f} [{bounds.low:.4f}, {bounds.high:.4f}] over {bounds.of:,} cases{left}"


def _would_tell(bounds: GateBounds, question: GateQuestion, ungraded: int) -> str:
    limit, by = question.limit, question.by
    if question.doubt:
        return "another judge, or more labels" if question.doubt.startswith("judge ") else ""
    if bounds.value is None:
        return "a grade: judge or label these outputs"
    needed = more_cases(bounds, limit)
    if needed is None and ungraded:
        return f"grades of the {ungraded:,} ungraded output{'s' if ungraded > 1 else ''}"
    if needed is None:
        return f"no number of cases while the rate is this near to {limit:g}"
    kind = "labels, or cases with labels," if "corrected by" in by else "cases, or clusters of cases,"
    return f"about {needed:,} more {kind} if the number stays"
