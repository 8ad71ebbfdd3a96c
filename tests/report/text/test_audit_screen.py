"""One screen of an audit."""

from __future__ import annotations

import re

import msgspec
import pytest
from judge_ids import judge_id

from fiducial.calibration.statistic import Statistic
from fiducial.evaluation.audit.audit_results import AuditNumbers, JudgeAudit, OperatorResult
from fiducial.records.verdict import JudgeKind
from fiducial.report.document import as_lines
from fiducial.report.text.audit_screen import audit_screen
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
    return list(as_lines(audit_screen(AuditNumbers(probes={}, judges=list(judges))), width=WIDTH))


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
