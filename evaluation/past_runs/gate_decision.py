"""Decision of a gate: each condition on each system, then the whole."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from ...calibration.gating.gate_bounds import (
    GatedRow,
    corrected_bounds,
    drop_bounds,
    gated_scores,
    shifted,
    together,
)
from ...calibration.gating.gate_results import GateAnswer, GateCheck
from ...calibration.statistic import Statistic
from ...errors import InputError, UsageError
from ...records import ItemKey
from ...records.made_scores import reaches
from ...spelling import setting
from .changed_verdict import ChangedVerdict
from .compare_runs import corrected_differences
from .gate_comparability import incomparable, judging_again
from .gate_numbers import Gate, GateLimits
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
    tagged,
    uncorrected,
)
from .gated_judging import GatedOutput
from .gated_runs import GatedRun

_LEAST_COMMON = 0.8
"""Share of the cases of either run that both must have."""

_PASSES = 0.5
"""Least score that passes where an output must not fail."""

_ANSWERED = 50
"""Most outputs that broke whose answers are shown."""

_SHOWN = 5
"""Most cases that a sentence names."""


class _Pair(NamedTuple):
    """A system of both runs.

    Attributes:
        name: Its name in the later run.
        before: Its outputs before.
        after: Its outputs after.
        common: Ids of cases that count for both.
        cases: Number of cases in either.
    """

    name: str
    before: Mapping[ItemKey, GatedOutput]
    after: Mapping[ItemKey, GatedOutput]
    common: frozenset[str]
    cases: int


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
    pairs = [] if before is None else list(_pairs(before, after))
    if before is not None and not pairs:
        raise InputError("no system is in both runs", path=after.name)
    reasons = [] if before is None else list(incomparable(before, after))
    checks = [
        *(
            each
            for minimum in limits.minimums
            for each in minimum_checks(after, minimum, _conditions(after, limits), limits.judge_error)
        ),
        *_compared_checks(before, after, pairs, limits, reasons),
        *(_ungraded_checks(after, limits.max_ungraded) if limits.max_ungraded is not None else ()),
        *(_cost_check(after, limits.cost_at_most) if limits.cost_at_most is not None else ()),
    ]
    nothing = after.graded == 0
    whole = "cannot tell" if nothing else together(each.answer for each in checks)
    broke = [each for pair in pairs for each in _broke(pair)]
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
        flaky={pair.name: cases for pair in pairs if (cases := list(_flaky(pair)))},
        answers=after.answers({ItemKey(each.case_id, each.system, each.trial) for each in broke[:_ANSWERED]}),
        graded=after.graded,
        outputs=outputs,
        failed_calls=after.failed,
    )


def _compared_checks(
    before: GatedRun | None, after: GatedRun, pairs: list[_Pair], limits: GateLimits, reasons: list[str]
) -> Iterator[GateCheck]:
    if before is not None and limits.max_drop is not None:
        yield from (_drop_check(before, after, pair, limits, reasons) for pair in pairs)
        yield from _unpaired(before, after, pairs, limits.max_drop)
    for tag in limits.no_new_failures:
        yield from _new_failures(after, pairs, tag, reasons, compared=before is not None)


def _of_system(run: GatedRun, system: str, checks: list[GateCheck]) -> GateAnswer:
    graded = any(each.score is not None for each in run.systems[system].values())
    found = together(each.answer for each in checks if each.system in {system, ""})
    return found if graded else "cannot tell"


def _pairs(before: GatedRun, after: GatedRun) -> Iterator[_Pair]:
    single = len(before.systems) == len(after.systems) == 1
    for name, now in after.systems.items():
        earlier = next(iter(before.systems)) if single else name
        if earlier not in before.systems:
            continue
        was = before.systems[earlier]
        ids = [{key.case_id for key in each} for each in (was, now)]
        known = [
            ids[0] | _lacking(before, earlier, ids[1]),
            ids[1] | _lacking(after, name, ids[0]),
        ]
        yield _Pair(name, was, now, frozenset(known[0] & known[1]), len(known[0] | known[1]))


def _lacking(run: GatedRun, system: str, others: set[str]) -> set[str]:
    """Return cases of a run that a system has no output of: ungraded ones, and not other cases."""
    if not run.missing.get(system):
        return set()
    return set(others if run.cases is None else run.cases)


def _unpaired(before: GatedRun, after: GatedRun, pairs: list[_Pair], most: float) -> Iterator[GateCheck]:
    """Yield the systems that are in one run only, of which no drop can be told."""
    if len(before.systems) == len(after.systems) == 1:
        return
    for name in {**before.systems, **after.systems}.keys() - {pair.name for pair in pairs}:
        where = before.name if name in before.systems else after.name
        yield GateCheck(
            system=name,
            condition=f"max drop {most:g}",
            limit=-most,
            answer="cannot tell",
            why=f"only {where} has this system",
        )


def _drop_check(
    before: GatedRun, after: GatedRun, pair: _Pair, limits: GateLimits, reasons: list[str]
) -> GateCheck:
    most, error = limits.max_drop or 0.0, limits.judge_error
    change = _corrected_change(before, after, pair)
    settled = change is not None or error is not None
    was, now = (
        _with_absent(run, rows_of(run, found, pair.common, settled=settled), pair.common)
        for run, found in ((before, pair.before), (after, pair.after))
    )
    conditions, ends = _conditions(after, limits), (-1.0, 1.0)
    judged = any(each.judged for found in (pair.before, pair.after) for each in found.values())
    if change is None:
        bounds = drop_bounds(gated_scores(was), gated_scores(now), conditions=conditions)
        bounds = shifted(bounds, (error or 0.0) if judged else 0.0, ends=ends)
    else:
        graded = min(graded_share(rows) for rows in (was, now))
        bounds = corrected_bounds(change, graded, of=len(pair.common), ends=ends, conditions=conditions)
    by = graders(
        after, {**pair.before, **pair.after}, CORRECTED if change is not None else uncorrected(error)
    )
    doubt = _no_comparison(pair, reasons)
    if not doubt and change is None:
        doubt = guesses(after, pair.after) or guesses(before, pair.before)
    labels = labels_needed(before, after)
    question = GateQuestion(pair.name, f"max drop {most:g}", -most, by, doubt, labels)
    return rate_check(question, bounds, [*was, *now])


def _conditions(run: GatedRun, limits: GateLimits) -> int:
    """Return the number of conditions any of which fails the whole by the end of an interval."""
    return max(1, len(run.systems) * (len(limits.minimums) + (limits.max_drop is not None)))


def _corrected_change(before: GatedRun, after: GatedRun, pair: _Pair) -> Statistic | None:
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


def _no_comparison(pair: _Pair, reasons: list[str]) -> str:
    """Say why the runs are not compared; empty if they are."""
    if reasons:
        return f"not comparable: {reasons[0]}"
    if len(pair.common) < _LEAST_COMMON * pair.cases:
        return f"only {len(pair.common):,} of {pair.cases:,} cases are common, fewer than {_LEAST_COMMON:.0%}"
    passed = any(each.score for found in (pair.before, pair.after) for each in found.values())
    return "" if passed else "no output passed in either run, so no drop could be seen"


def _broke(pair: _Pair) -> Iterator[ChangedVerdict]:
    """Yield one output of each case that passed in all trials before and fails in all now."""
    was, now = _by_case(pair.before), _by_case(pair.after)
    told = set[str]()
    for key, each in pair.after.items():
        case = key.case_id
        if case in told or each.score is None or reaches(each.score, _PASSES):
            continue
        if _all_pass(was.get(case, [])) and _none_pass(now[case]):
            told.add(case)
            yield ChangedVerdict(
                case_id=case,
                system=key.system,
                trial=key.trial,
                by=each.by,
                before="pass",
                after="fail",
                error_type=each.error_type,
            )


def _flaky(pair: _Pair) -> Iterator[str]:
    """Yield cases that pass some of their trials, and passed more of them before."""
    was, now = _by_case(pair.before), _by_case(pair.after)
    for case, scores in now.items():
        shares = [_share_passing(each) for each in (was.get(case, []), scores)]
        if len(scores) > 1 and None not in shares and 0.0 < (shares[1] or 0.0) < (shares[0] or 0.0):
            yield case


def _share_passing(scores: list[float | None]) -> float | None:
    known = [reaches(each, _PASSES) for each in scores if each is not None]
    return sum(known) / len(known) if known else None


def _by_case(outputs: Mapping[ItemKey, GatedOutput]) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = {}
    for key, each in outputs.items():
        found.setdefault(key.case_id, []).append(each.score)
    return found


def _new_failures(
    after: GatedRun, pairs: list[_Pair], tag: str, reasons: list[str], *, compared: bool
) -> Iterator[GateCheck]:
    wanted = tagged(after, tag)
    if not compared:
        pairs = [_Pair(name, {}, found, wanted, len(wanted)) for name, found in after.systems.items()]
    for pair in pairs:
        was, now = _by_case(pair.before), _by_case(pair.after)
        asked = [case for case in sorted(wanted) if not compared or _all_pass(was.get(case, []))]
        failed = [case for case in asked if _none_pass(now.get(case, [None]))]
        doubtful = [case for case in asked if case not in failed and not _all_pass(now.get(case, [None]))]
        doubt = (_no_comparison(pair, reasons) if compared else "") or guesses(after, pair.after)
        answer: GateAnswer = "fails" if failed else "cannot tell" if doubtful or not asked else "passes"
        what = "cases that passed before" if compared else "cases"
        why = f"{len(asked) - len(failed) - len(doubtful):,} of {len(asked):,} {what} pass"
        if failed or doubtful:
            why += (
                f"; failed: {_named(failed)}"
                if failed
                else f"; ungraded, or passing some of their trials: {_named(doubtful)}"
            )
        yield GateCheck(
            system=pair.name,
            condition=f"no new failures {tag}",
            limit=0,
            answer="cannot tell" if doubt else answer,
            why=doubt or why,
            would_tell="more trials, or grades, of these cases"
            if answer == "cannot tell" and asked and not doubt
            else "",
            by=graders(after, pair.after, "uncorrected"),
        )


def _all_pass(scores: list[float | None]) -> bool:
    return bool(scores) and all(each is not None and reaches(each, _PASSES) for each in scores)


def _none_pass(scores: list[float | None]) -> bool:
    return bool(scores) and all(each is not None and not reaches(each, _PASSES) for each in scores)


def _named(cases: list[str]) -> str:
    return ", ".join(cases[:_SHOWN]) + (f" and {len(cases) - _SHOWN:,} more" if len(cases) > _SHOWN else "")


def _ungraded_checks(run: GatedRun, most: float) -> Iterator[GateCheck]:
    for system, found in run.systems.items():
        total = len(found) + run.missing.get(system, 0)
        ungraded = total - sum(each.score is not None for each in found.values())
        yield GateCheck(
            system=system,
            condition=f"max ungraded {most:g}",
            limit=most,
            answer="passes" if total and ungraded <= most * total else "fails",
            why=f"{ungraded:,} of {total:,} outputs are ungraded or missing",
        )


def _cost_check(run: GatedRun, most: float) -> Iterator[GateCheck]:
    answer: GateAnswer = "cannot tell" if run.cost is None else "passes" if run.cost <= most else "fails"
    why = "the price of a judge is not known" if run.cost is None else f"judges cost {run.cost:.4f} dollars"
    told = f"prices: `{setting('price')}`" if run.cost is None else ""
    yield GateCheck(
        system="", condition=f"cost at most {most:g}", limit=most, answer=answer, why=why, would_tell=told
    )
