"""Wrong verdicts of a card's judge, each as a change in the right output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...evaluation.audit.audit_results import ShownProbe
from ...evaluation.audit.cards.card_of_set import missed_probes
from ...evaluation.audit.cards.judge_card import AuditCard, CardMiss
from ..document import Card, Columns, Details, Piece
from ..document_parts import DocumentTable
from .audit_cards import probe_pieces, weakness_title
from .card_text import MISS_SORTS
from .number_text import counted, decimal

_NATURAL = {"fault": "natural faults it let through", "nothing": "right outputs it rejected"}
"""Headings of real outputs, by whether they are wrong."""


def missed_sections(card: AuditCard) -> Mapping[str, Sequence[Piece]]:
    """Return sections of what was graded wrongly, by heading; empty ones are omitted.

    Raises:
        InputError: The card's set is not the one that was shipped.
    """
    by_operator = missed_probes(card)
    graded = {result.operator: result.rate.n for result in card.operators}
    sections: dict[str, Sequence[Piece]] = {}
    for plants, heading in MISS_SORTS.items():
        cards = [
            _card(operator, probes, graded.get(operator, len(probes)))
            for operator, probes in by_operator.items()
            if probes[0].plants == plants
        ]
        if cards:
            sections[heading[:1].upper() + heading[1:]] = [Columns(cards)]
    if unknown := len(card.misses) - sum(map(len, by_operator.values())):
        sections["Not shown"] = [
            f"{counted(unknown, 'wrong verdict')} of the card: on no probe of {card.set.name}, or listed twice."
        ]
    if natural := list(_natural(card)):
        sections["Real outputs it graded wrongly"] = natural
    return sections


def _card(operator: str, probes: Sequence[ShownProbe], graded: int) -> Card:
    first, *others = probes
    pieces = list(probe_pieces(first))
    if others:
        pieces.append(
            Details(
                f"{len(others):,} more", [Card(other.case_id, list(probe_pieces(other))) for other in others]
            )
        )
    return Card(weakness_title(operator, first.plants, len(probes), graded), pieces, first.case_id)


def _natural(card: AuditCard) -> Iterator[Piece]:
    """Yield the real outputs by name; their texts are not shipped."""
    misses = [] if card.natural is None else card.natural.misses
    for plants, heading in _NATURAL.items():
        rows = [_row(miss) for miss in misses if miss.plants == plants]
        if rows:
            table = DocumentTable(("case", "system", "score"), rows, left_aligned=frozenset({0, 1}))
            yield Details(f"{heading}: {len(rows):,}", [table])


def _row(miss: CardMiss) -> tuple[str, str, str]:
    return miss.case_id, miss.system, decimal(miss.score)
