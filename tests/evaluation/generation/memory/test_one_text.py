"""The memory that is one text."""

from __future__ import annotations

import pytest

from fiducial.evaluation.generation.memory.one_text import TextMemory


@pytest.fixture
def memory() -> TextMemory:
    world = TextMemory()
    world.load({})
    return world


def test_texts_are_appended_line_by_line_and_written_anew(memory: TextMemory):
    memory.memory_append("Ada lives in Lucca.")
    memory.memory_append("She has a dog.")
    assert memory.memory_retrieve() == {"memory_content": "Ada lives in Lucca.\nShe has a dog."}
    memory.memory_replace("Lucca", "Pisa")
    assert "Pisa" in memory.at_hand()
    memory.memory_update("Ada.")
    assert memory.state() == {"text": "Ada."}
    memory.memory_clear()
    assert memory.memory_retrieve() == {"memory_content": ""}


def test_what_would_be_too_long_changes_nothing(memory: TextMemory):
    memory.memory_update("x" * 10_000)
    assert "10002 characters" in memory.memory_append("y")["error"]
    assert memory.memory_retrieve() == {"memory_content": "x" * 10_000}


@pytest.mark.parametrize("old", ["", "not there"])
def test_only_what_is_there_is_replaced(memory: TextMemory, old: str):
    memory.memory_update("Ada")
    assert "error" in memory.memory_replace(old, "x")
    assert memory.at_hand() == "Ada"


def test_a_snapshot_of_something_else_is_refused():
    with pytest.raises(TypeError, match="expected a text"):
        TextMemory().load({"text": 7})
