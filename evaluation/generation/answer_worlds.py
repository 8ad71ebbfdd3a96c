"""Scenes for questions about a memory, the web or custom environments."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from ...deterministic.multi_turn.worlds import environment_types
from ...deterministic.options import Rules
from ...errors import InputError
from ...records import AnswerReference, Case, kind_spec
from ...records.typed_values import convert
from ...spelling import setting
from .attempt import NoOutputError
from .memory.embedding import Embedding
from .memory.histories import Remembered, with_opening
from .memory.key_value import KeyValueMemory
from .memory.one_text import TextMemory
from .memory.vectors import vector_memory
from .scene import Converse, Scene, WorldScene
from .web.engine import SearchEngine
from .web.web_search import web_world

WEB = "WebSearchAPI"


class AnswerWorlds:
    """Factory of scenes with memories, the web and custom worlds; see `Scenes`.

    Args:
        environments: Custom worlds, by class name; they take precedence over memories and the web.
        remembered: Memories from the conversations that precede cases.
        engine: Search engine for the web, or None if there is none.
        embedding: Turns texts of the vector memory into vectors, or None for `HashedWords`.
        rules: See `WorldScene`.
    """

    def __init__(
        self,
        environments: Mapping[str, type],
        remembered: Remembered,
        engine: SearchEngine | None = None,
        embedding: Embedding | None = None,
        rules: Rules = "strict",
    ) -> None:
        self._environments: dict[str, type] = {
            "MemoryAPI": KeyValueMemory,
            "MemoryAPI_kv": KeyValueMemory,
            "MemoryAPI_vector": vector_memory(embedding),
            "MemoryAPI_rec_sum": TextMemory,
            **({} if engine is None else {WEB: web_world(engine)}),
            **environments,
        }
        self._remembered = remembered
        self._rules: Rules = rules

    def examine(self, case: Case) -> None:
        """Validate a case; see `Scenes.examine`."""
        for name, world in self._world_types(case).items():
            _load(world, _reference_of(case).initial_config.get(name, {}), case)
            if _is_memory(world):
                self._remembered.examine(case)

    async def scene(self, case: Case, trial: int, converse: Converse) -> Scene | None:
        """Return the scene of an attempt; see `Scenes.scene`.

        Pending conversations of the case's history are held first.
        """
        world_types = self._world_types(case)
        if not world_types:
            if kind_spec(case.kind).family == "answer" and WEB in _reference_of(case).classes:
                raise NoOutputError(
                    f"no web to search: name a corpus or a search service with {setting('search')}"
                )
            return None
        reference = _reference_of(case)
        worlds: dict[str, Any] = {}
        shown_case = case
        for name, world in world_types.items():
            config = reference.initial_config.get(name, {})
            if _is_memory(world):
                hold_conversation = partial(self._hold_conversation, name, converse)
                config = await self._remembered.before(case, name, world, trial, hold_conversation) or config
            worlds[name] = _load(world, config, case)
            if _is_memory(world):
                shown_case = msgspec.structs.replace(
                    shown_case, messages=with_opening(shown_case.messages, worlds[name])
                )
        return WorldScene(worlds, self._rules, shown_case)

    def _world_types(self, case: Case) -> dict[str, type]:
        if kind_spec(case.kind).family != "answer":
            return {}
        classes = [name for name in _reference_of(case).classes if name != WEB or WEB in self._environments]
        try:
            return dict(zip(classes, environment_types(classes, self._environments), strict=True))
        except InputError as error:
            raise InputError(f"case {case.id!r}: {error.message}", field=error.field) from error

    async def _hold_conversation(self, name: str, converse: Converse, case: Case, memory: Any) -> None:
        """Hold a conversation that precedes a case, with the memory as its only world."""
        await converse(case, WorldScene({name: memory}, self._rules))


def _reference_of(case: Case) -> AnswerReference:
    return convert(case.reference, AnswerReference)


def _is_memory(world: type) -> bool:
    """Return whether a world is an agent's memory, a part of which is shown without a call."""
    return hasattr(world, "at_hand")


def _load(world: type, config: Mapping[str, Any], case: Case) -> Any:
    instance = world()
    try:
        instance.load(config)
    except Exception as error:  # a custom world may raise anything
        message = f"case {case.id!r}: the world does not take its configuration: {error}"
        raise InputError(message, field="reference.initial_config") from error
    return instance
