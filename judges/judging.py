"""Judges outputs as a stream: pairs of case and output in, verdicts out, in whatever order they are done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

from ..errors import MissingReplyError
from ..records import Case, Message, Output, Usage, Verdict
from .findings import Finding, make_verdict, read_reply
from .inputs import NotApplicableError
from .judge import Judge
from .transport import CallError, NotRecordedError, Provider, Reply, make_request

Pair: TypeAlias = tuple[Case, Output]
Work: TypeAlias = tuple[Case, Output, int]
"""An output with its case, and which repetition of the question this is."""

_TASKS_PER_CALL = 2
"""Items at work per call in flight: while some wait to be tried again, others keep the slots busy."""
_SHOWN = 80
_ASKED_AT_MOST = 2
"""A reply that cannot be read is asked for once more."""


async def judge_stream(
    pairs: Iterable[Pair],
    judge: Judge,
    provider: Provider,
    *,
    concurrency: int = 64,
    repeats: int = 1,
    on_progress: Callable[[Verdict], None] | None = None,
) -> AsyncIterator[Verdict]:
    """Judge outputs.

    Pairs are taken only as fast as verdicts are, so memory does not grow with their number.

    Args:
        pairs: Cases with outputs.
        judge: Who judges.
        provider: Answers the judge's requests; keeps to the number of calls in flight by itself.
        concurrency: How many calls the provider keeps in flight.
        repeats: How often each output is judged.
        on_progress: Told of each verdict as it is made.

    Yields:
        One verdict for each output and repetition, as they are done: graded, or with the reason why not.

    Raises:
        PromptError: The prompt cannot be rendered.
    """
    work = ((case, output, repeat) for case, output in pairs for repeat in range(repeats))
    async for verdict in judge_work(work, judge, provider, concurrency=concurrency):
        if on_progress is not None:
            on_progress(verdict)
        yield verdict


async def judge_output(
    case: Case, output: Output, judge: Judge, provider: Provider, *, repeat: int = 0
) -> Verdict:
    """Judge one output.

    Args:
        case: What was to be done.
        output: What the system produced.
        judge: Who judges.
        provider: Answers the judge's requests.
        repeat: Which repetition this is.

    Returns:
        The verdict.

    Raises:
        PromptError: The prompt cannot be rendered.
    """
    try:
        messages = judge.messages(case, output)
    except NotApplicableError as error:
        return make_verdict(output, judge, repeat, Finding("not_applicable", reason=str(error)))
    try:
        finding = await _ask(messages, judge.beside(case, output), provider, repeat)
    except MissingReplyError as error:
        raise MissingReplyError(f"{judge.by} about {_named(case, output)}: {error}") from None
    return make_verdict(output, judge, repeat, finding)


async def judge_work(
    work: Iterable[Work], judge: Judge, provider: Provider, *, concurrency: int = 64
) -> AsyncGenerator[Verdict]:
    """Judge exactly these repetitions of these outputs; `judge_stream` for who resumes a run.

    Args:
        work: Cases, outputs and repetitions; taken only as fast as verdicts are.
        judge: Who judges.
        provider: Answers the judge's requests.
        concurrency: How many calls the provider keeps in flight.

    Yields:
        One verdict a piece of work, as they are done.

    Raises:
        PromptError: The prompt cannot be rendered.
    """

    async def ask(case: Case, output: Output, repeat: int) -> Verdict:
        return await judge_output(case, output, judge, provider, repeat=repeat)

    async for verdict in as_done(work, ask, concurrency * _TASKS_PER_CALL):
        yield verdict


async def as_done(
    work: Iterable[Work], ask: Callable[[Case, Output, int], Awaitable[Verdict]], tasks: int
) -> AsyncGenerator[Verdict]:
    """Judge several outputs at a time.

    Args:
        work: Cases, outputs and repetitions; taken only as fast as verdicts are.
        ask: Judges one of them.
        tasks: How many are judged at a time.

    Yields:
        One verdict a piece of work, as they are done.
    """
    remaining = iter(work)
    done: asyncio.Queue[Verdict | None] = asyncio.Queue(maxsize=tasks)

    async def worker() -> None:
        for case, output, repeat in remaining:
            await done.put(await ask(case, output, repeat))

    async def all_workers() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(tasks):
                    group.create_task(worker())
        except BaseExceptionGroup:
            await done.put(None)
            raise
        await done.put(None)

    running = asyncio.create_task(all_workers())
    try:
        while (verdict := await done.get()) is not None:
            yield verdict
        await running
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from errors
    finally:
        running.cancel()
        while not done.empty():  # or what is still being put would wait for a reader for ever
            done.get_nowait()
        await asyncio.gather(running, return_exceptions=True)


async def _ask(messages: list[Message], judge: Judge, provider: Provider, repeat: int) -> Finding:
    spent = _Spending()
    finding = Finding("failed")
    unread: tuple[Reply, ...] = ()
    for attempt in range(_ASKED_AT_MOST):
        request = make_request(judge.model, messages, judge.parameters, repeat=repeat, attempt=attempt)
        try:
            reply = await provider.complete(request)
        except NotRecordedError as error:
            # A reply that cannot be read stays just that where there is nobody to ask again.
            return finding if attempt else Finding("failed", reason=str(error), usage=spent.usage(0))
        except CallError as error:
            spent.calls += error.calls
            _forget_where(error)
            return Finding("failed", reason=str(error), usage=spent.usage(attempt))
        spent.add(reply)
        finding = read_reply(reply, judge, spent.usage(attempt))
        if finding.outcome != "unparsable":
            break
        if attempt + 1 < _ASKED_AT_MOST:
            unread = (*unread, reply)
    return replace(finding, unread=unread) if unread else finding


def _named(case: Case, output: Output) -> str:
    """An item as a person finds it again: its case, and how its texts begin."""
    texts = [message.get("content") for message in case.messages[-1:] if isinstance(message, dict)]
    shown = (f'"{text[:_SHOWN]}"' for text in (*texts, output.text) if isinstance(text, str))
    return " ".join([f"{case.id!r}", *shown])


def _forget_where(error: CallError) -> None:
    """Let go of the frames that a failure came through.

    They hold the request, and the task that holds the failure: a circle with all of an item's text, which would stay until garbage is
    looked for.
    """
    error.__traceback__ = error.__cause__ = error.__context__ = None


class _Spending:
    """Adds up what the calls for one verdict cost; replies from cache or recording cost nothing."""

    def __init__(self) -> None:
        self.calls = 0
        self.replies = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0

    def add(self, reply: Reply) -> None:
        self.calls += reply.calls
        self.replies += 1
        if reply.calls:
            self.prompt_tokens += reply.prompt_tokens
            self.completion_tokens += reply.completion_tokens

    def usage(self, reasked: int) -> Usage:
        return Usage(
            calls=self.calls,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cached=self.replies > 0 and self.calls == 0,
            reasked=reasked,
        )
