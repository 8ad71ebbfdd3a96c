"""Return a one-screen summary of a run."""

from __future__ import annotations

from found_results import systems

from fiducial.evaluation.conclusion.run_results import JudgeUse
from fiducial.evaluation.conclusion.run_summary import RunSummary
from fiducial.records import Outcome
from fiducial.report.document import as_lines
from fiducial.report.text.run_text import run_document


def use(name: str, reasons: dict[Outcome, dict[str, int]], graded: int = 0) -> JudgeUse:
    outcomes: dict[Outcome, int] = {outcome: sum(told.values()) for outcome, told in reasons.items()}
    return JudgeUse(
        name=name,
        fingerprint=name,
        outcomes={**outcomes, **({"graded": graded} if graded else {})},
        reasons=reasons,
    )


def printed(*judges: JudgeUse) -> list[str]:
    return list(
        as_lines(run_document(RunSummary(systems=systems("a"), judges=judges, command="X")), width=9999)
    )


def test_the_reason_beside_an_outcome_is_of_that_outcome():
    told = printed(use("j", {"failed": {"HTTP 500": 2}, "unparsable": {"no score in it": 3}}, graded=1))
    assert "note: j: 2 failed: HTTP 500; 3 unparsable: no score in it" in told


def test_why_no_judge_answered_comes_first_and_whole():
    why = "HTTP 401: " + "the key sk-... is not known to this endpoint, see the manual; " * 4
    assert printed(use("j", {"failed": {why: 3}}), use("k", {"failed": {why: 3}}))[0] == (
        f"note: No judge answered: {why}."
    )


def test_a_judge_that_did_not_answer_is_named_where_others_did():
    told = printed(use("j", {}, graded=2), use("k", {"failed": {"HTTP 404: no such model": 3}}))
    assert told[0] == "note: k did not answer: HTTP 404: no such model."
