"""Fixtures for the reference tests: worlds of an entry, a call's result text, values written as the reference writes them."""

from __future__ import annotations

import ast
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest

from fiducial.deterministic.environments import ENVIRONMENTS, World
from fiducial.deterministic.environments.travel import TravelAPI

Perform = Callable[[Mapping[str, World], str], str]

LONGEST_SPELLED_OUT = 1_500


@pytest.fixture(scope="session")
def perform() -> Perform:
    """Executes one call, literal arguments only, and gives its result's text.

    The original deletes white space between a word and a parenthesis, inside of texts too; the reference shows it.
    """

    def perform_call(worlds: Mapping[str, World], text: str) -> str:
        node = ast.parse(re.sub(r"\b([a-zA-Z_]\w*)\s*(?=\()", r"\1", text), mode="eval").body
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        method = next(
            getattr(world, node.func.id) for world in worlds.values() if hasattr(world, node.func.id)
        )
        named = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
        try:
            result = method(*map(ast.literal_eval, node.args), **named)
        except Exception as problem:  # noqa: BLE001 - whatever a method raises is its answer
            return f"Error during execution: {problem}"
        if isinstance(result, dict):
            try:
                return json.dumps(result)
            except TypeError:
                return str(result)  # pyright: ignore[reportUnknownArgumentType] - of anything
        return str(result)

    return perform_call


@pytest.fixture(scope="session")
def encoded() -> Callable[[Any], Any]:
    """Writes a value as the reference data writes states and results."""
    return _encoded


def _encoded(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_SPELLED_OUT:
        digest = hashlib.sha256(value.encode()).hexdigest()
        return {"len": len(value), "sha256": digest, "head": value[:100]}
    if isinstance(value, set):
        return {"__set__": sorted(cast("set[Any]", value))}
    if isinstance(value, list):
        return [_encoded(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        pairs = [(key, _encoded(item)) for key, item in cast("dict[Any, Any]", value).items()]
        if all(isinstance(key, str) for key, _ in pairs):
            return dict(pairs)
        return {"__dict__": [list(pair) for pair in pairs]}
    return value


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
