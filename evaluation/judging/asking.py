"""Second stage: ask judges about undecided outputs, and about a sample of decided ones.

The work comes in steps, and a later step may depend on verdicts of an earlier one. `ask` sends a step's requests; `..forecast` only counts
them. `ask_adapting` repeats the steps without the decoding parameters that models refuse.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Container, Iterable, Iterator, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from ...judges.criteria_judge import CriteriaJudge, criteria_verdicts
from ...judges.judge import Work
from ...judges.jury import JuryJudge
from ...judges.prompt_judge import PromptJudge
from ...judges.reply_verdicts import asked_again
from ...judges.statement_judge import StatementJudge
from ...judges.transport.refused_parameters import LIMITS, Refusal, RefusedParameterError
from ...judges.transport.trial import EndpointTrials
from ...records import Case, ItemKey, Output, Pair, Usage, Verdict, kind_spec
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..progress import Progress
from ..store.journal_rows import VerdictKey
from ..store.manifest import JudgeRecord
from ..store.run_writer import RunWriter
from .access import BatchMode, ModelAccess
from .judge_task import JudgeTask, JudgingStep

if TYPE_CHECKING:
    from ...judges.prices import Prices
    from ...judges.transport.exchange import CallError
    from ...judges.transport.retry import OnFailure


def ask_adapting(
    tasks: Sequence[JudgeTask], writer: RunWriter, ask_all: Callable[[Sequence[JudgeTask]], object]
) -> Sequence[JudgeTask]:
    """Ask judges, each without the parameters its model refuses; return the judges asked last.

    After a refusal all judges are asked again, that judge without the parameter. Existing verdicts are kept.
    A model reports one parameter at a time, so this may take several rounds.

    Raises:
        RunFolderError: The folder contains verdicts that the judge gave while its model accepted the parameter.
    """
    while True:
        try:
            ask_all(tasks)
        except RefusedParameterError as error:
            adapted_tasks = [adapt(task, error.refusal) for task in tasks]
            for before, after in zip(_prompt_tasks(tasks), _prompt_tasks(adapted_tasks), strict=True):
                if before.id != after.id:
                    for earlier, later in zip(before.enlisted, after.enlisted, strict=True):
                        writer.replace_judge(earlier.id, later)
            tasks = adapted_tasks
        else:
            return tasks


def not_sent(tasks: Iterable[JudgeTask]) -> dict[str, list[str]]:
    """Return the decoding parameters that models refused, by judge.

    Judges whose parameters were all sent are omitted.
    """
    refused = {
        task.by: [name for name, value in task.record.refused.items() if value is None] for task in tasks
    }
    return {by: names for by, names in refused.items() if names}


def _prompt_tasks(tasks: Sequence[JudgeTask]) -> list[JudgeTask]:
    return [prompt_task for task in tasks for prompt_task in task.single_tasks]


def adapt(task: JudgeTask, refusal: Refusal) -> JudgeTask:
    """Return a judge, and those it asks, without a parameter that a model refused."""
    judge, parts = task.judge, tuple(adapt(part, refusal) for part in task.parts)
    if isinstance(judge, PromptJudge):
        return replace(task, judge=judge.adapted(refusal))
    if isinstance(judge, StatementJudge):
        splitter, grader = parts
        assert grader.prompt_judge is not None
        judge = replace(judge, judge=grader.prompt_judge, splitter=splitter.judge)
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


def without_refused(task: JudgeTask, known_judges: Iterable[JudgeRecord]) -> JudgeTask:
    """Return a judge without the parameters that its model refused earlier in the run."""
    for judge in known_judges:
        for name, sent_value in judge.refused.items():
            if sent_value is None:
                # Refused parameters have the value None, except a token limit that is sent under another name.
                other_limit = next(
                    (limit for limit, value in judge.refused.items() if value is not None), None
                )
                replacement = other_limit if name in LIMITS else None
                task = adapt(task, Refusal(judge.id.model, name, "", replacement))
    return task


OutputFilter: TypeAlias = Callable[[ItemKey], bool]
"""Returns whether an output is to be judged."""


def every_output(_key: ItemKey) -> bool:
    """Select every output."""
    return True


_FUNCTION_CALLS = 8
"""Number of concurrent calls of a user's function."""
_MAX_WAITING = 1000
"""Maximum number of verdicts without a call that wait for the first call before they are written."""


class PerOutputStep(NamedTuple):
    """Step that asks judges about each selected output separately, ``repeats`` times."""

    context: RunContext
    tasks: Sequence[JudgeTask]
    is_selected: OutputFilter
    repeats: int = 1

    def work(self, task: JudgeTask, done: Container[VerdictKey]) -> Iterator[Work]:
        """Yield a judge's remaining work; see `JudgingStep`."""
        return remaining_work(self.context.inputs, task, self.is_selected, done, self.repeats)

    def remaining(self, task: JudgeTask, done: Container[VerdictKey]) -> int:
        """Return the amount of remaining work; see `JudgingStep`."""
        outputs = _remaining_outputs(self.context.inputs, task, self.is_selected, done, self.repeats)
        return sum(1 for _ in outputs)


def ask(step: JudgingStep, access: Callable[[], ModelAccess], batch: BatchMode | None = None) -> None:
    """Ask judges about outputs they have not judged, and journal each verdict as it comes.

    ``access`` is called only if a model has to be asked. It raises ConfigurationError if none is configured.
    """
    if batch is not None:
        from ..batch.collecting import collect_replies  # noqa: PLC0415 - only for batches

        access = collect_replies(step, access, batch)
    context = step.context
    context.writer.enlist(judge for task in step.tasks for judge in task.enlisted)
    trials = EndpointTrials()
    for task in step.tasks:
        done = task.settled(context)
        remaining = step.remaining(task, done)
        if not remaining:
            continue
        phase = f" ({context.phase})" if context.phase else ""
        context.progress.begin(f"judging by {task.by}{phase}", remaining)
        asks_model = task.prompt_judge is not None
        client = (task.access or access)() if asks_model else ModelAccess(concurrency=_FUNCTION_CALLS)
        client = msgspec.structs.replace(
            client,
            trials=trials,
            failing=_failure_reporter(context.progress),
            retry_of=context.verdicts.retry_of,
        )
        if context.engine is not None and asks_model:
            client = msgspec.structs.replace(client, elsewhere=context.engine.elsewhere)
        verdicts = task.judge.verdicts(step.work(task, done), client)
        # The baseline compares words in this process, so it has no asking time.
        with nullcontext() if task.id.kind == "baseline" else context.timed(task.id):
            asyncio.run(_journal_verdicts(context, verdicts, task, _cost_function(client, task)))


def remaining_work(
    inputs: EvaluationInputs,
    task: JudgeTask,
    is_selected: OutputFilter,
    done: Container[VerdictKey],
    repeats: int,
) -> Iterator[Work]:
    """Yield a judge's remaining work."""
    for output, repeat in _remaining_outputs(inputs, task, is_selected, done, repeats):
        case = inputs.cases[output.case_id]
        yield case, as_judged(case, output), repeat


def _remaining_outputs(
    inputs: EvaluationInputs,
    task: JudgeTask,
    is_selected: OutputFilter,
    done: Container[VerdictKey],
    repeats: int,
) -> Iterator[tuple[Output, int]]:
    """Yield the remaining outputs without their cases, for callers that only count.

    Reading the cases would take longer than everything else.
    """
    for output in inputs.outputs():
        key = output.key
        if task.takes(inputs.cases.facts(key.case_id).kind, output) and is_selected(key):
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


def _cost_function(client: ModelAccess, task: JudgeTask) -> Callable[[Usage], float | None]:
    """Return a function of a verdict's cost in US dollars; the price is looked up once."""

    @cache
    def price() -> Prices | None:
        return None if client.prices is None else client.prices(task.id.model)

    def cost(usage: Usage) -> float | None:
        prices = price()
        tokens = usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens
        return None if prices is None else prices.cost(*tokens)

    return cost


async def _journal_verdicts(
    context: RunContext,
    verdicts: AsyncGenerator[Verdict],
    task: JudgeTask,
    cost_of: Callable[[Usage], float | None],
) -> None:
    waiting: list[Verdict] = []
    async with aclosing(verdicts):
        async for verdict in verdicts:
            waiting.append(verdict)
            context.progress.advance()
            if (usage := verdict.usage) is not None:
                spent = 0 if usage.cached else usage.prompt_tokens + usage.completion_tokens
                unreadable = usage.reasked + (verdict.outcome == "unparsable")
                context.progress.replied(spent, unreadable, partial(cost_of, usage))
            # Until its first reply, the model may refuse a parameter, which changes the judge's id.
            if verdict.outcome == "not_applicable" and len(waiting) < _MAX_WAITING:
                continue
            # A verdict that cost a call is written at once: a kill loses only calls in flight.
            _write_all(context, waiting, task)
    _write_all(context, waiting, task)


def _write_all(context: RunContext, waiting: list[Verdict], task: JudgeTask) -> None:
    for verdict in waiting:
        if task.prompt_judge is not None and task.prompt_judge.asks_all_criteria:
            # An earlier start may have been killed between these and the verdict on the whole output.
            done = context.verdicts.settled
            for on_criterion in criteria_verdicts(verdict, task.prompt_judge):
                key = VerdictKey(on_criterion.key, on_criterion.author, on_criterion.repeat)
                if key not in done:
                    context.verdicts.append(on_criterion)
        context.verdicts.append(_with_earlier_replies(context, verdict))
    context.verdicts.flush()
    waiting.clear()


def _with_earlier_replies(context: RunContext, verdict: Verdict) -> Verdict:
    """Return a verdict, with the unreadable replies of the verdict that it replaces, if any."""
    key = VerdictKey(verdict.key, verdict.author, verdict.repeat)
    row = context.verdicts.standing.row_of(key)
    if row is None or (earlier := context.verdicts.find(key)) is None or earlier.usage is None:
        return verdict
    return asked_again(verdict, earlier)


def _failure_reporter(progress: Progress) -> OnFailure:
    def report_failure(error: CallError, wait: float | None) -> None:
        progress.failing(error.calls, str(error), wait)

    return report_failure
