from __future__ import annotations

import msgspec
import pytest

from fiducial.evaluation.conclusion.run_results import (
    ALL_UNCORRECTED,
    ONE_EACH,
    OPEN,
    JudgeUse,
    StratumRate,
    SystemResult,
)
from fiducial.evaluation.conclusion.run_summary import RunSummary
from fiducial.evaluation.store.manifest import Counts
from fiducial.records import JudgeId
from fiducial.report.document import as_lines
from fiducial.report.text.summary_text import summary_document
from fiducial.report.text.ungraded_text import ungraded_lines


def result(system: str, *notes: str) -> SystemResult:
    return SystemResult(
        system=system, strata=[StratumRate(name="part", n=1, of=1, value=1.0, note=note) for note in notes]
    )


@pytest.mark.parametrize(
    ("systems", "lines"),
    [
        ([result("a", "x"), result("b", "x", "x")], ["note: x"]),
        ([result("a", "x"), result("b", "y")], ["note: a: x", "note: b: y"]),
        ([result("a", "x"), result("b", "x"), result("c")], ["note: a, b: x"]),
    ],
)
def test_a_note_is_printed_once_and_names_its_systems_where_it_is_not_of_all(
    systems: list[SystemResult], lines: list[str]
):
    printed = as_lines(summary_document(RunSummary(systems=systems, counts=Counts(outputs=2, graded=2))))
    assert [line for line in printed if line.startswith("note")] == lines


@pytest.mark.parametrize(
    ("failures", "line"),
    [
        ({"HTTP 400": 2, "no reply within 2 s": 1}, "    failed: 2 HTTP 400; 1 no reply within 2 s"),
        ({"a": 4, "b": 3, "c": 2, "d": 1, "e": 1}, "    failed: 4 a; 3 b; 2 c; 2 more reasons"),
        ({"a": 4, "b": 3, "c": 2, "d": 1}, "    failed: 4 a; 3 b; 2 c; 1 more reason"),
    ],
)
def test_no_reason_of_a_failure_hides_another(failures: dict[str, int], line: str):
    judge = JudgeUse(
        name="j", fingerprint="f", outcomes={"failed": sum(failures.values())}, reasons={"failed": failures}
    )
    printed = as_lines(
        summary_document(RunSummary(judges=[judge], systems=[], counts=Counts(outputs=2, graded=0)))
    )
    assert line in list(printed)


def test_every_outcome_without_a_score_has_its_reasons():
    judge = JudgeUse(
        name="j",
        fingerprint="f",
        outcomes={"unparsable": 3, "not_applicable": 1},
        reasons={
            "unparsable": {"no score": 2, "x" * 300: 1},
            "not_applicable": {"the case has no context": 1},
        },
    )
    printed = list(
        as_lines(summary_document(RunSummary(judges=[judge], systems=[], counts=Counts(outputs=4, graded=0))))
    )
    assert f"    unparsable: 2 no score; 1 {'x' * 200} … (100 more characters)" in printed
    assert "    not applicable: 1 the case has no context" in printed


def test_a_judge_that_found_nothing_to_judge_is_said_to_have_found_nothing():
    idle = JudgeUse(name="rubric/reasons@m", fingerprint="f", outcomes={})
    lines = list(
        as_lines(summary_document(RunSummary(systems=[], judges=[idle], counts=Counts(outputs=1, graded=1))))
    )
    assert any(
        line.startswith("  rubric/reasons@m: not asked: it grades none of these kinds") for line in lines
    )


def test_a_second_judge_that_was_never_needed_is_not_said_to_grade_other_kinds():
    judges = [
        JudgeUse(name="a@small", fingerprint="f", outcomes={"graded": 3}),
        JudgeUse(name="a@large", fingerprint="g", outcomes={}),
        JudgeUse(
            name="jury/escalate@a@small+a@large",
            fingerprint="h",
            outcomes={"graded": 3},
            id=JudgeId(kind="jury", name="jury", variant="escalate", fingerprint="h"),
        ),
    ]
    summary = RunSummary(systems=[], judges=judges, counts=Counts(outputs=3, graded=3))
    reason = "a@large: not asked: the first judge was sure of every output that it graded, or the run stopped before"
    assert f"  {reason}" in list(as_lines(summary_document(summary)))
    assert reason in list(ungraded_lines(judges))


def test_what_was_asked_again_is_said_beside_the_calls():
    judge = JudgeUse(name="j", fingerprint="f", outcomes={"graded": 3}, calls=5, reasked=2)
    printed = list(
        as_lines(summary_document(RunSummary(judges=[judge], systems=[], counts=Counts(outputs=3, graded=3))))
    )
    assert any(line.endswith(", 2 asked again since a reply could not be read") for line in printed)


def test_a_pass_rate_stands_beside_the_mean_score_of_fractions():
    mean = StratumRate(name=OPEN, by="j", n=3, of=3, value=0.5, fractions=1)
    judged = StratumRate(name=ONE_EACH, n=3, of=3, value=0.67)
    whole = StratumRate(name=ALL_UNCORRECTED, n=8, of=8, value=0.62)
    system = SystemResult(system="a", strata=[mean], judged=judged, overall=whole)
    printed = list(as_lines(summary_document(RunSummary(systems=[system], counts=Counts(outputs=8)))))
    assert "    j  mean score 0.50, n 3 of 3" in printed
    assert "  undecided, pass rate by threshold, uncorrected: 0.67, n 3 of 3" in printed


def test_the_rate_of_all_outputs_is_printed_below_its_parts():
    judged = StratumRate(name=ONE_EACH, n=10, of=10, value=0.6)
    whole = StratumRate(name=ALL_UNCORRECTED, n=70, of=80, value=0.51)
    system = msgspec.structs.replace(result("a", ""), judged=judged, overall=whole)
    printed = as_lines(summary_document(RunSummary(systems=[system], counts=Counts(outputs=80, graded=70))))
    assert "  all outputs, judged ones uncorrected: 0.51, n 70 of 80" in list(printed)
