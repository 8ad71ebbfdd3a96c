"""Judges outputs as a stream: pairs of case and output in, verdicts out, in whatever order they are done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from ..errors import DecodingError
from ..records import Case, Message, Outcome, Output, Usage, Verdict
from .inputs import NotApplicableError
from .judge import Judge
from .parsing import Reading, is_refusal
from .probability import probability_of_best
from .transport import CallError, NotRecordedError, Provider, Reply, make_request

Pair: TypeAlias = tuple[Case, Output]
Work: TypeAlias = tuple[Case, Output, int]
"""An output with its case, and which repetition of the question this is."""

_TASKS_PER_CALL = 2
"""Items at work per call in flight: while some wait to be tried again, others keep the slots busy."""
_MARKED_REFUSAL = "refusal"
_OF_THE_REPLY = frozenset({"served_by", "finish_reason", "probability"})
"""Evidence that is not read out of a reply's text."""
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
        return _verdict(output, judge, repeat, Finding("not_applicable", reason=str(error)))
    return _verdict(output, judge, repeat, await _ask(messages, judge.beside(case, output), provider, repeat))


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
    remaining = iter(work)
    tasks = concurrency * _TASKS_PER_CALL
    done: asyncio.Queue[Verdict | None] = asyncio.Queue(maxsize=tasks)

    async def worker() -> None:
        for case, output, repeat in remaining:
            await done.put(await judge_output(case, output, judge, provider, repeat=repeat))

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


@dataclass(frozen=True, slots=True)
class Finding:
    """What asking came to.

    Attributes:
        outcome: Graded, or why not.
        reading: What the reply says, when it was graded.
        reason: The judge's reason, or why there is no score.
        usage: What it cost.
        reply: The reply, where there was one.
    """

    outcome: Outcome
    reading: Reading | None = None
    reason: str | None = None
    usage: Usage | None = None
    reply: Reply | None = None


async def _ask(messages: list[Message], judge: Judge, provider: Provider, repeat: int) -> Finding:
    spent = _Spending()
    finding = Finding("failed")
    for attempt in range(_ASKED_AT_MOST):
        request = make_request(judge.model, messages, judge.parameters, repeat=repeat, attempt=attempt)
        try:
            reply = await provider.complete(request)
        except NotRecordedError as error:
            # A reply that cannot be read stays just that where there is nobody to ask again.
            return finding if attempt else Finding("failed", reason=str(error), usage=spent.usage(0))
        except CallError as error:
            spent.calls += error.calls
            return Finding("failed", reason=str(error), usage=spent.usage(attempt))
        spent.add(reply)
        finding = read_reply(reply, judge, spent.usage(attempt))
        if finding.outcome != "unparsable":
            break
    return finding


def read_reply(
    reply: Reply, judge: Judge, usage: Usage | None = None, *, probability: float | None = None
) -> Finding:
    """Read a judge's reply.

    Args:
        reply: What the model replied.
        judge: Who was asked; says how to read.
        usage: What it cost, to be kept beside.
        probability: Of the best score, where it is known from an earlier reading; None to weigh the reply's tokens.

    Returns:
        Graded, refused or unparsable.
    """
    if reply.refusal is not None or reply.finish_reason == "content_filter":
        reason = reply.refusal or "stopped by the provider's content filter"
        return Finding("refused", reason=reason, usage=usage, reply=reply)
    if reply.finish_reason == "length":
        return Finding(
            "unparsable", reason="the reply was cut off at the limit of tokens", usage=usage, reply=reply
        )
    try:
        reading = judge.parse(reply.text)
        if judge.weighs:
            reading = _weighed(reading, reply, judge, probability)
    except DecodingError as error:
        refused = is_refusal(reply.text)
        reason = "the judge declined in its reply" if refused else str(error)
        return Finding("refused" if refused else "unparsable", reason=reason, usage=usage, reply=reply)
    return Finding("graded", reading=reading, reason=reading.reason, usage=usage, reply=reply)


def _weighed(reading: Reading, reply: Reply, judge: Judge, probability: float | None) -> Reading:
    """The reading with the probability of the best score as its score; what the judge wrote is kept beside."""
    if probability is None and reply.logprobs is not None:
        probability = probability_of_best(reply.logprobs, judge.prompt.scale)
    if probability is None:
        raise DecodingError("the reply has no log-probabilities of the two scores")
    return Reading(probability, reading.reason, {"said": reading.score})


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


def _verdict(output: Output, judge: Judge, repeat: int, finding: Finding) -> Verdict:
    reading = finding.reading
    return Verdict(
        case_id=output.case_id,
        system=output.system,
        trial=output.trial,
        by=judge.by,
        source="judge",
        outcome=finding.outcome,
        score=None if reading is None else reading.score,
        reason=finding.reason,
        evidence=_evidence(judge, finding),
        repeat=repeat,
        usage=finding.usage,
        raw=None if finding.reply is None else finding.reply.text or finding.reply.refusal,
    )


def read_again(verdict: Verdict, judge: Judge) -> Verdict:
    """Read the reply that a verdict rests on once more, by the judge's parser as it is now.

    Args:
        verdict: A verdict of this judge.
        judge: The judge.

    Returns:
        The verdict as it would be today; unchanged when it rests on no reply.
    """
    if verdict.raw is None or verdict.outcome not in {"graded", "unparsable", "refused"}:
        return verdict
    finish = verdict.evidence.get("finish_reason")
    reply = Reply(
        text=verdict.raw,
        refusal=verdict.raw if finish == _MARKED_REFUSAL else None,
        finish_reason=finish,
    )
    finding = read_reply(reply, judge, probability=verdict.evidence.get("probability"))
    reading = finding.reading
    kept = _OF_THE_REPLY if reading is not None else _OF_THE_REPLY - {"probability"}
    return msgspec.structs.replace(
        verdict,
        outcome=finding.outcome,
        score=None if reading is None else reading.score,
        reason=finding.reason,
        evidence={
            **(reading.details if reading is not None else {}),
            **{name: value for name, value in verdict.evidence.items() if name in kept},
        },
    )


def _evidence(judge: Judge, finding: Finding) -> dict[str, object]:
    evidence: dict[str, object] = dict(finding.reading.details) if finding.reading else {}
    reply = finding.reply
    if reply is None:
        return evidence
    if reply.refusal is not None or reply.finish_reason not in {None, "stop"}:
        # Kept, so that the reply can be read again as it was (`read_again`).
        evidence["finish_reason"] = _MARKED_REFUSAL if reply.refusal is not None else reply.finish_reason
    if reply.served_by is not None and reply.served_by != judge.model:
        evidence["served_by"] = reply.served_by
    if finding.outcome == "graded" and reply.logprobs is not None:
        probability = probability_of_best(reply.logprobs, judge.prompt.scale)
        if probability is not None:
            evidence["probability"] = probability
    return evidence
