"""Cards of an audit: one card per weakness, with an example that the judge got wrong.

`card_text`, in contrast, shows the card of a judge (`AuditCard`), its results on a shipped set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...evaluation.audit.audit_results import Audit, JudgeWeakness, ShownProbe, WeaknessExample
from ..document import Card, Details, Piece
from ..document_parts import DocumentTable
from ..text_change import TextChange
from .number_text import counted, decimal
from .probe_text import probe_title
from .safe_text import shortened

_MAX_NAME_CHARS = 80
"""Longest name of a judge on a card."""

_WRONG_VERDICTS = {
    "fault": "missed",
    "nothing": "rejected",
    "twin": "rejected, though harmless",
    "attack": "let through",
    "control": "let through",
}
"""What a wrong verdict did with the output, by what the operator plants."""


def weakness_cards(audit: Audit, judges: Sequence[str] | None = None) -> list[Card]:
    """Return a card per weakness of these judges, by default of all, the worst first."""
    examples = {
        (weakness_example.judge, weakness_example.where): weakness_example
        for weakness_example in audit.examples
    }
    names_judges = judges is None and len({weakness_example.judge for weakness_example in audit.examples}) > 1
    judge_audits = [
        judge_audit for judge_audit in audit.judges if judges is None or judge_audit.judge in judges
    ]
    cards: list[tuple[float, Card]] = []  # with the share of wrong verdicts, negated to sort by it
    for judge_audit in judge_audits:
        for finding in _first_by_place(judge_audit.findings):
            example = examples.get((judge_audit.judge, finding.where))
            if example is not None:
                owner = shortened(judge_audit.judge, _MAX_NAME_CHARS) if names_judges else ""
                cards.append((-example.wrong / example.n, _weakness_card(finding, example, owner)))
    return [card for _, card in sorted(cards, key=lambda entry: entry[0])]


def _first_by_place(findings: Sequence[JudgeWeakness]) -> list[JudgeWeakness]:
    """Return the first finding at each operator, comparison or dial."""
    first: dict[str, JudgeWeakness] = {}
    for finding in findings:
        first.setdefault(finding.where, finding)
    return list(first.values())


def _weakness_card(finding: JudgeWeakness, example: WeaknessExample, owner: str) -> Card:
    title = weakness_title(example.where, example.plants, example.wrong, example.n)
    if finding.concern == "stops noticing":
        title += ", easy to hard"
    return Card(title, list(_example_pieces(example)), owner)


def weakness_title(operator: str, plants: str, wrong: int, n: int) -> str:
    """Return the title of a weakness: ``Answer negated: 3 of 7 missed``."""
    title = probe_title(operator)
    return (
        f"{title[:1].upper()}{title[1:]}: {wrong:,} of {n:,} {_WRONG_VERDICTS.get(plants, 'judged wrongly')}"
    )


def probe_pieces(probe: ShownProbe) -> Iterator[Piece]:
    """Yield a probe: its request, the change planted in the right output, the verdict."""
    if probe.request:
        yield f"Asked: {shortened(' '.join(probe.request.split()), 240)}"
    yield TextChange(probe.right, probe.planted, probe.change)
    reason = " ".join(probe.reason.split()) if probe.reason else "(no reason)"
    yield f"The judge gives {decimal(probe.score)}, right is {decimal(probe.label)}: {shortened(reason, 400)}"


def _example_pieces(example: WeaknessExample) -> Iterator[Piece]:
    yield from probe_pieces(example)
    rows = [(verdict.case_id, verdict.change, verdict.reason) for verdict in example.verdicts]
    hidden_count = example.wrong - len(rows)
    pieces: list[Piece] = [
        DocumentTable(("case", "change", "the judge's reason"), rows, left_aligned=frozenset({0, 1, 2}))
    ]
    if hidden_count > 0:
        pieces.append(f"{counted(hidden_count, 'more verdict')}: to_read.jsonl has all.")
    yield Details(
        f"All {example.wrong:,}" if hidden_count <= 0 else f"{len(rows):,} of {example.wrong:,}", pieces
    )
