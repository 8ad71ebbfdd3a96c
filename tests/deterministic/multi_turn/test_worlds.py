from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.environments import ENVIRONMENTS
from fiducial.deterministic.multi_turn.worlds import (
    ABSENT,
    environment_types,
    equal,
    equal_distinguishing_bools,
    first_difference,
    load_worlds,
    methods_of,
    public_methods,
    state_of,
)
from fiducial.records import MultiTurnReference


class Plain:
    limit = 5

    def load(self, config: dict[str, Any]) -> None:
        self.things = config.get("things", [])
        self._secret = 1

    def look(self) -> str:
        return "plain"


class Long(Plain):
    def load(self, config: dict[str, Any], long_context: bool = False) -> None:
        super().load(config)
        self.long = long_context

    def state(self) -> dict[str, Any]:
        return {"long": self.long}

    @staticmethod
    def add() -> str:
        return "added"


def test_a_world_is_told_of_long_contexts_only_if_it_asks():
    reference = MultiTurnReference(classes=["Plain", "Long"], calls=[], long_context=True)
    worlds = load_worlds(reference, (Plain, Long))
    assert worlds["Long"].long is True
    assert list(worlds) == ["Plain", "Long"]


def test_without_a_state_method_the_public_instance_attributes_are_compared():
    worlds = load_worlds(MultiTurnReference(classes=["Plain", "Long"], calls=[]), (Plain, Long))
    assert state_of(worlds["Plain"]) == {"things": []}
    assert state_of(worlds["Long"]) == {"long": False}


def test_public_routines_are_methods_and_the_later_world_has_a_shared_name():
    assert public_methods(Long) == ("add", "look")
    worlds = {"Plain": Plain(), "Long": Long()}
    assert methods_of(worlds)["look"].__self__ is worlds["Long"]  # pyright: ignore[reportFunctionMemberAccess] - bound


def test_a_world_of_ones_own_comes_before_a_built_in_one_of_the_same_name():
    assert environment_types(["MathAPI"], {"MathAPI": Plain}) == (Plain,)
    assert environment_types(["MathAPI"], {}) == (ENVIRONMENTS["MathAPI"],)


@each_row("name", sorted(ENVIRONMENTS))
def test_every_built_in_world_has_methods_and_starts_from_nothing(name: str):
    world = load_worlds(MultiTurnReference(classes=[name], calls=[]), (ENVIRONMENTS[name],))[name]
    assert public_methods(ENVIRONMENTS[name])
    assert isinstance(state_of(world), dict)


@each_row(
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


@each_row(
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
    assert equal_distinguishing_bools(expected, got) is in_kind


def nested(leaf: object) -> Any:
    value: Any = leaf
    for _ in range(2_000):
        value = {"next": [value]}
    return value


def ring(label: object) -> Any:
    """A tree of two nodes, each of which knows its parent."""
    root: dict[str, Any] = {"parent": None, "children": []}
    root["children"].append({"parent": root, "children": [], "label": label})
    return root


@pytest.mark.parametrize("made", [nested, ring])
def test_deep_values_and_those_that_contain_themselves_are_compared(made: Callable[[object], Any]):
    assert equal(made(1), made(1))
    assert equal_distinguishing_bools(made(1), made(1))
    assert not equal(made(1), made(2))
    assert equal(made(1), made(True))
    assert not equal_distinguishing_bools(made(1), made(True))


def test_the_difference_of_values_that_contain_themselves_is_found():
    assert first_difference(ring(1), ring(2), "x", equal) == ("x['children'][0]['label']", 1, 2)


def test_a_value_equal_to_nothing_but_itself_is_no_difference():
    nan = float("nan")
    assert first_difference([nan, 1], [nan, 2], "x", equal).path == "x[1]"


def test_containers_with_their_own_equality_are_compared_as_a_whole():
    expected, got = Counter({"a": 0, "b": 1}), Counter({"b": 2})
    assert first_difference([expected, 1], [Counter({"b": 1}), 2], "x", equal).path == "x[1]"
    assert first_difference([expected], [got], "x", equal).path == "x[0]"


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
