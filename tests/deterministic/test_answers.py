"""Accepted answers in what was said last."""

# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# (tables and reference records hold values of any type)

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row
from tool_calls import calling

from fiducial.deterministic import CheckOptions, check, check_result
from fiducial.records import Case, Output, ToolCall, ToolResults

CASE = Case(id="m", kind="memory_answer", reference={"answers": ["Goldman Sachs", "49.99"]})
CALL = "[recall(key='bank')]"
PASS, FAIL, OPEN = 1.0, 0.0, None


@each_row(
    ("message", "bfcl", "strict"),
    [
        ("Goldman Sachs", PASS, PASS),
        ("goldman sachs.", PASS, PASS),
        ("The answer is Goldman Sachs.", PASS, PASS),
        ("{'answer': 'Goldman Sachs', 'context': 'you told me'}", PASS, PASS),
        ('{"answer": "Goldman Sachs", "context": ""}', PASS, PASS),
        ("49.99", PASS, PASS),
        # Readers differ in which of two equal keys counts.
        ('{"answer": "Dealogic", "answer": "Goldman Sachs"}', PASS, OPEN),
        ("{'answer': 'Goldman Sachs', 'answer': 'Dealogic'}", PASS, OPEN),
        ("{'answer': 'Goldman Sachs', 'answer': \"I don't know\"}", PASS, OPEN),
        ('{"answer": "Goldman Sachs", "answer": "goldman sachs."}', PASS, PASS),
        ('{"context": {"answer": "Dealogic"}, "answer": "Goldman Sachs"}', PASS, PASS),
        ("The answer is **Goldman Sachs**.", PASS, PASS),
        ("Answer: `49.99`", PASS, PASS),
        ("It's 'Goldman Sachs'.", PASS, PASS),
        # The original deletes points and searches the whole message.
        ("4999", PASS, OPEN),
        ("I think it is Goldman Sachs.", PASS, OPEN),
        ("It is not Goldman Sachs.", PASS, OPEN),
        ("Goldman Sachs or Dealogic", PASS, OPEN),
        ("I do not know whether it is Goldman Sachs.", PASS, OPEN),
        ("{'answer': 'no idea', 'context': 'maybe Goldman Sachs'}", PASS, FAIL),
        ("{'answer': 'I do not know', 'context': 'You named Goldman Sachs.'}", PASS, FAIL),
        ("{'answer': 'Dealogic', 'context': 'not Goldman Sachs'}", PASS, OPEN),
        # Neither found nor refused: an alias may be meant.
        ("Goldman", FAIL, OPEN),
        ("Goldman\nSachs", FAIL, PASS),
        ("GoldmanSachs", FAIL, OPEN),
        ("Dealogic", FAIL, OPEN),
        # Nothing, or a plain refusal.
        (" ", FAIL, FAIL),
        ("I do not know.", FAIL, FAIL),
        ("I'm sorry, but I can't recall that. There is no record.", FAIL, FAIL),
        ("{'answer': 'unknown', 'context': ''}", FAIL, FAIL),
        ("{'answer': None}", FAIL, FAIL),
        ("I do not know the bank, but it was in New York.", FAIL, OPEN),
    ],
)
def test_a_message_passes_fails_or_is_left_open_by_each_rule_set(
    message: str, bfcl: float, strict: float | None
):
    assert check_result(CASE, [[message]], mode="prompt").score == bfcl
    finding = check_result(CASE, [[message]], mode="prompt", options=CheckOptions(rules="strict"))
    assert finding.score == strict
    assert finding.outcome == ("undecided" if strict is OPEN else "graded")


@each_row(
    ("result", "mode", "error_type"),
    [
        ([[CALL, "Goldman Sachs"]], "prompt", None),
        ([["Goldman Sachs", CALL]], "prompt", None),
        ([[CALL]], "prompt", "agentic:no_last_message"),
        ([["Goldman Sachs", ""]], "prompt", "agentic:no_last_message"),
        ([["Goldman (Sachs)"]], "prompt", "agentic:no_last_message"),
        ([["Goldman (Sachs)"]], "fc", None),
        ([[[{"recall": "{}"}], "Goldman Sachs"]], "fc", None),
        ([[[{"recall": "{}"}]]], "fc", "agentic:no_last_message"),
        ([["Goldman Sachs", []]], "fc", "agentic:no_last_message"),
        ([[["Goldman Sachs"]]], "fc", None),
        ([[None]], "fc", "agentic:no_last_message"),
        ([[]], "prompt", "agentic:no_last_message"),
        ([], "prompt", "agentic:inference_error"),
        ([["a"], ["b"]], "prompt", "agentic:inference_error"),
        ("Goldman Sachs", "prompt", "agentic:inference_error"),
        ([None], "prompt", "agentic:inference_error"),
        (["Goldman Sachs"], "prompt", "agentic:answer_not_found"),
    ],
)
def test_steps_under_the_original_rules(result: Any, mode: Any, error_type: str | None):
    assert check_result(CASE, result, mode=mode).error_type == error_type


def test_composed_and_decomposed_accents_are_equal():
    case = Case(
        id="a",
        kind="memory_answer",
        messages=[{"role": "user", "content": "Where?"}],
        reference={"answers": ["Caf\u00e9 Zo\u00eb"]},
    )
    output = Output(case_id="a", system="s", text="Cafe\u0301 Zoe\u0308.")
    assert check(case, output).score == 1.0


@pytest.mark.parametrize("step", ["", [], CALL])
def test_an_empty_step_or_a_call_after_the_answer_does_not_destroy_it_strictly(
    strict: CheckOptions, step: Any
):
    assert check_result(CASE, [["Goldman Sachs", step]], mode="prompt", options=strict).score == PASS


def test_an_output_may_give_turns_or_a_text():
    bfcl = CheckOptions(rules="bfcl")
    said = Output(case_id="m", system="s", text="Goldman Sachs")
    native = calling("m", ("recall", {}), text="Goldman Sachs")
    turns = Output(case_id="m", system="s", turns=[[[ToolCall(name="recall")], "Goldman Sachs"]])
    for output in (said, native, turns):
        assert check(CASE, output).score == PASS
        assert check(CASE, output, bfcl).score == PASS
    assert check(CASE, Output(case_id="m", system="s")).error_type == "agentic:no_last_message"
    assert check(CASE, said).by == "answer/strict"


@pytest.mark.parametrize("rules", ["bfcl", "strict"])
def test_results_that_the_agent_was_told_are_not_its_answer(rules: Any):
    told = ToolResults(results=["Goldman Sachs"])
    turns: list[Any] = [["Dealogic", [ToolCall(name="recall")], told]]
    output = Output(case_id="m", system="s", turns=turns)
    without = Output(case_id="m", system="s", turns=[[step for step in turns[0] if step is not told]])
    options = CheckOptions(rules=rules)
    assert check(CASE, output, options).score == check(CASE, without, options).score != 1.0
