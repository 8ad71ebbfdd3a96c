"""Page of an audit: each judge's weakest points drawn, then every rate and ladder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..evaluation.audit.audit_results import Audit, JudgeAudit, OperatorResult
from .document import Columns, Details, Figure, Piece
from .document_parts import DocumentTable
from .figures.forest_plot import PlottedInterval, forest
from .figures.ladder import breaking_points
from .page import ResultPage
from .text.audit_cards import weakness_cards
from .text.audit_screen import audit_screen
from .text.audit_text import across_judges, judge_numbers, lexical_rates, profile_figures
from .text.ladder_text import ladder_pieces
from .text.number_text import counted
from .text.probe_text import probe_cell, probe_title, with_title

_MAX_FIGURES, _MAX_ROWS, _MAX_CARDS = 6, 8, 6

_DRAWN = {
    "fault": ("share of each fault caught, lowest first", 1.0),
    "twin": ("share of each harmless change failed, highest first", -1.0),
    "attack": ("share passed under each attack, highest first", -1.0),
}
"""Operators that have a figure of their own, and whether low or high rates come first."""


def audit_page(audit: Audit) -> ResultPage:
    """Return the page of an audit, ladders included."""
    probes = sum(audit.probes.values())
    lexical = lexical_rates(audit.judges)
    cards = weakness_cards(audit)
    numbers = [
        Details(f"{judge.judge}: {counted(judge.asked, 'verdict')}", list(judge_numbers(judge, lexical)))
        for judge in audit.judges
    ]
    return ResultPage(
        title="Audit",
        about=f"{counted(len(audit.judges), 'judge')}, {counted(probes, 'probe')}",
        answer=audit_screen(audit),
        figures=list(_figures(audit.judges))[:_MAX_FIGURES],
        cards=cards[:_MAX_CARDS],
        sections={
            "More examples": [Columns(cards[_MAX_CARDS:])] if cards[_MAX_CARDS:] else [],
            "Weaknesses": list(_weaknesses(audit.judges)),
            "Ladders": list(_ladders(audit.judges)),
            "By fault": list(_profiles(audit.judges)),
            "Every rate": [*numbers, *across_judges(audit)],
        },
    )


def _figures(judges: Sequence[JudgeAudit]) -> Iterator[Figure]:
    """Yield the levels at which ladders break, then faults; other operators only if one is weak."""
    worst_first = sorted(judges, key=lambda judge: -len(judge.findings))
    for judge in worst_first:
        if judge.ladders:
            caption = f"{judge.judge}: level up to which 80 % are caught, by dial"
            yield Figure(breaking_points(caption, judge.ladders), caption=caption)
    for judge in worst_first:
        yield from _weakest(judge, "fault")
    for judge in worst_first:
        for plants in ("attack", "twin"):
            if any(operator.weak for operator in judge.operators if operator.plants == plants):
                yield from _weakest(judge, plants)


def _weakest(judge: JudgeAudit, plants: str) -> Iterator[Figure]:
    noun, sign = _DRAWN[plants]
    operators = [
        operator
        for operator in judge.operators
        if operator.plants == plants and operator.rate.value is not None
    ]
    operators.sort(key=lambda each: sign * (each.rate.value or 0.0))
    if not operators:
        return
    shown_of = f"; {_MAX_ROWS} of {len(operators):,}" if len(operators) > _MAX_ROWS else ""
    caption = f"{judge.judge}: {noun}{shown_of}"
    yield Figure(forest(caption, [_row(operator) for operator in operators[:_MAX_ROWS]]), caption=caption)


def _row(result: OperatorResult) -> PlottedInterval:
    return PlottedInterval.of(probe_title(result.operator), result.rate, alarm=result.weak)


def _weaknesses(judges: Sequence[JudgeAudit]) -> Iterator[Piece]:
    for judge in judges:
        if judge.findings:
            rows = [
                (finding.concern, probe_cell(finding.where), with_title(finding.sentence, finding.where))
                for finding in judge.findings
            ]
            head = ("weakness", "at", "found")
            yield DocumentTable(head, rows, left_aligned=frozenset(range(3)), caption=judge.judge)


def _ladders(judges: Sequence[JudgeAudit]) -> Iterator[Piece]:
    for judge in judges:
        if pieces := list(ladder_pieces(judge.ladders)):
            yield Details(judge.judge, pieces)


def _profiles(judges: Sequence[JudgeAudit]) -> Iterator[Columns]:
    if figures := list(profile_figures(judges)):
        yield Columns(figures)
