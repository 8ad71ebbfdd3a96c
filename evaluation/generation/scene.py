"""Execution of an agent's calls: the environments of one attempt, and their factories.

`Scenes` is the protocol of factories, which `FirstOf` combines. A world is any class with ``load``, public methods and ``state``
(docs/own-worlds.md); `WorldScene` executes calls in worlds, in a thread if a world has ``blocking = True``.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

from ...deterministic.multi_turn.call_execution import Allowance, LimitExceededError
from ...deterministic.multi_turn.reference import scenario_of
from ...deterministic.multi_turn.rule_sets import RuleSet, rule_set
from ...deterministic.options import Rules
from ...errors import DecodingError
from ...judges.loop_thread import thread_safe_call
from ...records import AgentStep, Case, ToolCall, kind_spec

T = TypeVar("T")


class Scene(Protocol):
    """The worlds of one attempt."""

    shown: Case | None
    """The case as shown to the agent, or None if it is shown unchanged."""

    async def execute(self, step: AgentStep) -> list[str] | None:
        """Execute the calls of a step.

        Returns:
            The result of each call, as shown to the agent, or None if the step contains no calls, which ends its turn.

        Raises:
            SceneOverError: The agent exceeds the limits on calls.
            ProviderError: A service that a world depends on does not answer.
        """
        ...


Converse: TypeAlias = Callable[[Case, Scene], Awaitable[object]]
"""Function that has the agent hold the conversation of a case in a scene."""


class Scenes(Protocol):
    """Factory of the scenes of attempts."""

    def examine(self, case: Case) -> None:
        """Refuse a case whose worlds cannot be made, before any work.

        Raises:
            InputError: A world is unknown, or does not take its configuration.
        """
        ...

    async def scene(self, case: Case, trial: int, converse: Converse) -> Scene | None:
        """Return fresh environments for one attempt, or None if the case's calls are not executed.

        Raises:
            InputError: See `examine`.
            NoOutputError: A world needs something that is missing.
            ProviderError: A call to a model failed, after its retries.
        """
        ...


class SceneOverError(Exception):
    """Error for an attempt that exceeds the limits on calls."""


async def in_daemon_thread(work: Callable[[], T]) -> T:
    """Run a function in a thread that does not delay the exit of the process."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(set_outcome: Callable[[Any], None], outcome: Any) -> None:
        if not future.done():
            set_outcome(outcome)

    def run() -> None:
        try:
            settled = future.set_result, thread_safe_call(work)()
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            settled = future.set_exception, error
        with suppress(RuntimeError):  # the loop has ended, so no caller waits
            loop.call_soon_threadsafe(settle, *settled)

    threading.Thread(target=run, name="fiducial-world", daemon=True).start()
    return await future


class WorldScene:
    """Scene in simulated worlds, whose methods the agent calls by name.

    Args:
        worlds: Worlds of this attempt by class name, in their initial states.
        rules: On an unreadable call, ``strict`` returns an error to the agent, and ``bfcl`` ends the turn.
        shown: See `Scene`.
    """

    def __init__(self, worlds: Mapping[str, Any], rules: Rules = "strict", shown: Case | None = None) -> None:
        self.worlds = worlds
        self.shown = shown
        self._rules = rules
        types: tuple[type, ...] = tuple(world.__class__ for world in worlds.values())
        self._rule_set: RuleSet = rule_set(rules, types)
        self._run = self._rule_set.executor(worlds, "model")
        self._allowance = Allowance()
        self._blocking = any(getattr(world, "blocking", False) for world in worlds.values())

    async def execute(self, step: AgentStep) -> list[str] | None:
        """Execute a step's calls; see `Scene.execute`."""
        if self._blocking:
            return await in_daemon_thread(partial(self._execute, step))
        return self._execute(step)

    def _execute(self, step: AgentStep) -> list[str] | None:
        try:
            # BFCL ends the turn at one unreadable call; strict rules answer each call separately.
            if isinstance(step, list) and self._rules == "strict":
                return [self._answer(call) for call in step] or None
            read_calls = self._rule_set.reader("prompt" if isinstance(step, str) else "fc")
            try:
                calls = read_calls(step)
            except (DecodingError, RecursionError):
                return None
            return self._execute_calls(calls) or None
        except LimitExceededError as error:
            raise SceneOverError(str(error)) from error

    def _answer(self, call: ToolCall) -> str:
        """Return the result of a native call, or an error for an unreadable call."""
        try:
            (text,) = self._rule_set.reader("fc")([call])
        except (DecodingError, RecursionError) as error:
            problem = f"Error: the call cannot be read: {error}"
            return self._allowance.execute("", lambda _: problem)  # it counts towards the limits, too
        return self._execute_calls([text])[0]

    def _execute_calls(self, calls: Sequence[str]) -> list[str]:
        return [self._allowance.execute(call, self._run) for call in calls]


class SimulatedWorlds:
    """Scenes of ``multi_turn`` cases, with built-in and custom environments by class name.

    For rules see `WorldScene`.
    """

    def __init__(self, environments: Mapping[str, type], rules: Rules = "strict") -> None:
        self._environments = environments
        self._rules: Rules = rules

    def examine(self, case: Case) -> None:
        """Validate a case; see `Scenes.examine`."""
        if kind_spec(case.kind).family == "conversation":
            scenario_of(case, self._environments).worlds()

    async def scene(self, case: Case, trial: int, converse: Converse) -> Scene | None:
        """Return the scene of an attempt; see `Scenes.scene`."""
        del trial, converse
        if kind_spec(case.kind).family != "conversation":
            return None
        return WorldScene(scenario_of(case, self._environments).worlds(), self._rules)


class FirstOf:
    """Several scene factories; the first that has a scene for a case makes it."""

    def __init__(self, *scenes: Scenes) -> None:
        self._scenes = scenes

    def examine(self, case: Case) -> None:
        """Validate a case; see `Scenes.examine`."""
        for scenes in self._scenes:
            scenes.examine(case)

    async def scene(self, case: Case, trial: int, converse: Converse) -> Scene | None:
        """Return the scene of an attempt; see `Scenes.scene`."""
        for scenes in self._scenes:
            scene = await scenes.scene(case, trial, converse)
            if scene is not None:
                return scene
        return None
