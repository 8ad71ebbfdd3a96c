"""The memory by likeness."""

from __future__ import annotations

import json
from zlib import crc32

import numpy as np
import pytest

from fiducial.evaluation.generation.memory.embedding import HashedWords
from fiducial.evaluation.generation.memory.vectors import VectorMemory


@pytest.fixture
def memory() -> VectorMemory:
    world = VectorMemory()
    world.load({})
    return world


def test_a_text_is_found_by_the_words_it_shares(memory: VectorMemory):
    for text in ("The patient has diabetes", "The dog is called Rex", "Winters in Kansas are rough"):
        memory.archival_memory_add(text)
    (first, second) = memory.archival_memory_retrieve("Is the patient diabetic?", top_k=2)["results"]
    assert (first["id"], first["text"]) == (0, "The patient has diabetes")
    assert first["similarity_score"] > second["similarity_score"]


def test_numbers_are_never_given_twice(memory: VectorMemory):
    assert memory.core_memory_add("a") == {"id": 0}
    assert memory.core_memory_add("b") == {"id": 1}
    memory.core_memory_remove(1)
    again = VectorMemory()
    again.load(json.loads(json.dumps(memory.state())))
    assert again.core_memory_add("c") == {"id": 2}
    assert again.core_memory_retrieve_all() == {"results": [{"id": 0, "text": "a"}, {"id": 2, "text": "c"}]}


def test_an_entry_is_updated_under_its_number(memory: VectorMemory):
    memory.core_memory_add("a")
    assert memory.core_memory_update(0, "b") == {"status": "Entry 0 updated."}
    assert memory.at_hand() == "0: b"
    assert "error" in memory.core_memory_update(5, "b")
    assert "error" in memory.core_memory_update(0, "x" * 301)


def test_sizes_are_kept(memory: VectorMemory):
    for number in range(7):
        memory.core_memory_add(str(number))
    assert "full" in memory.core_memory_add("one more")["error"]
    assert memory.core_memory_clear() == {"status": "Core memory cleared."}
    assert memory.core_memory_retrieve("x") == {"results": []}


def test_hashed_vectors_have_length_one_and_are_the_same_everywhere():
    vectors = HashedWords()(["Lucca in Tuscany", "", "Lucca in Tuscany"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1])
    assert (vectors[0] == vectors[2]).all()
    assert crc32(b"a") % 1024 in np.flatnonzero(HashedWords()(["a"])[0])


def test_like_words_are_alike_and_others_are_not():
    diabetes, diabetic, kansas = HashedWords()(["diabetes", "diabetic", "kansas"])
    assert diabetes @ diabetic > 0.2 > abs(diabetes @ kansas)
