"""`fiducial.generate`: an agent works on cases, and what it produces becomes outputs."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias, cast

import msgspec

from ..errors import FiducialError, UsageError
from ..judges.loop_thread import run_sync
from ..plugins import AGENTS
from ..records import Case, Output, ToolCall, memory_file, read_records
from .sources import Cases, source

Agent: TypeAlias = Callable[[Case], Any]
"""A case in; a text, calls, the fields of an output or an `Output` out; may be a coroutine function."""

_FIELDS = frozenset(Output.__struct_fields__)


def generate(
    cases: Cases, agent: Agent | str, *, system: str | None = None, trials: int = 1, concurrency: int = 8
) -> list[Output]:
    """Let an agent work on cases.

    An exception that the agent raises is the system's own failure: it stands in ``Output.error`` and is graded 0 later.

    Args:
        cases: In any form.
        agent: Called with each case, in threads of its own when it is no coroutine function; gives a text, a list of calls
            (``{"name", "arguments"}``), a mapping with fields of an output, or an `Output`. Or the name of one that is registered.
        system: The system's name; the agent's own when left out.
        trials: Attempts at each case.
        concurrency: Cases at work at the same time.

    Returns:
        One output a case and trial, in that order.

    Raises:
        InputError: A case is not in its form.
        UsageError: The agent gives something else, or none has this name.
    """
    return run_sync(agenerate(cases, agent, system=system, trials=trials, concurrency=concurrency))


async def agenerate(
    cases: Cases, agent: Agent | str, *, system: str | None = None, trials: int = 1, concurrency: int = 8
) -> list[Output]:
    """`generate` for who has a running event loop; coroutines of the agent run in it."""
    if isinstance(agent, str):
        system = system or agent
        agent = _registered(agent)
    if not callable(agent):
        raise UsageError(f"agent: expected a callable that takes a case, got {type(agent).__name__}")
    if trials < 1 or concurrency < 1:
        raise UsageError(f"expected at least one trial and one case at work, got {trials} and {concurrency}")
    name = system or getattr(agent, "__name__", type(agent).__name__)
    work = [(case, trial) for case in read_records(source("cases", cases), Case) for trial in range(trials)]
    slots = asyncio.Semaphore(concurrency)
    with ThreadPoolExecutor(concurrency, thread_name_prefix="fiducial-agent") as threads:

        async def one(case: Case, trial: int) -> Output:
            async with slots:
                return _as_output(await _answer(agent, case, threads), case, name, trial)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(case, trial)) for case, trial in work]
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from errors
    return [task.result() for task in tasks]


def _registered(name: str) -> Agent:
    if name not in AGENTS:
        raise UsageError(f"no agent is called {name!r}; registered are: {', '.join(AGENTS) or 'none'}")
    return AGENTS[name]


class _Failure(str):
    """What an agent's exception says."""

    __slots__ = ()


async def _answer(agent: Agent, case: Case, threads: ThreadPoolExecutor) -> Any:
    try:
        # Calling a coroutine function in a thread only makes the coroutine, which then runs in this loop.
        answer = await asyncio.get_running_loop().run_in_executor(threads, agent, case)
        return await answer if inspect.isawaitable(answer) else answer
    except FiducialError:
        raise  # ours, or a usage of ours, and no answer of the agent
    except Exception as error:  # noqa: BLE001 - whatever an agent raises is how it failed
        return _Failure(f"{type(error).__name__}: {error}")


def _as_output(answer: Any, case: Case, system: str, trial: int) -> Output:
    identity = {"case_id": case.id, "system": system, "trial": trial}
    if isinstance(answer, Output):
        return msgspec.structs.replace(answer, **identity)
    fields = _fields(answer)
    if fields is None:
        raise UsageError(
            f"the agent gave {type(answer).__name__} for case {case.id!r}; expected a text, a list of calls, "
            "a mapping with fields of an output, or an Output"
        )
    return next(read_records(memory_file(f"answer to {case.id}", [fields | identity]), Output))


def _fields(answer: Any) -> dict[str, Any] | None:
    """The fields of the output that an answer is; None when it is none."""
    if isinstance(answer, _Failure):
        return {"error": str(answer)}
    if isinstance(answer, str):
        return {"text": answer}
    if isinstance(answer, Mapping):
        given = cast("Mapping[str, Any]", answer)
        if given.keys() <= _FIELDS:
            return dict(given)
        return {"tool_calls": [given]} if "name" in given or "function" in given else None
    if isinstance(answer, Sequence) and all(isinstance(each, (ToolCall, Mapping)) for each in answer):  # pyright: ignore[reportUnknownVariableType]
        return {"tool_calls": list(cast("Sequence[Any]", answer))}
    return None
