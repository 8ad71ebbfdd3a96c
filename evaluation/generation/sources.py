"""Who generates, ready to be begun: a system's name, what its outputs depend on, and how its agent is made."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import msgspec

from ...records import Case, CaseIndex, InputPath
from ..judging.access import ModelAccess
from ..progress import Progress
from .attempt import Agent
from .model_agent import ModelAgent, ModelSettings, examine_for_model
from .scene import Scenes
from .stage import Tally, generate
from .store import OutputsFile, Store


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Who generates.

    Attributes:
        system: What it is called in outputs.
        facts: What its outputs depend on: a file of outputs that was made otherwise is not gone on with.
        tasks: Attempts at a time.
        examine: Refuses a case that can never be put to it, with an InputError.
        agent: Makes the agent, for as long as the context is open.
    """

    system: str
    facts: Mapping[str, Any]
    tasks: int
    examine: Callable[[Case], None]
    agent: Callable[[], AbstractAsyncContextManager[Agent]]


_TASKS_PER_CALL = 2
"""Attempts at work per call in flight: while some wait to be tried again, others keep the slots busy."""


def model_source(
    settings: ModelSettings,
    access: ModelAccess,
    scenes: Scenes,
    *,
    system: str | None = None,
) -> Source:
    """A model as a source of outputs.

    Args:
        settings: How it is asked.
        access: How it is reached.
        scenes: Makes the worlds in which its calls are executed.
        system: What it is called in outputs; the model's name when left out.

    Returns:
        The source.
    """

    @asynccontextmanager
    async def agent() -> AsyncGenerator[Agent]:
        async with access.open() as provider:
            yield ModelAgent(settings, provider, scenes, system=system)

    def examine(case: Case) -> None:
        examine_for_model(case)
        scenes.examine(case)

    if access.budget is not None:
        access.budget.require_price(settings.model)
    facts = {name: getattr(settings, name) for name in ("model", "mode", "parameters", "steps_per_turn")}
    return Source(
        system=system or settings.model,
        facts=facts,
        tasks=access.concurrency * _TASKS_PER_CALL,
        examine=examine,
        agent=agent,
    )


def generate_file(
    source: Source, cases: InputPath, out: InputPath, progress: Progress, *, trials: int = 1
) -> Tally:
    """Generate outputs into a file, or go on where an earlier start stopped.

    Args:
        source: Who generates.
        cases: The cases file.
        out: The outputs file.
        progress: Told of every attempt.
        trials: Attempts at each case.

    Returns:
        What it came to.

    Raises:
        InputError: A case cannot be used; nothing was done.
        RunFolderError: The outputs file is in use, or holds outputs of this system that were made otherwise; nothing was done.
    """
    with CaseIndex(cases, source.examine) as index, OutputsFile(out, source.system, source.facts) as store:
        return asyncio.run(work_through(source, index, store, progress, trials=trials))


async def work_through(
    source: Source, cases: CaseIndex, store: Store, progress: Progress, *, trials: int = 1
) -> Tally:
    """The same, for who has the cases, a place to keep outputs, and a loop."""
    async with source.agent() as agent:
        return await generate(cases, agent, store, progress, trials=trials, tasks=source.tasks)
