from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.multi_turn.turn_checks import ABSENT, equal, equal_in_kind, first_difference


@pytest.mark.parametrize(
    ("expected", "got", "path", "one", "other"),
    [
        (1, 2, "x", 1, 2),
        ({"a": 1}, {"a": 2}, "x['a']", 1, 2),
        ({"a": 1}, {}, "x['a']", 1, ABSENT),
        ({}, {"b": 1}, "x['b']", ABSENT, 1),
        ({"a": [1, {"k": 2}]}, {"a": [1, {"k": 3}]}, "x['a'][1]['k']", 2, 3),
        ([1], [1, 2], "x[1]", ABSENT, 2),
        ([1, 2], (1, 2), "x", [1, 2], (1, 2)),
        ({"a": 1}, [1], "x", {"a": 1}, [1]),
    ],
)
def test_the_first_difference_is_followed_down(expected: Any, got: Any, path: str, one: Any, other: Any):
    assert first_difference(expected, got, "x", equal) == (path, one, other)


def test_a_difference_reads_as_a_sentence():
    difference = first_difference({"a": 1}, {}, "World.things", equal)
    assert str(difference) == "World.things['a'] should be 1, is nothing"


@pytest.mark.parametrize(
    ("expected", "got", "plainly", "in_kind"),
    [
        (1, True, True, False),
        ({"a": [0]}, {"a": [False]}, True, False),
        (1, 1.0, True, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True, True),
        ([1, 2], [2, 1], False, False),
    ],
)
def test_equality_in_kind_tells_truth_values_from_numbers(
    expected: Any, got: Any, plainly: bool, in_kind: bool
):
    assert equal(expected, got) is plainly
    assert equal_in_kind(expected, got) is in_kind


def test_values_too_deep_to_compare_are_different():
    deep: Any = []
    deep.append(deep)
    other: Any = []
    other.append(other)
    assert not equal(deep, other)


values = st.recursive(
    st.integers(0, 2) | st.text("ab", max_size=1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=3),
)


@given(values, values)
def test_values_differ_at_the_place_that_is_named(expected: Any, got: Any):
    if equal(expected, got):
        return
    difference = first_difference(expected, got, "", equal)
    assert difference.expected is ABSENT or difference.got is ABSENT or difference.expected != difference.got
