"""The second stage: judges are asked about what is open, and about a sample of what is decided."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...errors import ConfigurationError, UsageError
from ...judges import (
    Budget,
    Endpoint,
    Judge,
    Provider,
    Work,
    baseline_by,
    baseline_verdict,
    batch_replies,
    connect,
    judge_work,
    load_judge,
    replay,
)
from ...judges.baseline import MODEL as BASELINE
from ...records import Case, ItemKey, Output
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..run_folder.verdict_log import VerdictKey, settled
from .kinds import judges_kind

_SPEC = re.compile(r"(?P<judge>.+?\.prompty|[^@]+)@(?P<model>.+)", re.DOTALL)


class ModelAccess(msgspec.Struct, frozen=True, kw_only=True):
    """How a model is reached.

    Attributes:
        endpoint: Where it is; None when replies are replayed.
        concurrency: Calls in flight at most.
        timeout: Seconds until one call is given up.
        attempts: Failed calls for one request at most.
        patience: How many times as long as usual a call may take before it is taken to hang; 0 for as long as ``timeout`` says.
        cache: The reply cache's file; None for no cache.
        record: A file to record replies to.
        replay: A recording to answer from, instead of any model.
        budget: What may be spent; None for no limit.
        results: Result files of batches to answer from, beside the cache, instead of asking the model; None to ask it.
        missing_result: What to say of a request that has no result there.
        meanwhile: Called once, in a thread, while the model's first replies are awaited.
    """

    endpoint: Endpoint | None = None
    concurrency: int = 64
    timeout: float = 60.0
    attempts: int = 6
    patience: float = 10.0
    cache: Path | None = None
    record: Path | None = None
    replay: Path | None = None
    budget: Budget | None = None
    results: tuple[Path, ...] | None = None
    missing_result: str = "the batch holds no result for this request"
    meanwhile: Callable[[], object] | None = None

    def open(self) -> AbstractAsyncContextManager[Provider]:
        """The provider that answers requests, for as long as the context is open.

        Raises:
            ConfigurationError: There is neither an endpoint nor a recording.
        """
        if self.replay is not None:
            return replay(self.replay)
        if self.results is not None:
            return batch_replies(
                self.results,
                missing=self.missing_result,
                namespace=self.endpoint.identity if self.endpoint is not None else "",
                cache=self.cache,
                record=self.record,
            )
        if self.endpoint is None:
            raise ConfigurationError("no model can be reached: set an endpoint, or replay a recording")
        return connect(
            self.endpoint,
            concurrency=self.concurrency,
            timeout=self.timeout,
            attempts=self.attempts,
            patience=self.patience,
            cache=self.cache,
            record=self.record,
            budget=self.budget,
            meanwhile=self.meanwhile,
        )


class JudgeTask(NamedTuple):
    """One judge and what it is asked about."""

    judge: str
    model: str
    by: str
    fingerprint: str
    asked: Judge | None
    """None for the lexical baseline, which is asked nothing."""
    splitter: JudgeTask | None = None
    """Who splits answers into statements; None where answers are judged as a whole."""


def split_spec(spec: str) -> tuple[str, str | None]:
    """Split a judge's model off, where one is named: ``judge/variant@model``.

    Args:
        spec: A judge's name, with its variant or without, or a path to a prompt file; a model may follow.

    Returns:
        Judge and model.
    """
    found = None if spec.endswith(".prompty") else _SPEC.fullmatch(spec)
    return (spec, None) if found is None else (found["judge"], found["model"])


def judge_task(spec: str, model: str | None) -> JudgeTask:
    """Prepare a judge.

    Args:
        spec: A judge's name, with its variant or without, or a path to a prompt file; ``@MODEL`` may follow.
        model: The model's name at the endpoint, or ``baseline``, for a judge that names none.

    Returns:
        The task.

    Raises:
        UsageError: There is no such judge.
        PromptError: Its prompt file cannot be used.
        ConfigurationError: No model is named.
    """
    spec, own = split_spec(spec)
    model = own or model
    if model is None:
        raise ConfigurationError(
            "no model is named: add --model NAME (or --model baseline, which needs none)"
        )
    if model == BASELINE:
        by = baseline_by(spec)
        return JudgeTask(by.partition("/")[0], model, by, "lexical baseline: no prompt, no model", None)
    judge = load_judge(spec, model=model)
    if judge.splits:
        raise UsageError(f"{spec} splits answers, and judges none; --split-statements uses it")
    return JudgeTask(judge.name.judge, model, judge.by, judge.fingerprint, judge)


def judge_outputs(
    context: RunContext,
    tasks: Iterable[JudgeTask],
    wanted: Callable[[ItemKey], bool],
    access: Callable[[], ModelAccess],
    *,
    repeats: int = 1,
) -> None:
    """Ask judges about outputs that have no verdict of theirs yet, and journal what they say as they say it.

    Args:
        context: Inputs, folder and progress.
        tasks: The judges.
        wanted: Whether an output is to be judged.
        access: How the model is reached; asked for only when there is something to ask a model.
        repeats: How often each output is judged.

    Raises:
        ConfigurationError: A model is needed and none is configured.
    """
    tasks = list(tasks)
    context.folder.bind(**{f"judge {task.by}": task.fingerprint for task in tasks})
    prompts = {task.by: str(task.asked.prompt.path.resolve()) for task in tasks if task.asked is not None}
    context.folder.update(prompts=context.folder.manifest.get("prompts", {}) | prompts)
    for task in tasks:
        done = settled(context.verdicts)
        times = 1 if task.asked is None else repeats  # words do not change their mind
        left = sum(1 for _ in _open_outputs(context.inputs, task, wanted, done, times))
        if not left:
            continue
        context.progress.begin(f"judging by {task.by}", left)
        work = open_work(context.inputs, task, wanted, done, times)
        if task.asked is None:
            _compare_words(context, task.judge, work)
        else:
            reached = access()
            with context.timed(task.by):
                asyncio.run(_ask(context, task.asked, work, reached))


def open_work(
    inputs: EvaluationInputs,
    task: JudgeTask,
    wanted: Callable[[ItemKey], bool],
    done: Container[VerdictKey],
    repeats: int,
) -> Iterator[Work]:
    """What a judge is still to be asked.

    Args:
        inputs: Cases and outputs.
        task: The judge.
        wanted: Whether an output is to be judged.
        done: Verdicts that are there already.
        repeats: How often each output is judged.

    Yields:
        Cases, outputs and repetitions, in the order of the files.
    """
    for output, repeat in _open_outputs(inputs, task, wanted, done, repeats):
        case = inputs.cases[output.case_id]
        yield case, as_judged(case, output), repeat


def _open_outputs(
    inputs: EvaluationInputs,
    task: JudgeTask,
    wanted: Callable[[ItemKey], bool],
    done: Container[VerdictKey],
    repeats: int,
) -> Iterator[tuple[Output, int]]:
    """The same without the cases, for who only counts: reading one of these takes longer than all else here."""
    for output in inputs.outputs():
        key = output.key
        if judges_kind(task.by, inputs.cases.facts(key.case_id).kind) and wanted(key):
            for repeat in range(repeats):
                if VerdictKey(key, task.by, repeat) not in done:
                    yield output, repeat


def as_judged(case: Case, output: Output) -> Output:
    """The output as a judge sees it: of a workspace, the text of the files that the challenge names."""
    if case.kind != "artifact":
        return output
    from ...deterministic.artifacts import workspace_text  # noqa: PLC0415 - most cases have no workspace

    return msgspec.structs.replace(output, text=workspace_text(case, output))


def _compare_words(context: RunContext, judge: str, work: Iterable[Work]) -> None:
    for case, output, _ in work:
        context.verdicts.append(baseline_verdict(case, output, judge))
        context.progress.advance()
    context.verdicts.flush()


async def _ask(context: RunContext, judge: Judge, work: Iterable[Work], access: ModelAccess) -> None:
    async with access.open() as provider:
        async for verdict in judge_work(work, judge, provider, concurrency=access.concurrency):
            context.verdicts.append(verdict)
            # A verdict that was paid for is handed on at once: a kill loses only what is in flight.
            context.verdicts.flush()
            context.progress.advance()
