"""Decision of a gate: each condition on each system, then the whole."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from ...calibration.gating.gate_bounds import (
    GatedRow,
    combined_answer,
    corrected_bounds,
    drop_bounds,
    gated_scores,
    shifted_bounds,
)
from ...calibration.gating.gate_results import GateAnswer, GateCheck
from ...calibration.statistic import Statistic
from ...errors import InputError, UsageError
from ...records import ItemKey
from ...spelling import setting
from .compare_runs import corrected_differences
from .gate_comparability import incomparable, judging_again
from .gate_numbers import Gate, GateLimits
from .gate_pairs import GatePair, gate_pairs, no_comparison, unpaired
from .gate_rates import (
    CORRECTED,
    GateQuestion,
    graded_share,
    graders,
    guesses,
    labels_needed,
    minimum_checks,
    rate_check,
    rows_of,
    tried_again,
    uncorrected,
)
from .gate_regressions import flaky_cases, new_failures, regressions
from .gated_runs import GatedRun

_ANSWERED = 50
"""Most outputs that broke whose answers are shown."""


def decide_gate(after: GatedRun, before: GatedRun | None, limits: GateLimits) -> Gate:
    """Answer whether a run passes, fails, or cannot be told.

    Args:
        after: The run.
        before: The run to compare with.
        limits: The conditions; with ``before`` and none, a drop of 0 is the limit.

    Raises:
        UsageError: There is no condition, or one needs the earlier run.
        InputError: Tags are asked about, and the cases cannot be read; or no system is in both runs.
    """
    if limits.is_empty and before is not None:
        limits = replace(limits, max_drop=0.0)
    if limits.is_empty:
        raise UsageError(
            f"name a limit, {setting('minimum', 'overall=0.8')}, or a run to compare with, {setting('before', 'RUN')}"
        )
    if limits.max_drop is not None and before is None:
        raise UsageError(f"{setting('max_drop')} needs the run before: {setting('before', 'RUN')}")
    pairs = [] if before is None else list(gate_pairs(before, after))
    if before is not None and not pairs:
        raise InputError("no system is in both runs", path=after.name)
    reasons = [] if before is None else list(incomparable(before, after))
    checks = [
        *(
            check
            for minimum in limits.minimums
            for check in minimum_checks(
                after, minimum, _conditions(after, limits), limits.judge_error, before
            )
        ),
        *_compared_checks(before, after, pairs, limits, reasons),
        *(_ungraded_checks(after, limits.max_ungraded) if limits.max_ungraded is not None else ()),
        *(_cost_check(after, limits.cost_at_most) if limits.cost_at_most is not None else ()),
    ]
    nothing = after.graded == 0
    whole = "cannot tell" if nothing else combined_answer(check.answer for check in checks)
    broke = [regression for pair in pairs for regression in regressions(pair)]
    outputs = sum(map(len, after.systems.values())) + sum(after.missing.values())
    return Gate(
        answer=whole,
        systems={name: _of_system(after, name, checks) for name in after.systems},
        checks=checks,
        incomparable=reasons,
        judge_again=judging_again(before, after) if before is not None and reasons else "",
        before="" if before is None else before.name,
        after=after.name,
        common={pair.name: len(pair.common) for pair in pairs},
        cases={pair.name: pair.cases for pair in pairs},
        broke=broke,
        flaky={pair.name: cases for pair in pairs if (cases := list(flaky_cases(pair)))},
        answers=after.answers(
            {ItemKey(verdict.case_id, verdict.system, verdict.trial) for verdict in broke[:_ANSWERED]}
        ),
        graded=after.graded,
        outputs=outputs,
        failed_calls=after.failed,
    )


def _compared_checks(
    before: GatedRun | None, after: GatedRun, pairs: list[GatePair], limits: GateLimits, reasons: list[str]
) -> Iterator[GateCheck]:
    if before is not None and limits.max_drop is not None:
        yield from (_drop_check(before, after, pair, limits, reasons) for pair in pairs)
        condition, systems = f"max drop {limits.max_drop:g}", [*before.systems, *after.systems]
        yield from unpaired(before, after, condition, -limits.max_drop, systems)
    for tag in limits.no_new_failures:
        yield from new_failures(before, after, pairs, tag, reasons)


def _of_system(run: GatedRun, system: str, checks: list[GateCheck]) -> GateAnswer:
    graded = any(output.score is not None for output in run.systems[system].values())
    found = combined_answer(check.answer for check in checks if check.system in {system, ""})
    return found if graded else "cannot tell"


def _drop_check(
    before: GatedRun, after: GatedRun, pair: GatePair, limits: GateLimits, reasons: list[str]
) -> GateCheck:
    most, error = limits.max_drop or 0.0, limits.judge_error
    change = _corrected_change(before, after, pair)
    settled = change is not None or error is not None
    was, now = (
        _with_absent(run, rows_of(run, found, pair.common, settled=settled), pair.common)
        for run, found in ((before, pair.before), (after, pair.after))
    )
    conditions, ends = _conditions(after, limits), (-1.0, 1.0)
    judged = any(output.judged for found in (pair.before, pair.after) for output in found.values())
    if change is None:
        bounds = drop_bounds(gated_scores(was), gated_scores(now), conditions=conditions)
        bounds = shifted_bounds(bounds, (error or 0.0) if judged else 0.0, ends=ends)
    else:
        graded = min(graded_share(rows) for rows in (was, now))
        bounds = corrected_bounds(change, graded, of=len(pair.common), ends=ends, conditions=conditions)
    by = graders(
        after, {**pair.before, **pair.after}, CORRECTED if change is not None else uncorrected(error)
    )
    doubt = no_comparison(pair, reasons) or guesses(after, pair.after) or guesses(before, pair.before)
    doubt = doubt or tried_again(pair.after) or tried_again(pair.before)
    labels = labels_needed(before, after)
    question = GateQuestion(pair.name, f"max drop {most:g}", 0.0 - most, by, doubt, labels)
    return rate_check(question, bounds, now, was)


def _conditions(run: GatedRun, limits: GateLimits) -> int:
    """Return the number of conditions any of which fails the whole by the end of an interval."""
    return max(1, len(run.systems) * (len(limits.minimums) + (limits.max_drop is not None)))


def _corrected_change(before: GatedRun, after: GatedRun, pair: GatePair) -> Statistic | None:
    """Return the difference of a system that labels correct in both runs; else None."""
    if before.store is None or after.store is None or (before.judged is None and after.judged is None):
        return None
    if not (before.store.labels or after.store.labels):
        return None
    change = corrected_differences(before.store, after.store, after.declared).get(pair.name)
    return None if change is None or change.value is None else change


def _with_absent(run: GatedRun, rows: list[GatedRow], common: Collection[str]) -> list[GatedRow]:
    have = {row.case for row in rows}
    absent = (GatedRow(case, run.clusters.get(case, case), None) for case in common if case not in have)
    return [*rows, *absent]


def _ungraded_checks(run: GatedRun, most: float) -> Iterator[GateCheck]:
    for system, found in run.systems.items():
        total = len(found) + run.missing.get(system, 0)
        ungraded = total - sum(output.score is not None for output in found.values())
        yield GateCheck(
            system=system,
            condition=f"max ungraded {most:g}",
            limit=most,
            answer="passes" if total and ungraded <= most * total else "fails",
            why=f"{ungraded:,} of {total:,} outputs are ungraded or missing",
            share=1 - ungraded / total if total else None,
        )


def _cost_check(run: GatedRun, most: float) -> Iterator[GateCheck]:
    answer: GateAnswer = "cannot tell" if run.cost is None else "passes" if run.cost <= most else "fails"
    why, told = "", ""
    if run.cost is not None:
        why = f"judges cost {run.cost:.4f} dollars"
    elif run.store is None:
        why = "nothing says what grading cost"
    else:
        why, told = "the price of a judge is not known", f"the run with prices, `{setting('price')}`"
    yield GateCheck(
        system="", condition=f"cost at most {most:g}", limit=most, answer=answer, why=why, would_tell=told
    )
