"""`match: auto`: exactly the accepted calls, among all tools, in any order unless asked."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_calls import calling, tool

from fiducial.deterministic import CheckOptions, check
from fiducial.records import Case, Verdict

TOOLS: dict[str, dict[str, Any]] = {
    name: tool(name, {argument: {"type": "string"} for argument in arguments}, arguments[:1])
    for name, arguments in {"get_weather": ["city"], "book": ["city", "date"], "pay.card": ["amount"]}.items()
}
BOOK = {"book": {"city": ["Rome", "Roma"], "date": ["2026-05-01", ""]}}
PAY = {"pay.card": {"amount": ["80"]}}
WEATHER = {"get_weather": {"city": ["Rome"]}}

Rules = Literal["bfcl", "strict"]
either_rules = pytest.mark.parametrize("rules", ["bfcl", "strict"])


def verdict(
    expected: list[dict[str, Any]],
    called: list[tuple[str, dict[str, Any]]],
    *,
    tools: list[str] | None = None,
    rules: Rules = "strict",
    **reference: Any,
) -> Verdict:
    """Return the verdict on calls, with the tools offered in the given order."""
    case = Case(
        id="trip",
        kind="tool_call",
        tools=[TOOLS[name] for name in tools or TOOLS],
        reference={"calls": expected, **reference},
    )
    return check(case, calling("trip", *called), CheckOptions(rules=rules))


@either_rules
def test_the_accepted_call_is_found_among_all_tools_that_are_offered(rules: Rules):
    for tools in (["get_weather", "book"], ["book", "get_weather"], ["book"]):
        booked = verdict([BOOK], [("book", {"city": "Rome"})], tools=tools, rules=rules)
        assert (booked.score, booked.reason) == (1.0, None)
        asked = verdict([BOOK], [("get_weather", {"city": "Rome"})], tools=tools, rules=rules)
        assert asked.error_type == "simple_function_checker:wrong_func_name"
        assert asked.reason == "called 'get_weather', expected book"


@either_rules
def test_exactly_the_accepted_calls_are_wanted(rules: Rules):
    book, pay = ("book", {"city": "Roma"}), ("pay.card", {"amount": "80"})
    assert verdict([BOOK, PAY], [pay, book], rules=rules).score == 1.0
    assert verdict([BOOK, PAY], [book], rules=rules).error_type == (
        "parallel_function_checker_no_order:wrong_count"
    )
    assert verdict([BOOK], [book, pay], rules=rules).error_type == "simple_function_checker:wrong_count"
    assert verdict([BOOK, PAY], [book, book], rules=rules).score == 0.0


@either_rules
def test_calls_have_to_come_in_order_where_the_reference_says_so(rules: Rules):
    book, pay = ("book", {"city": "Roma"}), ("pay.card", {"amount": "80"})
    assert verdict([BOOK, PAY], [book, pay], rules=rules, ordered=True).score == 1.0
    swapped = verdict([BOOK, PAY], [pay, book], rules=rules, ordered=True)
    assert swapped.error_type == "call_order:wrong_order"
    assert swapped.reason == "the right calls in the wrong order; expected book, pay.card"
    wrong = verdict([BOOK, PAY], [book, ("pay.card", {"amount": "70"})], rules=rules, ordered=True)
    assert (wrong.error_type, wrong.reason) == (
        "value_error:string",
        "call 2: argument amount: got '70', acceptable '80'",
    )


@either_rules
def test_an_early_expected_call_does_not_take_the_call_that_only_a_later_one_can_use(rules: Rules):
    either, rome = {"get_weather": {"city": ["Rome", "Pisa"]}}, {"get_weather": {"city": ["Rome"]}}
    called = [("get_weather", {"city": "Rome"}), ("get_weather", {"city": "Pisa"})]
    assert verdict([either, rome], called, rules=rules).score == 1.0
    assert verdict([either, rome], called[::-1], rules=rules).score == 1.0


@pytest.mark.parametrize(
    ("reference", "tools", "reason"),
    [
        ([], ["book"], "an accepted call"),
        ([BOOK], ["get_weather"], "the reference calls 'book', which is not among the tools"),
        ([BOOK], ["book", "get_weather", "book"], "2 tools have the name 'book'"),
    ],
)
def test_what_cannot_be_looked_up_is_undecided(reference: Any, tools: list[str], reason: str):
    found = verdict(reference, [("book", {"city": "Rome"})], tools=tools)
    assert found.outcome == "undecided"
    assert reason in (found.reason or "")


CALLED: list[tuple[str, dict[str, Any]]] = [
    ("book", {"city": "Rome"}),
    ("book", {"city": "Pisa", "date": "2026-05-01"}),
    ("pay.card", {"amount": "80"}),
    ("pay_card", {"amount": "80"}),
    ("get_weather", {"city": "Rome"}),
    ("get_weather", {}),
]
CALLS = st.lists(st.sampled_from(CALLED), max_size=4)
EXPECTED = st.lists(st.sampled_from([BOOK, PAY, WEATHER]), min_size=1, max_size=4)


@either_rules
@given(expected=EXPECTED, called=CALLS, data=st.data())
def test_neither_the_order_of_tools_nor_that_of_calls_matters(
    rules: Rules, expected: list[Any], called: list[Any], data: st.DataObject
):
    said = verdict(expected, called, rules=rules)
    tools = data.draw(st.permutations(list(TOOLS)))
    calls = data.draw(st.permutations(called))
    assert verdict(expected, called, tools=tools, rules=rules) == said
    again = verdict(data.draw(st.permutations(expected)), calls, tools=tools, rules=rules)
    assert again.score == said.score


@either_rules
@given(expected=EXPECTED, called=CALLS, data=st.data())
def test_where_order_is_asked_for_that_of_tools_still_does_not_matter(
    rules: Rules, expected: list[Any], called: list[Any], data: st.DataObject
):
    said = verdict(expected, called, rules=rules, ordered=True)
    tools = data.draw(st.permutations(list(TOOLS)))
    assert verdict(expected, called, tools=tools, rules=rules, ordered=True) == said
    assert said.score == 0.0 or verdict(expected, called, rules=rules).score == 1.0


def test_a_function_that_is_offered_under_the_underscored_name_is_another_one():
    pay = ("pay_card", {"amount": "80"})
    assert verdict([PAY], [pay]).score == 1.0
    both = {**TOOLS, "pay_card": {**TOOLS["pay.card"]["function"], "name": "pay_card"}}
    case = Case(id="trip", kind="tool_call", tools=list(both.values()), reference={"calls": [PAY]})
    assert check(case, calling("trip", pay)).error_type == "simple_function_checker:wrong_func_name"
