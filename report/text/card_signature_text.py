"""Signers of cards, in words."""

from __future__ import annotations

from collections.abc import Iterator

from ...evaluation.audit.cards.card_table import AuditCards
from ..document_parts import DocumentTable


def signature_tables(table: AuditCards) -> Iterator[DocumentTable]:
    """Yield the keys that signed cards, if any card is signed."""
    rows = [(card.judge, card.made_by or "-", key) for card, key in table.with_signers if key is not None]
    if rows:
        head = ("judge", "made by", "key")
        yield DocumentTable(
            head, rows, left_aligned=frozenset(range(3)), caption="signed, and unchanged since"
        )
