"""Pages of cards: each wrong verdict as a change, safe whatever a card says."""

from __future__ import annotations

import html
import re
from pathlib import Path

import msgspec
import pytest

from fiducial.errors import InputError
from fiducial.evaluation.audit.cards import audit_sets
from fiducial.evaluation.audit.cards.card_file import read_card
from fiducial.evaluation.audit.cards.card_of_set import missed_probes
from fiducial.evaluation.audit.cards.card_table import AuditCards
from fiducial.evaluation.audit.cards.judge_card import AuditCard, CardMiss
from fiducial.evaluation.audit.probe_folder import read_facts

CARDS = Path(__file__).parents[4] / "docs" / "cards"
HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"


def page_of(card: AuditCard, folder: Path) -> str:
    _, page = AuditCards(set=card.set, cards=[card]).write(folder / "pages")
    return page.read_text("utf-8")


@pytest.fixture(scope="module")
def lexical() -> AuditCard:
    return read_card(CARDS / "memory_answer-lexical.json")


def test_every_fault_that_is_missed_is_shown_as_a_change_in_the_right_output(
    lexical: AuditCard, tmp_path: Path
):
    page = page_of(lexical, tmp_path)
    shown = re.findall(r'<pre class="change" dir="auto">.*?</pre>', page, re.DOTALL)
    assert len(shown) == len(lexical.misses) == 17
    assert all("<ins>" in each or "<del>" in each for each in shown)
    assert "Denied answer: 4 of 4 missed" in page


def test_every_wrong_verdict_of_a_published_card_is_found_in_the_set():
    card = read_card(CARDS / "tool_call_accuracy-sparrow.json")
    assert sum(map(len, missed_probes(card).values())) == len(card.misses) > 100


def test_every_probe_of_the_set_has_the_right_output_it_was_made_of():
    folder, one = audit_sets.audit_set()
    card = read_card(CARDS / "always-pass.json")
    misses = [
        CardMiss(plants=fact.plants, operator=fact.operator, **fact.key._asdict(), change="", score=1.0)
        for fact in read_facts(folder)
    ]
    shown = missed_probes(msgspec.structs.replace(card, set=one, misses=misses))
    assert all(probe.right == probe.planted for probe in shown["original"])
    assert all(probe.right for probes in shown.values() for probe in probes)


def test_a_table_that_names_no_keys_has_pages(lexical: AuditCard, tmp_path: Path):
    index, page = AuditCards(set=lexical.set, cards=[lexical]).write(tmp_path / "pages")
    assert index.exists()
    assert lexical.judge in page.read_text("utf-8")


def test_what_a_card_says_of_a_probe_is_not_shown_instead_of_the_probe(lexical: AuditCard):
    lie = msgspec.structs.replace(lexical.misses[0], change="nothing", operator="trivial", plants="attack")
    (probes,) = missed_probes(msgspec.structs.replace(lexical, misses=[lie])).values()
    assert (probes[0].plants, probes[0].change != "nothing") == ("fault", True)


def test_a_verdict_on_no_probe_of_the_set_is_counted(lexical: AuditCard, tmp_path: Path):
    unknown = msgspec.structs.replace(lexical.misses[0], case_id=HOSTILE)
    page = page_of(msgspec.structs.replace(lexical, misses=[*lexical.misses[1:], unknown]), tmp_path)
    assert "1 wrong verdict of the card: on no probe of audit-set-1" in page


def test_nothing_in_a_card_is_run_or_loaded(tmp_path: Path):
    card = read_card(CARDS / "tool_call_accuracy-sparrow.json")
    assert card.natural is not None
    misses = [msgspec.structs.replace(miss, reason=HOSTILE, change=HOSTILE) for miss in card.misses]
    real = [msgspec.structs.replace(miss, case_id=HOSTILE, system=HOSTILE) for miss in card.natural.misses]
    natural = msgspec.structs.replace(card.natural, misses=real)
    page = page_of(msgspec.structs.replace(card, misses=misses, natural=natural, made_by=HOSTILE), tmp_path)
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert html.unescape(policy[1]).startswith("default-src 'none'; img-src data:;")
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


def test_real_outputs_are_named_without_texts(tmp_path: Path):
    card = read_card(CARDS / "tool_call_accuracy-reasons-claude.json")
    assert card.natural is not None
    assert all((miss.change, miss.reason) == ("", None) for miss in card.natural.misses)
    wrong = [miss for miss in card.natural.misses if miss.plants == "fault"]
    caught = card.natural.caught
    assert caught.value is not None
    assert len(wrong) == round(caught.n * (1 - caught.value))
    page = page_of(card, tmp_path)
    assert f"natural faults it let through: {len(wrong)}" in page
    assert wrong[0].case_id in page


def test_right_outputs_other_than_those_shipped_are_refused(
    lexical: AuditCard, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(audit_sets.SOURCE_DIGESTS, "audit-set-1", "0" * 64)
    with pytest.raises(InputError, match="that was shipped"):
        missed_probes(lexical)
