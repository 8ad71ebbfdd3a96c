"""Second stage: ask judges about undecided outputs, and about a sample of decided ones.

What is to be asked comes in steps, of which a later one may depend on what was said in an earlier one. Whoever takes the steps
asks (`ask`), or only looks what would be asked (`..forecast`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Container, Iterator, Sequence
from contextlib import aclosing, nullcontext
from typing import NamedTuple, TypeAlias

import msgspec

from ...judges import Work
from ...judges.criteria_judge import criteria_verdicts
from ...judges.jury import times
from ...judges.transport.trial import EndpointTrials
from ...records import Case, ItemKey, Output, Pair, Verdict, kind_spec
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..progress import failing_in
from ..store.journal_rows import VerdictKey
from .access import BatchMode, ModelAccess
from .judge_task import JudgeTask
from .judging_step import JudgingStep

Wanted: TypeAlias = Callable[[ItemKey], bool]
"""Whether an output is to be judged."""


def every_output(_key: ItemKey) -> bool:
    """All are to be judged."""
    return True


_CALLS = 8
"""Calls of a user's function at a time."""
_HELD = 1000
"""Verdicts that wait at most for a first one that rests on a call."""


class EachOutput(NamedTuple):
    """Step that asks judges about each wanted output a number of times, regardless of others."""

    context: RunContext
    tasks: Sequence[JudgeTask]
    wanted: Wanted
    repeats: int = 1

    def work(self, task: JudgeTask, done: Container[VerdictKey]) -> Iterator[Work]:
        """Yield a judge's remaining work; see `JudgingStep`."""
        return open_work(self.context.inputs, task, self.wanted, done, self.repeats)

    def left(self, task: JudgeTask, done: Container[VerdictKey]) -> int:
        """Return the amount of remaining work; see `JudgingStep`."""
        return sum(1 for _ in _open_outputs(self.context.inputs, task, self.wanted, done, self.repeats))


def ask(step: JudgingStep, access: Callable[[], ModelAccess], batch: BatchMode | None = None) -> None:
    """Ask judges about outputs they have not judged, and journal each verdict as it comes.

    ``access`` is asked for only when there is something to ask a model: ConfigurationError where none is configured.
    """
    if batch is not None:
        from ..batch.collecting import collect_replies  # noqa: PLC0415 - for who wants batches

        access = collect_replies(step, access, batch)
    context = step.context
    context.folder.enlist(known for task in step.tasks for known in task.enlisted)
    trials = EndpointTrials()
    for task in step.tasks:
        done = context.verdicts.settled
        left = step.left(task, done)
        if not left:
            continue
        context.progress.begin(f"judging by {task.by}", left)
        asks_none = task.asked is None
        way = ModelAccess(concurrency=_CALLS) if asks_none else (task.access or access)()
        way = msgspec.structs.replace(way, trials=trials, failing=failing_in(context.progress))
        if context.engine is not None and not asks_none:
            way = msgspec.structs.replace(way, elsewhere=context.engine.elsewhere)
        verdicts = task.judge.verdicts(step.work(task, done), way)
        with nullcontext() if task.id.kind == "baseline" else context.timed(task.id):
            asyncio.run(_journal(context, verdicts, task))


def open_work(
    inputs: EvaluationInputs, task: JudgeTask, wanted: Wanted, done: Container[VerdictKey], repeats: int
) -> Iterator[Work]:
    """Yield a judge's remaining work."""
    for output, repeat in _open_outputs(inputs, task, wanted, done, repeats):
        case = inputs.cases[output.case_id]
        yield case, as_judged(case, output), repeat


def _open_outputs(
    inputs: EvaluationInputs, task: JudgeTask, wanted: Wanted, done: Container[VerdictKey], repeats: int
) -> Iterator[tuple[Output, int]]:
    """Yield the remaining outputs without their cases, for callers that only count.

    Reading the cases takes longer than everything else here.
    """
    for output in inputs.outputs():
        key = output.key
        if task.takes(inputs.cases.facts(key.case_id).kind, output) and wanted(key):
            for repeat in range(times(task.id, repeats)):
                if VerdictKey(key, task.id, repeat) not in done:
                    yield output, repeat


def as_judged(case: Case, output: Output) -> Output:
    """Return the output as a judge sees it; for a workspace, the text of the challenge's files."""
    if kind_spec(case.kind).family != "workspace":
        return output
    if isinstance(output, Pair):
        first, second = as_judged(case, output.first), as_judged(case, output.second)
        return msgspec.structs.replace(output, first=first, second=second)
    from ...deterministic.artifacts import workspace_text  # noqa: PLC0415 - most cases have no workspace

    return msgspec.structs.replace(output, text=workspace_text(case, output))


async def _journal(context: RunContext, verdicts: AsyncGenerator[Verdict], task: JudgeTask) -> None:
    held: list[Verdict] = []
    async with aclosing(verdicts):
        async for verdict in verdicts:
            held.append(verdict)
            context.progress.advance()
            # Until a model has been asked, a refusal of it may still make another judge of this one.
            if verdict.outcome == "not_applicable" and len(held) < _HELD:
                continue
            # A verdict that was paid for is handed on at once: a kill loses only what is in flight.
            _keep(context, held, task)
    _keep(context, held, task)


def _keep(context: RunContext, held: list[Verdict], task: JudgeTask) -> None:
    for verdict in held:
        if task.asked is not None and task.asked.asks_all_criteria:
            # A start may have been killed between these and the verdict that they are of.
            done = context.verdicts.settled
            for each in criteria_verdicts(verdict, task.asked):
                if VerdictKey(each.key, each.author, each.repeat) not in done:
                    context.verdicts.append(each)
        context.verdicts.append(verdict)
    context.verdicts.flush()
    held.clear()
