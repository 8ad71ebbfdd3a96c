"""Cards of an audit: one a weakness, with an example of what the judge got wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...evaluation.audit.audit_results import Audit, JudgeWeakness, ShownProbe, WeaknessExample
from ..document import Card, Details, Piece
from ..document_parts import DocumentTable
from ..text_change import TextChange
from .number_text import counted, decimal
from .probe_text import probe_title
from .safe_text import shortened

_NAME = 80
"""Longest name of a judge on a card, in characters."""

_WRONG = {
    "fault": "missed",
    "nothing": "rejected",
    "twin": "rejected, though harmless",
    "attack": "let through",
    "control": "let through",
}
"""What a wrong verdict did, by what the operator plants."""


def weakness_cards(audit: Audit, judges: Sequence[str] | None = None) -> list[Card]:
    """Return a card per weakness of these judges, or of all; the worst of a judge first."""
    examples = {
        (weakness_example.judge, weakness_example.where): weakness_example
        for weakness_example in audit.examples
    }
    several = judges is None and len({weakness_example.judge for weakness_example in audit.examples}) > 1
    shown = [judge_audit for judge_audit in audit.judges if judges is None or judge_audit.judge in judges]
    cards: list[tuple[float, Card]] = []
    for judge in shown:
        for finding in _first_of_each(judge.findings):
            example = examples.get((judge.judge, finding.where))
            if example is not None:
                owner = shortened(judge.judge, _NAME) if several else ""
                cards.append((-example.wrong / example.n, _card(finding, example, owner)))
    return [card for _, card in sorted(cards, key=lambda each: each[0])]


def _first_of_each(findings: Sequence[JudgeWeakness]) -> list[JudgeWeakness]:
    return list({finding.where: finding for finding in reversed(findings)}.values())[::-1]


def _card(finding: JudgeWeakness, example: WeaknessExample, owner: str) -> Card:
    title = weakness_title(example.where, example.plants, example.wrong, example.n)
    if finding.concern == "stops noticing":
        title += ", easy to hard"
    return Card(title, list(_pieces(example)), owner)


def weakness_title(operator: str, plants: str, wrong: int, n: int) -> str:
    """Return what a judge got wrong: ``Answer negated: 3 of 7 missed``."""
    title = probe_title(operator)
    return f"{title[:1].upper()}{title[1:]}: {wrong:,} of {n:,} {_WRONG.get(plants, 'judged wrongly')}"


def probe_pieces(probe: ShownProbe) -> Iterator[Piece]:
    """Yield the request, the planted change in the right output, and the judge's verdict."""
    if probe.request:
        yield f"Asked: {shortened(' '.join(probe.request.split()), 240)}"
    yield TextChange(probe.right, probe.planted, probe.change)
    said = " ".join(probe.reason.split()) if probe.reason else "(no reason)"
    yield f"The judge gives {decimal(probe.score)}, right is {decimal(probe.label)}: {shortened(said, 400)}"


def _pieces(example: WeaknessExample) -> Iterator[Piece]:
    yield from probe_pieces(example)
    rows = [(verdict.case_id, verdict.change, verdict.reason) for verdict in example.verdicts]
    hidden = example.wrong - len(rows)
    pieces: list[Piece] = [
        DocumentTable(("case", "change", "the judge's reason"), rows, left_aligned=frozenset({0, 1, 2}))
    ]
    if hidden > 0:
        pieces.append(f"{counted(hidden, 'more verdict')}: to_read.jsonl has all.")
    yield Details(f"All {example.wrong:,}" if hidden <= 0 else f"{len(rows):,} of {example.wrong:,}", pieces)
