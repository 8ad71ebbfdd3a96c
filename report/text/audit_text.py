"""An audit in full: every rate of every judge with its interval and denominator.

`audit_screen` is the short form. An audit asks judges about probes: right outputs in which an operator planted a
fault, a harmless change (twin) or an attack.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap

from ...evaluation.audit.audit_results import (
    Audit,
    AuditAdjudication,
    AuditComparison,
    FormResult,
    JudgeAudit,
    OperatorResult,
)
from ..document import Columns, Figure, Piece, document
from ..document_parts import ENDS, Cell, DocumentTable
from ..figures.heat_map import heat
from .agreement_text import range_text, who_decided
from .audit_cards import weakness_cards
from .caution_text import not_sent_caution
from .ladder_text import ladder_pieces
from .localisation_text import localisation_pieces
from .number_text import counted, decimal, number, outcomes, passing, signed, statistic_cells
from .one_screen import statistic_text
from .probe_text import probe_cell, probe_title, with_title
from .safe_text import shortened

_RATE_HEADINGS = {
    "fault": ("fault", "caught"),
    "nothing": ("right outputs", "failed"),
    "twin": ("harmless twin", "failed"),
    "attack": ("attack", "passed"),
    "control": ("control", "passed"),
}
"""Headings of a table of operators by what they plant: of the names, and of the rate."""


_HOW_PAIRS_COUNT = (
    "; each probe beside its right output, in both orders. caught: the right output is chosen in both; failed: the same, though its twin is "
    "as good; passed: the right output is chosen in one at most"
)

_MAX_REASON_CHARS = 240
"""Longest reason why a judge graded nothing."""


@document
def audit_document(audit: Audit) -> Iterator[Piece]:
    """Build the document of an audit: each judge, then comparisons between judges."""
    yield from ungraded_judges(audit.judges)
    yield from starmap(not_sent_caution, audit.refused.items())
    yield Columns(list(profile_figures(audit.judges)))
    lexical = lexical_rates(audit.judges)
    for judge in audit.judges:
        yield from judge_numbers(judge, lexical)
        if judge.graded_nothing is None:
            yield from ladder_pieces(judge.ladders)
            yield from _finding_lines(judge)
            yield from weakness_cards(audit, [judge.judge])
        yield ""
    yield from across_judges(audit)


def ungraded_judges(judges: Iterable[JudgeAudit]) -> Iterator[str]:
    """Yield a line per judge that graded nothing, with the reason."""
    for judge in judges:
        if judge.graded_nothing is not None:
            yield f"{judge.judge} graded nothing: {shortened(judge.graded_nothing, _MAX_REASON_CHARS).rstrip('.')}."


def across_judges(audit: Audit) -> Iterator[Piece]:
    """Yield what concerns several judges: adjudication, comparisons, and constant judges' rates."""
    yield from _adjudicated_tables(audit.adjudication)
    if audit.prompts:
        yield "Judges against each other, on the same probes:"
        yield _comparison_table(audit.prompts)
        yield ""
    yield "always pass catches nothing and raises no false alarm; always fail catches all and fails everything"


_HEAT_MAPS = {
    "fault": ("Share of each fault that is caught, by judge", True),
    "twin": ("Share of each harmless change that is failed, by judge", False),
    "attack": ("Share passed under each attack, by judge", False),
}
"""Figure title by what operators plant, and whether a high share is good."""


def profile_figures(judges: Sequence[JudgeAudit]) -> Iterator[Figure]:
    """Yield a heat map of rates, operators by judges, for each kind of plant."""
    names = [judge.judge for judge in judges]
    for plants, (caption, good) in _HEAT_MAPS.items():
        rates_by_judge = {
            judge.judge: {
                result.operator: result.rate.value for result in judge.operators if result.plants == plants
            }
            for judge in judges
        }
        operators = dict.fromkeys(operator for rates in rates_by_judge.values() for operator in rates)
        rows = [
            (probe_title(operator), [rates_by_judge[name].get(operator) for name in names])
            for operator in operators
        ]
        if rows:
            yield Figure(heat(caption, names, rows, good=good), caption=caption)


def _adjudicated_tables(adjudication: AuditAdjudication | None) -> Iterator[Piece]:
    """Yield the rates of operators with adjudicated probes, as labelled and as decided."""
    if adjudication is None:
        return
    yield from who_decided(adjudication.by, adjudication.faults)
    for judge, operators in adjudication.judges.items():
        rows = [
            (
                probe_cell(operator.operator),
                str(operator.as_labelled),
                str(operator.adjudicated),
                range_text(operator.lowest, operator.highest),
                str(operator.label_errors.found),
                str(operator.label_errors.corrected),
            )
            for operator in operators
        ]
        if rows:
            yield f"  {judge}, probes judged as labelled, and as decided:"
            head = ("", "as labelled", "adjudicated", "undecidable against it, for it", "labels found wrong, at least", "corrected")  # fmt: skip
            yield DocumentTable(head, rows, indent=4)
    yield ""


_NO_RATES: Mapping[str, str] = {}  # a default argument that no caller can change


def judge_numbers(judge: JudgeAudit, lexical_by_judge: Mapping[str, Mapping[str, str]]) -> Iterator[Piece]:
    """Yield a judge's rates by operator, and its comparisons.

    Args:
        judge: Results of the judge.
        lexical_by_judge: Rates of the word overlap baseline, see `lexical_rates`; they are shown for shipped judges.
    """
    if judge.graded_nothing is not None:
        yield f"{judge.judge}: {counted(judge.asked, 'verdict')}, none graded"
        return
    lexical = lexical_by_judge.get(judge.id.name, _NO_RATES) if judge.id.kind == "shipped" else _NO_RATES
    counting_rule = _HOW_PAIRS_COUNT if judge.compares else passing(judge.pass_at, judge.pass_at_source)
    missing = outcomes(judge.ungraded)
    yield f"{judge.judge}: {counted(judge.asked, 'verdict')}{missing and f' ({missing})'}{counting_rule}"
    yield from operator_tables(judge.operators, lexical)
    if judge.fine_scores and judge.id.kind != "baseline":
        yield from change_pieces(judge.operators)
    yield from form_pieces(judge.forms)
    if judge.comparisons:
        yield "  paired comparisons, p adjusted for all of them (Holm):"
        yield _comparison_table(judge.comparisons)
    if judge.steadiness is not None:
        steadiness = judge.steadiness  # of repeated verdicts
        yield f"  asked {steadiness.repeats} times: pairs that differ {steadiness.flip_rate}; all equal {steadiness.all_equal}"
    yield from localisation_pieces(judge.located)


def operator_tables(
    operators: Sequence[OperatorResult], lexical: Mapping[str, str] = _NO_RATES
) -> Iterator[DocumentTable]:
    """Yield a table of operators for each kind of plant, with the baseline's rates if given."""
    for plants, (heading, rate_heading) in _RATE_HEADINGS.items():
        rows = [_operator_row(operator, lexical) for operator in operators if operator.plants == plants]
        if rows:
            head = (heading, rate_heading, "interval", "n", *(["lexical"] if lexical else []), "")
            yield DocumentTable(head, rows, left_aligned=ENDS)


def _finding_lines(judge: JudgeAudit) -> Iterator[str]:
    if not judge.findings:
        yield f"  found: nothing beyond chance{' so far' if judge.ungraded['failed'] else ''}"
        return
    yield "  found:"
    yield from (
        f"    {finding.concern}: {with_title(finding.sentence, finding.where)}" for finding in judge.findings
    )


def _operator_row(result: OperatorResult, lexical: Mapping[str, str]) -> tuple[str | Cell, ...]:
    value, interval, n, _ = statistic_cells(result.rate)
    notes = [f"{count:,} {outcome}" for outcome, count in result.ungraded.items()]
    if result.deviation is not None:
        notes.append(f"score minus label {result.deviation}")
    lexical_cells = [lexical.get(result.operator, "-")] if lexical else []
    return (
        probe_cell(result.operator),
        value,
        interval,
        n,
        *lexical_cells,
        "; ".join(notes),
    )


def _comparison_table(comparisons: Iterable[AuditComparison]) -> DocumentTable:
    rows = [
        (
            comparison.name if comparison.audit == "prompts" else probe_cell(comparison.name),
            *statistic_cells(comparison.difference)[:3],
            "-" if comparison.holm_p is None else f"{comparison.holm_p:.4f}",
            number(comparison.minimum_detectable),
            comparison.untested or ("found" if comparison.found else comparison.audit),
        )
        for comparison in comparisons
    ]
    head = ("comparison", "difference", "interval", "n", "p", "detectable", "")
    return DocumentTable(head, rows, left_aligned=ENDS, indent=4)


def lexical_rates(judges: Iterable[JudgeAudit]) -> dict[str, dict[str, str]]:
    """Return the word overlap baseline's rates by the shipped judge it replaces and operator."""
    return {
        judge.id.name: {operator.operator: statistic_cells(operator.rate)[0] for operator in judge.operators}
        for judge in judges
        if judge.id.kind == "baseline"
    }


_MAX_PROBE_CHARS = 60
"""Longest name of a probe."""

_CHANGE_NOTES = {
    "nothing": "between repeats",
    "attack": "against its control",
    "twin": "harmless",
    "fault": "should fall",
    "control": "should fall",
}
"""What a change of scores is measured against or should do, by what the operator plants."""


def change_pieces(operators: Iterable[OperatorResult]) -> Iterator[Piece]:
    """Yield a table of score changes by operator, which pass or fail at a threshold hides."""
    rows = [
        (
            probe_cell(operator.operator),
            statistic_text(change.mean),
            statistic_text(change.size),
            f"{change.size.n:,}",
            signed(change.largest),
            f"{_CHANGE_NOTES[operator.plants]}; largest at {shortened(change.largest_at, _MAX_PROBE_CHARS)}",
        )
        for operator in operators
        if (change := operator.change) is not None
    ]
    if rows:
        yield "  change of scores from the right output, whether or not the verdict changes:"
        yield DocumentTable(("", "mean", "mean size", "n", "largest", ""), rows, left_aligned=ENDS, indent=4)


def form_pieces(forms: Sequence[FormResult]) -> Iterator[Piece]:
    """Yield how a decision model's probabilities change if questions are put in other forms."""
    if not forms:
        return
    rows = [
        (
            probe_cell(result.form),
            statistic_text(result.change),
            "-" if result.beyond_repeats is None else statistic_text(result.beyond_repeats),
            "-" if result.yes is None else statistic_text(result.yes),
            "-" if result.largest is None else decimal(result.largest),
            f"{result.change.n:,}",
            "; ".join(
                filter(
                    None,
                    [
                        result.about + (result.against and f", against {result.against}"),
                        outcomes(result.ungraded),
                    ],
                )
            ),
        )
        for result in forms
        if result.change.n or result.ungraded
    ]
    yield "  change of probabilities, the same questions in other forms:"
    head = ("", "mean change", "beyond repeats", "p of yes", "largest", "n", "")
    yield DocumentTable(head, rows, left_aligned=ENDS, indent=4)
    for form in forms:
        if form.marker is not None and form.marker.value is not None:
            rise_clause = (
                "" if form.marker_seen is None else f", {statistic_text(form.marker_seen)} above without it"
            )
            yield f"  {form.form}: p of the marker {statistic_text(form.marker)}{rise_clause}"
    confidences = [(form.form, form.confidence) for form in forms if form.confidence is not None]
    if confidences:
        condition_words = {"repeats": "about its own material", "out_of_scope": "about unrelated material"}
        yield "  confidence " + ", ".join(
            f"{condition_words[form]} {statistic_text(confidence)}" for form, confidence in confidences
        )
