"""Pages of judges' cards: an index, a page per judge with what it graded wrongly, badges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..evaluation.audit.audit_results import ShownProbe
from ..evaluation.audit.cards.card_of_set import missed_probes
from ..evaluation.audit.cards.card_table import AuditCards
from ..evaluation.audit.cards.judge_card import AuditCard, CardMiss
from ..records import InputPath
from .document import Card, Columns, Details, Piece
from .document_parts import Cell, DocumentTable, filled
from .page import ResultPage, document_page, write_page
from .text.audit_cards import probe_pieces, weakness_title
from .text.audit_text import operator_tables
from .text.card_text import (
    LIMITS,
    MISS_SORTS,
    badge_text,
    card_origin,
    card_shares,
    card_table_document,
    headline,
)
from .text.number_text import counted, decimal

_MAX_NAME_CHARS = 100
"""Longest part of a judge's name in the name of its page's file."""
_UNSAFE_IN_FILE_NAMES = re.compile(r"[^A-Za-z0-9.-]+")


def write_card_pages(table: AuditCards, folder: Path) -> list[Path]:
    """Write ``index.html`` and a page per card into a folder, and return the files."""
    files = [folder / f"{name}.html" for name in _page_names(table)]
    index = ResultPage(
        title="Measured judges",
        about=f"{len(table.cards):,} judges, {table.set.name}",
        answer=[*card_table_document(table), _link_table(table, files)],
    )
    pages = [document_page(folder / "index.html", index)]
    for (card, key), file in zip(table.with_signers, files, strict=True):
        pages.append(document_page(file, _card_page(card, key)))
    return pages


def write_badge(path: InputPath, card: AuditCard) -> None:
    """Write a card's badge, two boxes with text, as an SVG file."""
    left, right = badge_text(card)
    # About 7 pixels a letter at this font size, and 5 on either side.
    widths = [10 + 7 * len(text) for text in (left, right)]
    total = sum(widths)
    write_page(
        path,
        filled(
            '<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="20" role="img" aria-label="%s">'
            '<rect width="%s" height="20" fill="#444"/><rect x="%s" width="%s" height="20" fill="#0b5d8f"/>'
            '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
            '<text x="%s" y="14">%s</text><text x="%s" y="14">%s</text></g></svg>\n',
            str(total),
            f"{left}: {right}",
            str(widths[0]),
            str(widths[0]),
            str(widths[1]),
            str(widths[0] / 2),
            left,
            str(widths[0] + widths[1] / 2),
            right,
        ),
    )


def _page_names(table: AuditCards) -> Iterator[str]:
    """Yield a file name for each card, all different also where case is ignored."""
    taken_names: set[str] = {"index"}
    for card in table.cards:
        base = _UNSAFE_IN_FILE_NAMES.sub("-", card.judge[:_MAX_NAME_CHARS]).strip("-.") or "judge"
        name, number = base, 2
        while name.lower() in taken_names:
            name, number = f"{base}-{number}", number + 1
        taken_names.add(name.lower())
        yield name


def _link_table(table: AuditCards, files: list[Path]) -> Piece:
    rows = [
        (Cell(card.judge, link=file.name), headline(card))
        for card, file in zip(table.cards, files, strict=True)
    ]
    return DocumentTable(("judge", "what it let through"), rows, left_aligned=frozenset({0, 1}))


def _card_page(card: AuditCard, key: str | None) -> ResultPage:
    signed = [] if key is None else [f"signed with the key {key}, and unchanged since"]
    return ResultPage(
        title=card.judge,
        about=f"{card.set.name}, {card.made[:10]}",
        answer=[*card_shares(card), *card_origin(card), *signed],
        sections={
            **missed_sections(card),
            "By kind": list(operator_tables(card.operators)),
            "Limits": [LIMITS],
        },
    )


_NATURAL = {"fault": "natural faults it let through", "nothing": "right outputs it rejected"}
"""Headings of wrongly graded real outputs, by whether they have a fault."""


def missed_sections(card: AuditCard) -> Mapping[str, Sequence[Piece]]:
    """Return the sections of a card's page on what its judge graded wrongly, by heading.

    Empty ones are left out.

    Raises:
        InputError: The card's set is not the one that is shipped.
    """
    probes_by_operator = missed_probes(card)
    graded = {result.operator: result.rate.n for result in card.operators}
    sections: dict[str, Sequence[Piece]] = {}
    for plants, heading in MISS_SORTS.items():
        cards = [
            _operator_card(operator, probes, graded.get(operator, len(probes)))
            for operator, probes in probes_by_operator.items()
            if probes[0].plants == plants
        ]
        if cards:
            sections[heading[:1].upper() + heading[1:]] = [Columns(cards)]
    if unknown := len(card.misses) - sum(map(len, probes_by_operator.values())):
        sections["Not shown"] = [
            f"{counted(unknown, 'wrong verdict')} of the card: on no probe of {card.set.name}, or listed twice."
        ]
    if natural := list(_natural_misses(card)):
        sections["Real outputs it graded wrongly"] = natural
    return sections


def _operator_card(operator: str, probes: Sequence[ShownProbe], graded: int) -> Card:
    first, *others = probes
    pieces = list(probe_pieces(first))
    if others:
        pieces.append(
            Details(
                f"{len(others):,} more", [Card(other.case_id, list(probe_pieces(other))) for other in others]
            )
        )
    return Card(weakness_title(operator, first.plants, len(probes), graded), pieces, first.case_id)


def _natural_misses(card: AuditCard) -> Iterator[Piece]:
    """Yield tables of wrongly graded real outputs by name, since their texts are not shipped."""
    misses = [] if card.natural is None else card.natural.misses
    for plants, heading in _NATURAL.items():
        rows = [_natural_row(miss) for miss in misses if miss.plants == plants]
        if rows:
            table = DocumentTable(("case", "system", "score"), rows, left_aligned=frozenset({0, 1}))
            yield Details(f"{heading}: {len(rows):,}", [table])


def _natural_row(miss: CardMiss) -> tuple[str, str, str]:
    return miss.case_id, miss.system, decimal(miss.score)
