"""Scores of cards' judges as probabilities, in words."""

from __future__ import annotations

from collections.abc import Iterator

from ...calibration.statistic import Statistic
from ...evaluation.audit.cards.card_table import AuditCards
from ...evaluation.audit.cards.judge_card import AuditCard, CardProbabilities
from ..document_parts import DocumentTable
from .number_text import interval, number

_HEAD = ("judge", "on", "mean p - rate", "ECE", "Brier", "base rate's Brier", "n")
_LEFT = frozenset({0, 1})
_CAPTION = "scores as probabilities, without attacks"


def card_probability_tables(card: AuditCard) -> Iterator[DocumentTable]:
    """Yield how well a card's probabilities fit, if its judge gives any."""
    if rows := list(_rows(card)):
        yield DocumentTable(
            _HEAD[1:], [row[1:] for row in rows], left_aligned=frozenset({0}), caption=_CAPTION
        )


def probability_tables(table: AuditCards) -> Iterator[DocumentTable]:
    """Yield how well the probabilities of several cards fit, if any judge gives some."""
    if rows := [row for card in table.cards for row in _rows(card)]:
        yield DocumentTable(_HEAD, rows, left_aligned=_LEFT, caption=_CAPTION)


def _rows(card: AuditCard) -> Iterator[tuple[str, ...]]:
    natural = None if card.natural is None else card.natural.probabilities
    for name, found in (("the set", card.probabilities), ("natural part", natural)):
        if found is not None:
            yield (card.judge, name, *_cells(found))


def _cells(found: CardProbabilities) -> tuple[str, ...]:
    return (
        _with_interval(found.calibration_in_the_large),
        _with_interval(found.ece),
        _with_interval(found.brier),
        number(found.brier_of_base_rate.value),
        f"{found.brier.n:,}",
    )


def _with_interval(statistic: Statistic) -> str:
    return f"{number(statistic.value)} {interval(statistic.low, statistic.high)}".strip()
