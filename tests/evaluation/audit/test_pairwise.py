"""Audits of comparing judges: probes beside right outputs, and planted biases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import demo_suite
import pytest
from choosing import Chosen, choosing
from provider_server import ProviderServer

import fiducial as fd
from fiducial.api.audits import Audit
from fiducial.api.mutating import Probes
from fiducial.evaluation.audit.audit_results import JudgeAudit

Audited: TypeAlias = Callable[[Callable[[str, str], Chosen]], JudgeAudit]

SAMPLE = 12
OPERATORS = [
    "answer_negated",
    "answer_in_sentence",
    "answer_padded",
    "plain_verdict",
    "plain_control",
    "dropped_call",
]


@pytest.fixture(scope="module")
def pairs() -> Probes:
    """Return answers and calls with faults, harmless longer twins, and an attack with control."""
    cases = list(demo_suite.cases().values())[::2]
    chosen = {case.id for case in cases}
    outputs = [output for output in demo_suite.outputs().values() if output.case_id in chosen]
    return fd.mutate(cases, outputs, only=OPERATORS)


@pytest.fixture
def audited(server: ProviderServer, pairs: Probes) -> Audited:
    """One judge's audit."""

    def audit(choose: Callable[[str, str], Chosen]) -> JudgeAudit:
        server.script = choosing(choose)
        judge = fd.judge("preference/direct", model="m", base_url=server.base_url, api_key="k", cache=False)
        (found,) = fd.audit(pairs, judge, sample=SAMPLE).judges
        return found

    return audit


def longer(first: str, second: str) -> Chosen:
    return "tie" if len(first) == len(second) else "first" if len(first) > len(second) else "second"


def concerns(found: JudgeAudit) -> set[tuple[str, str]]:
    return {(finding.concern, finding.where) for finding in found.findings}


def rates(found: JudgeAudit) -> dict[str, float | None]:
    return {operator.operator: operator.rate.value for operator in found.operators}


def test_a_judge_for_whom_all_is_a_tie_misses_faults_and_has_no_bias(
    audited: Audited, server: ProviderServer
):
    found = audited(lambda first, second: "tie")
    assert found.compares
    # Each probe is asked about in both orders.
    assert found.asked == 2 * sum(operator.rate.n for operator in found.operators)
    assert 0 < len(server.seen) <= found.asked
    assert ("misses a fault", "answer_negated") in concerns(found)
    assert not {"position", "length"} & {where for _, where in concerns(found)}
    assert rates(found)["answer_padded"] == 0.0


def test_a_judge_that_takes_what_is_first_is_found_to_go_by_position(audited: Audited):
    found = audited(lambda first, second: "first")
    assert ("goes by position", "position") in concerns(found)
    assert ("goes by length", "length") not in concerns(found)
    assert rates(found)["dropped_call"] == 0.0


def test_a_judge_that_takes_what_is_longer_is_found_to_go_by_length(audited: Audited):
    found = audited(longer)
    assert ("goes by length", "length") in concerns(found)
    assert ("goes by position", "position") not in concerns(found)
    assert rates(found)["dropped_call"] == 1.0


def test_the_findings_say_which_way(audited: Audited):
    sentences = [finding.sentence for finding in audited(lambda first, second: "second").findings]
    assert any(
        "the output shown second is chosen too often: share of the first minus 0.5 is -" in sentence
        for sentence in sentences
    )


def test_judges_of_both_sorts_are_audited_side_by_side(server: ProviderServer, pairs: Probes, tmp_path: Path):
    server.script = choosing(longer)
    one = fd.judge("preference/direct", model="m", base_url=server.base_url, api_key="k", cache=False)
    other = fd.judge("tool_call_accuracy", model="baseline")
    found: Audit = fd.audit(pairs, [one, other], sample=3, out=tmp_path / "audit")
    assert [judge.compares for judge in found.judges] == [True, False]
    assert "each probe beside its right output, in both orders" in str(found)
    asked = len(server.seen)
    again: Audit = fd.audit(pairs, [one, other], sample=3, out=tmp_path / "audit")
    assert (again, len(server.seen)) == (found, asked)


def test_calls_that_fail_leave_a_probe_without_a_score(server: ProviderServer, pairs: Probes):
    server.script = choosing(longer)
    judge = fd.judge(
        "preference/direct", model="m", base_url=server.base_url, api_key="k", cache=False, max_calls=5
    )
    found = fd.audit(pairs, judge, sample=2)
    assert found.failed > 0
    assert sum(operator.ungraded.get("failed", 0) for operator in found.judges[0].operators) == found.failed
