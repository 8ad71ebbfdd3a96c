"""Probes and audits in words: every rate with its interval and denominator."""

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

_HEADINGS = {
    "fault": ("fault", "caught"),
    "nothing": ("right outputs", "failed"),
    "twin": ("harmless twin", "failed"),
    "attack": ("attack", "passed"),
    "control": ("control", "passed"),
}


_PAIRWISE = (
    "; each probe beside its right output, in both orders. caught: the right output is chosen in both; failed: the same, though its twin is "
    "as good; passed: the right output is chosen in one at most"
)

_REASON = 240
"""Longest reason why a judge graded nothing, in characters."""


@document
def audit_document(audit: Audit) -> Iterator[Piece]:
    """Build the audit document: each judge, agreement between judges, and baselines.

    The baselines are the rates of judges that do not look.
    """
    yield from ungraded_judges(audit.judges)
    yield from starmap(not_sent_caution, audit.refused.items())
    yield Columns(list(profile_figures(audit.judges)))
    lexical = lexical_rates(audit.judges)
    for judge in audit.judges:
        yield from judge_numbers(judge, lexical)
        if judge.graded_nothing is None:
            yield from ladder_pieces(judge.ladders)
            yield from _findings(judge)
            yield from weakness_cards(audit, [judge.judge])
        yield ""
    yield from across_judges(audit)


def ungraded_judges(judges: Iterable[JudgeAudit]) -> Iterator[str]:
    """Name the judges that graded nothing, and why."""
    for judge in judges:
        if judge.graded_nothing is not None:
            yield f"{judge.judge} graded nothing: {shortened(judge.graded_nothing, _REASON).rstrip('.')}."


def across_judges(audit: Audit) -> Iterator[Piece]:
    """Yield decisions by people, comparisons of judges, and the baselines."""
    yield from _adjudicated(audit.adjudication)
    if audit.prompts:
        yield "Judges against each other, on the same probes:"
        yield _comparisons(audit.prompts)
        yield ""
    yield "always pass catches nothing and raises no false alarm; always fail catches all and fails everything"


_PROFILES = {
    "fault": ("Share of each fault that is caught, by judge", True),
    "twin": ("Share of each harmless change that is failed, by judge", False),
    "attack": ("Share passed under each attack, by judge", False),
}
"""Figure titles by sort of operator, and whether a high share is good."""


def profile_figures(judges: Sequence[JudgeAudit]) -> Iterator[Figure]:
    """Yield heat maps of operators by judge; tables have the same rates."""
    names = [judge.judge for judge in judges]
    for plants, (caption, good) in _PROFILES.items():
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


def _adjudicated(adjudication: AuditAdjudication | None) -> Iterator[Piece]:
    """Yield the operators with adjudicated probes; yield no pieces if there are none."""
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


_NO_RATES: Mapping[str, str] = {}


def judge_numbers(judge: JudgeAudit, lexical_by_judge: Mapping[str, Mapping[str, str]]) -> Iterator[Piece]:
    """Yield a judge's rates by operator, beside the baseline's, and its comparisons."""
    if judge.graded_nothing is not None:
        yield f"{judge.judge}: {counted(judge.asked, 'verdict')}, none graded"
        return
    lexical = lexical_by_judge.get(judge.id.name, _NO_RATES) if judge.id.kind == "shipped" else _NO_RATES
    how = _PAIRWISE if judge.compares else passing(judge.pass_at, judge.pass_at_source)
    missing = outcomes(judge.ungraded)
    yield f"{judge.judge}: {counted(judge.asked, 'verdict')}{missing and f' ({missing})'}{how}"
    yield from operator_tables(judge.operators, lexical)
    if judge.fine_scores and judge.id.kind != "baseline":
        yield from change_pieces(judge.operators)
    yield from form_pieces(judge.forms)
    if judge.comparisons:
        yield "  paired comparisons, p adjusted for all of them (Holm):"
        yield _comparisons(judge.comparisons)
    if judge.steadiness is not None:
        steady = judge.steadiness
        yield f"  asked {steady.repeats} times: pairs that differ {steady.flip_rate}; all equal {steady.all_equal}"
    yield from localisation_pieces(judge.located)


def operator_tables(
    operators: Sequence[OperatorResult], lexical: Mapping[str, str] = _NO_RATES
) -> Iterator[DocumentTable]:
    """Yield a table of rates for each sort of operator, beside the word overlap baseline's."""
    for plants, (heading, rate) in _HEADINGS.items():
        rows = [_operator_row(operator, lexical) for operator in operators if operator.plants == plants]
        if rows:
            head = (heading, rate, "interval", "n", *(["lexical"] if lexical else []), "")
            yield DocumentTable(head, rows, left_aligned=ENDS)


def _findings(judge: JudgeAudit) -> Iterator[str]:
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
    compared = [lexical.get(result.operator, "-")] if lexical else []
    return (
        probe_cell(result.operator),
        value,
        interval,
        n,
        *compared,
        "; ".join(notes),
    )


def _comparisons(comparisons: Iterable[AuditComparison]) -> DocumentTable:
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
    """Return the word overlap baseline's rates by operator, keyed by the judge it stands in for.

    The keys are names of built-in judges.
    """
    return {
        judge.id.name: {operator.operator: statistic_cells(operator.rate)[0] for operator in judge.operators}
        for judge in judges
        if judge.id.kind == "baseline"
    }


_ITEM = 60
"""Characters of a probe's name."""

_AGAINST = {
    "nothing": "between repeats",
    "attack": "against its control",
    "twin": "harmless",
    "fault": "should fall",
    "control": "should fall",
}


def change_pieces(operators: Iterable[OperatorResult]) -> Iterator[Piece]:
    """Yield a table of the changes of scores by operator; nothing if none can be compared."""
    rows = [
        (
            probe_cell(operator.operator),
            statistic_text(change.mean),
            statistic_text(change.size),
            f"{change.size.n:,}",
            signed(change.largest),
            f"{_AGAINST[operator.plants]}; largest at {shortened(change.largest_at, _ITEM)}",
        )
        for operator in operators
        if (change := operator.change) is not None
    ]
    if rows:
        yield "  change of scores from the right output, whether or not the verdict changes:"
        yield DocumentTable(("", "mean", "mean size", "n", "largest", ""), rows, left_aligned=ENDS, indent=4)


def form_pieces(forms: Sequence[FormResult]) -> Iterator[Piece]:
    """Yield the answers of a decision model in other forms: changes, markers, confidence."""
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
    for each in forms:
        if each.marker is not None and each.marker.value is not None:
            seen = (
                "" if each.marker_seen is None else f", {statistic_text(each.marker_seen)} above without it"
            )
            yield f"  {each.form}: p of the marker {statistic_text(each.marker)}{seen}"
    sure = [(result.form, result.confidence) for result in forms if result.confidence is not None]
    if sure:
        names = {"repeats": "about its own material", "out_of_scope": "about unrelated material"}
        yield "  confidence " + ", ".join(f"{names[form]} {statistic_text(each)}" for form, each in sure)
