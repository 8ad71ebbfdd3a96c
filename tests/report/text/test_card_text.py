"""Cards of judges on one screen: every row is shown or counted, and names keep what differs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from fiducial.evaluation.audit.cards.card_table import AuditCards, read_cards
from fiducial.evaluation.audit.cards.judge_card import AuditCard
from fiducial.report.document import Piece, as_lines
from fiducial.report.text.card_text import LIMITS, card_document, card_screen, card_table_screen
from fiducial.report.text.one_screen import one_screen
from fiducial.report.text.safe_text import WIDTH, columns_of

CARDS = Path(__file__).parents[3] / "docs" / "cards"


@pytest.fixture(scope="module")
def cards() -> AuditCards:
    return read_cards(sorted(CARDS.glob("*.json")))


def screen(pieces: Iterable[Piece]) -> list[str]:
    lines = list(as_lines(one_screen(pieces), width=WIDTH))
    assert len(lines) <= 23
    assert [line for line in lines if columns_of(line) > WIDTH] == []
    return lines


def more_rows(lines: list[str]) -> int:
    return sum(int(found[1]) for line in lines if (found := re.match(r" *(\d+) more rows?$", line)))


def test_each_card_of_a_table_is_a_row_or_counted_and_the_limits_are_shown(cards: AuditCards):
    lines = screen(card_table_screen(cards))
    head = next(number for number, line in enumerate(lines) if line.startswith("judge"))
    end = next(number for number, line in enumerate(lines) if "more row" in line)
    shown = lines[head + 1 : end]
    assert len(shown) + more_rows(lines) == len(cards.cards) + len(cards.groups)
    assert " ".join(LIMITS.split()) in " ".join(" ".join(lines).split())
    names = [line.split()[0] for line in shown if line.startswith("  ")]
    assert len({*names}) == len(names)
    assert {"always-pass/function", "always-fail/function"} <= {*names}


def test_all_cards_of_a_short_table_are_shown(cards: AuditCards):
    few = AuditCards(set=cards.set, cards=cards.cards[:4])
    text = "\n".join(screen(card_table_screen(few)))
    assert all(card.judge in text for card in few.cards if len(card.judge) <= 28)
    assert "more row" not in text


def test_natural_outputs_without_a_score_are_counted_too(cards: AuditCards):
    natural = [sum(card.natural.ungraded.values()) for card in cards.cards if card.natural is not None]
    counts = f"{sum(natural):,} natural outputs of {sum(map(bool, natural))} judges"
    assert sum(natural) > 0
    assert counts in " ".join(" ".join(screen(card_table_screen(cards))).split())
    (complete,) = [card for card in cards.cards if card.judge == "always-pass/function"]
    alone = AuditCards(set=cards.set, cards=[complete])
    assert "without a score" not in "\n".join(screen(card_table_screen(alone)))


def test_a_card_s_screen_counts_its_misses_once(cards: AuditCards):
    card = max(cards.cards, key=lambda each: len(each.misses))
    for most in (3, 17, len(card.misses)):
        one = msgspec.structs.replace(
            card, misses=[miss for miss in card.misses if miss.plants == "fault"][:most]
        )
        lines = screen(card_screen(one))
        caption = next(line for line in lines if line.startswith("faults it let through"))
        assert caption == f"faults it let through: {len(one.misses):,}"
        head = next(number for number, line in enumerate(lines) if line.split() == ["kind", "case", "change"])
        shown = (
            next(number for number, line in enumerate(lines) if re.search("more row|^asked", line)) - head - 1
        )
        assert shown + more_rows(lines) == len(one.misses)


def test_a_change_is_cut_at_its_end_alone(cards: AuditCards):
    card = next(
        audit_card for audit_card in cards.cards if audit_card.judge == "memory_answer/lexical@baseline"
    )
    text = "\n".join(screen(card_screen(card)))
    assert "'Dr. Adeyemi' stands beside it" in text
    assert not re.search(r"\w\.\.\.\w", text.partition("change\n")[2].partition("more rows")[0])


def test_everything_has_every_miss_with_its_reason(cards: AuditCards):
    card: AuditCard = next(audit_card for audit_card in cards.cards if len(audit_card.misses) > 10)
    text = "\n".join(as_lines(card_document(card), full=True))
    assert text.count(card.misses[0].case_id) >= 1
    assert sum(f"{miss.case_id}, {miss.system}" in text for miss in card.misses) == len(card.misses)
