"""Changes of grades between two runs: by output, and by case with repeated trials.

Trials of two runs have no partners: if they were matched by number, chance alone would make regressions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..conclusion.run_results import ResultStruct


class ChangedVerdict(ResultStruct, frozen=True, kw_only=True):
    """Grades of one output in two runs, which may differ.

    Attributes:
        by: Author of the grade: the checker, or a judge that graded it in both runs.
        before: Grade in the first run: ``pass``, ``fail``, or why there is no score.
        error_type: The fault found in the second run, else in the first.
    """

    case_id: str
    system: str
    trial: int
    by: str
    before: str
    after: str
    error_type: str | None = None


class RepeatedCase(ResultStruct, frozen=True, kw_only=True):
    """Passes of a case with several trials, in both runs.

    Attributes:
        trials: Number of trials that both runs graded.
        before: Number of these that passed in the first run.
        after: Number of these that passed in the second run.
        error_type: Most common fault of the trials that passed in one run only.
    """

    case_id: str
    system: str
    trials: int
    before: int
    after: int
    error_type: str | None = None


def repeated_cases(compared: Iterable[ChangedVerdict]) -> list[RepeatedCase]:
    """Count passes by case and system, where both runs graded several trials.

    Cases with the largest loss come first.
    """
    groups: dict[tuple[str, str], list[ChangedVerdict]] = {}
    for verdict in compared:
        if {verdict.before, verdict.after} <= {"pass", "fail"}:
            groups.setdefault((verdict.case_id, verdict.system), []).append(verdict)
    cases = [_repeated_case(group) for group in groups.values() if len(group) > 1]
    return sorted(cases, key=lambda case: (case.after - case.before) / case.trials)


def _repeated_case(trials: list[ChangedVerdict]) -> RepeatedCase:
    faults = Counter(trial.error_type for trial in trials if trial.error_type and trial.before != trial.after)
    return RepeatedCase(
        case_id=trials[0].case_id,
        system=trials[0].system,
        trials=len(trials),
        before=sum(trial.before == "pass" for trial in trials),
        after=sum(trial.after == "pass" for trial in trials),
        error_type=faults.most_common(1)[0][0] if faults else None,
    )
