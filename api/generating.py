"""`fiducial.generate`: generate outputs for cases with a model or an agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeAlias, Unpack

import msgspec

from ..errors import ConfigurationError, InputError, ProviderError, UsageError
from ..evaluation.generation.agent_tools import Tool
from ..evaluation.generation.attempt_store import AttemptStore, MemoryAttempts, OutputsFile
from ..evaluation.generation.binding import memories_beside
from ..evaluation.generation.chats import ToolMode
from ..evaluation.generation.generate import GenerationTally
from ..evaluation.generation.model_agent import STEPS_PER_TURN, ModelSettings
from ..evaluation.generation.output_sources import (
    AskedUser,
    OutputSource,
    callable_source,
    model_source,
    name_of,
    work_through,
)
from ..evaluation.judging.access import ModelAccess
from ..judges.loop_thread import waiting
from ..plugins import AGENTS
from ..records import Case, CaseIndex, ItemKey, Output
from ..report.text.number_text import counted
from ..spelling import setting
from .agent_environments import Histories, scenes_of, server_embedding
from .argument_checks import checked_arguments, require_choice, require_declared, require_whole
from .callers import warn_caller
from .checking import Worlds
from .model_access import AccessArguments, EndpointLike, model_access
from .paths import Cases, FilePath, source, written_path
from .progress_bars import show_progress


class AgentWithTools(Protocol):
    """Agent that takes the case's tools."""

    def __call__(self, case: Case, tools: dict[str, Tool]) -> Any:
        """Work on a case with its tools, by name."""
        ...


AgentLike: TypeAlias = Callable[[Case], Any] | AgentWithTools
"""Function of a case, and of the case's tools if it has a parameter ``tools``. It returns a text, calls, fields of an output or an `Output`, or is a
generator of steps; may be a coroutine function."""

_DEFAULT_CASES_AT_A_TIME, _DEFAULT_CALLS_AT_A_TIME = 8, 64


class Generated(list[Output]):
    """Outputs in order of case and trial.

    Attributes:
        failures: Attempts without an output because of failed calls, with the reason.
        tally: Counts of all attempts; ``passed_over`` counts cases that are not for this agent, by reason.
    """

    failures: Mapping[ItemKey, str]
    tally: GenerationTally


@checked_arguments
async def agenerate(
    cases: Cases,
    agent: AgentLike | str,
    *,
    system: str | None = None,
    trials: int = 1,
    concurrency: int | None = None,
    out: FilePath | None = None,
    accept_edited: bool = False,
    again: bool = False,
    keep_crashes: bool = False,
    mode: ToolMode = "tools",
    parameters: Mapping[str, Any] | None = None,
    steps_per_turn: int = STEPS_PER_TURN,
    worlds: Worlds = None,
    histories: FilePath | Histories | None = None,
    search: str | None = None,
    embedding_model: str | None = None,
    user_model: str | None = None,
    user_base_url: EndpointLike | None = None,
    progress: bool | None = None,
    **access_arguments: Unpack[AccessArguments],
) -> Generated:
    """Generate outputs for cases with a model or a custom agent.

    An exception that an agent raises is the system's own failure: it is kept in ``Output.error`` and graded 0. A call to a model that
    fails after its retries gives no output: there is a warning, and ``failures`` lists it.

    ``generate`` waits for the outputs; ``agenerate`` is for a running event loop, in which coroutines of the agent then run.

    Args:
        cases: In any form.
        agent: A function of a case, called in threads unless it is a coroutine function; it returns a text, a list of calls
            (``{"name", "arguments"}``), a mapping with fields of an output, or an `Output`; or yields steps. If it has a parameter
            ``tools`` it gets the case's tools by name, as callables with schemas. Or the name of a registered agent, or of a model.
        system: The system's name, which replaces that of an `Output`; by default the agent's own, which an `Output` must not contradict.
        trials: Attempts at each case.
        concurrency: Maximum cases at a time, or calls to a model in flight; by default 8 and 64.
        out: A file for the outputs; the same call resumes. None keeps them in memory.
        accept_edited: Whether to continue with outputs in it that were edited by hand.
        again: Whether to replace the system's outputs in it by new ones.
        keep_crashes: Whether to keep outputs of an agent that fails in the same way on the first eight cases; they are graded 0.
        mode: How to offer tools to a model: natively (``tools``), or by BFCL's instructions (``prompt``).
        parameters: A model's decoding parameters; others are the endpoint's defaults.
        steps_per_turn: Number of steps in a turn that ends a conversation with a model.
        worlds: Custom simulated worlds, by class name; by default the registered ones.
        histories: Earlier conversations of agents with a memory: JSON Lines, or conversations by history.
        search: The web: a corpus (JSON Lines or a folder), or the address of a search service.
        embedding_model: Model for the vector memory, at the model's endpoint; by default hashed words.
        user_model: Model that plays the users of cases with a goal (``user``); a function agent talks to them in steps.
        user_base_url: Base URL of that model, or one of ``endpoints``; by default the agent's model's. ``api_key`` is not sent there: without
            a key of its own (``URL,key-env=NAME``, or a mapping with ``api_key``) it gets the environment's.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.
        **access_arguments: Model access: ``base_url``, ``api_key``, ``connection``, ``endpoints``, ``record``, ``replay``, ``cache``, ``timeout``,
            ``attempts``, ``max_calls``, ``max_cost`` and others; see `AccessArguments`.

    Returns:
        One output per case and trial, in that order.

    Raises:
        InputError: A case is invalid, or not for the agent.
        UsageError: The agent returns something else, or an argument cannot be used.
        ConfigurationError: The model cannot be reached.
        ProviderError: Every call failed, and there is no output.
        AgentSetupError: The agent failed in the same way on the first eight cases; nothing was kept.
        RunFolderError: The agent's code or settings have changed since the outputs in the file were made.
    """
    require_declared(access_arguments, AccessArguments)
    require_whole("trials", trials)
    require_whole("concurrency", concurrency)
    require_whole("steps_per_turn", steps_per_turn)
    require_choice("mode", mode, ToolMode)
    if user_base_url is not None and user_model is None:
        raise UsageError(
            f"{setting('user_base_url')} is the endpoint of the simulated user's model: add {setting('user_model', 'NAME')}"
        )
    agent, name = _agent_and_system_name(agent, system)
    model_arguments = {
        "mode": mode != "tools",
        "parameters": parameters,
        "steps_per_turn": steps_per_turn != STEPS_PER_TURN,
        "embedding_model": embedding_model,
        **({} if user_model else access_arguments),
    }
    _require_all_used(agent, model_arguments, keep_crashes=keep_crashes)
    access = _model_access_of_agent(agent, concurrency, access_arguments) if isinstance(agent, str) else None
    scenes = scenes_of(
        worlds,
        histories=histories,
        memories=None if out is None else memories_beside(written_path(out), name),
        search=search,
        embedding=server_embedding(embedding_model, None if access is None else access.endpoint),
    )
    user = None
    if user_model is not None:
        user = AskedUser(user_model, _user_access(user_base_url, access, concurrency, access_arguments))
    if isinstance(agent, str):
        assert access is not None
        settings = ModelSettings(
            model=agent, mode=mode, parameters=parameters or {}, steps_per_turn=steps_per_turn
        )
        output_source = model_source(settings, access, scenes, system=name, user=user)
    else:
        cases_at_a_time = concurrency or _DEFAULT_CASES_AT_A_TIME
        output_source = callable_source(
            agent,
            scenes,
            system=name,
            renamed=system is not None,
            concurrency=cases_at_a_time,
            keep_crashes=keep_crashes,
            user=user,
        )
    store = None
    if out is not None:
        store = _outputs_file(output_source, written_path(out), accept_edited=accept_edited, again=again)
    with (
        CaseIndex(source("cases", cases), output_source.examine) as index,
        show_progress(enabled=progress) as progress_display,
    ):
        work = partial(work_through, output_source, index, progress=progress_display, trials=trials)
        attempts, tally = await _run_attempts(store, work)
        keys = [ItemKey(case_id, output_source.system, trial) for case_id in index for trial in range(trials)]
        return _as_generated(attempts, keys, tally)


def _outputs_file(
    output_source: OutputSource, path: Path, *, accept_edited: bool, again: bool
) -> Callable[[], OutputsFile]:
    return partial(
        OutputsFile,
        path,
        output_source.system,
        output_source.facts,
        code=output_source.code,
        accept_edited=accept_edited,
        again=again,
    )


generate = checked_arguments(waiting(agenerate))


def _agent_and_system_name(agent: AgentLike | str, system: str | None) -> tuple[AgentLike | str, str]:
    """Return the agent (a registered one by name) and its system's name."""
    if isinstance(agent, str) and agent in AGENTS:
        system, agent = system or agent, AGENTS[agent]
    if isinstance(agent, str):
        return agent, system or agent
    if not callable(agent):
        raise UsageError(
            f"agent: expected a callable that takes a case, or a name, got {type(agent).__name__}"
        )
    return agent, system or name_of(agent)


def _require_all_used(
    agent: AgentLike | str, model_arguments: Mapping[str, object], *, keep_crashes: bool
) -> None:
    """Raise a UsageError for arguments that only models use, or only functions."""
    if isinstance(agent, str):
        if keep_crashes:
            raise UsageError(
                f"keep_crashes is for agents that are functions; drop it for the model {agent!r}"
            )
    elif unused := [name for name, value in model_arguments.items() if value]:
        raise UsageError(
            f"{', '.join(unused)}: only for models; drop {'it' if len(unused) == 1 else 'them'} for an agent that is a function"
        )


async def _run_attempts(
    open_file: Callable[[], OutputsFile] | None, work: Callable[[AttemptStore], Awaitable[GenerationTally]]
) -> tuple[MemoryAttempts, GenerationTally]:
    """Generate into a file or into memory; return all attempts, including earlier ones."""
    if open_file is None:
        attempts = MemoryAttempts()
        return attempts, await work(attempts)
    with open_file() as outputs:
        tally = await work(outputs)
        return outputs.attempts(), tally


def warn_untracked(tally: GenerationTally) -> None:
    """Warn about earlier outputs, which another version of the agent may have made."""
    if tally.kept and not tally.tracked:
        warning = f"{counted(tally.kept, 'earlier output')}, {tally.made:,} generated now; the agent's code is not tracked"
        warn_caller(warning)


def warn_passed_over(tally: GenerationTally) -> None:
    """Warn about cases that are not for the agent.

    Raises:
        InputError: None of the cases is.
    """
    if not tally.passed_over:
        return
    reasons = "; ".join(f"{count} x {why}" for why, count in tally.passed_over.most_common(3))
    problem = f"{tally.passed_over.total():,} of {tally.wanted:,} attempts are not for this agent: {reasons}"
    if tally.passed_over.total() == tally.wanted:
        raise InputError(problem)
    warn_caller(problem)


def _user_access(
    endpoint: EndpointLike | None,
    agent_access: ModelAccess | None,
    concurrency: int | None,
    access_arguments: AccessArguments,
) -> ModelAccess:
    """Return access to the model that plays users, within the budget of the agent's model.

    A key is sent only to the server for which it was given.
    """
    if endpoint is not None and endpoint != access_arguments.get("base_url"):
        other_arguments: Any = {
            name: value for name, value in access_arguments.items() if name not in _ADDRESS_ARGUMENTS
        }
        access_arguments = AccessArguments(**other_arguments, endpoints=[endpoint])
    elif agent_access is not None:
        return agent_access
    user_access = model_access(None, concurrency or _DEFAULT_CALLS_AT_A_TIME, **access_arguments)
    return (
        user_access
        if agent_access is None
        else msgspec.structs.replace(user_access, budget=agent_access.budget)
    )


_ADDRESS_ARGUMENTS = frozenset({"base_url", "api_key", "connection", "endpoints", "on_endpoint_usage"})
"""Arguments that address the agent's endpoint, which another endpoint for users replaces."""


def _model_access_of_agent(
    model: str, concurrency: int | None, access_arguments: AccessArguments
) -> ModelAccess:
    try:
        return model_access(model, concurrency or _DEFAULT_CALLS_AT_A_TIME, **access_arguments)
    except ConfigurationError as error:
        agents = ", ".join(AGENTS) or "none"
        raise ConfigurationError(
            f"no agent is called {model!r} (registered are: {agents}), and no model can be reached: {error}"
        ) from error


def _as_generated(attempts: MemoryAttempts, keys: list[ItemKey], tally: GenerationTally) -> Generated:
    outputs = Generated(attempts.outputs[key] for key in keys if key in attempts.outputs)
    outputs.failures, outputs.tally = attempts.failures, tally
    warn_untracked(tally)
    warn_passed_over(tally)
    if tally.without_output:
        reasons = "; ".join(f"{count} x {why}" for why, count in tally.failures.most_common(3))
        problem = f"{tally.without_output} of {tally.wanted} attempts gave no output: {reasons}"
        if not outputs:
            raise ProviderError(problem)
        warn_caller(problem)
    return outputs
