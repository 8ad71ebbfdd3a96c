"""The cycle of a prompt judge: requests about one item, and the result from their replies.

`cycle` is a generator of requests, with two callers. `judge_output` sends the requests to a provider (a model, a recording or a
batch's results). `unanswered` lists the requests that have no reply yet. `judge_concurrently` judges many items at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from ..errors import MissingReplyError
from ..records import NO_USAGE, Case, Output, Usage, Verdict
from .prompt_variables import NotApplicableError
from .reply_verdicts import AskResult, make_verdict, read_reply, with_more_room
from .transport import CallError, NotRecordedError, Provider, Reply, Request, make_request
from .transport.refused_parameters import RefusedParameterError

if TYPE_CHECKING:
    from .judge import RetryOf, Work
    from .judge_prompt import JudgePrompt

Lookup: TypeAlias = Callable[[Request], Reply | None]
"""Function that returns the reply to a request, or None if there is none yet."""

_MAX_SHOWN_LENGTH = 80
"""Maximum characters of each text in an item's name in errors."""
_MAX_REQUESTS = 2
"""Maximum number of requests for one result: an unreadable reply is requested once more."""


def cycle(
    judge: JudgePrompt, case: Case, output: Output, repeat: int = 0, retry: int = 0
) -> Generator[Request, Reply, AskResult]:
    """Yield a judge's requests about one output, and return its result.

    An unreadable reply is requested once more. If all unreadable replies came from the cache, they are requested anew.

    Yields:
        Requests. The caller sends the reply of each into the generator, or throws its CallError.

    Raises:
        PromptError: The prompt cannot be rendered.
        RefusedParameterError: The model refuses a parameter that the judge can do without.
    """
    try:
        messages, first_parameters = judge.request(case, output)
    except NotApplicableError as error:
        return AskResult("not_applicable", reason=str(error))
    judge = judge.for_item(case, output)
    spent = NO_USAGE
    result = AskResult("failed")
    unread: tuple[Reply, ...] = ()
    for anew in (False, True):
        parameters = first_parameters
        for attempt in range(_MAX_REQUESTS):
            try:
                reply = yield make_request(
                    judge.model,
                    messages,
                    parameters,
                    repeat=repeat,
                    attempt=attempt,
                    anew=anew,
                    retry=retry,
                    api=judge.api,
                )
            except CallError as error:
                spent += error.usage
                return _without_reply(error, judge, result, _usage(spent, len(unread), replied=False))
            spent += reply.usage.paid
            result = read_reply(reply, judge, _usage(spent, len(unread), replied=True))
            result = replace(result, unread=unread) if unread else result
            if result.outcome != "unparsable":
                return result
            unread = (*unread, reply)
            parameters = with_more_room(parameters, reply)
        if not all(reply.from_cache for reply in unread):
            break  # the model itself has replied: only cached replies are worth asking anew
    return result


def _usage(spent: Usage, unread: int, *, replied: bool) -> Usage:
    """Return the usage for a verdict; ``replied`` is False if its last call failed."""
    from_cache = not spent.calls and (replied or unread > 0)
    return msgspec.structs.replace(spent, cached=from_cache, reasked=unread)


def _without_reply(error: CallError, judge: JudgePrompt, before: AskResult, usage: Usage) -> AskResult:
    """Return the result after a failed call; ``before`` is the result of an earlier reply."""
    _drop_traceback(error)
    if isinstance(error, NotRecordedError):
        # A recording without a second reply leaves the first one unparsable.
        return before if before.reply is not None else AskResult("failed", reason=str(error), usage=usage)
    if refusal := judge.refusal(error):
        raise RefusedParameterError(judge.by, refusal) from None
    return AskResult("failed", reason=str(error), usage=usage)


def unanswered(
    judge: JudgePrompt,
    work: Iterable[Work],
    lookup: Lookup,
    on_result: Callable[[AskResult], object] | None = None,
    retry_of: RetryOf | None = None,
) -> Iterator[Request]:
    """Yield the requests of a judge that have no reply yet.

    There is at most one per item: its first request, or the second if the reply to the first cannot be parsed.

    Args:
        judge: The judge.
        work: Its work.
        lookup: Function that looks up replies.
        on_result: Called with each result that needs no further request.
        retry_of: Function that counts the earlier commands that got only unreadable replies, or None if there are no such commands.

    Yields:
        Requests, in the order of the work. Equal outputs yield equal requests.

    Raises:
        PromptError: The prompt cannot be rendered.
    """
    for case, output, repeat in work:
        retry = 0 if retry_of is None else retry_of(output.key, judge.id, repeat)
        requests = cycle(judge, case, output, repeat, retry)
        try:
            request = next(requests)
            while (reply := lookup(request)) is not None:
                request = requests.send(reply)
        except StopIteration as end:
            if on_result is not None:
                on_result(end.value)
            continue
        yield request


async def judge_output(
    case: Case, output: Output, judge: JudgePrompt, provider: Provider, *, repeat: int = 0, retry: int = 0
) -> Verdict:
    """Judge one output.

    ``retry`` counts the earlier commands that got only unreadable replies.

    Raises:
        PromptError: The prompt cannot be rendered.
        MissingReplyError: The provider only replays replies, and has none to a request.
        RefusedParameterError: The model refuses a parameter that the judge can do without.
    """
    requests = cycle(judge, case, output, repeat, retry)
    try:
        request = next(requests)
        while True:
            try:
                reply = await provider.complete(request)
            except CallError as error:
                request = requests.throw(error)
            else:
                request = requests.send(reply)
    except StopIteration as end:
        return make_verdict(
            output, judge.for_case(case), repeat, end.value, judge.item_evidence(case, output)
        )
    except MissingReplyError as error:
        raise MissingReplyError(f"{judge.by} about {_item_name(case, output)}: {error}") from None


async def judge_concurrently(
    work: Iterable[Work], ask: Callable[[Case, Output, int], Awaitable[Verdict]], tasks: int
) -> AsyncGenerator[Verdict]:
    """Judge outputs concurrently; the memory does not grow with their number.

    Args:
        work: Cases, outputs and repetitions, consumed no faster than the verdicts.
        ask: Function that judges one output.
        tasks: Number of outputs judged at a time.
    """
    remaining = iter(work)
    verdicts: asyncio.Queue[Verdict | None] = asyncio.Queue(maxsize=tasks)  # None: there are no more

    async def worker() -> None:
        for case, output, repeat in remaining:
            await verdicts.put(await ask(case, output, repeat))

    async def all_workers() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(tasks):
                    group.create_task(worker())
        except BaseExceptionGroup:
            await verdicts.put(None)
            raise
        await verdicts.put(None)

    running = asyncio.create_task(all_workers())
    try:
        while (verdict := await verdicts.get()) is not None:
            yield verdict
        await running
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from errors
    finally:
        running.cancel()
        while not verdicts.empty():  # otherwise a worker in `put` would wait forever for a reader
            verdicts.get_nowait()
        await asyncio.gather(running, return_exceptions=True)


def _item_name(case: Case, output: Output) -> str:
    """Return the name of an item for errors: its case, and the beginnings of its texts."""
    texts = [message.get("content") for message in case.messages[-1:] if isinstance(message, dict)]
    quotes = (f'"{text[:_MAX_SHOWN_LENGTH]}"' for text in (*texts, output.text) if isinstance(text, str))
    return " ".join([f"{case.id!r}", *quotes])


def _drop_traceback(error: CallError) -> None:
    """Drop a failure's traceback, cause and context.

    Their frames refer to the request, and to the task, which refers to the failure. This reference cycle would keep the item's texts
    in memory until the next garbage collection.
    """
    error.__traceback__ = error.__cause__ = error.__context__ = None
