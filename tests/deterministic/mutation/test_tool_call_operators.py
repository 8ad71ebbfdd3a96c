"""What each operator on tool calls does to a right output."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fiducial.deterministic.mutation import OPERATORS, Subject
from fiducial.records import Case, Output, ToolCall, encode_record


def mutations(subject: Subject, operator: str) -> list[Any]:
    return list(OPERATORS[operator].mutate(subject, random.Random(0)))


def changes(subject: Subject, operator: str) -> set[str]:
    return {mutation.change for mutation in mutations(subject, operator)}


@pytest.mark.parametrize(
    ("operator", "change"),
    [
        ("swapped_enum", "flights.search: cabin was 'business', is 'first'"),
        ("off_by_one", "flights.search: passengers was 2, is 3"),
        ("flipped_sign", "flights.search: budget was 800.0, is -800.0"),
        ("wrong_magnitude", "flights.search: budget was 800.0, is 8000.0"),
        ("shifted_date", "flights.search: date was '2026-05-14', is '2026-05-15'"),
        ("wrong_unit", "flights.search: unit was 'euros', is 'dollars'"),
        ("flipped_boolean", "flights.search: direct was True, is False"),
        ("wrong_type", "flights.search: passengers was 2, is '2'"),
        ("reversed_list", "flights.search: stops was ['Madrid', 'Paris'], is ['Paris', 'Madrid']"),
        ("missing_required", "flights.search: date='2026-05-14' was left out"),
        ("missing_optional", "flights.search: budget=800.0 was left out"),
        ("swapped_arguments", "flights.search: origin and destination changed places"),
        ("swapped_between_calls", "calls 1 and 2 exchanged their date"),
        ("wrong_function", "hotels_book was called instead of flights.search"),
        ("dropped_call", "call 2, of flights.search, was left out"),
        ("duplicated_call", "call 1, of flights.search, was made twice"),
        ("extra_call", "hotels_book was called as well"),
        ("call_order", "calls are made from back to front"),
        ("number_notation", "budget is written 800 instead of 800.0"),
        ("underscored_name", "dots in function names are underscores"),
        ("default_spelled_out", "flights.search: cabin='economy', the default, is spelled out"),
        ("letter_case", "destination is in lower case"),
        ("accepted_alias", "origin is 'LIS' instead of 'Lisbon', which is as good"),
        ("other_notation", "source text instead of native calls"),
        ("unrelated_tool", "one more function is offered, which has nothing to do with it"),
    ],
)
def test_an_operator_says_what_it_changed(trip: Subject, operator: str, change: str):
    assert change in changes(trip, operator)


def test_an_invented_optional_value_is_not_in_the_question(trip: Subject):
    found = changes(trip, "invented_optional")
    assert "flights.search: cabin='business' was added, which nobody asked for" in found
    assert not any("euros" in change for change in found)


def test_near_names_share_the_beginning_and_are_another_name(trip: Subject):
    values = [
        mutation.output.tool_calls[0].arguments["destination"] for mutation in mutations(trip, "near_name")
    ]
    others = [value for value in values if value != "New York"]
    assert others
    assert all(value.startswith("New ") for value in others)


def test_the_original_is_not_touched(trip: Subject):
    before = str(trip.output)
    for name in OPERATORS:
        mutations(trip, name)
    assert str(trip.output) == before


def test_source_text_is_mutated_as_source_text(written_trip: Subject):
    for name in ("off_by_one", "dropped_call", "missing_required", "argument_order", "letter_case"):
        for mutation in mutations(written_trip, name):
            assert mutation.output.tool_calls is None
            assert mutation.output.text.startswith("[flights.search(")


def test_arguments_that_came_as_json_text_stay_json_text(trip: Subject):
    call = ToolCall(name="hotels_book", arguments='{"city": "Rome", "nights": 2}')
    subject = Subject(trip.case, Output(case_id="trip", system="agent", tool_calls=[call]))
    texts = [mutation.output.tool_calls[0].arguments for mutation in mutations(subject, "off_by_one")]
    assert sorted(texts) == ['{"city": "Rome", "nights": 1}', '{"city": "Rome", "nights": 3}']


def test_calls_that_only_changed_places_are_not_called_swapped(trip: Subject):
    calls = [ToolCall(name="hotels_book", arguments={"city": city, "nights": 2}) for city in ("Rome", "Oslo")]
    subject = Subject(trip.case, Output(case_id="trip", system="agent", tool_calls=calls))
    assert changes(subject, "swapped_between_calls") == set()


def test_where_nothing_fits_a_call_is_made(trip: Subject):
    case = Case(id="none", kind="no_call", tools=trip.case.tools)
    subject = Subject(case, Output(case_id="none", system="agent", text="I cannot do that.", tool_calls=[]))
    names = {mutation.output.tool_calls[0].name for mutation in mutations(subject, "call_where_none_is_due")}
    assert names == {"flights.search", "hotels_book"}


def test_an_injected_verdict_and_its_control_have_the_same_length(trip: Subject):
    attacks, controls = mutations(trip, "injected_verdict"), mutations(trip, "injected_control")
    lengths = [
        [len(each.output.tool_calls[0].arguments["origin"]) for each in side] for side in (attacks, controls)
    ]
    assert lengths[0] == lengths[1]
    assert len(lengths[0]) == 4


def are_probes(found: list[Any]) -> bool:
    """Whether each mutation says what it changes and can be written down."""
    return all(mutation.change and encode_record(mutation.output) for mutation in found)


@pytest.mark.parametrize(
    "text", ["no call at all", "[f(", "[f(1, 2)]", "[f(a=b)]", "[f(a={})]", "[f(a=[])]", "[f(a=-0.0)]", ""]
)
def test_no_operator_stumbles_over_odd_output(trip: Subject, text: str):
    subject = Subject(trip.case, Output(case_id="trip", system="odd", text=text))
    for name in OPERATORS:
        assert are_probes(mutations(subject, name)), name


def test_no_operator_stumbles_over_odd_documents():
    documents: list[dict[str, Any]] = [
        {
            "name": "f",
            "parameters": {"properties": {"a": 3, "b": None, "c": {"enum": "x"}}, "required": [1, {}]},
        },
        {"name": "f", "parameters": None},
        {"name": "f"},
        {"name": "f", "parameters": {"properties": []}},
    ]
    for parameters in documents:
        case = Case(
            id="c",
            kind="tool_call",
            tools=[{"type": "function", "function": parameters}],
            reference={"calls": [{"f": {"a": ["x"]}}]},
        )
        subject = Subject(
            case, Output(case_id="c", system="s", text="[f(a='x', c=1e308, d=[[[[[[[1]]]]]]])]")
        )
        for name in OPERATORS:
            assert are_probes(mutations(subject, name)), name
