"""Conditions of a gate on the rates of one run, and what would tell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...calibration.arrays import cluster_numbers
from ...calibration.gating.gate_bounds import (
    GatedRow,
    answer_of,
    corrected_bounds,
    gated_scores,
    more_cases,
    rate_bounds,
    shifted_bounds,
    trial_bounds,
)
from ...calibration.gating.gate_results import GateBounds, GateCheck
from ...calibration.repeated_trials import tried_until_passed
from ...calibration.statistic import Statistic
from ...errors import InputError
from ...records import ItemKey
from ...spelling import setting
from ..conclusion.run_results import TRIED_AGAIN
from .gate_comparability import ids_with
from .gate_numbers import RUBRIC, Minimum
from .gated_judging import CRASHED, GatedOutput
from .gated_runs import GatedRun


class Undefined(NamedTuple):
    """Why a number is undefined.

    Attributes:
        why: The reason.
        would_tell: What would tell.
    """

    why: str
    would_tell: str


UNGRADED = Undefined("nothing is graded", "a grade: judge or label these outputs")


class GateQuestion(NamedTuple):
    """A condition on a system, with who graded it, and why that may not do.

    Attributes:
        system: The system.
        condition: The condition as it was given.
        limit: The least value.
        by: Who graded.
        doubt: Why no number is an answer; empty without a reason.
        labels: What would let the judge's verdicts tell.
        undefined: Why there is no number if there is none, and what would tell then.
        trials: Number of trials of a case that the number is about.
    """

    system: str
    condition: str
    limit: float
    by: str
    doubt: str
    labels: str = ""
    undefined: Undefined = UNGRADED
    trials: int = 1


def rows_of(
    run: GatedRun,
    outputs: Mapping[ItemKey, GatedOutput],
    only: Collection[str] | None = None,
    *,
    settled: bool = False,
    as_passes: bool = False,
) -> list[GatedRow]:
    """Return the outputs, or those of some cases, as rows.

    Without labels that correct it, a judge's verdict settles nothing unless ``settled``: its error may be any.
    With ``as_passes``, a score is 1 for an output that passes and 0 for another.
    """
    return [
        GatedRow(
            key.case_id,
            run.clusters.get(key.case_id, key.case_id),
            each.passes if as_passes and each.passes is not None else each.score,
            settled=settled or not each.judged,
        )
        for key, each in outputs.items()
        if only is None or key.case_id in only
    ]


def _unseen(count: int) -> list[GatedRow]:
    return [GatedRow(f"\0{number}", f"\0{number}", None) for number in range(count)]


def graders(run: GatedRun, outputs: Mapping[ItemKey, GatedOutput], how: str) -> str:
    """Say who graded outputs, and how judges' verdicts count."""
    judges = {output.by for output in outputs.values() if output.judged}
    if not judges and run.store is not None:
        return "checkers"
    if not judges:
        names = sorted({output.by for output in outputs.values() if output.score is not None} - {CRASHED})
        return f"scorer {', '.join(names)}" if names else ""
    baselines = frozenset[str]() if run.judged is None else run.judged.baselines
    return f"{'baseline' if judges <= baselines else 'judge'}, {how}"


CORRECTED = "corrected by labels"


def uncorrected(judge_error: float | None) -> str:
    """Say how verdicts of a judge count that labels do not correct."""
    if judge_error is None:
        return "uncorrected"
    if not judge_error:
        return "uncorrected, its verdicts taken as right"
    return f"uncorrected, taken as off by at most {judge_error:g}"


def guesses(run: GatedRun, outputs: Mapping[ItemKey, GatedOutput]) -> str:
    """Say which judge of these outputs is not shown to be better than chance; empty if none."""
    judges = sorted({output.by for output in outputs.values() if output.judged} & run.guessing.keys())
    return f"judge {judges[0]} is {run.guessing[judges[0]]} by the labels" if judges else ""


def tried_again(outputs: Mapping[ItemKey, GatedOutput]) -> str:
    """Say why trials allow no rate: only failed cases seem tried again; empty if not."""
    if not any(key.trial for key in outputs):
        return ""
    graded = {key.case_id for key, each in outputs.items() if each.score is not None}
    tried = [(key.case_id, key.trial, each.passes) for key, each in outputs.items() if key.case_id in graded]
    case = cluster_numbers(name for name, _, _ in tried)
    passed = np.array([math.nan if passes is None else passes for _, _, passes in tried], dtype=np.float64)
    number = np.array([trial for _, trial, _ in tried], dtype=np.float64)
    return TRIED_AGAIN if tried_until_passed(case, number, passed) else ""


def minimum_checks(
    run: GatedRun,
    minimum: Minimum,
    conditions: int,
    judge_error: float | None,
    before: GatedRun | None = None,
) -> Iterator[GateCheck]:
    """Yield the condition on each system; a branch can drop a tag, so either run's counts."""
    only = None if not minimum.tag else tagged(run, minimum.tag, before)
    corrected = _corrected(run, only) if minimum.statistic == "overall" else dict[str, Statistic]()
    systems = run.by_rubrics() if minimum.statistic == RUBRIC else run.systems
    for system, outputs in systems.items():
        asked = {key: each for key, each in outputs.items() if only is None or key.case_id in only}
        if minimum.statistic == "pass_rate":
            asked = _checked(run, asked)
        rate = corrected.get(system)
        settled = rate is not None or judge_error is not None
        rows = rows_of(run, asked, settled=settled, as_passes=minimum.k is not None)
        rows += _absent(run, system, only)
        if rate is not None:
            bounds = corrected_bounds(rate, graded_share(rows), of=_cases(rows), conditions=conditions)
        else:
            bounds = _uncorrected_bounds(rows, minimum, conditions)
        if rate is None and any(output.judged for output in asked.values()):
            bounds = shifted_bounds(bounds, judge_error or 0.0)
        by = graders(run, asked, CORRECTED if rate is not None else uncorrected(judge_error))
        doubt = guesses(run, asked) or tried_again(outputs)
        labels = labels_needed(run) if minimum.statistic == "overall" else ""
        undefined = _undefined(minimum, rows)
        question = GateQuestion(
            system, f"min {minimum}", minimum.at_least, by, doubt, labels, undefined, minimum.k or 1
        )
        yield rate_check(question, bounds, rows)


def _undefined(minimum: Minimum, rows: Sequence[GatedRow]) -> Undefined:
    """Return why a number over these rows is undefined, if it is."""
    if minimum.statistic == "pass_rate":
        overall = setting("minimum", f"overall={minimum.at_least:g}")
        return Undefined("no checker decided an output", f"the rate of all outputs, {overall}")
    k = minimum.k or 1
    if short := _with_few_trials(rows, k):
        return Undefined(f"{short:,} of {_cases(rows):,} cases have fewer than {k} trials", _more_trials(k))
    graded = [row for row in rows if row.score is not None]
    if not graded:
        return UNGRADED
    few = _with_few_trials(graded, k) + _cases(rows) - _cases(graded)
    return Undefined(f"{few:,} of {_cases(rows):,} cases have fewer than {k} graded trials", _grades(rows))


def _with_few_trials(rows: Sequence[GatedRow], k: int) -> int:
    """Return the number of cases with fewer outputs than this."""
    return sum(count < k for count in Counter(row.case for row in rows).values())


def _more_trials(k: int) -> str:
    return f"{k} graded trials of each case"


def _grades(rows: Sequence[GatedRow], was: Sequence[GatedRow] | None = None) -> str:
    found = _counts(_ungraded, rows, was)
    ungraded = sum(number for number, _ in found)
    which = "" if was is None else ", " + " and ".join(f"{number:,}{when}" for number, when in found)
    return f"grades of the {ungraded:,} ungraded output{'s' if ungraded > 1 else ''}{which}"


def _uncorrected_bounds(rows: Sequence[GatedRow], minimum: Minimum, conditions: int) -> GateBounds:
    scores = gated_scores(rows)
    if minimum.k is not None:
        return trial_bounds(scores, minimum.k, conditions=conditions)
    return rate_bounds(scores, conditions=conditions)


def _corrected(run: GatedRun, only: Collection[str] | None) -> Mapping[str, Statistic]:
    """Return the rates of all outputs, or of those of some cases, that labels correct."""
    if run.judged is None:
        return {}
    keys = (
        None
        if only is None
        else [key for each in run.systems.values() for key in each if key.case_id in only]
    )
    rates = run.judged.corrected(keys)
    return {system: rate for system, rate in rates.items() if rate.value is not None}


def labels_needed(*runs: GatedRun) -> str:
    """Say what would let judges tell: labels, or a declaration for those that are there."""
    labelled = [run for run in runs if run.store is not None and run.store.labels]
    if len(labelled) == len(runs) and any(run.chosen_by is None for run in runs):
        return f"say how outputs were chosen for labels, {setting('labels_chosen_by', 'random')}"
    imported = any(run.store is None for run in runs)
    return f"{'a run folder with ' if imported else ''}labels of a random sample of its outputs"


def _checked(run: GatedRun, outputs: Mapping[ItemKey, GatedOutput]) -> dict[ItemKey, GatedOutput]:
    """Return outputs that checkers graded; of an import its scorer's ungraded ones, too."""
    return {
        key: each
        for key, each in outputs.items()
        if not each.judged and (each.score is not None or run.store is None)
    }


def graded_share(rows: Sequence[GatedRow]) -> float:
    """Return the share of outputs with a grade, where each case has weight 1."""
    return float(gated_scores(rows).graded_share.mean()) if rows else 0.0


def _cases(rows: Sequence[GatedRow]) -> int:
    return len({row.case for row in rows})


def _absent(run: GatedRun, system: str, only: Collection[str] | None) -> list[GatedRow]:
    """Return rows for outputs that a system lacks, of these cases where cases are known."""
    missing = run.missing.get(system, 0)
    if only is None or not missing:
        return _unseen(missing)
    have = {key.case_id for key in run.systems[system]}
    return [GatedRow(case, run.clusters.get(case, case), None) for case in only if case not in have]


def tagged(run: GatedRun, tag: str, before: GatedRun | None = None) -> frozenset[str]:
    """Return the ids of the cases with a tag, in the run or in the earlier one.

    Raises:
        InputError: There are none, or the cases of the run cannot be read.
    """
    if run.cases is None:
        raise InputError(f"tag {tag!r} is in the cases, and they are gone or changed", path=run.name)
    found = frozenset(ids_with(run.cases, tag))
    if before is not None and before.cases is not None:
        found |= frozenset(ids_with(before.cases, tag))
    if not found:
        raise InputError(f"no case has the tag {tag!r}", path=run.name)
    return found


def rate_check(
    question: GateQuestion,
    bounds: GateBounds,
    rows: Sequence[GatedRow],
    was: Sequence[GatedRow] | None = None,
) -> GateCheck:
    """Answer a condition by the bounds of a number, unless its grades are in doubt.

    Args:
        question: The condition.
        bounds: The number.
        rows: Outputs that it is over.
        was: Those of the earlier run, of a change between two.
    """
    answer = "cannot tell" if question.doubt else answer_of(bounds, question.limit)
    return GateCheck(
        system=question.system,
        condition=question.condition,
        limit=question.limit,
        answer=answer,
        why=question.doubt or _ends(bounds, question, rows, was),
        would_tell=_would_tell(bounds, question, rows, was) if answer == "cannot tell" else "",
        bounds=bounds,
        by=question.by,
    )


def _ungraded(rows: Sequence[GatedRow]) -> int:
    return sum(row.score is None for row in rows)


def _unsettled(rows: Sequence[GatedRow]) -> int:
    return sum(row.score is not None and not row.settled for row in rows)


def _counts(
    count: Callable[[Sequence[GatedRow]], int], rows: Sequence[GatedRow], was: Sequence[GatedRow] | None
) -> list[tuple[int, str]]:
    """Count outputs of the run, or of the earlier and the later one; no zeros."""
    runs = [("", rows)] if was is None else [(" before", was), (" after", rows)]
    return [(number, when) for when, each in runs if (number := count(each))]


def _ends(
    bounds: GateBounds, question: GateQuestion, rows: Sequence[GatedRow], was: Sequence[GatedRow] | None
) -> str:
    if bounds.value is None:
        return question.undefined.why
    if bounds.low is None or bounds.high is None:
        return f"{bounds.value:.4f} without an interval"
    short = _with_few_trials(rows, question.trials)
    counted = [
        *(f"{number:,} ungraded{when}" for number, when in _counts(_ungraded, rows, was)),
        *(
            f"{number:,} uncorrected verdicts of judges{when}"
            for number, when in _counts(_unsettled, rows, was)
        ),
        *(
            [f"{short:,} case{'s' if short > 1 else ''} with fewer than {question.trials} trials"]
            if short
            else []
        ),
    ]
    told = " and ".join(filter(None, [", ".join(counted[:-1]), *counted[-1:]]))
    left = f"; the ends count {told} as failures and as passes" if counted else ""
    return f"{bounds.value:.4f} [{bounds.low:.4f}, {bounds.high:.4f}] over {bounds.of:,} cases{left}"


def _would_tell(
    bounds: GateBounds, question: GateQuestion, rows: Sequence[GatedRow], was: Sequence[GatedRow] | None
) -> str:
    if question.doubt:
        return "another judge, or more labels" if question.doubt.startswith("judge ") else ""
    if bounds.value is None:
        return question.undefined.would_tell
    if bounds.low is None:
        return "cases of more clusters"
    needed = more_cases(bounds, question.limit)
    if needed is None:
        return _instead_of_cases(question, rows, was)
    kind = (
        "labels, or cases with labels," if question.by.endswith(CORRECTED) else "cases, or clusters of cases,"
    )
    return f"about {needed:,} more {kind} if the number stays"


def _instead_of_cases(
    question: GateQuestion, rows: Sequence[GatedRow], was: Sequence[GatedRow] | None
) -> str:
    """Say what would tell where no number of cases would."""
    if _with_few_trials(rows, question.trials):
        return _more_trials(question.trials)
    if _unsettled([*rows, *(was or [])]):
        bound = f"how far errors of the judge may shift the number, {setting('judge_error', 'POINTS')}"
        return f"{question.labels}; or {bound}" if question.labels else bound
    if _ungraded([*rows, *(was or [])]):
        return _grades(rows, was)
    return f"no number of cases while the rate is this near to {question.limit:g}"
