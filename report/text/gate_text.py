"""Text for the answer of a gate: the answer, what it rests on, what would tell, regressions."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...calibration.gating.gate_results import GateAnswer, GateCheck
from ...deterministic.finding import in_words
from ...evaluation.past_runs.changed_verdict import ChangedVerdict
from ...evaluation.past_runs.gate_numbers import Gate
from ...records import ItemKey
from ...spelling import setting
from ..document import Piece, document
from ..document_parts import FIRST, DocumentTable
from .number_text import counted

_ALIKE: dict[GateAnswer, tuple[str, str]] = {
    "fails": ("fails", "fail"),
    "cannot tell": ("cannot be told", "cannot be told"),
    "passes": ("passes", "pass"),
}
"""What else one condition does, or several, that have the answer of the whole."""

_LISTED = 50
"""Most rows of a table; a comment on a pull request has an end."""

_MOST = 10
"""Most outputs that a list names."""


@document
def gate_document(gate: Gate) -> Iterator[Piece]:
    """Show the answer, every condition, and the regressions."""
    yield from _answer(gate)
    yield ""
    rows = [
        (check.system, check.condition, check.answer, check.why, check.by, check.would_tell)
        for check in gate.checks
    ]
    columns = ("system", "condition", "answer", "", "graded by", "what would tell")
    yield DocumentTable(columns, rows, left_aligned=frozenset(range(6)), indent=0)
    if gate.broke:
        yield ""
        yield DocumentTable(
            ("regression", "system", "says", "fault", "answer"),
            [_broken(gate, verdict) for verdict in gate.broke[:_LISTED]],
            left_aligned=FIRST | {1, 2, 3, 4},
            indent=0,
        )
        if len(gate.broke) > _LISTED:
            yield f"{counted(len(gate.broke) - _LISTED, 'more regression')}."


def _broken(gate: Gate, each: ChangedVerdict) -> tuple[str, str, str, str, str]:
    fault = in_words(each.error_type) if each.error_type else ""
    answer = gate.answers.get(str(ItemKey(each.case_id, each.system, each.trial)), "")
    return each.case_id, each.system, each.by, fault, " ".join(answer.split())


@document
def gate_screen(gate: Gate) -> Iterator[Piece]:
    """Show the answer in two lines, after what is not comparable and before what would tell."""
    yield from _answer(gate)


def _answer(gate: Gate) -> Iterator[str]:
    for reason in gate.incomparable:
        yield f"Not comparable: {reason}."
    if gate.judge_again:
        yield "Grade the earlier outputs again, and compare with that run:"
        yield f"  {gate.judge_again}"
    alike = [check for check in gate.checks if check.answer == gate.answer]
    first = min((check for check in alike if check.condition == alike[0].condition), key=_value, default=None)
    if not gate.graded:
        yield "Cannot tell: nothing is graded."
    elif first is not None:
        more = len(alike) - 1
        also = f"; {counted(more, 'more condition')} {_ALIKE[gate.answer][more > 1]}" if more else ""
        yield f"{gate.answer.capitalize()}: {_sentence(first)}{also}."
    yield _counts(gate)
    if gate.answer == "cannot tell" and first is not None and first.would_tell:
        yield f"What would tell: {first.would_tell}."
    if gate.counts_as is not None:
        option = setting("cannot_tell", "pass" if gate.counts_as == "passes" else "fail")
        yield f"{gate.counts_as.capitalize()} by {option}: the data cannot tell."


def _value(check: GateCheck) -> float:
    """Return the number of a condition on a system, by which the worst is shown."""
    found = check.share if check.bounds is None else check.bounds.value
    return -math.inf if found is None else found


def _sentence(check: GateCheck) -> str:
    who = f"{check.system}: " if check.system else ""
    by = f" (by {check.by})" if check.by else ""
    return f"{who}{check.condition}: {check.why}{by}"


def _counts(gate: Gate) -> str:
    failed = f", {counted(gate.failed_calls, 'call')} failed" if gate.failed_calls else ""
    graded = f"{gate.graded:,} of {counted(gate.outputs, 'output')} graded{failed}"
    common = [
        f"{gate.common[name]:,} of {gate.cases[name]:,} cases common{f' ({name})' if len(gate.common) > 1 else ''}"
        for name in gate.common
        if gate.common[name] < gate.cases[name]
    ]
    if not gate.before:
        return f"{graded}."
    named = list(dict.fromkeys(verdict.case_id for verdict in gate.broke))
    shown = ", ".join(named[:_MOST]) + (f" and {len(named) - _MOST:,} more" if len(named) > _MOST else "")
    broke = f"{counted(len(gate.broke), 'regression')}{f': {shown}' if named else ''}"
    flaky = sum(map(len, gate.flaky.values()))
    some = [f"{counted(flaky, 'flaky case')} passed more trials before"] if flaky else []
    return "; ".join([graded, *common, broke, *some]) + "."
