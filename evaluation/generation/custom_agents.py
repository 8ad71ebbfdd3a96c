"""Custom agents: functions of a case that return an answer, and generators of steps."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NamedTuple

import msgspec

from ...errors import FiducialError, UsageError
from ...judges.loop_thread import thread_safe_call
from ...records import Case, ItemKey, ToolCall, kind_spec
from ...records.typed_values import convert
from .agent_answers import answer_fields, output_of
from .agent_crash import crash_text, with_agent_traceback
from .agent_tools import Toolbox
from .attempt import AgentUsage, Attempt, MadeOutput, NoOutputError, StepTaken
from .chats import withheld_documents
from .scene import Scene, SceneOverError, Scenes
from .simulated_user import AskedTurns, UserAccess

MAX_STEPS = 1_000
"""Number of steps after which a generator is stopped."""

_TOOLS, _TRIAL = "tools", "trial"

_NO_WORKSPACE = "the answer to a challenge is a workspace: use `fiducial artifacts run`, or return an output that names its workspace"


class CallableAgent:
    """A function that works on a case.

    It takes a case, and returns a text, calls, the fields of an output or an `Output`. Or it is a generator of steps: for calls that it
    yields it is sent their results; a text that it yields ends the turn, and it is sent the messages of the next turn. A parameter ``tools`` receives the
    case's tools by name, each a `Tool`; calls through them are recorded as steps. A parameter ``trial`` receives the number of the attempt.

    Only a generator of steps can talk to a simulated user.

    Coroutine functions and async generators run in the event loop, other functions in one of the threads.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        scenes: Scenes,
        *,
        system: str,
        threads: Executor,
        user: UserAccess | None = None,
        renamed: bool = False,
    ) -> None:
        self.system = system
        self._renamed = renamed
        self.usage = AgentUsage()
        self._function = function
        self._scenes = scenes
        self._threads = threads
        self._user = user
        self._parameters = {name for name in (_TOOLS, _TRIAL) if _has_parameter(function, name)}

    async def work(self, case: Case, trial: int) -> MadeOutput:
        """Work on a case; see `Agent.work`.

        An exception that the function raises is a failure of the system.

        Raises:
            UsageError: The function returned or yielded something of another form.
            NoOutputError: A challenge's answer names no workspace, so that it cannot be graded.
        """
        converse = partial(self._converse, trial=trial)
        scene = await self._scenes.scene(case, trial, converse)
        shown_case = case if scene is None or scene.shown is None else scene.shown
        answer, attempt = await converse(shown_case, scene)
        attempt.case = case
        in_turns = scene is not None or len(case.turns) > 1 or case.user is not None
        output = output_of(answer, attempt, self.system, trial, in_turns=in_turns, renamed=self._renamed)
        if (output.workspace, output.error) == (None, None) and kind_spec(case.kind).family == "workspace":
            raise NoOutputError(_NO_WORKSPACE)
        return MadeOutput(output, attempt)

    async def _converse(self, case: Case, scene: Scene | None, *, trial: int) -> tuple[Any, Attempt]:
        """Call the function with a case and a scene; return its answer, and its earlier steps."""
        attempt = Attempt(case=case)
        turns = AskedTurns(case, attempt, ItemKey(case.id, self.system, trial), self._user, self.usage)
        opening = await turns.following()
        if case.user is not None:  # the agent must not know the user's goal
            case = msgspec.structs.replace(case, messages=list(opening or ()), user=None)
        attempt.begin_turn()
        tools = Toolbox(case, scene, attempt)
        try:
            answer = await self._answer(case, tools, attempt, trial, turns)
        except SceneOverError as error:
            attempt.stopped, answer = str(error), None
        except FiducialError:
            raise  # no failure of the agent, but ours, or a misuse of our interface
        except (Exception, SystemExit) as error:  # noqa: BLE001 - an agent may raise anything
            answer, attempt.crash = {"error": crash_text(error)}, with_agent_traceback(error)
        await asyncio.sleep(0)  # a task that the agent made of a call begins only now
        if (unawaited := tools.unawaited()) is not None:
            answer = {"error": unawaited}
        return answer, attempt

    async def _answer(
        self, case: Case, tools: Toolbox, attempt: Attempt, trial: int, turns: AskedTurns
    ) -> Any:
        """Call the function, and drive it if it is a generator; return its answer."""
        # In the thread, a coroutine or generator function only returns its object; a coroutine then runs in this loop.
        values: dict[str, Any] = {_TOOLS: tools, _TRIAL: trial}
        arguments = {name: values[name] for name in self._parameters}
        answer = await self._in_thread(partial(self._function, case, **arguments), attempt)
        if inspect.isawaitable(answer):
            with attempt.timed():
                answer = await answer
        if inspect.isgenerator(answer):
            try:
                return await self._drive(partial(self._advance, answer, attempt), attempt, tools, turns)
            finally:
                with suppress(ValueError):  # it is still running, but its result is no longer needed
                    answer.close()
        if inspect.isasyncgen(answer):
            return await self._drive(partial(_advance_async, answer, attempt), attempt, tools, turns)
        if attempt.case.user is not None:
            raise UsageError(
                f"the agent returned an answer to case {case.id!r}, which has a simulated user; yield steps to talk to it"
            )
        return answer

    async def _advance(
        self, steps: Generator[Any, Any, Any], attempt: Attempt, received: Any
    ) -> _GeneratorStep:
        return await self._in_thread(partial(_advance, steps, received), attempt)

    async def _in_thread(self, work: Callable[[], Any], attempt: Attempt) -> Any:
        result, error = await asyncio.get_running_loop().run_in_executor(
            self._threads, partial(_result_or_error, work, attempt)
        )
        if error is not None:
            raise error
        return result

    async def _drive(
        self, advance: Callable[[Any], Any], attempt: Attempt, tools: Toolbox, turns: AskedTurns
    ) -> Any:
        """Carry out a generator's steps, and return its return value, if any."""
        withheld = withheld_documents(attempt.case)
        received: Any = None
        for _ in range(MAX_STEPS):
            step: _GeneratorStep = await advance(received)
            if step.ended:
                return step.value
            if not isinstance(step.value, str):
                received = await tools.use(_calls_of_step(step.value, attempt.case))
                continue
            attempt.add_step(StepTaken(None, step.value, step.value))
            messages = await turns.following()
            if messages is None:
                return None
            tools.offer(withheld.get(len(attempt.turns), ()))
            attempt.begin_turn()
            received = list(messages)
        attempt.stopped = f"the agent took {MAX_STEPS:,} steps and was not over"
        return None


def _result_or_error(work: Callable[[], Any], attempt: Attempt) -> tuple[Any, Exception | None]:
    """Return a result or an exception; a future would copy a TimeoutError without its traceback.

    The time of the attempt is counted here, since work may wait for a thread.
    """
    try:
        with attempt.timed():
            return thread_safe_call(work)(), None
    except Exception as error:  # noqa: BLE001 - an agent may raise anything
        return None, error


class _GeneratorStep(NamedTuple):
    """Value that a generator yielded, or its return value once it ended."""

    value: Any
    ended: bool = False


def _advance(steps: Generator[Any, Any, Any], received: Any) -> _GeneratorStep:
    try:
        return _GeneratorStep(steps.send(received))
    except StopIteration as end:
        return _GeneratorStep(end.value, ended=True)


async def _advance_async(steps: AsyncGenerator[Any, Any], attempt: Attempt, received: Any) -> _GeneratorStep:
    try:
        with attempt.timed():
            return _GeneratorStep(await steps.asend(received))
    except StopAsyncIteration:
        return _GeneratorStep(None, ended=True)


def _calls_of_step(step: Any, case: Case) -> list[ToolCall]:
    fields = answer_fields(step, case)
    if fields is None or not fields.get("tool_calls"):
        raise UsageError(
            f"the agent yielded {type(step).__name__} for case {case.id!r}; expected a text or calls"
        )
    return convert(msgspec.to_builtins(fields["tool_calls"]), list[ToolCall])


def _has_parameter(function: Callable[..., Any], name: str) -> bool:
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):  # a builtin
        return False


@contextmanager
def agent_threads(count: int, end: Callable[[], None]) -> Generator[ThreadPoolExecutor]:
    """Open a pool of threads for agents.

    On an exception, such as Ctrl-C, call ``end`` and do not wait for the threads.
    """
    threads = ThreadPoolExecutor(count, thread_name_prefix="fiducial-agent")
    try:
        yield threads
    except BaseException:  # waiting for an agent that hangs would make Ctrl-C useless
        end()
        threads.shutdown(wait=False, cancel_futures=True)
        raise
    threads.shutdown()
