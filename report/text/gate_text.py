"""A gate in words: its answer, its conditions, what would settle it, and regressions.

A gate answers whether a run may pass, for use in continuous integration. Each condition passes, fails, or cannot be
told from the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...calibration.gating.gate_results import GateAnswer, GateCheck
from ...deterministic.finding import in_words
from ...evaluation.past_runs.changed_verdicts import ChangedVerdict
from ...evaluation.past_runs.gate_numbers import Gate
from ...records import ItemKey
from ...spelling import spelled_word
from ..document import Piece, document
from ..document_parts import FIRST, DocumentTable
from .number_text import counted

_ANSWER_VERBS: dict[GateAnswer, tuple[str, str]] = {
    "fails": ("fails", "fail"),
    "cannot tell": ("cannot be told", "cannot be told"),
    "passes": ("passes", "pass"),
}
"""Verbs by answer: for one further condition that has the gate's answer, and for several."""

_MAX_ROWS = 50
"""Most regressions in a table; the text may become a comment on a pull request, whose size is limited."""

_MAX_NAMED = 10
"""Most cases that a sentence names."""


@document
def gate_document(gate: Gate) -> Iterator[Piece]:
    """Build the full document of a gate: the answer, every condition, and the regressions."""
    yield from _answer_lines(gate)
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
            [_regression_row(gate, verdict) for verdict in gate.broke[:_MAX_ROWS]],
            left_aligned=FIRST | {1, 2, 3, 4},
            indent=0,
        )
        if len(gate.broke) > _MAX_ROWS:
            yield f"{counted(len(gate.broke) - _MAX_ROWS, 'more regression')}."


def _regression_row(gate: Gate, verdict: ChangedVerdict) -> tuple[str, str, str, str, str]:
    fault = in_words(verdict.error_type) if verdict.error_type else ""
    answer_text = gate.answers.get(str(ItemKey(verdict.case_id, verdict.system, verdict.trial)), "")
    return verdict.case_id, verdict.system, verdict.by, fault, " ".join(answer_text.split())


@document
def gate_screen(gate: Gate) -> Iterator[Piece]:
    """Build the screen of a gate: what is not comparable, the answer, counts, what would tell."""
    yield from _answer_lines(gate)


def _answer_lines(gate: Gate) -> Iterator[str]:
    for reason in gate.incomparable:
        yield f"Not comparable: {reason}."
    if gate.judge_again:
        yield "Grade the earlier outputs again, and compare with that run:"
        yield f"  {gate.judge_again}"
    decisive_checks = [check for check in gate.checks if check.answer == gate.answer]
    # Several systems may have the first decisive condition: the one with the lowest value stands for them.
    worst_check = min(
        (check for check in decisive_checks if check.condition == decisive_checks[0].condition),
        key=_measured_value,
        default=None,
    )
    if not gate.graded:
        yield "Cannot tell: nothing is graded."
    elif worst_check is not None:
        others = len(decisive_checks) - 1
        verb_of_one, verb_of_several = _ANSWER_VERBS[gate.answer]
        verb = verb_of_one if others == 1 else verb_of_several
        others_clause = f"; {counted(others, 'more condition')} {verb}" if others else ""
        yield f"{gate.answer.capitalize()}: {_check_sentence(worst_check)}{others_clause}."
    yield _counts_sentence(gate)
    if gate.answer == "cannot tell" and worst_check is not None and worst_check.would_tell:
        yield f"What would tell: {worst_check.would_tell}."
    if gate.counts_as is not None:
        option = spelled_word("cannot_tell", "pass" if gate.counts_as == "passes" else "fail")
        yield f"{gate.counts_as.capitalize()} by {option}: the data cannot tell."


def _measured_value(check: GateCheck) -> float:
    value = check.share if check.bounds is None else check.bounds.value
    return -math.inf if value is None else value


def _check_sentence(check: GateCheck) -> str:
    who = f"{check.system}: " if check.system else ""
    by = f" (by {check.by})" if check.by else ""
    return f"{who}{check.condition}: {check.why}{by}"


def _counts_sentence(gate: Gate) -> str:
    """Return counts of graded outputs; with an earlier run, also common cases and regressions."""
    failed = f", {counted(gate.failed_calls, 'call')} failed" if gate.failed_calls else ""
    graded = f"{gate.graded:,} of {counted(gate.outputs, 'output')} graded{failed}"
    common_cases = [
        f"{gate.common[name]:,} of {gate.cases[name]:,} cases common{f' ({name})' if len(gate.common) > 1 else ''}"
        for name in gate.common
        if gate.common[name] < gate.cases[name]
    ]
    if not gate.before:
        return f"{graded}."
    case_ids = list(dict.fromkeys(verdict.case_id for verdict in gate.broke))
    hidden = len(case_ids) - _MAX_NAMED
    shown = ", ".join(case_ids[:_MAX_NAMED]) + (f" and {hidden:,} more" if hidden > 0 else "")
    regressions = f"{counted(len(gate.broke), 'regression')}{f': {shown}' if case_ids else ''}"
    flaky_count = sum(map(len, gate.flaky.values()))
    flaky_cases = [f"{counted(flaky_count, 'flaky case')} passed more trials before"] if flaky_count else []
    return "; ".join([graded, *common_cases, regressions, *flaky_cases]) + "."
