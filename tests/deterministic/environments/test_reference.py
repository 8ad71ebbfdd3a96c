"""Replay of the reference traces and fuzzing: equal result texts and final states.

Three kinds of results depend on more than the call, and are compared accordingly (how many is printed):

* texts of Python's own exceptions: exactly on Python 3.11, where the reference was made; elsewhere both must be errors;
* lists that the original prints in the order of a set: in any order;
* ages: on the day that the fixture fixes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest

from fiducial.deterministic.environments import ENVIRONMENTS, World
from fiducial.deterministic.environments.travel import TravelAPI
from fiducial.deterministic.multi_turn.call_execution import direct_executor

pytestmark = pytest.mark.reference

Rows = Callable[[str], Iterator[dict[str, Any]]]
WorldsOf = Callable[[Mapping[str, Any]], dict[str, World]]
MAX_SPELLED_OUT_LENGTH = 1_500

ERROR = "Error during execution: "
PYTHONS_OWN = re.compile(
    r"missing \d+ required positional argument|got an unexpected keyword argument|object has no attribute"
    r"|string indices must be integers|unsupported operand type|does not match format"
)
IN_SET_ORDER = re.compile(r"(?<=Invalid fields for update: )[^\"]*|(?<=Must be one of \{)[^}]*")


@pytest.fixture(scope="session")
def reference_rows(reference: Path) -> Callable[[str], Iterator[dict[str, Any]]]:
    """Reads one of the reference files row by row."""

    def rows(name: str) -> Iterator[dict[str, Any]]:
        with gzip.open(
            reference / "bfcl" / "reference" / f"{name}.jsonl.gz", "rt", encoding="utf-8"
        ) as lines:
            yield from map(json.loads, lines)

    return rows


@pytest.fixture(scope="session")
def worlds_of(reference: Path) -> Callable[[Mapping[str, Any]], dict[str, World]]:
    """Makes the worlds of a row of the reference files from its entry's scenario.

    Ages are reckoned on a fixed day, so that the travellers born in 2020 of the fuzzed calls stay minors.
    """
    configs: dict[str, dict[str, Any]] = {}
    for path in sorted((reference / "bfcl" / "data").glob("BFCL_v4_multi_turn_*.json")):
        for line in path.read_text("utf-8").splitlines():
            entry = json.loads(line)
            configs[entry["id"]] = entry["initial_config"]

    def make_worlds(row: Mapping[str, Any]) -> dict[str, World]:
        worlds = {
            name: TravelAPI(today=lambda: date(2026, 1, 1)) if name == "TravelAPI" else ENVIRONMENTS[name]()
            for name in row["involved_classes"]
        }
        for name, world in worlds.items():
            config = configs[row["id"]].get(name, {})
            world.load(config, long_context=row["category"] == "multi_turn_long_context")
        return worlds

    return make_worlds


def perform(worlds: Mapping[str, World], text: str) -> str:
    """Execute one call.

    The original deletes white space between a word and a parenthesis, inside of texts too, and the
    reference shows it.
    """
    return direct_executor(worlds, "model")(re.sub(r"\b([a-zA-Z_]\w*)\s*(?=\()", r"\1", text))


def encoded(value: Any) -> Any:
    """A value as the reference data writes states and results."""
    if isinstance(value, str) and len(value) > MAX_SPELLED_OUT_LENGTH:
        digest = hashlib.sha256(value.encode()).hexdigest()
        return {"len": len(value), "sha256": digest, "head": value[:100]}
    if isinstance(value, set):
        return {"__set__": sorted(cast("set[Any]", value))}
    if isinstance(value, list):
        return [encoded(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        pairs = [(key, encoded(item)) for key, item in cast("dict[Any, Any]", value).items()]
        if all(isinstance(key, str) for key, _ in pairs):
            return dict(pairs)
        return {"__dict__": [list(pair) for pair in pairs]}
    return value


def test_every_ground_truth_trace_gives_the_same_results_and_states(
    reference_rows: Rows, worlds_of: WorldsOf
) -> None:
    rows = list(reference_rows("multi_turn_traces"))
    seen: Counter[str] = Counter()
    for row in rows:
        calls = [call for turn in row["turns"] for call in turn]
        seen += compare(row, calls, worlds_of(row))
    print(f"{len(rows)} traces, same results and states: {dict(seen)}")
    assert seen.total() > len(rows) > 0


def test_every_fuzzed_call_gives_the_same_result_and_state(reference_rows: Rows, worlds_of: WorldsOf) -> None:
    rows = list(reference_rows("api_fuzz"))
    seen: Counter[str] = Counter()
    for row in rows:
        seen += compare(row, row["calls"], worlds_of(row))
    print(f"{len(rows)} fuzzed scenarios, same results and states: {dict(seen)}")
    assert seen.total() > len(rows) > 0


def test_a_fuzzed_world_leaves_a_hundred_others_alone(reference_rows: Rows, worlds_of: WorldsOf) -> None:
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
) -> Counter[str]:
    """Execute calls, compare results and final states, and count the comparisons by sort."""
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
