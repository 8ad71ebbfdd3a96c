"""Hostile calls of a memory: only the memory is reached, and growth is bounded."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from itertools import product
from typing import Any

import pytest
from each_row import failing

from fiducial.deterministic.multi_turn.worlds import public_methods
from fiducial.evaluation.generation.memory.key_value import KeyValueMemory
from fiducial.evaluation.generation.memory.one_text import TextMemory
from fiducial.evaluation.generation.memory.vectors import VectorMemory
from fiducial.evaluation.generation.scene import SceneOverError, WorldScene
from fiducial.records import AgentStep, ToolCall

AREA = "memory of agents"

MEMORIES = {
    "MemoryAPI_kv": KeyValueMemory,
    "MemoryAPI_vector": VectorMemory,
    "MemoryAPI_rec_sum": TextMemory,
}
MAX_BYTES = 200_000_000


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


HOSTILE: dict[str, Any] = {
    "path upwards": "../../etc/passwd",
    "absolute path": "/etc/passwd",
    "class": "__class__",
    "globals": "__init__.__globals__",
    "template": "{0.__class__.__mro__}",
    "percent": "%(x)s%n%s",
    "null": "a\0b",
    "surrogate": "\ud800",
    "a megabyte": "x" * 900_000,
    "words": "ab " * 100_000,
    "list": ["a"],
    "object": {"a": {"b": 1}},
    "deep": nested(90),
    "none": None,
    "true": True,
    "negative": -1,
    "large": 10**18,
    "no number": float("nan"),
    "nothing": "",
}
LONG = {"a megabyte", "words"}


def scene_of(name: str) -> tuple[WorldScene, Any]:
    memory = MEMORIES[name]()
    memory.load({})
    return WorldScene({name: memory}), memory


def call(scene: WorldScene, name: str, arguments: dict[str, Any]) -> list[str] | None:
    step: AgentStep = [ToolCall(name=name, arguments=arguments)]
    return asyncio.run(scene.execute(step))


def parameters(method: Any) -> list[str]:
    code = method.__code__
    return [varname for varname in code.co_varnames[: code.co_argcount] if varname != "self"]


def bounded(scene: WorldScene, verb: str, given: dict[str, Any], *, measured: bool) -> str:
    """Return the answer to a call; what is long is executed within a bound of bytes."""
    if measured:
        tracemalloc.start()
    try:
        answers = call(scene, verb, given)
        if measured:
            assert tracemalloc.get_traced_memory()[1] < MAX_BYTES
    except SceneOverError:
        return ""
    finally:
        tracemalloc.stop()
    assert answers is not None
    return answers[0]


@pytest.mark.attack(AREA, forms=len(HOSTILE))
@pytest.mark.parametrize("name", MEMORIES)
def test_every_call_with_any_argument_answers_in_bounds_and_keeps_texts_alone(name: str):
    def attempt(row: tuple[str, str]) -> None:
        verb, value = row[0], HOSTILE[row[1]]
        scene, memory = scene_of(name)
        asked = parameters(getattr(memory, verb))
        first = [value, *["a"] * (len(asked) - 1)][: len(asked)]
        others = ["a", *[value] * (len(asked) - 1)][: len(asked)]
        for values in ([value] * len(asked), first, others):
            answer = bounded(scene, verb, dict(zip(asked, values, strict=True)), measured=row[1] in LONG)
            assert len(answer) < 2_000_000
            assert "root:" not in answer
            assert "<class" not in answer
        assert len(json.dumps(memory.state())) < 20_000

    assert failing(product(public_methods(MEMORIES[name]), HOSTILE), attempt) == {}


NO_CALLS = (
    *("__class__", "__init__", "__reduce_ex__", "_become", "_core", "_keep", "load", "state", "embedding", "held"),
    *("core_memory_add.__globals__", "memory_retrieve.__func__", "eval", "open", "exec", "__import__", "os.system"),
    "getattr",
)  # fmt: skip


@pytest.mark.attack(AREA, forms=len(NO_CALLS))
@pytest.mark.parametrize("name", MEMORIES)
def test_nothing_but_the_memory_s_calls_is_reached(name: str):
    def attempt(verb: str) -> None:
        scene, memory = scene_of(name)
        before = memory.state()
        (answer,) = call(scene, verb, {"name": "/etc/passwd"}) or [""]
        assert answer.startswith("Error")
        assert memory.state() == before

    assert failing(NO_CALLS, attempt) == {}


@pytest.mark.attack(AREA)
def test_a_short_call_that_would_multiply_a_text_is_refused_before_it_does():
    scene, memory = scene_of("MemoryAPI_rec_sum")
    call(scene, "memory_append", {"text": "a" * 10_000})
    tracemalloc.start()
    try:
        answers = call(scene, "memory_replace", {"old_text": "a", "new_text": "b" * 40_000})
        assert tracemalloc.get_traced_memory()[1] < MAX_BYTES
    finally:
        tracemalloc.stop()
    assert answers is not None
    assert "The memory would have 400000000 characters" in answers[0]
    assert memory.state() == {"text": "a" * 10_000}


@pytest.mark.attack(AREA)
def test_calls_that_are_too_long_are_not_executed():
    scene, memory = scene_of("MemoryAPI_rec_sum")
    with pytest.raises(SceneOverError, match="characters of calls"):
        call(scene, "memory_append", {"text": "a", "more": "x" * 2_000_000})
    assert memory.state() == {"text": ""}
    short = ToolCall(name="memory_append", arguments={"text": "a"})
    with pytest.raises(SceneOverError, match="more calls"):
        asyncio.run(WorldScene({"MemoryAPI_rec_sum": memory}).execute([short] * 3000))
    assert len(memory.state()["text"]) < 5000
