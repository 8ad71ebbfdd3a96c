"""Cases that both runs tried several times, compared by how often they pass.

A trial of one run has no partner among the trials of another: matched by their numbers, chance alone makes regressions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..conclusion.run_results import ResultStruct

if TYPE_CHECKING:
    from .changed_verdict import ChangedVerdict


class RepeatedCase(ResultStruct, frozen=True, kw_only=True):
    """Passes of a case that was tried several times, in both runs.

    Attributes:
        trials: Trials that both runs graded.
        before: How many of them passed in the first run.
        after: How many passed in the second.
        error_type: The commonest fault of a trial that failed in one run only.
    """

    case_id: str
    system: str
    trials: int
    before: int
    after: int
    error_type: str | None = None


def repeated_cases(compared: Iterable[ChangedVerdict]) -> list[RepeatedCase]:
    """Count passes by case and system, if both runs graded several trials.

    Cases with the largest loss come first.
    """
    groups: dict[tuple[str, str], list[ChangedVerdict]] = {}
    for verdict in compared:
        if {verdict.before, verdict.after} <= {"pass", "fail"}:
            groups.setdefault((verdict.case_id, verdict.system), []).append(verdict)
    found = [_case(group) for group in groups.values() if len(group) > 1]
    return sorted(found, key=lambda case: (case.after - case.before) / case.trials)


def _case(trials: list[ChangedVerdict]) -> RepeatedCase:
    faults = Counter(trial.error_type for trial in trials if trial.error_type and trial.before != trial.after)
    return RepeatedCase(
        case_id=trials[0].case_id,
        system=trials[0].system,
        trials=len(trials),
        before=sum(trial.before == "pass" for trial in trials),
        after=sum(trial.after == "pass" for trial in trials),
        error_type=faults.most_common(1)[0][0] if faults else None,
    )
