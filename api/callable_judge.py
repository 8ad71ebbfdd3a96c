"""Judges that can be called: a `CallableJudge` asks its model over a `ModelConnection`."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias, cast

from ..errors import UsageError
from ..evaluation.judging.access import ModelAccess
from ..evaluation.judging.asking import adapt, as_judged
from ..evaluation.judging.judge_task import JudgeTask
from ..judges.composite import Composite, JudgeQuestion, run_deliberation
from ..judges.cycle import judge_concurrently
from ..judges.judge import Judge, Work
from ..judges.loop_thread import is_loop_thread, run_sync, submit
from ..judges.prompt_judge import PromptJudge
from ..judges.transport.exchange import Provider
from ..judges.transport.refused_parameters import Refusal, RefusedParameterError
from ..records import Case, Closing, JudgeId, Output, Verdict
from .argument_checks import require_whole
from .callers import caller_known, warn_caller
from .named_inputs import named_item
from .paths import as_case, as_output

CaseLike: TypeAlias = Case | Mapping[str, Any]
"""A case: a record, or a mapping with the same keys."""
OutputLike: TypeAlias = Output | Mapping[str, Any]
"""An output: a record, or a mapping with the same keys."""


_CLOSING_SECONDS = 5.0
"""Time limit for closing connections."""


class _OpenProvider(NamedTuple):
    """Provider that a process opened, and the stack that closes it."""

    process_id: int
    provider: Provider
    exit_stack: AsyncExitStack


class ModelConnection:
    """Connection of this process to the model.

    A connection inherited by a fork is not used, since it belongs to the parent's event loop.
    """

    def __init__(self, access: ModelAccess) -> None:
        self._access = access
        self._open: _OpenProvider | None = None

    @property
    def concurrency(self) -> int:
        """Maximum number of calls in flight."""
        return self._access.concurrency

    @property
    def retry_of(self) -> None:
        """None, since a direct call never repeats the question of an earlier command."""
        return

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Provider]:
        """Open the provider on first use, and yield it.

        It stays open from call to call, in the loop in which all requests are made.
        """
        if self._open is None or self._open.process_id != os.getpid():
            exit_stack = AsyncExitStack()
            # Opening the provider does not suspend, so that calls made at once do not open two.
            provider = await exit_stack.enter_async_context(self._access.open())
            self._open = _OpenProvider(os.getpid(), provider, exit_stack)
        yield self._open.provider

    def close(self) -> None:
        """Close the connection if it is open in this process."""
        if self._open is None or self._open.process_id != os.getpid():
            return
        exit_stack = self._open.exit_stack
        self._open = None
        closing = submit(exit_stack.aclose())
        if not is_loop_thread():  # garbage collection may run in any thread
            closing.result(_CLOSING_SECONDS)


class CallableJudge(Closing):
    """Judge that can be called; made by `judge`.

    Calls from any thread, and under any running loop, share one connection pool per process: requests are made in a loop of
    their own. It closes at exit, by `close`, or at the end of a ``with``.

    Args:
        task: The judge that is asked.
        access: Access to its model.
        remake: Function that makes the same judge in another process; a key among its arguments is pickled with it.
        members: Judges inside this one with separate connections; the others share this judge's.

    Attributes:
        task: The judge that is asked.
        access: Access to its model.
    """

    def __init__(
        self,
        task: JudgeTask,
        access: ModelAccess,
        remake: Callable[[], CallableJudge],
        members: Mapping[JudgeId, CallableJudge] | None = None,
    ) -> None:
        self.task = task
        self.access = access
        self._remake = remake
        self._members = dict(members or {})
        self._connection = ModelConnection(access)
        weakref.finalize(self, self._connection.close)

    @property
    def by(self) -> str:
        """Author name on the judge's verdicts."""
        return self.task.by

    @property
    def pass_at(self) -> float:
        """Pass threshold of its verdicts."""
        return self.task.threshold.at

    @property
    def task_with_access(self) -> JudgeTask:
        """The judge as a run uses it: with access to its own model."""
        return _with_access(self.task, self.access)

    def __call__(
        self, case: CaseLike | None = None, output: OutputLike | None = None, /, **inputs: Any
    ) -> Verdict:
        """Judge one output, and wait for the verdict, whether or not a loop is running here.

        Args:
            case: The case.
            output: The system's output.
            **inputs: Instead of both, the judge's inputs by name: ``query``, ``response``, ``search_results``,
                ``tool_calls``, ``tool_definitions``, ``messages``, ``accepted_answers``, ``criterion``, ...

        Returns:
            The verdict: graded, or with the reason why it is not.

        Raises:
            UsageError: Inputs are missing, or unknown to this judge; or waiting here would never end.
            RecordError: Case or output is invalid.
            PromptError: The prompt cannot be rendered.
        """
        if is_loop_thread():
            raise UsageError(f"{self.by} runs in this event loop: use `await judge.one(...)`")
        with caller_known():
            return run_sync(self._judge(*self._item(case, output, inputs)))

    async def one(
        self, case: CaseLike | None = None, output: OutputLike | None = None, /, **inputs: Any
    ) -> Verdict:
        """Judge one output from a coroutine of any event loop; see `__call__`."""
        return await asyncio.wrap_future(submit(self._judge(*self._item(case, output, inputs))))

    async def many(
        self, pairs: Iterable[tuple[CaseLike, OutputLike]], *, repeats: int = 1
    ) -> AsyncGenerator[Verdict]:
        """Judge outputs concurrently; results come in order of completion.

        Args:
            pairs: Cases with outputs. Consumed on demand, in the judge's thread.
            repeats: Number of times each output is judged.

        Yields:
            One verdict per output and repetition.

        Raises:
            UsageError: ``repeats`` is below 1.
            RecordError: A case or output is invalid.
            PromptError: The prompt cannot be rendered.
        """
        require_whole("repeats", repeats)
        judge, work = self.task.judge, _judge_work(pairs, repeats)
        # Twice as many items as calls in flight: while some wait for a retry, others use the slots.
        verdicts = (
            judge_concurrently(work, self._repeated, self.access.concurrency * 2)
            if isinstance(judge, Composite | PromptJudge)
            else judge.verdicts(work, self._connection)
        )
        lock = asyncio.Lock()
        try:
            while (verdict := await asyncio.wrap_future(submit(_next_verdict(verdicts, lock)))) is not None:
                yield verdict
        finally:
            await asyncio.wrap_future(submit(_close_verdicts(verdicts, lock)))

    def close(self) -> None:
        """Close the connections of this process, and those of the judges it asks.

        A further call opens new ones.
        """
        self._connection.close()
        for judge in set(self._members.values()):
            judge.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return self._remake, ()

    def __repr__(self) -> str:
        return f"<judge {self.by}>"

    def _item(
        self, case: CaseLike | None, output: OutputLike | None, inputs: Mapping[str, Any]
    ) -> tuple[Case, Output, Judge]:
        """Return the case and output to judge, and the judge that is asked about them."""
        if case is not None and output is not None and not inputs:
            case_record = as_case(case)
            return case_record, as_output(output, case_record), self.task.judge
        if case is not None or output is not None or not inputs:
            raise UsageError(f"{self.by} is called with a case and an output, or with inputs by name")
        prompt_judge = self.task.prompt_judge
        item = named_item(inputs, None if prompt_judge is None else prompt_judge.prompt, self.by)
        if prompt_judge is not None:
            return (
                item.case,
                item.output,
                replace(prompt_judge, input_builders={**prompt_judge.input_builders, **item.shown}),
            )
        if item.shown:
            raise UsageError(
                f"{self.by} reads calls, messages and answers; it cannot use {', '.join(item.shown)} as given"
            )
        return item.case, item.output, self.task.judge

    async def _judge(self, case: Case, output: Output, judge: Judge) -> Verdict:
        return await self._verdict_of(judge, case, as_judged(case, output))

    async def _verdict_of(self, judge: Judge, case: Case, output: Output, repeat: int = 0) -> Verdict:
        """Ask a judge; retry without a parameter that its model refuses."""
        while True:
            try:
                if isinstance(judge, Composite):
                    return await run_deliberation(
                        judge.deliberate(case, output, repeat), self._member_verdict
                    )
                return await judge.verdict(case, output, self._connection, repeat)
            except RefusedParameterError as error:
                judge = self._adapted(judge, error.refusal)

    def _adapted(self, judge: Judge, refusal: Refusal) -> Judge:
        """Return a judge without the refused parameter, which is left out of later calls, too."""
        task = adapt(self.task, refusal)
        if task.judge is not self.task.judge and task.id != self.task.id:
            warn_caller(f"{self.by}: not sent, since the model refuses it: {refusal.name}", RuntimeWarning)
            for before, after in zip(self.task.parts, task.parts, strict=True):
                if before.id in self._members:  # its id has changed, since it contains the parameters
                    self._members[after.id] = self._members[before.id]
            self.task = task
        return judge.adapted(refusal) if isinstance(judge, PromptJudge) else self.task.judge

    async def _repeated(self, case: Case, output: Output, repeat: int) -> Verdict:
        return await self._verdict_of(self.task.judge, case, output, repeat)

    async def _member_verdict(self, question: JudgeQuestion) -> Verdict:
        member = self._members.get(question.judge.id, self)
        judge, client = cast("Judge", question.judge), member._connection  # noqa: SLF001 - a judge like this one
        return await judge.verdict(question.case, question.output, client, question.repeat)


def _with_access(task: JudgeTask, access: ModelAccess) -> JudgeTask:
    if task.access is not None:
        return task
    return replace(
        task, access=lambda: access, parts=tuple(_with_access(part, access) for part in task.parts)
    )


def _judge_work(pairs: Iterable[tuple[CaseLike, OutputLike]], repeats: int) -> Iterator[Work]:
    for case, output in pairs:
        case_record = as_case(case)
        output_record = as_judged(case_record, as_output(output, case_record))
        for repeat in range(repeats):
            yield case_record, output_record, repeat


async def _next_verdict(verdicts: AsyncGenerator[Verdict], lock: asyncio.Lock) -> Verdict | None:
    async with lock:
        return await anext(verdicts, None)


async def _close_verdicts(verdicts: AsyncGenerator[Verdict], lock: asyncio.Lock) -> None:
    """Close a generator of verdicts once a cancelled `_next_verdict` has ended.

    A running generator cannot be closed.
    """
    async with lock:
        await verdicts.aclose()
