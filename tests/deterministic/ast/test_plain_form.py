"""References in the plain form: exactly these values and no more, under either rule set."""

from __future__ import annotations

from typing import Any, Literal

from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st
from tool_calls import calling

from fiducial.deterministic import CheckOptions, check
from fiducial.records import Case, Verdict

BOOK: dict[str, Any] = {
    "name": "book",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "nights": {"type": "integer", "default": 1},
            "price": {"type": "number"},
            "guest": {"type": "object"},
            "guests": {"type": "array", "items": {"type": "object"}},
            "tags": {"type": "array", "items": {"type": "string"}},
            "note": {"type": ["string", "null"]},
            "anything": {"description": "of no type"},
        },
        "required": ["city"],
    },
}

Rules = Literal["bfcl", "strict"]
either_rules = each_row("rules", ["bfcl", "strict"])


def verdict(accepted: dict[str, Any], given: dict[str, Any], rules: Rules = "strict") -> Verdict:
    case = Case(
        id="trip",
        kind="tool_call",
        tools=[BOOK],
        reference={"calls": [{"name": "book", "arguments": {"city": "Rome", **accepted}}]},
    )
    output = calling("trip", ("book", {"city": "Rome", **given}))
    return check(case, output, CheckOptions(rules=rules))


@either_rules
@each_row(
    ("accepted", "given", "score"),
    [
        ({}, {}, 1),
        ({}, {"nights": 1}, 0),
        ({"nights": 2}, {"nights": 2}, 1),
        ({"nights": 2}, {}, 0),
        ({"nights": 2}, {"nights": 3}, 0),
        ({"nights": {"optional": 2}}, {}, 1),
        ({"nights": {"optional": 2}}, {"nights": 2}, 1),
        ({"nights": {"optional": 2}}, {"nights": 3}, 0),
        ({"nights": {"any_of": [2, 3]}}, {"nights": 3}, 1),
        ({"nights": {"any_of": [2, 3]}}, {}, 0),
        ({"nights": {"any_of": [2, 3], "optional": True}}, {}, 1),
        ({"price": 80}, {"price": 80.0}, 1),
        ({"price": 80.0}, {"price": 80}, 1),
        ({"guest": {"name": "Ann"}}, {"guest": {"name": "Ann"}}, 1),
        ({"guest": {"name": "Ann"}}, {"guest": {"name": "Bob"}}, 0),
        ({"guest": {"name": "Ann"}}, {"guest": {"name": "Ann", "age": 3}}, 0),
        ({"guest": {"name": {"any_of": ["Ann", "Anne"]}}}, {"guest": {"name": "Anne"}}, 1),
        ({"guest": {"name": "Ann", "age": {"optional": 3}}}, {"guest": {"name": "Ann"}}, 1),
        # Lists in an object are values here, where in BFCL's form they are alternatives.
        ({"guest": {"names": ["Ann", "Bob"]}}, {"guest": {"names": ["Ann", "Bob"]}}, 1),
        ({"guest": {"names": ["Ann", "Bob"]}}, {"guest": {"names": "Ann"}}, 0),
        ({"guest": {"exactly": {"optional": 3}}}, {"guest": {"optional": 3}}, 1),
        ({"guest": {"exactly": {"optional": 3}}}, {}, 0),
        ({"guests": [{"name": "Ann"}]}, {"guests": [{"name": "Ann"}]}, 1),
        ({"guests": [{"name": "Ann"}]}, {"guests": [{"name": "Bob"}]}, 0),
        ({"guests": [{"name": {"any_of": ["Ann", "Anne"]}}]}, {"guests": [{"name": "Anne"}]}, 1),
        ({"tags": {"any_order": ["a", "b", "a"]}}, {"tags": ["a", "a", "b"]}, 1),
        ({"tags": {"any_order": ["a", "b", "a"]}}, {"tags": ["a", "b", "b"]}, 0),
        ({"tags": {"any_order": ["a", "b"]}}, {"tags": ["a"]}, 0),
        ({"tags": {"any_order": ["a", "b"], "optional": True}}, {}, 1),
        ({"tags": {"in_order": ["a", "b"]}}, {"tags": ["a", "b"]}, 1),
        ({"tags": {"in_order": ["a", "b"]}}, {"tags": ["b", "a"]}, 0),
        (
            {"guests": {"any_order": [{"name": "Ann"}, {"name": "Bo"}]}},
            {"guests": [{"name": "Bo"}, {"name": "Ann"}]},
            1,
        ),
        ({"tags": ["a", "b"]}, {"tags": ["a", "b"]}, 1),
        ({"tags": ["a", "b"]}, {"tags": ["a"]}, 0),
        ({"tags": []}, {"tags": []}, 1),
        ({"note": "sea view"}, {"note": "sea view"}, 1),
        ({"note": None}, {"note": None}, 1),
        ({"anything": {"a": [1]}}, {"anything": {"a": [1]}}, 1),
        ({"anything": {"a": [1]}}, {"anything": {"a": 1}}, 0),
        ({"anything": 3}, {"anything": 3}, 1),
    ],
)
def test_each_argument_has_exactly_the_value_that_is_written(
    accepted: dict[str, Any], given: dict[str, Any], score: float, rules: Rules
):
    assert verdict(accepted, given, rules).score == score


@either_rules
def test_an_empty_text_is_a_value(rules: Rules):
    assert verdict({"note": ""}, {"note": ""}, rules).score == 1.0
    assert verdict({"note": ""}, {}, rules).score == 0.0
    wrong = verdict({"note": {"optional": ""}}, {"note": "x"}, rules)
    assert wrong.reason == "argument note: got 'x', acceptable '', left out"


def test_the_documented_default_is_the_same_as_leaving_out_what_may_be_left_out():
    assert verdict({"nights": {"optional": 2}}, {"nights": 1}).score == 1.0


def test_a_verdict_shows_what_is_acceptable_and_the_call_as_it_is_written():
    wrong = verdict({"nights": {"any_of": [2, 3], "optional": True}}, {"nights": 4})
    assert wrong.reason == "argument nights: got 4, acceptable 2, 3, left out"
    assert wrong.evidence["expected"] == [2, 3, ""]
    twice = Case(
        id="trip",
        kind="tool_call",
        tools=[BOOK],
        reference={"calls": [{"name": "book", "arguments": {"city": "Rome"}}, {"book": {"city": ["Pisa"]}}]},
    )
    found = check(twice, calling("trip", ("book", {"city": "Milan"}), ("book", {"city": "Pisa"})))
    assert found.evidence["expected"] == {"name": "book", "arguments": {"city": "Rome"}}


def test_items_in_any_order_are_paired_as_well_as_they_can_be():
    accepted = {"anything": {"any_order": [{"any_of": ["a", "b"]}, "a"]}}
    assert verdict(accepted, {"anything": ["a", "b"]}).score == 1.0
    assert verdict(accepted, {"anything": ["b", "b"]}).score == 0.0


def test_bfcls_rules_know_short_lists_in_any_order_and_long_ones_as_they_are_written():
    for count, score in ((6, 1.0), (7, 0.0)):
        tags = [str(number) for number in range(count)]
        assert verdict({"tags": {"any_order": tags}}, {"tags": tags[::-1]}, "bfcl").score == score
        assert verdict({"tags": {"any_order": tags}}, {"tags": tags[::-1]}).score == 1.0


@given(
    st.lists(st.integers(0, 3), max_size=8).flatmap(
        lambda items: st.tuples(st.just(items), st.permutations(items))
    )
)
def test_no_order_of_a_list_in_any_order_is_a_fault(items: tuple[list[int], list[int]]):
    written, given_ = items
    assert verdict({"anything": {"any_order": written}}, {"anything": given_}).score == 1.0
