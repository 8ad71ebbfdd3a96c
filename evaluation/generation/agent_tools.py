"""Tools of a case for custom agents: callables with schemas, whose calls become steps."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeAlias

from ...records import Case, ToolCall
from .agent_crash import calling_place
from .attempt import Attempt, StepTaken
from .scene import Scene, SceneOverError
from .tool_schemas import json_schema, tool_schema

NOT_EXECUTED = "The call was noted; nothing is executed in this conversation."
"""Result of a call when no simulated world executes it."""

Execute: TypeAlias = Callable[[ToolCall], Coroutine[Any, Any, str]]


class Tool:
    """Tool of a case, which an agent calls like a function.

    An agent that is a coroutine awaits the call; one that runs in a thread gets the result directly.

    Attributes:
        name: Name in the case.
        description: Description in the case.
        parameters: JSON Schema of its arguments.
    """

    def __init__(
        self, document: Mapping[str, Any], execute: Execute, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.name: str = document["name"]
        self.description: str = document.get("description", "")
        self.parameters = json_schema(document.get("parameters") or {"type": "object", "properties": {}})
        self.schema = tool_schema(document, self.name)
        """Schema in OpenAI's form."""
        self._execute = execute
        self._loop = loop
        self.awaitable: list[tuple[Coroutine[Any, Any, str], str]] = []
        """Results returned to a coroutine, each with the place of the call."""

    def __call__(self, *positional: Any, **named: Any) -> str | Awaitable[str]:
        """Make the call: return an awaitable to a coroutine, the result to a thread."""
        result = self._execute(self._call_of(positional, named))
        if not self._is_in_loop():
            return self._wait_for(result)
        self.awaitable.append((result, calling_place()))
        return result

    def _call_of(self, positional: Sequence[Any], named: dict[str, Any]) -> ToolCall:
        """Return the call, with positional arguments under the names of the schema.

        Raises:
            TypeError: As for a function, there are too many arguments, or one is given twice.
        """
        names = list(self.parameters.get("properties", {}))
        if len(positional) > len(names):
            raise TypeError(f"{self.name}() takes {len(names)} arguments, got {len(positional)}")
        by_position = dict(zip(names, positional, strict=False))
        if repeated := by_position.keys() & named.keys():
            raise TypeError(f"{self.name}() got the argument {min(repeated)!r} twice")
        return ToolCall(name=self.name, arguments=by_position | named)

    def _is_in_loop(self) -> bool:
        """Return whether the caller runs in the agent's event loop, which must not block."""
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:  # no loop runs in this thread
            return False

    def _wait_for(self, result: Coroutine[Any, Any, str]) -> str:
        return asyncio.run_coroutine_threadsafe(result, self._loop).result()


class Toolbox(dict[str, Tool]):
    """Tools on offer in one attempt, by name; without a scene, calls are not executed."""

    def __init__(self, case: Case, scene: Scene | None, attempt: Attempt) -> None:
        super().__init__()
        self._scene = scene
        self._attempt = attempt
        self._loop = asyncio.get_running_loop()
        self.offer(tool["function"] for tool in case.tools)

    def offer(self, documents: Any) -> None:
        """Add tools."""
        for document in documents:
            self[document["name"]] = Tool(document, self._use_one, self._loop)

    def unawaited(self) -> str | None:
        """Return which call was made without await, or None if none was."""
        for name, tool in self.items():
            for result, place in tool.awaitable:
                if inspect.getcoroutinestate(result) == inspect.CORO_CREATED:
                    result.close()
                    return f'tools["{name}"] was called without await ({place})'
        return None

    async def use(self, calls: list[ToolCall]) -> list[str]:
        """Make calls in one step.

        Raises:
            SceneOverError: The scene executes no more calls.
        """
        self._attempt.add_step(StepTaken(calls, "", [{call.name: call.arguments} for call in calls]))
        if self._scene is None:
            return [NOT_EXECUTED] * len(calls)
        results = await self._scene.execute(calls) or []
        self._attempt.add_results(results)
        return results

    async def _use_one(self, call: ToolCall) -> str:
        try:
            return "".join(await self.use([call]))
        except SceneOverError as error:
            self._attempt.stopped = str(error)
            return f"Error: {error}"
