"""References extended by outputs found right, in their own form and under the checker."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic import check
from fiducial.evaluation.labelling.extend_reference import extended_reference
from fiducial.records import Case, Output, ToolCall

TOOL: dict[str, Any] = {
    "name": "book",
    "description": "Books.",
    "parameters": {
        "type": "dict",
        "properties": {name: {"type": "string", "description": name} for name in ("city", "note")},
        "required": ["city"],
    },
}


def case(*calls: dict[str, Any]) -> Case:
    tools = [{"type": "function", "function": TOOL}]
    return Case(
        id="c",
        kind="tool_call",
        messages=[{"role": "user", "content": "Book."}],
        tools=tools,
        reference={"calls": list(calls)},
    )


def output(*arguments: dict[str, Any]) -> Output:
    return Output(
        case_id="c",
        system="s",
        tool_calls=[ToolCall(name="book", arguments=argument) for argument in arguments],
    )


PLAIN: dict[str, Any] = {"name": "book", "arguments": {"city": "Rome"}}


@each_row(
    ("reference", "given", "becomes"),
    [
        (PLAIN, {"city": "Roma"}, {"name": "book", "arguments": {"city": {"any_of": ["Rome", "Roma"]}}}),
        (PLAIN, {"city": "Rome", "note": "x"}, {"name": "book", "arguments": {"city": "Rome", "note": {"optional": "x"}}}),
        (
            {"name": "book", "arguments": {"city": {"any_of": ["Rome", "Roma"]}}},
            {"city": "Rom"},
            {"name": "book", "arguments": {"city": {"any_of": ["Rome", "Roma", "Rom"]}}},
        ),
        (
            {"name": "book", "arguments": {"city": "Rome", "note": "x"}},
            {"city": "Rome"},
            {"name": "book", "arguments": {"city": "Rome", "note": {"optional": "x"}}},
        ),
        (
            {"name": "book", "arguments": {"city": "Rome", "note": {"optional": "x"}}},
            {"city": "Rome", "note": "y"},
            {"name": "book", "arguments": {"city": "Rome", "note": {"any_of": ["x", "y"], "optional": True}}},
        ),
        ({"book": {"city": ["Rome"]}}, {"city": "Roma"}, {"book": {"city": ["Rome", "Roma"]}}),
        ({"book": {"city": ["Rome"]}}, {"city": "Rome", "note": "x"}, {"book": {"city": ["Rome"], "note": ["x", ""]}}),
        ({"book": {"city": ["Rome"], "note": ["x"]}}, {"city": "Rome"}, {"book": {"city": ["Rome"], "note": ["x", ""]}}),
    ],
)  # fmt: skip
def test_a_call_is_accepted_beside_those_that_were(
    reference: dict[str, Any], given: dict[str, Any], becomes: dict[str, Any]
):
    before, made = case(reference), output(given)
    assert check(before, made).score == 0.0
    found = extended_reference(before, made)
    assert found == {"calls": [becomes]}
    after = case(becomes)
    assert check(after, made).score == 1.0
    assert check(after, output({"city": "Paris"})).score == 0.0


@pytest.mark.parametrize("text", ["[book(city='Roma')]", '[{"book": {"city": "Roma"}}]'])
def test_calls_in_a_text_are_read_as_the_checker_reads_them(text: str):
    made = Output(case_id="c", system="s", text=text)
    found = extended_reference(case(PLAIN), made)
    assert found is not None
    assert check(case(PLAIN), made).score == 0.0
    assert check(case(*found["calls"]), made).score == 1.0


def test_a_call_that_is_accepted_already_is_not_taken_for_another():
    rome, oslo = ({"book": {"city": [city]}} for city in ("Rome", "Oslo"))
    found = extended_reference(case(rome, oslo), output({"city": "Oslo"}, {"city": "Roma"}))
    assert found == {"calls": [{"book": {"city": ["Rome", "Roma"]}}, oslo]}


def test_other_calls_than_the_reference_lists_are_said_by_no_reference():
    assert extended_reference(case(PLAIN), output({"city": "Rome"}, {"city": "Rome"})) is None
    assert (
        extended_reference(case(PLAIN), Output(case_id="c", system="s", tool_calls=[ToolCall(name="cancel")]))
        is None
    )
    assert extended_reference(case(PLAIN), Output(case_id="c", system="s", text="I would book Rome.")) is None
    assert extended_reference(Case(id="c", kind="no_call", reference={}), output({"city": "Rome"})) is None


def test_an_answer_is_accepted_beside_those_that_were_unless_it_is_an_essay():
    asked = Case(
        id="c",
        kind="web_search_answer",
        messages=[{"role": "user", "content": "Who?"}],
        reference={"answers": ["Ann Lee"]},
    )
    assert extended_reference(asked, Output(case_id="c", system="s", text=" A. Lee ")) == {
        "answers": ["Ann Lee", "A. Lee"]
    }
    assert extended_reference(asked, Output(case_id="c", system="s", text="x" * 301)) is None
    assert extended_reference(asked, Output(case_id="c", system="s")) is None
