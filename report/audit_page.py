"""Page of an audit: each judge's weakest points drawn, example cards, then every rate."""

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
"""Most figures and cards above the tables, and most rows of a figure."""

_WEAKEST_FIGURES = {
    "fault": ("share of each fault caught, lowest first", 1.0),
    "twin": ("share of each harmless change failed, highest first", -1.0),
    "attack": ("share passed under each attack, highest first", -1.0),
}
"""Caption of the figure by what operators plant, and the sign that sorts the worst rate first."""


def audit_page(audit: Audit) -> ResultPage:
    """Return the page of an audit."""
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
        figures=list(_weakness_figures(audit.judges))[:_MAX_FIGURES],
        cards=cards[:_MAX_CARDS],
        sections={
            "More examples": [Columns(cards[_MAX_CARDS:])] if cards[_MAX_CARDS:] else [],
            "Weaknesses": list(_weakness_tables(audit.judges)),
            "Ladders": list(_ladder_details(audit.judges)),
            "By fault": list(_heat_maps(audit.judges)),
            "Every rate": [*numbers, *across_judges(audit)],
        },
    )


def _weakness_figures(judges: Sequence[JudgeAudit]) -> Iterator[Figure]:
    """Yield figures, the most important first: ladders, faults, then attacks and twins if weak.

    Judges with more weaknesses come first, since only the first figures are shown.
    """
    worst_first = sorted(judges, key=lambda judge: -len(judge.findings))
    for judge in worst_first:
        if judge.ladders:
            caption = f"{judge.judge}: level up to which 80 % are caught, by dial"
            yield Figure(breaking_points(caption, judge.ladders), caption=caption)
    for judge in worst_first:
        yield from _weakest_figure(judge, "fault")
    for judge in worst_first:
        for plants in ("attack", "twin"):
            if any(operator.weak for operator in judge.operators if operator.plants == plants):
                yield from _weakest_figure(judge, plants)


def _weakest_figure(judge: JudgeAudit, plants: str) -> Iterator[Figure]:
    what, sign = _WEAKEST_FIGURES[plants]
    operators = [
        operator
        for operator in judge.operators
        if operator.plants == plants and operator.rate.value is not None
    ]
    operators.sort(key=lambda operator: sign * (operator.rate.value or 0.0))
    if not operators:
        return
    cut_note = f"; {_MAX_ROWS} of {len(operators):,}" if len(operators) > _MAX_ROWS else ""
    caption = f"{judge.judge}: {what}{cut_note}"
    yield Figure(
        forest(caption, [_plotted_operator(operator) for operator in operators[:_MAX_ROWS]]), caption=caption
    )


def _plotted_operator(result: OperatorResult) -> PlottedInterval:
    return PlottedInterval.of(probe_title(result.operator), result.rate, alarm=result.weak)


def _weakness_tables(judges: Sequence[JudgeAudit]) -> Iterator[Piece]:
    for judge in judges:
        if judge.findings:
            rows = [
                (finding.concern, probe_cell(finding.where), with_title(finding.sentence, finding.where))
                for finding in judge.findings
            ]
            head = ("weakness", "at", "found")
            yield DocumentTable(head, rows, left_aligned=frozenset(range(3)), caption=judge.judge)


def _ladder_details(judges: Sequence[JudgeAudit]) -> Iterator[Piece]:
    for judge in judges:
        if pieces := list(ladder_pieces(judge.ladders)):
            yield Details(judge.judge, pieces)


def _heat_maps(judges: Sequence[JudgeAudit]) -> Iterator[Columns]:
    if figures := list(profile_figures(judges)):
        yield Columns(figures)
