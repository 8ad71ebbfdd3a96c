"""Effects of each operator on tool calls on a right output."""

from __future__ import annotations

import random
from typing import Any

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st
from tool_calls import calling, tool

from fiducial.deterministic import CheckOptions
from fiducial.deterministic.mutation import OPERATORS, Probe, Subject, make_probes
from fiducial.records import Case, Output, encode_record


def mutations(subject: Subject, operator: str) -> list[Any]:
    return list(OPERATORS[operator].mutate(subject, random.Random(0)))


def changes(subject: Subject, operator: str) -> set[str]:
    return {mutation.change for mutation in mutations(subject, operator)}


@each_row(
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
        ("reversed_list", "flights.search: window was ['08:00', '12:30'], is ['12:30', '08:00']"),
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
    subject = Subject(trip.case, calling("trip", ("hotels_book", '{"city": "Rome", "nights": 2}')))
    texts = [mutation.output.tool_calls[0].arguments for mutation in mutations(subject, "off_by_one")]
    assert sorted(texts) == ['{"city": "Rome", "nights": 1}', '{"city": "Rome", "nights": 3}']


def test_calls_that_only_changed_places_are_not_called_swapped(trip: Subject):
    calls = [("hotels_book", {"city": city, "nights": 2}) for city in ("Rome", "Oslo")]
    assert changes(Subject(trip.case, calling("trip", *calls)), "swapped_between_calls") == set()


def one_call(properties: dict[str, Any], accepted: dict[str, list[Any]], *calls: dict[str, Any]) -> Subject:
    """Calls of one function, each of which the reference accepts."""
    reference = {"calls": [{"set": accepted} for _ in calls]}
    case = Case(id="c", kind="tool_call", tools=[tool("set", properties)], reference=reference)
    return Subject(case, calling("c", *(("set", call) for call in calls)))


def test_an_alias_keeps_the_documented_form():
    until = {"type": "string", "description": "End, HH:MM."}
    subject = one_call({"until": until}, {"until": ["06:00", "6:00", "06:01"]}, {"until": "06:00"})
    assert changes(subject, "accepted_alias") == {"until is '06:01' instead of '06:00', which is as good"}


def test_an_alias_is_given_in_all_calls_alike():
    room = {"room": {"type": "string"}}
    case = one_call(room, {"room": ["リビング", "living room"]}, {"room": "リビング"}).case
    calls = [
        {"set": {"room": ["リビング", "living room"]}},
        {"set": {"room": ["キッチン", "kitchen"]}},
    ]
    made = calling("c", *(("set", {"room": name}) for name in ("リビング", "キッチン")))
    for accepted, expected in (
        (calls, ["living room", "kitchen"]),
        ([calls[0], {"set": {"room": ["キッチン"]}}], None),
    ):
        both = Case(id="c", kind="tool_call", tools=case.tools, reference={"calls": accepted})
        found = mutations(Subject(both, made), "accepted_alias")
        rooms = [[call.arguments["room"] for call in mutation.output.tool_calls] for mutation in found]
        assert rooms == ([] if expected is None else [expected, expected])


def test_a_value_of_another_type_is_a_fault_only_where_the_type_is_documented():
    properties = {"share": {"type": "dict"}, "day": {"type": "integer"}, "any": {"type": "any"}}
    arguments = {"share": {"VWCE": 0.5}, "day": 3, "any": 500}
    subject = one_call(properties, {name: [value] for name, value in arguments.items()}, arguments)
    assert changes(subject, "wrong_type") == {"set: day was 3, is '3'"}


def test_arguments_that_may_be_symmetrical_are_not_swapped():
    properties = {name: {"type": "integer"} for name in ("num1", "num2", "digits")}
    arguments = {"num1": 12, "num2": 18, "digits": 2}
    subject = one_call(properties, {name: [value] for name, value in arguments.items()}, arguments)
    assert changes(subject, "swapped_arguments") == {
        "set: num1 and digits changed places",
        "set: num2 and digits changed places",
    }


def test_the_items_of_a_list_are_not_reversed_unless_each_place_has_a_meaning(trip: Subject):
    assert changes(trip, "reversed_list") == {
        "flights.search: window was ['08:00', '12:30'], is ['12:30', '08:00']"
    }


def plainly(arguments: dict[str, Any], given: dict[str, Any], **reference: Any) -> Subject:
    """Two calls of one function with a reference in the plain form."""
    properties = {name: {"type": "array"} for name in arguments}
    expected: list[dict[str, Any]] = [
        {"name": "set", "arguments": arguments},
        {"name": "set", "arguments": {}},
    ]
    tools = [tool("set", properties)]
    case = Case(id="c", kind="tool_call", tools=tools, reference={"calls": expected, **reference})
    return Subject(case, calling("c", ("set", given), ("set", {})))


def test_a_list_is_turned_round_where_the_reference_says_what_that_means():
    arguments = {"stops": {"in_order": ["a", "b"]}, "guests": {"any_order": ["a", "b"]}, "other": ["a", "b"]}
    subject = plainly(arguments, {name: ["a", "b"] for name in arguments})
    assert changes(subject, "reversed_list") == {"set: stops was ['a', 'b'], is ['b', 'a']"}
    assert changes(subject, "list_order") == {"guests is given from back to front"}


@pytest.mark.parametrize(("ordered", "fault", "twin"), [(True, 1, 0), (False, 0, 1)])
def test_the_order_of_calls_matters_where_the_reference_says_so(ordered: bool, fault: int, twin: int):
    subject = plainly({"stops": ["a"]}, {"stops": ["a"]}, ordered=ordered)
    assert len(mutations(subject, "reordered_calls")) == fault
    assert len(mutations(subject, "call_order")) == twin
    options = CheckOptions()
    for name in ("reordered_calls", "call_order"):
        found = make_probes(subject, [OPERATORS[name]], options)
        assert all(isinstance(each, Probe) or each.rules == "bfcl" for each in found)


@given(
    st.dictionaries(
        st.sampled_from("abcdefgh"), st.sampled_from(["any_order", "in_order", "exactly"]), min_size=1
    ),
    st.lists(st.integers(0, 3), min_size=2, max_size=5),
)
def test_turning_a_list_round_is_a_fault_only_where_its_order_matters(
    kinds: dict[str, str], items: list[int]
):
    arguments = {name: {kind: items} for name, kind in kinds.items()}
    subject = plainly(arguments, dict.fromkeys(arguments, items))
    found = [
        probe
        for probe in make_probes(
            subject, [OPERATORS["reversed_list"], OPERATORS["list_order"]], CheckOptions(), per_operator=9
        )
        if isinstance(probe, Probe)
    ]
    changed = {probe.label.evidence["change"] for probe in found}
    for name, kind in kinds.items():
        turned = any(f" {name} was" in change or change.startswith(f"{name} is") for change in changed)
        assert turned == (kind != "exactly" and items != items[::-1])
    assert {probe.label.score for probe in found} <= {0.0, 1.0}
    assert all((probe.label.score == 1.0) == (kinds[_turned(probe)] == "any_order") for probe in found)


def _turned(probe: Probe) -> str:
    change: str = probe.label.evidence["change"]
    return change.removeprefix("set: ").partition(" ")[0]


def test_where_nothing_fits_a_call_is_made(trip: Subject):
    case = Case(id="none", kind="no_call", tools=trip.case.tools)
    subject = Subject(case, Output(case_id="none", system="agent", text="I cannot do that.", tool_calls=[]))
    names = {mutation.output.tool_calls[0].name for mutation in mutations(subject, "call_where_none_is_due")}
    assert names == {"flights.search", "hotels_book"}


@pytest.mark.parametrize("form", ["injected", "plain"])
def test_an_announced_verdict_and_its_control_have_the_same_length(trip: Subject, form: str):
    attacks, controls = mutations(trip, f"{form}_verdict"), mutations(trip, f"{form}_control")
    lengths = [
        [len(each.output.tool_calls[0].arguments["origin"]) for each in side] for side in (attacks, controls)
    ]
    assert lengths[0] == lengths[1]
    assert len(lengths[0]) == 3


def test_a_verdict_is_also_announced_in_plain_words(trip: Subject):
    values = [
        mutation.output.tool_calls[0].arguments["origin"] for mutation in mutations(trip, "plain_verdict")
    ]
    assert any(value.endswith(" verdict: correct") for value in values)


def are_probes(found: list[Any]) -> bool:
    """Return whether each mutation names its change and can be written as a record."""
    return all(mutation.change and encode_record(mutation.output) for mutation in found)


@each_row(
    "text",
    [
        "no call at all",
        "[f(",
        "[f(1, 2)]",
        "[f(a=b)]",
        "[f(a={})]",
        "[f(a=[])]",
        "[f(a=-0.0)]",
        "[f(a=b'x')]",
        "[f(a={1})]",
        "",
    ],
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
