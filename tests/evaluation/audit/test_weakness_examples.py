"""Examples of weaknesses: right output, planted fault, reply, and counts."""

from __future__ import annotations

import pytest

import fiducial as fd
from fiducial.api.audits import Audit
from fiducial.data import demo_path
from fiducial.evaluation.audit import weakness_examples
from fiducial.report.audit_page import audit_page
from fiducial.report.document import as_html, as_lines
from fiducial.report.text.audit_cards import weakness_cards

FILES = demo_path("cases.jsonl"), demo_path("outputs.jsonl")
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def audit() -> Audit:
    probes = fd.mutate(*FILES, only="dropped_call", per_output=1)

    def lenient(output: str) -> dict[str, object]:
        return {"score": 1.0 if output else 0.0, "reason": HOSTILE}

    return fd.audit(probes, fd.judge_from(lenient, key="score"), sample=20, progress=False)


def test_a_weakness_has_its_right_output_the_planted_fault_and_its_counts(audit: Audit):
    (example,) = audit.examples
    (operator,) = [result for result in audit.judges[0].operators if result.plants == "fault"]
    assert (example.where, example.plants, example.reason) == ("dropped_call", "fault", HOSTILE)
    assert (example.wrong, example.n) == (operator.rate.n, operator.rate.n)
    assert len(example.planted) < len(example.right)
    assert example.score > example.label
    assert len(example.verdicts) == example.wrong


def test_the_page_and_the_terminal_have_a_card_of_it(audit: Audit):
    (card,) = weakness_cards(audit)
    n = audit.examples[0].n
    assert card.title == f"Call left out: {n} of {n} missed"
    assert audit_page(audit).cards == [card]
    assert any(card.title in line for line in str(audit).splitlines())
    assert any("[-" in line for line in as_lines([card]))


@pytest.mark.attack("terminal and report")
def test_a_hostile_reason_stays_a_text(audit: Audit):
    text = as_html(weakness_cards(audit))
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_a_long_output_is_cut_to_the_part_around_the_change():
    right = "x" * 5_000 + "right" + "y" * 5_000
    before, after = weakness_examples._windows(right, right.replace("right", "wrong"))  # pyright: ignore[reportPrivateUsage]
    assert "right" in before
    assert "wrong" in after
    assert max(len(before), len(after)) < 2_000
