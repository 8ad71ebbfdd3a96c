"""The word overlap baseline: words, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row
from judge_items import make_case, make_output

from fiducial.errors import UsageError
from fiducial.judges import baseline_judge, baseline_verdict
from fiducial.judges.catalogue import JUDGED_KINDS
from fiducial.records import ToolCall


def score(judge: str = "tool_call_accuracy", case: Any = None, **output: Any) -> float | None:
    return baseline_verdict(case or make_case(), make_output(**output), judge).score


def call(**arguments: Any) -> list[ToolCall]:
    return [ToolCall(name="book_hotel", arguments=arguments)]


@each_row(
    ("calls", "expected"),
    [
        (call(city="Rome", nights=2), 1.0),
        (call(city="Paris", nights=2), 0.5),
        (call(city="Rome"), 0.5),
        (call(city="Paris", nights=7), 0.0),
        ([ToolCall(name="unknown", arguments={"city": "Rome"})], 0.0),
        ([], 1 - 1 / 4),
    ],
)
def test_calls_are_scored_by_required_names_and_words_of_the_request(
    calls: list[ToolCall], expected: float
) -> None:
    assert score(tool_calls=calls) == pytest.approx(expected)


def test_dots_and_underscores_in_names_are_the_same() -> None:
    parameters: dict[str, Any] = {"properties": {"city": {}}, "required": ["city"]}
    tool = {"type": "function", "function": {"name": "hotel.book", "parameters": parameters}}
    case = make_case(tools=[tool])
    assert score(case=case, tool_calls=[ToolCall(name="hotel_book", arguments={"city": "Rome"})]) == 1.0


def test_notation_makes_no_difference() -> None:
    assert score(tool_calls=None, text="[book_hotel(city='Rome', nights=2)]") == 1.0


@each_row(
    ("judge", "text", "expected"),
    [
        ("groundedness", "Rome city", 1.0),
        ("groundedness", "Rome burns", 0.5),
        ("memory_answer", "It is Rome.", 1.0),
        ("web_search_answer", "It is Paris.", 0.0),
        ("rubric", "The answer names a city", 1.0),
        ("task_completion", "Book 2 nights in Rome. (#0)", 1.0),
    ],
)
def test_other_judges_have_a_rule_too(judge: str, text: str, expected: float) -> None:
    assert score(judge, text=text, tool_calls=None) == pytest.approx(expected)


def test_it_signs_as_what_it_is() -> None:
    verdict = baseline_verdict(make_case(), make_output(), "tool_call_accuracy")
    assert (verdict.by, verdict.source) == ("tool_call_accuracy/lexical@baseline", "judge")
    assert verdict.usage is not None
    assert verdict.usage.calls == 0


def test_what_it_cannot_compare_is_not_applicable() -> None:
    verdict = baseline_verdict(make_case(context=[]), make_output(), "groundedness")
    assert (verdict.outcome, verdict.score) == ("not_applicable", None)


def test_it_has_no_rule_for_a_prompt_of_the_users_own() -> None:
    with pytest.raises(UsageError, match="no rule"):
        baseline_judge("mine.prompty")


@each_row("judge", JUDGED_KINDS)
def test_it_stands_in_for_every_judge_whatever_kind_that_judges(judge: str) -> None:
    assert baseline_judge(judge).kinds == JUDGED_KINDS[judge]
    for kind in JUDGED_KINDS[judge]:
        assert baseline_verdict(make_case(kind=kind, reference={}), make_output(), judge).outcome in {
            "graded",
            "not_applicable",
        }
