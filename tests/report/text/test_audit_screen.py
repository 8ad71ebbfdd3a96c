"""One screen of an audit."""

from __future__ import annotations

import re
from itertools import pairwise

import msgspec
import pytest
from judge_ids import judge_id
from ladders import BEFORE, ON, ladder

from fiducial.calibration.statistic import Statistic
from fiducial.evaluation.audit.audit_results import Audit, JudgeAudit, JudgeWeakness, OperatorResult
from fiducial.evaluation.audit.ladder.ladder_results import LadderThreshold
from fiducial.records.verdict import JudgeKind
from fiducial.report.audit_page import audit_page
from fiducial.report.document import as_html, as_lines
from fiducial.report.text.audit_screen import audit_screen
from fiducial.report.text.audit_text import audit_document
from fiducial.report.text.safe_text import WIDTH


def audit_of(name: str, *, caught: float, asked: int = 1, kind: JudgeKind = "shipped") -> JudgeAudit:
    rate = Statistic(value=caught, low=0.0, high=1.0, n=9, method="Wilson")
    return JudgeAudit(
        judge=name,
        fingerprint="f",
        id=judge_id(name, kind=kind),
        pass_at=0.5,
        pass_at_source="default",
        asked=asked,
        operators=[OperatorResult(operator="near_name", plants="fault", about="", rate=rate, ungraded={})],
        comparisons=[],
        steadiness=None,
        findings=[],
    )


def screen(*judges: JudgeAudit) -> list[str]:
    return list(as_lines(audit_screen(Audit(probes={}, judges=list(judges))), width=WIDTH))


@pytest.mark.parametrize("model", ["gpt-4.1-mini-2025-04-14", "m"])
def test_judges_whose_long_names_begin_alike_are_told_apart(model: str):
    lines = screen(
        audit_of(f"tool_call_accuracy/reasons@{model}", caught=0.75),
        audit_of(f"tool_call_accuracy/few_shot@{model}", caught=0.5),
        audit_of("tool_call_accuracy/lexical@baseline", caught=0.25, kind="baseline"),
    )
    assert f"judges tool_call_accuracy/..., {model}, baseline" in lines
    caught = lines.index("faults caught")
    rates = {line.split()[0]: line.split()[1] for line in lines[caught + 1 : caught + 4]}
    assert rates == {"reasons": "0.75", "few_shot": "0.50", "lexical": "0.25"}
    assert all(len(line) <= WIDTH for line in lines)


def test_one_judge_is_named_once_and_its_verdicts_agree_with_their_noun():
    (answer, _, _, caught, *others) = screen(audit_of("tool_call_accuracy/lexical@baseline", caught=0.25))
    assert answer == "tool_call_accuracy/lexical@baseline: no weakness beyond chance in 1 verdict."
    assert caught.split() == ["faults", "caught", "0.25", "[0.00,", "1.00]", "9"]
    assert [other.split()[-1] for other in others] == ["-", "-", "-"]


def test_every_rate_of_the_summary_has_its_interval_and_n():
    judge = audit_of("tool_call_accuracy/lexical@baseline", caught=0.25)
    other = msgspec.structs.replace(
        judge.operators[0],
        operator="wrong_value",
        rate=Statistic(value=0.9, low=0.7, high=0.97, n=1_020, method="Wilson"),
    )
    several = msgspec.structs.replace(judge, operators=[*judge.operators, other])
    for lines in (screen(several), screen(several, audit_of("groundedness/direct@m", caught=0.5))):
        assert any(line.endswith("  0.25 [0.00, 1.00]  9  0.90 [0.70, 0.97]  1,020") for line in lines)
        for line in lines:
            assert len(re.findall(r"\b0\.\d\d \[", line)) == len(re.findall(r"\]  [\d,]+", line)), line


def test_an_audit_with_failed_calls_is_incomplete_and_counts_graded_verdicts():
    rate = Statistic(value=1.0, low=0.7, high=1.0, n=9, method="Wilson")
    operator = OperatorResult(
        operator="near_name", plants="fault", about="", rate=rate, ungraded={"failed": 2_801}
    )
    judge = msgspec.structs.replace(audit_of("j@m", caught=1.0, asked=3_311), operators=[operator])
    assert screen(judge)[:2] == [
        "Incomplete: 510 of 3,311 verdicts graded, 2,801 calls failed.",
        "j@m: no weakness beyond chance so far.",
    ]


def test_replies_that_cannot_be_read_are_not_counted_as_verdicts():
    rate = Statistic(value=1.0, low=0.7, high=1.0, n=9, method="Wilson")
    ungraded = {"unparsable": 3, "not_applicable": 2}
    operator = OperatorResult(operator="near_name", plants="fault", about="", rate=rate, ungraded=ungraded)
    judge = msgspec.structs.replace(audit_of("j@m", caught=1.0, asked=14), operators=[operator])
    assert screen(judge)[0] == "j@m: no weakness beyond chance in 11 verdicts (3 unparsable)."


def climbed(threshold: LadderThreshold) -> JudgeAudit:
    """A judge with a finding on one ladder, and no probes."""
    return msgspec.structs.replace(
        audit_of("j@m", caught=1.0, asked=40),
        operators=[],
        ladders=[ladder(threshold, found=True, dial="parallel_calls")],
        findings=[JudgeWeakness(concern="stops noticing", where="parallel_calls", sentence="")],
    )


def test_a_judge_that_misses_the_easiest_level_is_shown_what_it_catches_there():
    lines = screen(climbed(BEFORE))
    (row,) = [line for line in lines if line.startswith("stops noticing")]
    assert "easiest: caught 1.00 [0.10, 1.00]" in row
    (row,) = [line for line in screen(climbed(ON)) if line.startswith("stops noticing")]
    assert "falls by 0.90 [0.80, 0.95]" in row


def test_an_audit_of_ladders_only_has_no_summary_of_probes():
    lines = screen(climbed(ON))
    assert not any("faults caught" in line for line in lines)
    assert all(first or second for first, second in pairwise(lines))


def test_findings_and_comparisons_have_titles_and_the_page_has_no_name_in_a_sentence():
    found = JudgeWeakness(
        concern="misses a fault", where="near_name", sentence="catches 0.1 of near_name: a name"
    )
    judge = msgspec.structs.replace(audit_of("a/b@m", caught=0.1), findings=[found])
    audit = Audit(probes={}, judges=[judge])
    assert '    misses a fault: catches 0.1 of "similar name": a name' in as_lines(
        audit_document(audit), full=True
    )
    page = re.sub(r"<[^>]*>", " ", as_html(audit_page(audit).sections["Weaknesses"]))
    assert "of &#34;similar name&#34;: a name" in page
    assert "of near_name" not in page
