"""`fiducial.evaluate`: check, judge and calibrate, given cases and outputs in any form."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial, wraps
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, Unpack, cast

from ..calibration.label_declarations import LabelDeclaration
from ..calibration.pass_threshold import threshold_overrides
from ..deterministic.options import Rules
from ..errors import UsageError
from ..evaluation.checking.dotted_names import NamesOption
from ..evaluation.generation.output_sources import OutputSource, callable_source, generate_into_run
from ..evaluation.judging.access import BatchMode, ModelAccess
from ..evaluation.judging.judge_task import JudgeOn, JudgeTask
from ..evaluation.pipeline import run as run_plan
from ..evaluation.run_plan import DEFAULT_JUDGE_ON, Plan
from ..evaluation.store.file_names import GENERATED
from ..judges.loop_thread import run_apart
from ..judges.transport.exchange import ApiName
from ..records import InputPath, TextRule
from ..records.disk_files import shards_of
from ..report.text.generation_text import crashes
from ..settings.verbs.audit import AuditCardSettings, AuditRunSettings
from ..settings.verbs.compare import CompareSettings
from ..spelling import setting
from .agent_environments import scenes_of
from .argument_checks import checked_arguments, hinting_arguments, require_choice, require_whole
from .callable_judge import CallableJudge
from .callers import warn_caller
from .cascading import after_first_judge
from .checking import FunctionsOption, Worlds, check_options, worlds_of
from .generating import AgentLike, warn_passed_over, warn_untracked
from .judging import judge
from .label_sources import LabelReading, label_input, unread_note
from .model_access import AccessArguments, judging_api
from .paths import Cases, FilePath, Labels, Outputs, folder_or_memory, folder_path, output_sources
from .progress_bars import show_progress
from .run import Run
from .run_files import engine_of

P = ParamSpec("P")
T = TypeVar("T")

JudgeLike: TypeAlias = CallableJudge | str
"""A judge, or the name of one, which uses ``model``."""


_HINTS_OF_MODEL_ARGUMENTS = dict.fromkeys(
    AccessArguments.__annotations__, "it is of a judge: judges=fd.judge(NAME, model=MODEL, base_url=URL)"
)
"""Arguments of model access, which belong to a judge, with what to write instead."""

_WORLDS_HINT = 'here it is called worlds={"NAME": CLASS}'
_HINTS = _HINTS_OF_MODEL_ARGUMENTS | {
    "trials": "outputs=fd.generate(CASES, AGENT, trials=N)",
    "environment": _WORLDS_HINT,
    "environments": _WORLDS_HINT,
}
"""What to write instead of arguments that other functions have."""


@hinting_arguments(_HINTS)
def evaluate(
    cases: Cases,
    outputs: Outputs | AgentLike,
    *,
    judges: JudgeLike | Sequence[JudgeLike] = (),
    model: str | None = None,
    judge_parameters: Mapping[str, Any] | None = None,
    labels: Labels | None = None,
    labels_chosen_by: LabelDeclaration | None = None,
    out: FilePath | None = None,
    rules: Rules | None = "strict",
    text: TextRule | None = None,
    names: NamesOption = "auto",
    judge_on: JudgeOn = DEFAULT_JUDGE_ON,
    repeats: int = 1,
    retry_unreadable: int = 1,
    unsure_of: FilePath | None = None,
    max_error: float | None = None,
    pass_at: float | Mapping[str, float] | None = None,
    functions: FunctionsOption = None,
    worlds: Worlds = None,
    allow_code: bool = False,
    again: bool = False,
    keep_crashes: bool = False,
    workers: int | None = None,
    engine: Literal["ray"] | None = None,
    address: str | None = None,
    progress: bool | None = None,
    **label_reading: Unpack[LabelReading],
) -> Run:
    """Check outputs, judge the undecided ones, and calibrate judges against the checkers.

    Args:
        cases: One or more paths or addresses (``s3://bucket/key``), of files or folders of shards; records, mappings or a data frame.
        outputs: One or more paths or addresses; records, mappings or a data frame; or an agent, which then produces them first (`fiducial.generate`,
            which models take, too).
        judges: One or several: judges made by `fiducial.judge`, or names of judges, which use ``model``.
        model: The judging model, for judges given by name.
        judge_parameters: Decoding parameters that override the prompts', for judges given by name; a value of None omits one.
        labels: Trusted verdicts in addition to the checkers': they calibrate judges, and correct their rates on undecided outputs if they are
            declared to be a random sample of these.
        labels_chosen_by: How outputs were chosen for labels, as for `estimate`; ``random`` or ``system`` correct rates.
        out: A folder for the run, or its address; the same call resumes it. None keeps it in memory, and nothing is written except the
            judges' reply cache.
        rules: ``strict``, ``bfcl``, or None to use judges only.
        text: How strict rules compare texts in calls, where neither the case nor the schema says it: ``exact``, or ``loose`` to ignore
            case, punctuation and blanks. None leaves a difference of form undecided.
        names: Form in which documented names with dots were offered: ``dotted``, ``underscored``, or ``auto`` for what each system uses.
        judge_on: ``open`` (undecided outputs), ``all``, or the number of decided outputs to judge as well, for calibration.
        repeats: Number of times each output is judged.
        retry_unreadable: Number of later calls with the same ``out`` that ask a model again after unreadable replies.
        unsure_of: A finished run with labels: only outputs that its judge may not decide alone are judged, and not those that
            checkers decide.
        max_error: Maximum error rate of the verdicts of ``unsure_of`` that are kept, guaranteed at 90 %.
        pass_at: Pass threshold, for all judges or by judge; by default each judge's own, else 0.5.
        functions: Functions that executable calls may name; by default the registered ones.
        worlds: Custom simulated worlds; by default the registered ones.
        allow_code: Whether to run code in workspaces, in a sandbox.
        again: Whether to start over in ``out``, with new outputs of the agent.
        keep_crashes: Whether to grade an agent 0 if it fails in the same way on the first eight cases, instead of raising an error.
        workers: Number of processes that check; None for one per core, if that is faster. Verdicts are the same. On Ray, how
            many tasks check and how many actors ask.
        engine: ``ray`` runs checkers and clients of judges on Ray, which takes about ten seconds and 0.8 GB to start; for a
            cluster. None for this machine without Ray.
        address: Address of Ray; ``auto`` for this machine's cluster, None to start one.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.

    Returns:
        The run. Calls that failed leave outputs without a verdict: ``run.judges`` counts them, and with ``out`` the same call
        retries only these.

    Raises:
        InputError: Cases or outputs cannot be used; the message names file or argument, line and field.
        UsageError: An argument cannot be used, or there is no such judge.
        ConfigurationError: A model is needed, but none is named or can be reached.
        RunFolderError: The folder is in use or belongs to another run, or the agent's code has changed since its outputs were made.
        AgentSetupError: The agent failed in the same way on the first eight cases; nothing was graded.
    """
    require_choice("names", names, NamesOption)
    if labels_chosen_by is not None:
        require_choice("labels_chosen_by", labels_chosen_by, LabelDeclaration)
    require_whole("repeats", repeats)
    require_whole("retry_unreadable", retry_unreadable, 0)
    require_whole("workers", workers)
    _require_judge_on(judge_on)
    environments = worlds_of(worlds)
    folder = folder_or_memory(out, "run")
    # An agent's outputs are generated into the run's folder before they are checked.
    sources: list[InputPath] = [folder / GENERATED] if callable(outputs) else output_sources(outputs)
    case_shards, output_shards = shards_of(output_sources(cases, "cases")), shards_of(sources)
    label_file = None if labels is None else label_input(labels, **label_reading)
    if label_note := unread_note(label_file):
        warn_caller(f"labels: {label_note}")
    plan = Plan(
        cases=case_shards.files,
        outputs=output_shards.files,
        sharded=case_shards.sharded or output_shards.sharded,
        out=folder,
        command="fiducial.evaluate",
        options=None
        if rules is None
        else check_options(rules, functions, environments, text=text, allow_code=allow_code),
        names=names,
        **judging_fields(judges, model, environments, judge_parameters=judge_parameters),
        judge_on=judge_on,
        repeats=repeats,
        retry_unreadable=retry_unreadable,
        labels=label_file,
        labels_chosen_by=labels_chosen_by,
        pass_at=threshold_overrides(pass_at),
        workers=workers,
        engine=engine_of(engine, address, workers),
    )
    plan = after_first_judge(plan, unsure_of, max_error)
    if not callable(outputs):
        return run_apart(partial(_evaluate, plan, progress))
    agent = callable_source(outputs, scenes_of(environments), keep_crashes=keep_crashes)
    return run_apart(partial(_evaluate, plan, progress, agent, again=again))


def _async_version(function: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return a coroutine function with the same arguments, named with a leading "a"."""

    @wraps(function)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(function, *args, **kwargs)

    call.__name__ = call.__qualname__ = f"a{function.__name__}"
    arguments = (function.__doc__ or "").partition("\n")[2]
    call.__doc__ = f"Run `{function.__name__}` without blocking the running event loop; takes the same arguments.\n{arguments}"
    return call


aevaluate = hinting_arguments(_HINTS)(_async_version(evaluate))


@checked_arguments
def load_run(folder: FilePath) -> Run:
    """Load a finished run from its folder.

    Args:
        folder: Run folder; a path or an address.

    Raises:
        RunFolderError: It is not a run folder, or the run is unfinished.
    """
    return Run(folder_path(folder))


def judging_fields(
    judges: JudgeLike | Sequence[JudgeLike],
    model: str | None,
    environments: Mapping[str, type],
    *,
    shared: bool = False,
    poll_seconds: float | None = None,
    judge_parameters: Mapping[str, Any] | None = None,
    api: ApiName = "chat",
) -> dict[str, Any]:
    """Return the plan fields that name judges and model.

    Judges are names when all share one access to the model; otherwise each has its own.
    """
    has_several = isinstance(judges, Iterable) and not isinstance(judges, str)
    judge_list = [*cast("Sequence[JudgeLike]", judges)] if has_several else [cast("JudgeLike", judges)]
    return {
        "judges": judge_list
        if shared
        else [_judge_task(judge_like, model, environments, judge_parameters) for judge_like in judge_list],
        "model": model if shared else None,
        "environments": environments,
        "judge_parameters": judge_parameters or {},
        "api": api,
        "batch": None if poll_seconds is None else BatchMode(poll_seconds=poll_seconds),
    }


def judging_fields_of(settings: AuditRunSettings | AuditCardSettings | CompareSettings) -> dict[str, Any]:
    """Return the plan fields that name judges and model, of a command's settings."""
    return judging_fields(
        settings.judge if isinstance(settings, AuditCardSettings) else settings.judges,
        settings.model,
        worlds_of(settings.worlds),
        shared=True,
        poll_seconds=settings.batch_poll_seconds,
        judge_parameters=settings.judge_parameters,
        api=judging_api(settings),
    )


def _require_judge_on(judge_on: JudgeOn) -> None:
    if judge_on not in ("open", "all") and not isinstance(judge_on, frozenset):
        if isinstance(judge_on, str):
            raise UsageError(f"{setting('judge_on')} expects open, all or a number, got {judge_on!r}")
        require_whole("judge_on", judge_on, 0)


def _judge_task(
    judge_like: JudgeLike, model: str | None, worlds: Mapping[str, type], parameters: Mapping[str, Any] | None
) -> JudgeTask:
    if isinstance(judge_like, str):
        judge_like = judge(judge_like, model=model, worlds=worlds, judge_parameters=parameters)
    if not isinstance(judge_like, CallableJudge):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all typed
        hint = "; fd.judge_from(...) makes a judge of a metric or a function" if callable(judge_like) else ""
        raise UsageError(f"judges: expected a judge or a name of one, got {type(judge_like).__name__}{hint}")
    return judge_like.task_with_access


def _evaluate(
    plan: Plan,
    progress: bool | None,  # noqa: FBT001 - as `evaluate` has it
    agent: OutputSource | None = None,
    *,
    again: bool = False,
) -> Run:
    with show_progress(enabled=progress) as progress_display:
        if agent is not None:
            tally = generate_into_run(agent, plan.cases, plan.out, progress_display, again=again)
            warn_untracked(tally)
            warn_passed_over(tally)
            if (crash_note := crashes(tally)) is not None:
                warn_caller(crash_note)
        with plan.engine or nullcontext():
            run_plan(plan, ModelAccess, progress_display, lambda: datetime.now(UTC))
    return Run(plan.out)
