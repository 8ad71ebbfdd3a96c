"""Results of the verdicts on an answer's statements, and statements' names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from judge_ids import judge_id
from judge_items import make_case, make_output

from fiducial.evaluation.store.manifest import JudgeRecord
from fiducial.judges import load_judge
from fiducial.judges.statements import (
    LONG,
    JudgedStatement,
    StatementVerdict,
    answer_verdict,
    case_of,
    is_long,
    is_statement,
    judges_statements,
    not_split,
    statement_output,
    statement_verdict,
)
from fiducial.records import CaseIndex, ItemKey, Output, ToolCall, Verdict, write_records

CALLS = {"calls": [{"book_hotel": {"city": ["Rome"]}}]}
ITEM = ItemKey("case", "agent", 2)
SHARE = JudgeRecord(by="statements/share@j@m", id=judge_id("j", kind="share", fingerprint="f"), kinds=None)


def graded(score: float, pieces: int | None = None) -> StatementVerdict:
    return StatementVerdict("graded", score, pieces, None)


def lost(outcome: Any, reason: str | None = "why") -> StatementVerdict:
    return StatementVerdict(outcome, None, None, reason)


def combined(*said: StatementVerdict) -> Verdict:
    statements = [JudgedStatement(f"s{number}", f"q{number}") for number in range(len(said))]
    return answer_verdict(SHARE, ITEM, 1, statements, said)


@each_row(
    ("said", "score", "reason"),
    [
        ([graded(1 / 3, 3), graded(1, 1)], 0.5, "2 of 4 pieces, in 2 statements"),
        ([graded(2 / 3, 3), graded(0, 7), graded(1, 2)], 4 / 12, "4 of 12 pieces, in 3 statements"),
        ([graded(1, 5)], 1.0, "5 of 5 pieces, in 1 statement"),
        ([graded(1 / 3), graded(1)], 2 / 3, "the mean of 2 statements"),
        ([graded(0.5, 2), graded(1)], 0.75, "the mean of 2 statements"),
        ([graded(0.7)] * 3, 0.7, "the mean of 3 statements"),
        ([graded(0.5, 2), graded(1, 0)], 0.75, "the mean of 2 statements"),
    ],
)
def test_an_answer_is_the_share_of_all_pieces_or_the_mean_of_its_statements(
    said: list[StatementVerdict], score: float, reason: str
):
    verdict = combined(*said)
    assert (verdict.outcome, verdict.score, verdict.reason) == ("graded", pytest.approx(score), reason)
    assert (verdict.key, verdict.repeat, verdict.source) == (ITEM, 1, "judge")


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ([graded(1, 1), lost("unparsable")], "unparsable"),
        ([graded(1, 1), lost("refused"), lost("refused"), lost("unparsable")], "refused"),
        ([lost("unparsable"), lost("unparsable"), lost("failed")], "failed"),
        ([lost("not_applicable")], "not_applicable"),
    ],
)
def test_an_answer_of_which_a_statement_has_no_score_has_none(said: list[StatementVerdict], outcome: str):
    verdict = combined(*said)
    assert (verdict.outcome, verdict.score) == (outcome, None)
    assert verdict.reason is not None
    assert verdict.reason.endswith("without a score: why")
    assert [entry["outcome"] for entry in verdict.evidence["statements"]] == [one.outcome for one in said]


def test_an_answer_that_was_not_split_says_why_and_costs_nothing_itself():
    split = Verdict(
        case_id="case",
        system="agent",
        by="statements/split@m",
        source="judge",
        outcome="refused",
        reason="no",
    )
    verdict = not_split(SHARE, 3, split)
    assert (verdict.by, verdict.repeat, verdict.outcome) == ("statements/share@j@m", 3, "refused")
    assert (verdict.reason, verdict.usage) == ("the answer could not be split: no", None)


@pytest.mark.parametrize(
    ("spec", "evidence", "pieces"),
    [
        ("groundedness/reasons", {"pieces": 3}, 3),
        ("groundedness/reasons", {}, None),
        ("groundedness/decomposed", {"pieces": ["a", "b"]}, 2),
        ("groundedness/direct", {"pieces": 3}, None),
    ],
)
def test_pieces_are_counted_as_the_prompt_lists_them(spec: str, evidence: dict[str, Any], pieces: int | None):
    verdict = Verdict(
        case_id="c", system="s", by="b", source="judge", outcome="graded", score=1, evidence=evidence
    )
    assert statement_verdict(verdict, load_judge(spec, model="m")).pieces == pieces


def test_equal_statements_of_two_systems_are_one_item_and_others_are_not():
    ours, theirs = make_output(text="a. b."), make_output(text="b. c.", system="other")
    of_ours, of_theirs = (
        statement_output(ours, JudgedStatement("b.", "b.")),
        statement_output(theirs, JudgedStatement("b.", "b.")),
    )
    assert (
        of_ours.case_id == of_theirs.case_id != statement_output(theirs, JudgedStatement("c.", "c.")).case_id
    )
    assert (of_ours.text, of_ours.system, of_theirs.system) == ("b.", "agent", "other")


def test_a_whole_answer_keeps_what_it_holds_under_an_id_of_its_own():
    output = make_output(text=None, tool_calls=[ToolCall(name="f", arguments={})])
    whole = statement_output(output, JudgedStatement(None, None))
    assert (whole.tool_calls, whole.text, case_of(whole.case_id)) == (output.tool_calls, None, "case-0")


def test_ids_of_statements_are_told_from_ids_of_cases(tmp_path: Path):
    write_records(
        tmp_path / "cases.jsonl", [make_case(id=name, reference=CALLS) for name in ("case-0", "case-0#1")]
    )
    with CaseIndex(tmp_path / "cases.jsonl") as cases:
        assert is_statement("case-0#0123456789abcdef", cases)
        assert is_statement("case-0#1#0123456789abcdef", cases)
        assert not is_statement("case-0#1", cases)
        assert not is_statement("case-7#0123456789abcdef", cases)


@each_row(
    ("spec", "expected"),
    [
        ("groundedness", True),
        ("groundedness/few_shot", True),
        ("memory_answer", False),
        ("rubric/decomposed", False),
        ("tool_call_accuracy", False),
    ],
)
def test_only_groundedness_is_made_of_statements(spec: str, *, expected: bool):
    assert judges_statements(load_judge(spec, model="m")) == expected


def test_a_prompt_of_ones_own_may_be_if_it_shows_the_answer(tmp_path: Path):
    for name in ("response", "question", "tool_calls"):
        path = tmp_path / f"{name}.prompty"
        front = f"scale: {{minimum: 0, maximum: 1, step: 1}}\ninputs: {{{name}: {{type: string}}}}"
        path.write_text(f"---\n{front}\n---\nuser:\n{{{{{name}}}}}\n")
        assert judges_statements(load_judge(str(path), model="m")) == (name != "tool_calls")


def test_only_long_texts_are_split():
    assert is_long(Output(case_id="c", system="s", text="x" * (LONG + 1)))
    assert not is_long(Output(case_id="c", system="s", text="x" * LONG + " " * LONG))
    assert not is_long(Output(case_id="c", system="s", turns=[["x" * (LONG + 1)]]))
    assert not is_long(Output(case_id="c", system="s", text="x" * (LONG + 1), workspace="w"))
