"""Every fault of a mock server that breaks the protocol of decision models on request.

A fault either does not concern what is asked, and then the score is that of the faultless server, or leaves no score, with a reason.
Never is there another score, except where the model itself leaks something into its answers: that is what an audit finds.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from judge_items import make_case, make_output

import fiducial as fd
from fiducial.evaluation.audit.audit_results import JudgeAudit
from fiducial.records import Verdict

mock: Any = pytest.importorskip("jevcompat.mock", reason="make decisions brings the package")

KEY = "secret"

HARMLESS = {
    "plain-content-type", "text-errors", "models-404", "reject-array-state", "reject-jev-latest", "forbid-extra", "strict-ids",
    "string-only-text", "noul-needs-instructions", "accept-map-score", "no-usage", "float-usage", "extra-answer",
    "unprefixed-extra", "choice-no-confidence", "choice-second", "score-no-legend", "legend-1-based", "score-argmax",
    "confidence-over", "confidence-margin", "500-on-unknown-type", "accept-boolean", "validation-400", "error-flat",
    "auth-plain", "auth-invalid-403-text", "nan",
}  # fmt: skip
"""Faults in what we never ask for or never read, such as the server's own confidence."""

UNPARSABLE = {
    "first-question-only", "nfd-keys", "boolean-type", "noul-range", "choice-key-case", "choice-sum", "score-keys-1-based", "score-sum",
}  # fmt: skip
"""Faults in an answer."""

FAILED = {
    "wrong-route", "xssi-200", "auth-rejects-header", "auth-x-api-key", "noul-two-sided", "no-null-description", "cap-64", "cap-5-levels",
}  # fmt: skip
"""Faults that leave no reply that can be read."""

LEAKS = {"id-leaks": "renamed", "batch-leaks": "last_alone", "order-leaks": "questions_reversed"}
"""Faults of the model, by the form in which an audit finds them."""

OPTIONS = {"First": None, "caf\u00e9": "the second", **{f"option_{n}": "another" for n in range(70)}}


def prompt(folder: Path) -> Path:
    """Write questions of every type, with all that the protocol allows in them."""
    questions = {
        "fine": {"ask": "Is `response` fine?", "if_true": "it is"},
        "pick": {"type": "choice", "ask": "Which?", "choices": OPTIONS, "values": dict.fromkeys(OPTIONS, 0.5) | {"First": 1}},
        "grade": {"type": "score", "ask": "How good?", "levels": [f"level {n}" for n in range(6)]},
    }  # fmt: skip
    block = {"state": ["response"], "questions": questions, "score": "mean"}
    path = folder / "all_types.prompty"
    path.write_text(f"---\nname: all types\ndecision: {json.dumps(block)}\n---\n", encoding="utf-8")
    return path


def judged(folder: Path, *faults: str, key: str | None = None, given: str | None = "any") -> Verdict:
    with mock.Running(mock.MockConfig(key=key, faults=frozenset(faults))) as server:
        judge = fd.judge(
            str(prompt(folder)),
            model="jev-1.13.0",
            base_url=f"{server.url}/v1",
            api="systemone",
            api_key=given,
            cache=False,
            attempts=1,
        )
        return asyncio.run(judge.task.judge.verdict(make_case(), make_output(), judge.access))


def test_the_faults_are_those_that_are_expected():
    known = HARMLESS | UNPARSABLE | FAILED | LEAKS.keys()
    assert mock.FAULTS.keys() == known
    assert len(known) == len(HARMLESS) + len(UNPARSABLE) + len(FAILED) + len(LEAKS)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    return judged(tmp_path_factory.mktemp("clean"))


@pytest.mark.parametrize("fault", [*mock.FAULTS])
def test_every_fault_is_handled(fault: str, clean: Verdict, tmp_path: Path):
    needs_key = fault == "auth-x-api-key"
    verdict = judged(tmp_path, fault, **({"key": KEY, "given": KEY} if needs_key else {}))
    assert clean.score is not None
    if fault in HARMLESS:
        assert (verdict.outcome, verdict.score) == ("graded", clean.score)
    elif fault in LEAKS:
        assert verdict.outcome == "graded"
    else:
        assert verdict.outcome == ("unparsable" if fault in UNPARSABLE else "failed")
        assert verdict.score is None
        assert verdict.reason


@pytest.mark.parametrize("fault", [None, "auth-plain", "auth-invalid-403-text", "text-errors"])
@pytest.mark.parametrize("given", ["wrong", None])
def test_a_wrong_or_missing_key_fails_and_says_so(fault: str | None, given: str | None, tmp_path: Path):
    verdict = judged(tmp_path, *filter(None, [fault]), key=KEY, given=given)
    assert (verdict.outcome, verdict.score) == ("failed", None)
    assert "40" in str(verdict.reason)


def test_several_faults_at_once_never_make_a_score(clean: Verdict, tmp_path: Path):
    for fault in sorted(UNPARSABLE):
        assert judged(tmp_path, fault, "confidence-over", "unprefixed-extra").score is None


def audited(folder: Path, fault: str | None, form: str) -> JudgeAudit:
    cases = [
        {
            "id": f"q{n}",
            "kind": "memory_answer",
            "messages": [{"role": "user", "content": f"Who ships parcel {n}?"}],
            "reference": {"answers": [f"Carrier {n}"]},
        }
        for n in range(20)
    ]
    (folder / "cases.jsonl").write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    probes = fd.mutate(folder / "cases.jsonl", only=["answer_of_sibling"], out=folder / "probes")
    with mock.Running(mock.MockConfig(faults=frozenset(filter(None, [fault])))) as server:
        judge = fd.judge("memory_answer", model="jev-1.13.0", base_url=f"{server.url}/v1", api="systemone", api_key="k", cache=False)  # fmt: skip
        return fd.audit(probes, judge, only=[form]).judges[0]


@pytest.mark.parametrize("leak", [*LEAKS])
def test_an_audit_finds_what_leaks_into_answers(leak: str, tmp_path: Path):
    found = audited(tmp_path, leak, LEAKS[leak])
    assert ("moves on what is harmless", LEAKS[leak]) in {
        (finding.concern, finding.where) for finding in found.findings
    }


@pytest.mark.parametrize("form", [*LEAKS.values()])
def test_an_audit_finds_no_leak_where_there_is_none(form: str, tmp_path: Path):
    (result,) = [
        form_result for form_result in audited(tmp_path, None, form).forms if form_result.form == form
    ]
    assert result.change.value == 0.0
    assert not result.moved
