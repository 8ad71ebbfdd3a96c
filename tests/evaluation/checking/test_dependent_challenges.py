from __future__ import annotations

from collections.abc import Iterable

import pytest
from each_row import each_row

from fiducial.evaluation.checking.dependent_challenges import apply_dependencies
from fiducial.records import Case, Output, Verdict


def checked(name: str, needs: Iterable[str], score: float | None, system: str = "s") -> tuple[Case, Verdict]:
    reference = {"name": name, "dependencies": list(needs)}
    case = Case(id=f"{name}-{system}", kind="artifact", reference=reference)
    output = Output(case_id=case.id, system=system)
    if score is None:
        return case, Verdict.on(output.key, outcome="undecided", by="artifact/bfcl", source="checker")
    return case, Verdict.on(output.key, score=score, by="artifact/bfcl", source="checker")


def held_back(*entries: tuple[Case, Verdict]) -> list[str]:
    verdicts = list(apply_dependencies(entries))
    assert len(verdicts) == len(entries)
    return [
        verdict.case_id.split("-")[0] for verdict in verdicts if verdict.error_type == "dependency_failed"
    ]


@each_row(
    ("entries", "expected"),
    [
        ([checked("A", [], 1.0), checked("B", ["A"], 1.0)], []),
        ([checked("A", [], 0.0), checked("B", ["A"], 1.0)], ["B"]),
        ([checked("B", ["A"], 1.0), checked("A", [], 0.0)], ["B"]),
        ([checked("C", ["B"], 1.0), checked("B", ["A"], 1.0), checked("A", [], 0.0)], ["C", "B"]),
        ([checked("A", [], 1.0), checked("A", [], 0.0), checked("B", ["A"], 1.0)], ["B"]),
        ([checked("B", ["nobody"], 1.0)], []),
        ([checked("A", [], None), checked("B", ["A"], 1.0)], []),
        ([checked("A", ["A"], 0.0)], []),
        ([checked("A", ["B"], 0.0), checked("B", ["A"], 1.0)], ["A", "B"]),
        ([checked("A", [], 0.0, "other"), checked("B", ["A"], 1.0)], []),
    ],
)
def test_a_challenge_is_held_back_when_what_it_depends_on_failed(
    entries: list[tuple[Case, Verdict]], expected: list[str]
):
    assert held_back(*entries) == expected


def test_what_is_held_back_is_not_a_failure_and_keeps_what_was_found():
    verdicts = list(apply_dependencies([checked("A", [], 0.0), checked("B", ["A"], 1.0)]))
    assert (verdicts[1].outcome, verdicts[1].score) == ("not_applicable", None)
    assert verdicts[1].reason == "depends on A, which did not pass"
    assert verdicts[1].evidence == {"by_itself": {"score": 1.0, "error_type": None}}


def test_verdicts_on_other_kinds_pass_through():
    case = Case(id="c", kind="no_call", reference={"dependencies": ["A"]})
    verdict = Verdict.on(
        Output(case_id="c", system="s").key, score=1.0, by="relevance/bfcl", source="checker"
    )
    assert list(apply_dependencies([(case, verdict)])) == [verdict]


@pytest.mark.parametrize("needs", ["A", "tests/write/a_test.py::A::test_method"])
def test_a_dependency_may_be_a_node_id(needs: str):
    verdicts = list(apply_dependencies([checked("A", [], 0.0), checked("B", [needs], 1.0)]))
    assert verdicts[1].error_type == "dependency_failed"


def test_a_dependency_that_no_output_answers_for_is_named_in_the_evidence():
    (verdict,) = apply_dependencies([checked("B", ["tests/a_test.py::Missing::test_method"], 1.0)])
    assert (verdict.score, verdict.evidence) == (
        1.0,
        {"unknown_dependencies": ["tests/a_test.py::Missing::test_method"]},
    )
