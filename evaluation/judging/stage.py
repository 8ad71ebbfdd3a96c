"""The second stage: judges are asked about what is open, and about a sample of what is decided."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Container, Iterable, Iterator

import msgspec

from ...judges import Judge, Work, as_done, baseline_verdict, judge_work
from ...records import Case, ItemKey, Output, Verdict
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..run_folder.verdict_log import VerdictKey, settled
from .access import ModelAccess
from .tasks import JudgeTask

_CALLS = 8
"""Calls of a user's function at a time."""


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
    context.folder.enlist(task.known for task in tasks)
    for task in tasks:
        done = settled(context.verdicts)
        times = 1 if task.id.kind == "baseline" else repeats  # words do not change their mind
        left = sum(1 for _ in _open_outputs(context.inputs, task, wanted, done, times))
        if not left:
            continue
        context.progress.begin(f"judging by {task.by}", left)
        work = open_work(context.inputs, task, wanted, done, times)
        if task.called is not None:
            with context.timed(task.id):
                asyncio.run(_journal(context, as_done(work, task.called.verdict, _CALLS)))
        elif task.asked is None:
            _compare_words(context, task.id.name, work)
        else:
            reached = (task.access or access)()
            with context.timed(task.id):
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
        if task.judges_kind(inputs.cases.facts(key.case_id).kind) and wanted(key):
            for repeat in range(repeats):
                if VerdictKey(key, task.id, repeat) not in done:
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
        await _journal(context, judge_work(work, judge, provider, concurrency=access.concurrency))


async def _journal(context: RunContext, verdicts: AsyncIterator[Verdict]) -> None:
    async for verdict in verdicts:
        context.verdicts.append(verdict)
        # A verdict that was paid for is handed on at once: a kill loses only what is in flight.
        context.verdicts.flush()
        context.progress.advance()
