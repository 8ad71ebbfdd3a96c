"""Accepted calls of a reference, in BFCL's form and in the plain one."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.errors import InputError
from fiducial.records import accepted_calls
from fiducial.records.accepted_calls import MARKERS, AnyOrder, AnyValue, InOrder


def accepted(value: Any) -> tuple[list[Any], bool]:
    """Return the values that the plain form accepts for one argument."""
    (call,) = accepted_calls([{"name": "book", "arguments": {"a": value}}])
    return call.arguments["a"].values, call.arguments["a"].optional


def test_both_forms_may_stand_side_by_side():
    bfcl, plain = accepted_calls(
        [
            {"book": {"city": ["Rome", "Roma"], "nights": [2, ""]}},
            {"name": "book", "arguments": {"city": "Rome"}},
        ]
    )
    assert (bfcl.name, bfcl.literal) == ("book", False)
    assert (bfcl.arguments["city"].values, bfcl.arguments["city"].optional) == (["Rome", "Roma"], False)
    assert (bfcl.arguments["nights"].values, bfcl.arguments["nights"].optional) == ([2], True)
    assert (plain.name, plain.literal) == ("book", True)
    assert (plain.arguments["city"].values, plain.arguments["city"].optional) == (["Rome"], False)


@pytest.mark.parametrize("call", [{"name": "ping"}, {"name": "ping", "arguments": {}}, {"ping": {}}])
def test_a_call_may_have_no_arguments(call: dict[str, Any]):
    assert accepted_calls([call])[0].arguments == {}


def test_a_function_called_name_is_bfcls_form():
    (call,) = accepted_calls([{"name": {"of": ["Rome"]}}])
    assert (call.name, call.literal) == ("name", False)


MEANINGS: list[tuple[Any, list[Any], bool]] = [
    ("", [""], False),
    (["Rome", ""], [["Rome", ""]], False),
    ({"any_of": ["Rome", "Roma"]}, ["Rome", "Roma"], False),
    ({"any_of": ["Rome", "Roma"], "optional": True}, ["Rome", "Roma"], True),
    ({"any_of": ["Rome"], "optional": False}, ["Rome"], False),
    ({"optional": 2}, [2], True),
    ({"optional": True}, [True], True),
    ({"optional": {"any_of": [1, 2]}}, [1, 2], True),
    ({"any_of": [1, {"any_of": [2, 3]}]}, [1, 2, 3], False),
    ({"exactly": {"any_of": [1, 2]}}, [{"any_of": [1, 2]}], False),
    ({"exactly": {"optional": 1}, "optional": True}, [{"optional": 1}], True),
    ({"any_of": [1], "of": 2}, [{"any_of": [1], "of": 2}], False),
    ({"any_order": ["a", "b"]}, [["a", "b"]], False),
    ({"in_order": ["a", "b"], "optional": True}, [["a", "b"]], True),
    ({"any_order": [{"any_of": [1, 2]}, 3]}, [[1, 3], [2, 3]], False),
    ({"any_of": [{"any_order": [1, 2]}, {"any_order": [3]}]}, [[1, 2], [3]], False),
    ({}, [{}], False),
    ({"name": {"any_of": ["Ann", "Anne"]}}, [{"name": "Ann"}, {"name": "Anne"}], False),
    ({"name": "Ann", "age": {"optional": 3}}, [{"name": "Ann", "age": 3}, {"name": "Ann"}], False),
    ([{"any_of": [1, 2]}, 3], [[1, 3], [2, 3]], False),
    ({"exactly": [{"name": {"optional": 1}}]}, [[{"name": {"optional": 1}}]], False),
]


@each_row(("value", "values", "optional"), MEANINGS)
def test_the_plain_form_means_what_it_says_unless_a_spelling_says_otherwise(
    value: Any, values: list[Any], *, optional: bool
):
    assert accepted(value) == (values, optional)


@each_row(
    ("call", "message"),
    [
        ({"book": {"city": "Rome"}}, "calls[0].book.city: expected a list of acceptable values, got 'Rome'"),
        ({"book": {}, "pay": {}}, 'calls[0]: expected {"name": FUNCTION, "arguments": {...}} or {FUNCTION: '),
        ({}, 'calls[0]: expected {"name": FUNCTION'),
        ({"book": 3}, "calls[0].book: expected an object with the arguments, got 3"),
        (
            {"name": "book", "args": {}},
            "calls[0]: unknown field 'args'; an accepted call has: name, arguments",
        ),
        (
            {"nam": "book", "arguments": {}},
            "calls[0]: unknown field 'nam'; an accepted call has: name, arguments",
        ),
        ({"name": 3, "arguments": {}}, "calls[0].name: expected the function's name, got 3"),
        (
            {"name": "b", "arguments": "{}"},
            "calls[0].arguments: expected an object with the arguments, got '{}'",
        ),
        (
            {"name": "b", "arguments": {"a": {"any_of": []}}},
            "calls[0].arguments.a.any_of: expected a list of",
        ),
        (
            {"name": "b", "arguments": {"a": {"any_of": "x"}}},
            "calls[0].arguments.a.any_of: expected a list of",
        ),
        (
            {"name": "b", "arguments": {"a": {"any_of": [1], "optional": 2}}},
            "calls[0].arguments.a.optional: expected true or false, got 2",
        ),
        (
            {"name": "b", "arguments": {"a": {"any_of": [1], "exactly": 2}}},
            "calls[0].arguments.a: expected any_of or exactly, got both",
        ),
        (
            {"name": "b", "arguments": {"a": {"any_order": "ab"}}},
            "calls[0].arguments.a.any_order: expected a list, got 'ab'",
        ),
        (
            {"name": "b", "arguments": {"a": {"in_order": [1], "any_order": [1]}}},
            "calls[0].arguments.a: expected in_order or any_order, got both",
        ),
        (
            {"name": "b", "arguments": {"a": {"in_order": [1], "any_order": [1], "exactly": 1}}},
            "calls[0].arguments.a: expected in_order or any_order or exactly, got all 3",
        ),
        (
            {"name": "b", "arguments": {"a": {"any_order": [0] * 501}}},
            "calls[0].arguments.a.any_order: expected at most 500 items, got 501",
        ),
        (
            {"name": "b", "arguments": {"a": [{"optional": 2}]}},
            "calls[0].arguments.a: an item of a list cannot be left out",
        ),
        (
            {"name": "b", "arguments": {"a": [{"any_of": list(range(40))}, {"any_of": list(range(40))}]}},
            "calls[0].arguments.a: its alternatives stand for more than 1,000 values",
        ),
    ],
)
def test_what_is_in_neither_form_is_refused_with_its_field(call: dict[str, Any], message: str):
    with pytest.raises(InputError) as caught:
        accepted_calls([call])
    assert str(caught.value).startswith(message)


PLAIN_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5).filter(lambda key: key not in MARKERS), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(PLAIN_JSON)
def test_a_value_without_spellings_means_itself(value: Any):
    assert accepted(value) == ([value], False)


@given(
    st.recursive(
        st.integers() | st.sampled_from(sorted(MARKERS)),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(sorted(MARKERS)), inner),
    )
)
def test_what_is_said_to_be_exact_means_itself(value: Any):
    assert accepted({"exactly": value}) == ([value], False)


def test_what_is_said_of_the_order_of_a_list_stays_with_it_wherever_it_stands():
    arguments = {"a": {"any_order": [1]}, "b": {"in_order": [1]}, "c": [1], "d": {"of": [{"any_order": [1]}]}}
    (call,) = accepted_calls([{"name": "f", "arguments": arguments}])
    kinds: dict[str, type] = {name: type(accepted.values[0]) for name, accepted in call.arguments.items()}
    assert kinds == {"a": AnyOrder, "b": InOrder, "c": list, "d": dict}
    assert type(call.arguments["d"].values[0]["of"][0]) is AnyOrder


def test_any_value_accepts_whatever_is_given():
    values, optional = accepted({"any_value": True, "optional": True})
    assert (values, optional) == ([AnyValue(any_value=True)], True)
    with pytest.raises(InputError, match=r"any_value: expected true, got False"):
        accepted({"any_value": False})
