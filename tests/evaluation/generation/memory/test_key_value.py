"""The memory by key: sizes, keys, search."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fiducial.evaluation.generation.memory.key_value import KeyValueMemory


@pytest.fixture
def memory() -> KeyValueMemory:
    world = KeyValueMemory()
    world.load({})
    return world


def test_what_is_added_can_be_retrieved_replaced_and_removed(memory: KeyValueMemory):
    assert memory.archival_memory_add("home_town", "Lucca") == {"status": "home_town added."}
    assert memory.archival_memory_retrieve("home_town") == {"value": "Lucca"}
    memory.archival_memory_replace("home_town", "Pisa")
    assert memory.archival_memory_retrieve("home_town") == {"value": "Pisa"}
    memory.archival_memory_remove("home_town")
    assert "error" in memory.archival_memory_retrieve("home_town")
    assert memory.archival_memory_list_keys() == {"keys": []}


def test_the_parts_know_nothing_of_each_other(memory: KeyValueMemory):
    memory.core_memory_add("name", "Ada")
    assert memory.archival_memory_list_keys() == {"keys": []}
    assert memory.core_memory_retrieve_all() == {"name": "Ada"}
    memory.core_memory_clear()
    assert memory.core_memory_retrieve_all() == {}


@pytest.mark.parametrize(
    "key", ["Home", "home town", "home-town", "_home", "home__town", "1st", "home_", "", "é"]
)
def test_a_key_that_is_not_snake_case_is_refused(memory: KeyValueMemory, key: str):
    assert "snake_case" in memory.core_memory_add(key, "x")["error"]


@pytest.mark.parametrize(("part", "entries", "characters"), [("core", 7, 300), ("archival", 50, 2000)])
def test_each_part_has_its_sizes(memory: KeyValueMemory, part: str, entries: int, characters: int):
    add: Any = getattr(memory, f"{part}_memory_add")
    assert "status" in add("longest", "x" * characters)
    assert str(characters) in add("longer", "x" * (characters + 1))["error"]
    for number in range(entries - 1):
        assert "status" in add(f"key_{number}", "x")
    assert "full" in add("one_more", "x")["error"]
    replace: Any = getattr(memory, f"{part}_memory_replace")
    assert "status" in replace("key_0", "y")


def test_a_key_is_not_added_twice(memory: KeyValueMemory):
    memory.core_memory_add("name", "Ada")
    assert "taken" in memory.core_memory_add("name", "Bea")["error"]
    assert memory.core_memory_retrieve("name") == {"value": "Ada"}


def test_arguments_that_do_not_fit_are_told_by_the_name_of_the_call(memory: KeyValueMemory):
    add: Any = memory.core_memory_add
    with pytest.raises(TypeError, match=r"^KeyValueMemory\.core_memory_add\(\) missing 1 .* 'value'$"):
        add("name")


@pytest.mark.parametrize("value", [None, 7, ["x"], {"a": "b"}])
def test_only_texts_are_kept(memory: KeyValueMemory, value: Any):
    assert "error" in memory.core_memory_add("name", value)
    assert memory.core_memory_retrieve_all() == {}


def test_keys_are_found_by_their_words(memory: KeyValueMemory):
    for key in ("first_doctor_visit", "favourite_food", "doctor_name"):
        memory.archival_memory_add(key, "x")
    ranked = memory.archival_memory_key_search("doctor visit", k=2)["ranked_results"]
    assert [key for _, key in ranked] == ["first_doctor_visit", "doctor_name"]
    assert ranked[0][0] > ranked[1][0] > 0
    assert memory.core_memory_key_search("doctor") == {"ranked_results": []}
    nothing_shared = memory.archival_memory_key_search("zebra")["ranked_results"]
    assert [score for score, _ in nothing_shared] == [0.0, 0.0, 0.0]


def test_scores_are_those_of_the_formula(memory: KeyValueMemory):
    """BM25+ with k1 = 1.5, b = 0.75, delta = 0.5, computed by hand for two keys."""
    from math import log

    memory.core_memory_add("a_b", "x")
    memory.core_memory_add("c", "x")
    ((score, key), _) = memory.core_memory_key_search("b")["ranked_results"]
    idf = log((2 + 1) / 1)
    length, average = 2, 1.5
    term = 1 * (1.5 + 1) / (1 + 1.5 * (1 - 0.75 + 0.75 * length / average)) + 0.5
    assert (key, score) == ("a_b", pytest.approx(idf * term, rel=1e-5))


def test_a_snapshot_brings_everything_back(memory: KeyValueMemory):
    memory.core_memory_add("name", "Ada")
    memory.archival_memory_add("town", "Lucca")
    again = KeyValueMemory()
    again.load(json.loads(json.dumps(memory.state())))
    assert again.state() == memory.state()
    assert again.at_hand() == "name: Ada"


@pytest.mark.parametrize("snapshot", [{"core": []}, {"core": {"a": 1}}, {"archival": "x"}])
def test_a_snapshot_of_something_else_is_refused(snapshot: dict[str, Any]):
    with pytest.raises(TypeError, match="expected an object of str values"):
        KeyValueMemory().load(snapshot)


def test_earlier_names_of_the_tools_are_known():
    memory = KeyValueMemory()
    memory.load({})
    memory.short_term_memory_add("illness", "gout")
    memory.long_term_memory_add("city", "Lucca")
    assert memory.core_memory_retrieve_all() == memory.short_term_memory_retrieve_all() == {"illness": "gout"}
    assert memory.archival_memory_list_keys() == memory.long_term_memory_list_keys() == {"keys": ["city"]}
    parts = {
        "long_term": "add clear key_search list_keys remove replace retrieve",
        "short_term": "add clear key_search list_keys remove replace retrieve retrieve_all",
    }
    names = [f"{part}_memory_{verb}" for part, verbs in parts.items() for verb in verbs.split()]
    assert len(names) == 15
    assert all(callable(getattr(memory, name)) for name in names)
