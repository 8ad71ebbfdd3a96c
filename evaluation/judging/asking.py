"""Second stage: ask judges about undecided outputs, and about a sample of decided ones.

What is to be asked comes in steps, of which a later one may depend on what was said in an earlier one. Whoever takes the steps
asks (`ask`), or only looks what would be asked (`..forecast`). Judges are asked without the decoding parameters that their models refuse.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Container, Iterable, Iterator, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from ...judges import PromptJudge, Work
from ...judges.criteria_judge import CriteriaJudge, criteria_verdicts
from ...judges.jury import JuryJudge
from ...judges.statement_judge import StatementJudge
from ...judges.transport.refused_parameters import LIMITS, Refusal, RefusedParameterError
from ...judges.transport.trial import EndpointTrials
from ...records import Case, ItemKey, Output, Pair, Verdict, kind_spec
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..progress import Progress
from ..store.journal_rows import VerdictKey
from ..store.manifest import KnownJudge
from ..store.run_writer import RunWriter
from .access import BatchMode, ModelAccess
from .judge_task import JudgeTask, JudgingStep

if TYPE_CHECKING:
    from ...judges.transport.exchange import CallError
    from ...judges.transport.retry import OnFailure


def ask_adapting(
    tasks: Sequence[JudgeTask], writer: RunWriter, asking: Callable[[Sequence[JudgeTask]], object]
) -> Sequence[JudgeTask]:
    """Ask judges, each without the parameters its model refuses; return the judges asked last.

    A refusal ends the asking, which begins again with a judge in the place of the refused one.

    Raises:
        RunFolderError: The folder holds verdicts that the judge gave while its model took the parameter.
    """
    while True:
        try:
            asking(tasks)
        except RefusedParameterError as error:
            changed = [adapted(task, error.refusal) for task in tasks]
            for before, after in zip(_prompts(tasks), _prompts(changed), strict=True):
                if before.id != after.id:
                    for earlier, later in zip(before.enlisted, after.enlisted, strict=True):
                        writer.replace_judge(earlier.id, later)
            tasks = changed
        else:
            return tasks


def not_sent(tasks: Iterable[JudgeTask]) -> dict[str, list[str]]:
    """Return the decoding parameters that models refused, by judge.

    Judges that sent all of theirs are omitted.
    """
    refused = {
        task.by: [name for name, value in task.record.refused.items() if value is None] for task in tasks
    }
    return {by: names for by, names in refused.items() if names}


def _prompts(tasks: Sequence[JudgeTask]) -> list[JudgeTask]:
    return [plain for task in tasks for plain in task.plain]


def adapted(task: JudgeTask, refusal: Refusal) -> JudgeTask:
    """Return a judge, and those it asks, without a parameter that a model refused."""
    judge, parts = task.judge, tuple(adapted(part, refusal) for part in task.parts)
    if isinstance(judge, PromptJudge):
        return replace(task, judge=judge.adapted(refusal))
    if isinstance(judge, StatementJudge):
        splitter, asked = parts
        assert asked.prompt_judge is not None
        judge = replace(judge, judge=asked.prompt_judge, splitter=splitter.judge)
    elif isinstance(judge, CriteriaJudge):
        assert parts[0].prompt_judge is not None
        judge = replace(judge, judge=parts[0].prompt_judge)
    elif isinstance(judge, JuryJudge):
        members = tuple(
            msgspec.structs.replace(member, id=part.id)
            for member, part in zip(judge.jury.members, parts, strict=True)
        )
        jury = msgspec.structs.replace(judge.jury, members=members)
        judge = replace(judge, jury=jury, members=tuple(part.judge for part in parts))
    return replace(task, judge=judge, parts=parts)


def as_known(task: JudgeTask, known_judges: Iterable[KnownJudge]) -> JudgeTask:
    """Return a judge without what its model refused in an earlier start of the run."""
    for judge in known_judges:
        for name, value in judge.refused.items():
            if value is None:
                instead = next((other for other, kept in judge.refused.items() if kept is not None), None)
                task = adapted(task, Refusal(judge.id.model, name, "", instead if name in LIMITS else None))
    return task


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

    ``access`` is asked for only when there is something to ask a model: ConfigurationError if none is configured.
    """
    if batch is not None:
        from ..batch.collecting import collect_replies  # noqa: PLC0415 - only for batches

        access = collect_replies(step, access, batch)
    context = step.context
    context.writer.enlist(judge for task in step.tasks for judge in task.enlisted)
    trials = EndpointTrials()
    for task in step.tasks:
        done = context.verdicts.settled
        remaining = step.left(task, done)
        if not remaining:
            continue
        context.progress.begin(f"judging by {task.by}", remaining)
        asks_none = task.prompt_judge is None
        client = ModelAccess(concurrency=_CALLS) if asks_none else (task.access or access)()
        client = msgspec.structs.replace(client, trials=trials, failing=_failing_in(context.progress))
        if context.engine is not None and not asks_none:
            client = msgspec.structs.replace(client, elsewhere=context.engine.elsewhere)
        verdicts = task.judge.verdicts(step.work(task, done), client)
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
            for repeat in range(task.id.times_asked(repeats)):
                if VerdictKey(key, task.id, repeat) not in done:
                    yield output, repeat


def as_judged(case: Case, output: Output) -> Output:
    """Return the output as a judge sees it; for a workspace, the text of the challenge's files."""
    if kind_spec(case.kind).family != "workspace":
        return output
    if isinstance(output, Pair):
        first, second = as_judged(case, output.first), as_judged(case, output.second)
        return msgspec.structs.replace(output, first=first, second=second)
    from ...deterministic.artifacts.workspace_checker import workspace_text  # noqa: PLC0415 - most cases have no workspace

    return msgspec.structs.replace(output, text=workspace_text(case, output))


async def _journal(context: RunContext, verdicts: AsyncGenerator[Verdict], task: JudgeTask) -> None:
    waiting: list[Verdict] = []
    async with aclosing(verdicts):
        async for verdict in verdicts:
            waiting.append(verdict)
            context.progress.advance()
            # Until a model has been asked, a refusal of it may still make another judge of this one.
            if verdict.outcome == "not_applicable" and len(waiting) < _HELD:
                continue
            # A verdict that was paid for is handed on at once: a kill loses only what is in flight.
            _keep(context, waiting, task)
    _keep(context, waiting, task)


def _keep(context: RunContext, waiting: list[Verdict], task: JudgeTask) -> None:
    for verdict in waiting:
        if task.prompt_judge is not None and task.prompt_judge.asks_all_criteria:
            # A start may have been killed between these and the verdict that they are of.
            done = context.verdicts.settled
            for each in criteria_verdicts(verdict, task.prompt_judge):
                if VerdictKey(each.key, each.author, each.repeat) not in done:
                    context.verdicts.append(each)
        context.verdicts.append(verdict)
    context.verdicts.flush()
    waiting.clear()


def _failing_in(progress: Progress) -> OnFailure:
    """Report failed calls as progress."""

    def failing(error: CallError, wait: float | None) -> None:
        progress.failing(error.calls, str(error), wait)

    return failing
