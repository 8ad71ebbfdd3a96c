"""`fiducial.judge`: a judge that is called with a case and an output, or with inputs by name, and gives a verdict."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeAlias, cast

from ..calibration.cuts import pass_at_of
from ..deterministic.registration import load_environments
from ..errors import UsageError
from ..evaluation.judging.access import ModelAccess
from ..evaluation.judging.asking import as_judged
from ..evaluation.judging.composites import by_statement
from ..evaluation.judging.tasks import JudgeTask, judge_task
from ..evaluation.judging.worlds import replay_in
from ..judges import Judge, Work
from ..judges.composite import Composite, Question, discuss
from ..judges.cycle import as_done
from ..judges.loop_thread import is_loop_thread, run_sync, submit
from ..records import Case, JudgeId, Output, Verdict
from .connection import Connection
from .endpoints import EndpointLike
from .named_inputs import named_item
from .places import FilePath
from .reaching import model_access
from .sources import as_case, as_output

CaseLike: TypeAlias = Case | Mapping[str, Any]
OutputLike: TypeAlias = Output | Mapping[str, Any]
"""A record, or a mapping with the same keys."""


def judge(
    prompt: FilePath,
    *,
    model: str | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    connection: Any = None,
    endpoints: Sequence[EndpointLike] = (),
    record: FilePath | None = None,
    replay: FilePath | None = None,
    cache: FilePath | bool = True,
    concurrency: int = 64,
    timeout: float = 60.0,
    attempts: int = 6,
    max_calls: int | None = None,
    max_cost: float | None = None,
    parameters: Mapping[str, Any] | None = None,
    worlds: Mapping[str, type] | None = None,
    pass_at: float | None = None,
    split_statements: bool = False,
) -> ReadyJudge:
    """Make a judge that can be called.

    Args:
        prompt: A judge's name (``groundedness``), with its variant (``groundedness/direct``) or its model (``groundedness@m``), or the
            path of a ``.prompty`` file.
        model: The judging model's name at the endpoint; ``baseline`` for the lexical control, which needs none.
        base_url: An OpenAI-compatible endpoint; ``OPENAI_BASE_URL``, or OpenAI's own, when left out.
        api_key: The key; ``OPENAI_API_KEY`` when left out. Never shown.
        connection: A connection of promptflow's, its name or its file, in place of both.
        endpoints: Several endpoints that are asked side by side, in place of one: URLs with options, or mappings; see `EndpointLike`.
        record: A file to append every reply to.
        replay: A recording to answer from, in place of any model.
        cache: The reply cache's file; True for the one in the user's cache folder, False for none.
        concurrency: Calls in flight at most.
        timeout: Seconds for one call.
        attempts: Failed calls for one request at most.
        max_calls: Calls that may be made, retries included; None for no limit.
        max_cost: US dollars that may be spent; None for no limit.
        parameters: Decoding parameters that replace the prompt's; None as a value leaves one out.
        worlds: Simulated worlds of one's own, by class name, in which a judge of conversations sees calls executed; those that are
            registered when left out.
        pass_at: From which score on its verdicts pass; None for what it declares, or 0.5.
        split_statements: Whether long answers are split, and judged statement by statement; for judges whose score is made of these.

    Returns:
        The judge. It connects when it is called first.

    Raises:
        UsageError: There is no such judge, or an argument cannot be used.
        PromptError: The prompt file cannot be used.
        ConfigurationError: No model or endpoint is named, or the recording is not there.
    """
    made = partial(judge, **locals())  # the arguments as they were given
    environments = load_environments() if worlds is None else worlds
    task = judge_task(os.fspath(prompt), model, replay_in(environments), parameters)
    task = replace(task, cut=pass_at_of(pass_at).of([task.by], task.cut))
    if split_statements:
        task = by_statement(task, None)
        if not task.parts:
            raise UsageError(f"{task.by} judges an answer as a whole: leave split_statements out")
    if not task.models:
        return ReadyJudge(task, ModelAccess(), made)
    access = model_access(
        task.model,
        concurrency,
        base_url=base_url,
        api_key=api_key,
        connection=connection,
        endpoints=endpoints,
        record=record,
        replay=replay,
        cache=cache,
        timeout=timeout,
        attempts=attempts,
        max_calls=max_calls,
        max_cost=max_cost,
    )
    return ReadyJudge(task, access, made)


class ReadyJudge:
    """A judge that can be called; made by `judge`.

    Calls from any thread, and from under any running loop, share one connection pool a process: requests are made in a loop of
    their own. It closes by itself, or by `close`, or at the end of a ``with``.

    Args:
        task: Who is asked.
        access: How its model is reached.
        made: Makes it again, in another process; a key among its arguments is pickled with it.
        ways: How others are reached whom it asks; those that are not named are reached as itself.

    Attributes:
        task: As given.
        access: As given.
    """

    def __init__(
        self,
        task: JudgeTask,
        access: ModelAccess,
        made: Callable[[], ReadyJudge],
        ways: Mapping[JudgeId, ReadyJudge] | None = None,
    ) -> None:
        self.task = task
        self.access = access
        self._made = made
        self._ways = ways or {}
        self._connection = Connection(access)
        weakref.finalize(self, self._connection.close)

    @property
    def by(self) -> str:
        """How its verdicts are signed."""
        return self.task.by

    @property
    def pass_at(self) -> float:
        """From which score on its verdicts pass."""
        return self.task.cut.at

    @property
    def reached(self) -> JudgeTask:
        """The judge as a run asks it: with its own way to its model."""
        return _with_access(self.task, self.access)

    def __call__(
        self, case: CaseLike | None = None, output: OutputLike | None = None, /, **inputs: Any
    ) -> Verdict:
        """Judge one output, and wait for the verdict, whether or not a loop is running here.

        Args:
            case: What was to be done.
            output: What the system produced.
            **inputs: In place of both, what the judge is to be shown, by name: ``query``, ``response``, ``search_results``,
                ``tool_calls``, ``tool_definitions``, ``messages``, ``accepted_answers``, ``criterion``, ...

        Returns:
            The verdict: graded, or with the reason why not.

        Raises:
            UsageError: Inputs are missing, or unknown to this judge; or it is called where waiting would be for ever.
            RecordError: Case or output is not in its form.
            PromptError: The prompt cannot be rendered.
        """
        if is_loop_thread():
            raise UsageError(f"{self.by} is asked in this very loop: await judge.one(...) instead of waiting")
        return run_sync(self._judge(*self._item(case, output, inputs)))

    async def one(
        self, case: CaseLike | None = None, output: OutputLike | None = None, /, **inputs: Any
    ) -> Verdict:
        """Judge one output from a coroutine, in whatever loop; see `__call__`."""
        return await asyncio.wrap_future(submit(self._judge(*self._item(case, output, inputs))))

    async def many(
        self, pairs: Iterable[tuple[CaseLike, OutputLike]], *, repeats: int = 1
    ) -> AsyncGenerator[Verdict]:
        """Judge outputs, as many at a time as calls may be in flight.

        Args:
            pairs: Cases with outputs; taken only as fast as verdicts are, in a thread of the judge's.
            repeats: How often each output is judged.

        Yields:
            One verdict an output and repetition, as they are done.

        Raises:
            RecordError: A case or output is not in its form.
            PromptError: The prompt cannot be rendered.
        """
        judge, work = self.task.judge, _work(pairs, repeats)
        verdicts = (
            as_done(work, partial(self._discussed, judge), self.access.concurrency)
            if isinstance(judge, Composite)
            else judge.verdicts(work, self._connection)
        )
        try:
            while (verdict := await asyncio.wrap_future(submit(_next(verdicts)))) is not None:
                yield verdict
        finally:
            await asyncio.wrap_future(submit(verdicts.aclose()))

    def close(self) -> None:
        """Close the connections of this process, and those of whom it asks; a further call opens new ones."""
        self._connection.close()
        for judge in self._ways.values():
            judge.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return self._made, ()

    def __repr__(self) -> str:
        return f"<judge {self.by}>"

    def _item(
        self, case: CaseLike | None, output: OutputLike | None, inputs: Mapping[str, Any]
    ) -> tuple[Case, Output, Judge]:
        """What is asked about, and the judge that is asked about it."""
        if case is not None and output is not None and not inputs:
            checked = as_case(case)
            return checked, as_output(output, checked), self.task.judge
        if case is not None or output is not None or not inputs:
            raise UsageError(f"{self.by} is called with a case and an output, or with inputs by name")
        asked = self.task.asked
        item = named_item(inputs, None if asked is None else asked.prompt, self.by)
        if asked is not None:
            return item.case, item.output, replace(asked, fillers={**asked.fillers, **item.shown})
        if item.shown:
            raise UsageError(
                f"{self.by} reads calls, messages and answers; it cannot use {', '.join(item.shown)} as given"
            )
        return item.case, item.output, self.task.judge

    async def _judge(self, case: Case, output: Output, judge: Judge) -> Verdict:
        output = as_judged(case, output)
        if isinstance(judge, Composite):
            return await self._discussed(judge, case, output)
        return await judge.verdict(case, output, self._connection)

    async def _discussed(self, judge: Composite, case: Case, output: Output, repeat: int = 0) -> Verdict:
        return await discuss(judge.deliberate(case, output, repeat), self._asked)

    async def _asked(self, question: Question) -> Verdict:
        way = self._ways.get(question.judge.id, self)._connection  # noqa: SLF001 - a judge like this one
        judge = cast("Judge", question.judge)
        return await judge.verdict(question.case, question.output, way, question.repeat)


def _with_access(task: JudgeTask, access: ModelAccess) -> JudgeTask:
    if task.access is not None:
        return task
    return replace(
        task, access=lambda: access, parts=tuple(_with_access(part, access) for part in task.parts)
    )


def _work(pairs: Iterable[tuple[CaseLike, OutputLike]], repeats: int) -> Iterator[Work]:
    for case, output in pairs:
        checked = as_case(case)
        judged = as_judged(checked, as_output(output, checked))
        for repeat in range(repeats):
            yield checked, judged, repeat


async def _next(verdicts: AsyncGenerator[Verdict]) -> Verdict | None:
    return await anext(verdicts, None)
