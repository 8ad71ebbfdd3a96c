"""Calls written as text by people."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

import fiducial as fd
from fiducial.errors import RecordError
from fiducial.formats.written_calls import literal_arguments, written_calls

BOOK = {"name": "book", "arguments": {"city": "Rome", "nights": 2}}
PAY = {"name": "pay.now", "arguments": {"amount": -1.5}}


@each_row(
    ("text", "calls"),
    [
        ('book(city="Rome", nights=2)', [BOOK]),
        ("[book(city='Rome', nights=2)]", [BOOK]),
        ('book(city="Rome", nights=2); pay.now(amount=-1.5)', [BOOK, PAY]),
        ('book(city="Rome", nights=2), pay.now(amount=-1.5)', [BOOK, PAY]),
        ('1. book(city="Rome", nights=2)\n2. `pay.now(amount=-1.5)`.\n', [BOOK, PAY]),
        ('book(city="Rome", nights=2) and then pay.now(amount=-1.5)', [BOOK, PAY]),
        ("book(city=“Rome”, nights=2) → pay.now(amount=-1.5)", [BOOK, PAY]),
        ('f(a="“x”; y, then (z", b=[true, None], c={"k": 1})', [{"name": "f", "arguments": {"a": "“x”; y, then (z", "b": [True, None], "c": {"k": 1}}}]),
        ("book", [{"name": "book"}]),
        ("None", []),
        ("no call.", []),
    ],
)  # fmt: skip
def test_calls_are_read_as_people_write_them(text: str, calls: list[Any]):
    assert written_calls(text) == calls


@each_row(
    ("text", "problem"),
    [
        ('weather("Rome")', "an argument of weather has no name: 'Rome'"),
        ('book(city="Rome" nights=4)', "Perhaps you forgot a comma"),
        ("book(city=Rome)", "Rome is not a value; a text needs quotes"),
        ("book(x=1, **{})", "stands twice or is unpacked"),
        ("Book 2 nights", "not Python"),
        ("n/a", "'n/a' is not a call"),
        ("f(x=1e999)", "is not a JSON value"),
        ("f(x=" + "[" * 9999, "nested"),
    ],
)
def test_text_that_is_no_call_says_what_to_write(text: str, problem: str):
    with pytest.raises(RecordError, match=r"cannot be read as calls: .*write it as book") as caught:
        written_calls(text, "expected_calls")
    assert problem in caught.value.message
    assert caught.value.field == "expected_calls"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.sampled_from(["a", "b", "c_1"]), VALUES, max_size=3), min_size=1, max_size=3), st.sampled_from([", ", "; ", "\n", " and "]))  # fmt: skip
def test_whatever_values_calls_have_they_are_read_back(arguments: list[dict[str, Any]], between: str):
    written = between.join(
        f"f({', '.join(f'{k}={v!r}' for k, v in argument.items())})" for argument in arguments
    )
    assert written_calls(written) == [{"name": "f", "arguments": argument} for argument in arguments]


def test_arguments_that_python_printed_are_an_object():
    assert literal_arguments("{'city': 'Rome', 'pets': None, 'days': (1, 2)}") == {"city": "Rome", "pets": None, "days": [1, 2]}  # fmt: skip
    assert [literal_arguments(text) for text in ("{'a'", "{1, 2}", "{1: 2}", "Rome", "{'a': x()}")] == [None] * 5  # fmt: skip


@each_row(
    ("expected", "kind"),
    [
        ('book(city="Rome")', "tool_call"),
        ('{"name": "book", "arguments": {"city": "Rome"}}', "tool_call"),
        ('fly(city="Rome")', "memory_answer"),
        ("book", "memory_answer"),
        ("Rome (Italy)", "memory_answer"),
    ],
)
def test_accepted_answers_that_call_offered_tools_are_expected_calls(expected: str, kind: str):
    tool = {"name": "book", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
    row = {"id": "a", "question": "Book Rome.", "tools": [tool], "expected": expected, "answer": "Done."}
    (case,) = fd.read([row]).cases
    assert case.kind == kind
    if kind == "tool_call":
        assert case.reference["calls"] == [{"name": "book", "arguments": {"city": "Rome"}}]
