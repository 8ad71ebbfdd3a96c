"""Decision of a gate: check each condition on each system, then combine the answers."""

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
from ...spelling import setting, spelled_pairs
from .compare_runs import corrected_differences
from .gate_comparability import (
    GatePair,
    comparison_doubt,
    comparison_obstacles,
    gate_pairs,
    regrading_command,
    unpaired_checks,
)
from .gate_numbers import Gate, GateLimits
from .gate_rates import (
    CORRECTED,
    GateQuestion,
    chance_doubt,
    describe_graders,
    describe_uncorrected,
    gated_rows,
    graded_share,
    labels_needed,
    minimum_checks,
    rate_check,
    retry_doubt,
)
from .gate_regressions import flaky_cases, new_failures, regressions
from .gated_runs import GatedRun

_MAX_ANSWERS = 50
"""Regressions whose answers are included."""


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
            f"name a limit, {spelled_pairs('minimum', {'overall': 0.8})}, or a run to compare with, {setting('before', 'RUN')}"
        )
    if limits.max_drop is not None and before is None:
        raise UsageError(f"{setting('max_drop')} needs the run before: {setting('before', 'RUN')}")
    pairs = [] if before is None else list(gate_pairs(before, after))
    if before is not None and not pairs:
        raise InputError("no system is in both runs", path=after.name)
    reasons = [] if before is None else list(comparison_obstacles(before, after))
    checks = [
        *(
            check
            for minimum in limits.minimums
            for check in minimum_checks(
                after, minimum, _count_conditions(after, limits), limits.judge_error, before
            )
        ),
        *_comparison_checks(before, after, pairs, limits, reasons),
        *(_ungraded_checks(after, limits.max_ungraded) if limits.max_ungraded is not None else ()),
        *(_cost_check(after, limits.cost_at_most) if limits.cost_at_most is not None else ()),
    ]
    answer = "cannot tell" if after.graded == 0 else combined_answer(check.answer for check in checks)
    regressed = [regression for pair in pairs for regression in regressions(pair)]
    outputs = sum(map(len, after.systems.values())) + sum(after.missing.values())
    return Gate(
        answer=answer,
        systems={name: _system_answer(after, name, checks) for name in after.systems},
        checks=checks,
        incomparable=reasons,
        judge_again=regrading_command(before, after) if before is not None and reasons else "",
        before="" if before is None else before.name,
        after=after.name,
        common={pair.name: len(pair.common) for pair in pairs},
        cases={pair.name: pair.cases for pair in pairs},
        broke=regressed,
        flaky={pair.name: cases for pair in pairs if (cases := list(flaky_cases(pair)))},
        answers=after.answers(
            {ItemKey(verdict.case_id, verdict.system, verdict.trial) for verdict in regressed[:_MAX_ANSWERS]}
        ),
        graded=after.graded,
        outputs=outputs,
        failed_calls=after.failed,
    )


def _comparison_checks(
    before: GatedRun | None, after: GatedRun, pairs: list[GatePair], limits: GateLimits, reasons: list[str]
) -> Iterator[GateCheck]:
    if before is not None and limits.max_drop is not None:
        yield from (_drop_check(before, after, pair, limits, reasons) for pair in pairs)
        condition, systems = f"max drop {limits.max_drop:g}", [*before.systems, *after.systems]
        yield from unpaired_checks(before, after, condition, -limits.max_drop, systems)
    for tag in limits.no_new_failures:
        yield from new_failures(before, after, pairs, tag, reasons)


def _system_answer(run: GatedRun, system: str, checks: list[GateCheck]) -> GateAnswer:
    if all(output.score is None for output in run.systems[system].values()):
        return "cannot tell"
    # A condition without a system, such as the cost, is one on every system.
    return combined_answer(check.answer for check in checks if check.system in {system, ""})


def _drop_check(
    before: GatedRun, after: GatedRun, pair: GatePair, limits: GateLimits, reasons: list[str]
) -> GateCheck:
    max_drop, judge_error = limits.max_drop or 0.0, limits.judge_error
    difference = _corrected_difference(before, after, pair)
    verdicts_settled = difference is not None or judge_error is not None
    rows_before, rows_after = (
        _with_absent_cases(run, gated_rows(run, outputs, pair.common, settled=verdicts_settled), pair.common)
        for run, outputs in ((before, pair.before), (after, pair.after))
    )
    conditions, ends = _count_conditions(after, limits), (-1.0, 1.0)  # a drop lies between -1 and 1
    has_judged = any(output.judged for outputs in (pair.before, pair.after) for output in outputs.values())
    if difference is None:
        bounds = drop_bounds(gated_scores(rows_before), gated_scores(rows_after), conditions=conditions)
        bounds = shifted_bounds(bounds, (judge_error or 0.0) if has_judged else 0.0, ends=ends)
    else:
        share_graded = min(graded_share(rows) for rows in (rows_before, rows_after))
        bounds = corrected_bounds(
            difference, share_graded, of=len(pair.common), ends=ends, conditions=conditions
        )
    graded_by = describe_graders(
        after,
        {**pair.before, **pair.after},
        CORRECTED if difference is not None else describe_uncorrected(judge_error),
    )
    doubt = (
        comparison_doubt(pair, reasons)
        or chance_doubt(after, pair.after)
        or chance_doubt(before, pair.before)
    )
    doubt = doubt or retry_doubt(pair.after) or retry_doubt(pair.before)
    labels = labels_needed(before, after)
    question = GateQuestion(
        system=pair.name,
        condition=f"max drop {max_drop:g}",
        limit=0.0 - max_drop,  # not `-max_drop`, which makes the limit of no drop -0.0
        by=graded_by,
        doubt=doubt,
        labels=labels,
    )
    return rate_check(question, bounds, rows_after, rows_before)


def _count_conditions(run: GatedRun, limits: GateLimits) -> int:
    """Count the conditions that fail the gate by an interval: their upper ends share the 5 %.

    See decision 42.
    """
    return max(1, len(run.systems) * (len(limits.minimums) + (limits.max_drop is not None)))


def _corrected_difference(before: GatedRun, after: GatedRun, pair: GatePair) -> Statistic | None:
    """Return a system's difference if labels correct it in both runs, else None."""
    if before.store is None or after.store is None or (before.judged is None and after.judged is None):
        return None
    if not (before.store.labels or after.store.labels):
        return None
    difference = corrected_differences(before.store, after.store, after.declared).get(pair.name)
    return None if difference is None or difference.value is None else difference


def _with_absent_cases(run: GatedRun, rows: list[GatedRow], common: Collection[str]) -> list[GatedRow]:
    present = {row.case for row in rows}
    absent = (GatedRow(case, run.clusters.get(case, case), None) for case in common if case not in present)
    return [*rows, *absent]


def _ungraded_checks(run: GatedRun, max_share: float) -> Iterator[GateCheck]:
    for system, outputs in run.systems.items():
        total = len(outputs) + run.missing.get(system, 0)
        ungraded = total - sum(output.score is not None for output in outputs.values())
        yield GateCheck(
            system=system,
            condition=f"max ungraded {max_share:g}",
            limit=max_share,
            answer="passes" if total and ungraded <= max_share * total else "fails",
            why=f"{ungraded:,} of {total:,} outputs are ungraded or missing",
            share=1 - ungraded / total if total else None,
        )


def _cost_check(run: GatedRun, max_cost: float) -> Iterator[GateCheck]:
    answer: GateAnswer = "cannot tell" if run.cost is None else "passes" if run.cost <= max_cost else "fails"
    why, would_tell = "", ""
    if run.cost is not None:
        why = f"judges cost {run.cost:.4f} dollars"
    elif run.store is None:
        why = "nothing says what grading cost"
    else:
        why, would_tell = "the price of a judge is not known", f"the run with prices, `{setting('price')}`"
    yield GateCheck(
        system="",
        condition=f"cost at most {max_cost:g}",
        limit=max_cost,
        answer=answer,
        why=why,
        would_tell=would_tell,
    )
