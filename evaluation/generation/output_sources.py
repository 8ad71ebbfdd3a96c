"""Sources of outputs: models, functions and commands, with all that generating needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...plugins import place
from ...records import Case, CaseFiles, CaseIndex, FolderPath, InputPath
from ...spelling import setting
from ..judging.access import ModelAccess
from ..progress import Progress
from ..store.file_names import GENERATED
from ..store.run_writer import RunWriter
from .attempt import Agent
from .attempt_store import AttemptStore, OutputsFile
from .code.code_files import Code, code_of_command
from .code.functions import code_of_function
from .command_steps import CommandSteps
from .commands import AnsweringCommand, command_words, require_no_placeholders
from .custom_agents import CallableAgent, agent_threads
from .generate import GenerationTally, generate
from .model_agent import ModelAgent, ModelSettings, examine_for_model
from .scene import FirstOf, Scenes
from .setup_check import SetupCheck
from .simulated_user import AskedUser, UserAccess, examine_user, opened_user, user_facts


class AskedModel(NamedTuple):
    """A model that generates: its settings, access to it, and the scenes for its calls."""

    settings: ModelSettings
    access: ModelAccess
    scenes: Scenes


class OutputSource(msgspec.Struct, frozen=True, kw_only=True):
    """Source of outputs.

    Attributes:
        system: Its name in outputs.
        facts: Settings that its outputs depend on; outputs with other settings are not resumed.
        tasks: Number of concurrent attempts.
        examine: Raises an InputError for a case that the source cannot work on.
        agent: Opens the agent; it is closed with the context.
        model: The model, or None for a custom agent.
        user: Model that plays the users of cases that have one.
        code: Code of the agent, or None if unknown.
        keep_crashes: True to save outputs of an agent that fails in the same way from the start; see `SetupCheck`.
    """

    system: str
    facts: Mapping[str, Any]
    tasks: int
    examine: Callable[[Case], None]
    agent: Callable[[], AbstractAsyncContextManager[Agent]]
    model: AskedModel | None = None
    user: AskedUser | None = None
    code: Code | None = None
    keep_crashes: bool = False


_TASKS_PER_CALL = 2
"""Number of concurrent attempts per concurrent call: while some wait for a retry, others make calls."""


def model_source(
    settings: ModelSettings,
    access: ModelAccess,
    scenes: Scenes,
    *,
    system: str | None = None,
    user: AskedUser | None = None,
) -> OutputSource:
    """Return a model as a source of outputs; ``user`` plays the users of cases that have one."""

    @asynccontextmanager
    async def open_agent() -> AsyncGenerator[Agent]:
        async with AsyncExitStack() as exits:
            provider = await exits.enter_async_context(access.open())
            user_model = None
            if user is not None and user.access is access:
                user_model = UserAccess(user.model, provider, user.parameters)
            elif user is not None:
                user_model = await exits.enter_async_context(opened_user(user))
            yield ModelAgent(settings, provider, scenes, system=system, user=user_model)

    def examine(case: Case) -> None:
        examine_for_model(case)
        examine_user(user, case)
        scenes.examine(case)

    if access.budget is not None:
        access.budget.require_price(settings.model)
        if user is not None:
            access.budget.require_price(user.model)
    facts = {name: getattr(settings, name) for name in ("model", "mode", "parameters", "steps_per_turn")}
    return OutputSource(
        system=system or settings.model,
        facts=facts | user_facts(user),
        tasks=access.concurrency * _TASKS_PER_CALL,
        examine=examine,
        agent=open_agent,
        model=AskedModel(settings, access, scenes),
        user=user,
    )


def callable_source(
    function: Callable[..., Any],
    scenes: Scenes,
    *,
    system: str | None = None,
    renamed: bool = False,
    concurrency: int = 8,
    keep_crashes: bool = False,
    user: AskedUser | None = None,
) -> OutputSource:
    """Return a custom function as a source of outputs; see `CallableAgent`."""
    name = system or name_of(function)
    return OutputSource(
        system=name,
        facts={"agent": place(function)} | user_facts(user),
        tasks=concurrency,
        examine=_examiner(scenes, user),
        agent=_agent_factory(function, scenes, name, concurrency, user=user, renamed=renamed),
        user=user,
        code=code_of_function(function),
        keep_crashes=keep_crashes,
    )


def _examiner(scenes: Scenes, user: AskedUser | None) -> Callable[[Case], None]:
    """Return a function that refuses cases whose worlds or users are not available."""

    def examine(case: Case) -> None:
        examine_user(user, case)
        scenes.examine(case)

    return examine


def name_of(function: Callable[..., Any]) -> str:
    """Return the default name of a function as a system."""
    return getattr(function, "__name__", type(function).__name__)


def command_source(
    command: str,
    environment: Mapping[str, str],
    *,
    system: str | None = None,
    seconds: float = 300.0,
    concurrency: int = 8,
    scenes: Scenes | None = None,
    keep_crashes: bool = False,
    user: AskedUser | None = None,
) -> OutputSource:
    """Return a command as a source of outputs.

    See `AnsweringCommand`, and `CommandSteps` for one that makes calls.

    Args:
        command: The command line.
        environment: All of its environment variables; none are inherited.
        system: Its name in outputs, or None for ``agent``.
        seconds: Time limit of one attempt.
        concurrency: Number of concurrent attempts.
        scenes: Scenes for its calls, or None for a command that makes no calls.
        keep_crashes: See `OutputSource`.
        user: Model that plays the users of cases; for a command that makes calls.

    Raises:
        UsageError: There is no such command or script, or it has a placeholder that only workspaces fill in.
    """
    agent_type = AnsweringCommand if scenes is None else CommandSteps
    words = command_words(command)
    require_no_placeholders(words)
    agent = agent_type(words, environment, seconds=seconds)
    name, scenes_of_agent = system or "agent", scenes or FirstOf()
    facts = {"agent": command} if scenes is None else {"agent": command, "calls": True}
    return OutputSource(
        system=name,
        facts=facts | user_facts(user),
        tasks=concurrency,
        examine=_examiner(scenes_of_agent, user),
        agent=_agent_factory(
            agent, scenes_of_agent, name, concurrency, agent.end, user=user, renamed=system is not None
        ),
        user=user,
        code=code_of_command(words, Path.cwd()),
        keep_crashes=keep_crashes,
    )


def _agent_factory(
    function: Callable[..., Any],
    scenes: Scenes,
    system: str,
    concurrency: int,
    end: Callable[[], None] = lambda: None,
    *,
    user: AskedUser | None = None,
    renamed: bool = False,
) -> Callable[[], AbstractAsyncContextManager[Agent]]:
    """Return a factory of the function's agent; ``end`` is called if the work is interrupted."""

    @asynccontextmanager
    async def open_agent() -> AsyncGenerator[Agent]:
        async with AsyncExitStack() as exits:
            user_model = None if user is None else await exits.enter_async_context(opened_user(user))
            threads = exits.enter_context(agent_threads(concurrency, end))
            yield CallableAgent(
                function, scenes, system=system, threads=threads, user=user_model, renamed=renamed
            )

    return open_agent


def generate_file(
    source: OutputSource,
    cases: InputPath,
    out: InputPath,
    progress: Progress,
    *,
    trials: int = 1,
    accept_edited: bool = False,
    again: bool = False,
) -> GenerationTally:
    """Generate outputs into a file, resuming an earlier start unless ``again`` is True.

    Raises:
        InputError: A case cannot be used; nothing was done.
        AgentSetupError: The agent cannot be started, or fails alike from the start; see `SetupCheck`.
        RunFolderError: The outputs file is in use, or has outputs of this system with other settings or code; nothing was done.
    """
    with (
        CaseIndex(cases, source.examine) as index,
        OutputsFile(
            out, source.system, source.facts, accept_edited=accept_edited, code=source.code, again=again
        ) as store,
    ):
        return asyncio.run(work_through(source, index, store, progress, trials=trials))


def _remedy_for_edits() -> str:
    """Return the end of the error about outputs of a run that were changed by hand."""
    return f"its verdicts are on the old text; evaluate it in another run ({setting('outputs')})"


def generate_into_run(
    source: OutputSource,
    cases: CaseFiles,
    out: FolderPath,
    progress: Progress,
    *,
    trials: int = 1,
    accept_edited: bool = False,
    again: bool = False,
) -> GenerationTally:
    """Generate the outputs of a run into its folder, to be checked and judged there.

    Args:
        source: The source of outputs.
        cases: The cases.
        out: The run folder.
        progress: Advanced for every attempt.
        trials: Number of outputs per case.
        accept_edited: True to accept edited verdicts; edited outputs are always refused, since the run's verdicts are on the old text.
        again: True to discard the run's earlier outputs and results.

    Raises:
        InputError: A case cannot be used; nothing was done.
        AgentSetupError: The agent cannot be started, or fails alike from the start; see `SetupCheck`.
        RunFolderError: The folder is in use or belongs to another run, or an output was changed by hand; nothing was done.
    """
    with (
        CaseIndex(cases, source.examine) as index,
        RunWriter(out, accept_edited=accept_edited or again) as run,
    ):
        if again:
            run.begin_anew()
        run.bind(generation={"system": source.system, **source.facts})
        with OutputsFile(
            out / GENERATED,
            source.system,
            source.facts,
            remedy=_remedy_for_edits(),
            code=source.code,
            again=again,
        ) as store:
            return asyncio.run(work_through(source, index, store, progress, trials=trials))


async def work_through(
    source: OutputSource, cases: CaseIndex, store: AttemptStore, progress: Progress, *, trials: int = 1
) -> GenerationTally:
    """Generate outputs for opened cases into a store; see `generate_file`."""
    setup_check = SetupCheck(store) if source.model is None and not source.keep_crashes else None
    async with source.agent() as agent:
        tally = await generate(
            cases, agent, setup_check or store, progress, trials=trials, tasks=source.tasks
        )
    if setup_check is not None:
        setup_check.settle()
    tally.tracked = source.model is not None or store.tracked
    return tally
