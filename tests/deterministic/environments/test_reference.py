"""Every call of the reference traces and of the reference fuzzing: the same result text, and the same state at the end.

Three kinds of results depend on more than the call, and are compared accordingly (how many is printed):

* texts of Python's own exceptions: exactly on Python 3.11, where the reference was made; elsewhere both must be errors;
* lists that the original prints in the order of a set: in any order;
* ages: on the day that the fixture fixes.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pytest

from fiducial.deterministic.environments import World

pytestmark = pytest.mark.reference

Rows = Callable[[str], Iterator[dict[str, Any]]]
WorldsOf = Callable[[Mapping[str, Any]], dict[str, World]]
Perform = Callable[[Mapping[str, World], str], str]
Encoded = Callable[[Any], Any]

ERROR = "Error during execution: "
PYTHONS_OWN = re.compile(
    r"missing \d+ required positional argument|got an unexpected keyword argument|object has no attribute"
    r"|string indices must be integers|unsupported operand type|does not match format"
)
IN_SET_ORDER = re.compile(r"(?<=Invalid fields for update: )[^\"]*|(?<=Must be one of \{)[^}]*")


def test_every_ground_truth_trace_gives_the_same_results_and_states(
    reference_rows: Rows, worlds_of: WorldsOf, perform: Perform, encoded: Encoded
) -> None:
    rows = list(reference_rows("multi_turn_traces"))
    seen: Counter[str] = Counter()
    for row in rows:
        calls = [call for turn in row["turns"] for call in turn]
        seen += compare(row, calls, worlds_of(row), perform, encoded)
    print(f"{len(rows)} traces, same results and states: {dict(seen)}")
    assert seen.total() > len(rows) > 0


def test_every_fuzzed_call_gives_the_same_result_and_state(
    reference_rows: Rows, worlds_of: WorldsOf, perform: Perform, encoded: Encoded
) -> None:
    rows = list(reference_rows("api_fuzz"))
    seen: Counter[str] = Counter()
    for row in rows:
        seen += compare(row, row["calls"], worlds_of(row), perform, encoded)
    print(f"{len(rows)} fuzzed scenarios, same results and states: {dict(seen)}")
    assert seen.total() > len(rows) > 0


def test_a_fuzzed_world_leaves_a_hundred_others_alone(
    reference_rows: Rows, worlds_of: WorldsOf, perform: Perform, encoded: Encoded
) -> None:
    for row in [row for row in reference_rows("api_fuzz") if row["category"] == "multi_turn_long_context"][
        :10
    ]:
        others = [worlds_of(row) for _ in range(10)]
        before = [encoded(world.state()) for worlds in others for world in worlds.values()]
        fuzzed = worlds_of(row)
        for call in row["calls"]:
            perform(fuzzed, call["call"])
        assert [encoded(world.state()) for worlds in others for world in worlds.values()] == before


def compare(
    row: Mapping[str, Any],
    calls: Iterable[Mapping[str, Any]],
    worlds: Mapping[str, World],
    perform: Perform,
    encoded: Encoded,
) -> Counter[str]:
    """Execute calls and compare results and final states; tells how many results were compared in which way."""
    ways: Counter[str] = Counter()
    for call in calls:
        result, expected = encoded(perform(worlds, call["call"])), call["result"]
        way = way_to_compare(expected)
        ways[way] += 1
        if way == "in any order":
            result, expected = in_order(result), in_order(expected)
        if way == "Python's own error" and sys.version_info[:2] != (3, 11):
            result, expected = str(result)[: len(ERROR)], ERROR
        assert result == expected, (row["id"], call["call"])
    states = {name: encoded(world.state()) for name, world in worlds.items()}
    assert states == {name: row["final_state"].get(name, {}) for name in worlds}, row["id"]
    return ways


def way_to_compare(expected: Any) -> str:
    text = str(expected)
    if text.startswith(ERROR) and PYTHONS_OWN.search(text):
        return "Python's own error"
    listed = IN_SET_ORDER.search(text)
    return "in any order" if listed and "," in listed[0] else "exactly"


def in_order(text: str) -> str:
    return IN_SET_ORDER.sub(lambda listed: ", ".join(sorted(listed[0].split(", "))), text)
