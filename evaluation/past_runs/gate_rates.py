"""Check a gate's conditions on the rates of one run, and say what data would settle them."""

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
from ...records import ItemKey
from ...spelling import setting, spelled_pairs, spelled_word
from ..conclusion.run_results import TRIED_AGAIN
from .gate_numbers import RUBRIC, Minimum
from .gated_judging import CRASHED, GatedOutput
from .gated_runs import GatedRun, cases_with_tag


class UndefinedReason(NamedTuple):
    """Why a number is undefined.

    Attributes:
        why: The reason.
        would_tell: Data that would define it.
    """

    why: str
    would_tell: str


UNGRADED = UndefinedReason("nothing is graded", "a grade: judge or label these outputs")


class GateQuestion(NamedTuple):
    """A condition on a system, with its graders and reasons for doubt.

    Attributes:
        system: Name of the system.
        condition: The condition, as text.
        limit: The smallest value that passes.
        by: The graders, as text.
        doubt: Why the answer is "cannot tell", whatever the rate; empty without a reason.
        labels: Labels that would settle the judge's verdicts; empty if none would.
        undefined: Why the rate is undefined, if it is.
        trials: Number of trials per case that the rate is about.
    """

    system: str
    condition: str
    limit: float
    by: str
    doubt: str
    labels: str = ""
    undefined: UndefinedReason = UNGRADED
    trials: int = 1


def gated_rows(
    run: GatedRun,
    outputs: Mapping[ItemKey, GatedOutput],
    case_ids: Collection[str] | None = None,
    *,
    settled: bool = False,
    as_passes: bool = False,
) -> list[GatedRow]:
    """Return the outputs, or those of some cases, as rows.

    Unless ``settled``, ends of intervals take a judge's verdict as a failure and as a pass, because the judge's error is unknown.
    With ``as_passes``, scores are 1 for outputs that pass and 0 for others.
    """
    return [
        GatedRow(
            key.case_id,
            run.clusters.get(key.case_id, key.case_id),
            output.passes if as_passes else output.score,
            settled=settled or not output.judged,
        )
        for key, output in outputs.items()
        if case_ids is None or key.case_id in case_ids
    ]


def _ungraded_rows(count: int) -> list[GatedRow]:
    return [GatedRow(f"\0{number}", f"\0{number}", None) for number in range(count)]  # each is its own case


def describe_graders(run: GatedRun, outputs: Mapping[ItemKey, GatedOutput], how: str) -> str:
    """Describe who graded outputs, and ``how`` judges' verdicts count."""
    judges = {output.by for output in outputs.values() if output.judged}
    if not judges and run.store is not None:
        return "checkers"
    if not judges:
        names = sorted({output.by for output in outputs.values() if output.score is not None} - {CRASHED})
        return f"scorer {', '.join(names)}" if names else ""
    baselines = frozenset[str]() if run.judged is None else run.judged.baselines
    return f"{'baseline' if judges <= baselines else 'judge'}, {how}"


CORRECTED = "corrected by labels"


def describe_uncorrected(judge_error: float | None) -> str:
    """Describe how uncorrected verdicts of a judge count."""
    if judge_error is None:
        return "uncorrected"
    if not judge_error:
        return "uncorrected, its verdicts taken as right"
    return f"uncorrected, taken as off by at most {judge_error:g}"


def chance_doubt(run: GatedRun, outputs: Mapping[ItemKey, GatedOutput]) -> str:
    """Name a judge of these outputs that is not clearly better than chance; empty if none."""
    judges = sorted({output.by for output in outputs.values() if output.judged} & run.guessing.keys())
    return f"judge {judges[0]} is {run.guessing[judges[0]]} by the labels" if judges else ""


def retry_doubt(outputs: Mapping[ItemKey, GatedOutput]) -> str:
    """Return the reason if only failed cases seem to have been retried, else an empty text."""
    if not any(key.trial for key in outputs):  # no case has a second trial
        return ""
    graded_cases = {key.case_id for key, output in outputs.items() if output.score is not None}
    trials = [
        (key.case_id, key.trial, output.passes)
        for key, output in outputs.items()
        if key.case_id in graded_cases
    ]
    case_number = cluster_numbers(name for name, _, _ in trials)
    trial_passes = np.array(
        [math.nan if passes is None else passes for _, _, passes in trials], dtype=np.float64
    )
    trial_number = np.array([trial for _, trial, _ in trials], dtype=np.float64)
    return TRIED_AGAIN if tried_until_passed(case_number, trial_number, trial_passes) else ""


def minimum_checks(
    run: GatedRun,
    minimum: Minimum,
    conditions: int,
    judge_error: float | None,
    before: GatedRun | None = None,
) -> Iterator[GateCheck]:
    """Check a minimum on each system.

    If it is about a tag, the cases with the tag in either run count, because a branch could drop the tag.
    """
    case_ids = None if not minimum.tag else cases_with_tag(run, minimum.tag, before)
    corrected = _corrected_rates(run, case_ids) if minimum.statistic == "overall" else dict[str, Statistic]()
    systems = run.by_rubrics() if minimum.statistic == RUBRIC else run.systems
    for system, outputs in systems.items():
        outputs_counted = {
            key: output for key, output in outputs.items() if case_ids is None or key.case_id in case_ids
        }
        if minimum.statistic == "pass_rate":
            outputs_counted = _graded_by_checkers(run, outputs_counted)
        rate = corrected.get(system)
        verdicts_settled = rate is not None or judge_error is not None
        rows = gated_rows(run, outputs_counted, settled=verdicts_settled, as_passes=minimum.k is not None)
        rows += _missing_rows(run, system, case_ids)
        if rate is not None:
            bounds = corrected_bounds(rate, graded_share(rows), of=_count_cases(rows), conditions=conditions)
        else:
            bounds = _uncorrected_bounds(rows, minimum, conditions)
        if rate is None and any(output.judged for output in outputs_counted.values()):
            bounds = shifted_bounds(bounds, judge_error or 0.0)
        graded_by = describe_graders(
            run, outputs_counted, CORRECTED if rate is not None else describe_uncorrected(judge_error)
        )
        doubt = chance_doubt(run, outputs_counted) or retry_doubt(outputs)
        labels = labels_needed(run) if minimum.statistic == "overall" else ""
        question = GateQuestion(
            system=system,
            condition=f"min {minimum}",
            limit=minimum.at_least,
            by=graded_by,
            doubt=doubt,
            labels=labels,
            undefined=_undefined_reason(minimum, rows),
            trials=minimum.k or 1,
        )
        yield rate_check(question, bounds, rows)


def _undefined_reason(minimum: Minimum, rows: Sequence[GatedRow]) -> UndefinedReason:
    if minimum.statistic == "pass_rate":
        overall = spelled_pairs("minimum", {"overall": minimum.at_least})
        return UndefinedReason("no checker decided an output", f"the rate of all outputs, {overall}")
    k = minimum.k or 1
    if short := _count_short_cases(rows, k):
        why = f"{short:,} of {_count_cases(rows):,} cases have fewer than {k} trials"
        return UndefinedReason(why, _trials_needed(k))
    graded_rows = [row for row in rows if row.score is not None]
    if not graded_rows:
        return UNGRADED
    cases_without_grade = _count_cases(rows) - _count_cases(graded_rows)
    few_graded = _count_short_cases(graded_rows, k) + cases_without_grade
    why = f"{few_graded:,} of {_count_cases(rows):,} cases have fewer than {k} graded trials"
    return UndefinedReason(why, _grades_needed(rows))


def _count_short_cases(rows: Sequence[GatedRow], k: int) -> int:
    return sum(count < k for count in Counter(row.case for row in rows).values())


def _trials_needed(k: int) -> str:
    return f"{k} graded trials of each case"


def _grades_needed(rows: Sequence[GatedRow], rows_before: Sequence[GatedRow] | None = None) -> str:
    counts = _counts_by_run(_count_ungraded, rows, rows_before)
    ungraded = sum(number for number, _ in counts)
    by_run = (
        "" if rows_before is None else ", " + " and ".join(f"{number:,}{when}" for number, when in counts)
    )
    return f"grades of the {ungraded:,} ungraded output{'s' if ungraded > 1 else ''}{by_run}"


def _uncorrected_bounds(rows: Sequence[GatedRow], minimum: Minimum, conditions: int) -> GateBounds:
    scores = gated_scores(rows)
    if minimum.k is not None:
        return trial_bounds(scores, minimum.k, conditions=conditions)
    return rate_bounds(scores, conditions=conditions)


def _corrected_rates(run: GatedRun, case_ids: Collection[str] | None) -> Mapping[str, Statistic]:
    """Return corrected rates by system, over all cases or ``case_ids``; skip undefined ones."""
    if run.judged is None:
        return {}
    keys = (
        None
        if case_ids is None
        else [key for outputs in run.systems.values() for key in outputs if key.case_id in case_ids]
    )
    rates = run.judged.corrected(keys)
    return {system: rate for system, rate in rates.items() if rate.value is not None}


def labels_needed(*runs: GatedRun) -> str:
    """Describe the labels that judges need, or if labels exist, how to declare their choice."""
    labelled_runs = [run for run in runs if run.store is not None and run.store.labels]
    if len(labelled_runs) == len(runs) and any(run.chosen_by is None for run in runs):
        return f"say how outputs were chosen for labels, {spelled_word('labels_chosen_by', 'random')}"
    imported = any(run.store is None for run in runs)
    return f"{'a run folder with ' if imported else ''}labels of a random sample of its outputs"


def _graded_by_checkers(run: GatedRun, outputs: Mapping[ItemKey, GatedOutput]) -> dict[ItemKey, GatedOutput]:
    """Return outputs that checkers graded; in an import, also those its scorer left ungraded."""
    return {
        key: output
        for key, output in outputs.items()
        if not output.judged and (output.score is not None or run.store is None)
    }


def graded_share(rows: Sequence[GatedRow]) -> float:
    """Return the share of graded outputs, where each case has weight 1."""
    return float(gated_scores(rows).graded_share.mean()) if rows else 0.0


def _count_cases(rows: Sequence[GatedRow]) -> int:
    return len({row.case for row in rows})


def _missing_rows(run: GatedRun, system: str, case_ids: Collection[str] | None) -> list[GatedRow]:
    """Return ungraded rows for outputs that a system lacks, of these cases if given."""
    missing = run.missing.get(system, 0)
    if case_ids is None or not missing:
        return _ungraded_rows(missing)
    present = {key.case_id for key in run.systems[system]}
    return [GatedRow(case, run.clusters.get(case, case), None) for case in case_ids if case not in present]


def rate_check(
    question: GateQuestion,
    bounds: GateBounds,
    rows: Sequence[GatedRow],
    rows_before: Sequence[GatedRow] | None = None,
) -> GateCheck:
    """Answer a condition by the bounds of a rate, unless its grades are in doubt.

    Args:
        question: The condition.
        bounds: Bounds of the rate, or of the difference between two runs.
        rows: Outputs that it is computed from.
        rows_before: Outputs of the earlier run, for a difference.
    """
    answer = "cannot tell" if question.doubt else answer_of(bounds, question.limit)
    return GateCheck(
        system=question.system,
        condition=question.condition,
        limit=question.limit,
        answer=answer,
        why=question.doubt or _interval_text(bounds, question, rows, rows_before),
        would_tell=_would_tell(bounds, question, rows, rows_before) if answer == "cannot tell" else "",
        bounds=bounds,
        by=question.by,
    )


def _count_ungraded(rows: Sequence[GatedRow]) -> int:
    return sum(row.score is None for row in rows)


def _count_unsettled(rows: Sequence[GatedRow]) -> int:
    return sum(row.score is not None and not row.settled for row in rows)


def _counts_by_run(
    count: Callable[[Sequence[GatedRow]], int],
    rows: Sequence[GatedRow],
    rows_before: Sequence[GatedRow] | None,
) -> list[tuple[int, str]]:
    """Count outputs of the run, or of the earlier and the later one; skip zeros."""
    runs = [("", rows)] if rows_before is None else [(" before", rows_before), (" after", rows)]
    return [(number, when) for when, rows_of_run in runs if (number := count(rows_of_run))]


def _interval_text(
    bounds: GateBounds,
    question: GateQuestion,
    rows: Sequence[GatedRow],
    rows_before: Sequence[GatedRow] | None,
) -> str:
    if bounds.value is None:
        return question.undefined.why
    if bounds.low is None or bounds.high is None:
        return f"{bounds.value:.4f} without an interval"
    short_cases = _count_short_cases(rows, question.trials)
    counts = [
        *(
            f"{number:,} ungraded{when}"
            for number, when in _counts_by_run(_count_ungraded, rows, rows_before)
        ),
        *(
            f"{number:,} uncorrected verdicts of judges{when}"
            for number, when in _counts_by_run(_count_unsettled, rows, rows_before)
        ),
        *(
            [f"{short_cases:,} case{'s' if short_cases > 1 else ''} with fewer than {question.trials} trials"]
            if short_cases
            else []
        ),
    ]
    listing = " and ".join(filter(None, [", ".join(counts[:-1]), *counts[-1:]]))  # "a, b and c"
    counted_at_ends = f"; the ends count {listing} as failures and as passes" if counts else ""
    return (
        f"{bounds.value:.4f} [{bounds.low:.4f}, {bounds.high:.4f}] over {bounds.of:,} cases{counted_at_ends}"
    )


def _would_tell(
    bounds: GateBounds,
    question: GateQuestion,
    rows: Sequence[GatedRow],
    rows_before: Sequence[GatedRow] | None,
) -> str:
    if question.doubt:
        # Of all doubts, only that of `chance_doubt` is about a judge.
        return "another judge, or more labels" if question.doubt.startswith("judge ") else ""
    if bounds.value is None:
        return question.undefined.would_tell
    if bounds.low is None:
        return "cases of more clusters"
    cases_needed = more_cases(bounds, question.limit)
    if cases_needed is None:
        return _needed_instead_of_cases(question, rows, rows_before)
    is_corrected = question.by.endswith(CORRECTED)  # `describe_graders` ends with it
    kind = "labels, or cases with labels," if is_corrected else "cases, or clusters of cases,"
    return f"about {cases_needed:,} more {kind} if the number stays"


def _needed_instead_of_cases(
    question: GateQuestion, rows: Sequence[GatedRow], rows_before: Sequence[GatedRow] | None
) -> str:
    """Describe the data that would settle a condition that more cases cannot settle."""
    if _count_short_cases(rows, question.trials):
        return _trials_needed(question.trials)
    if _count_unsettled([*rows, *(rows_before or [])]):
        bound = f"how far errors of the judge may shift the number, {setting('judge_error', 'POINTS')}"
        return f"{question.labels}; or {bound}" if question.labels else bound
    if _count_ungraded([*rows, *(rows_before or [])]):
        return _grades_needed(rows, rows_before)
    return f"no number of cases while the rate is this near to {question.limit:g}"
