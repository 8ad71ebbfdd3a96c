"""Judges composed of other judges, which ask in rounds; later rounds depend on earlier ones.

Whoever has verdicts goes through the rounds: a composite asks the others about one pair after the other; a run asks about all pairs of a
round before it begins the next (`fiducial.evaluation.judging.composites`); and who only wants to know what would be asked answers by guesses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self, TypeAlias, cast

from ..records import Case, Output, Verdict
from .judge import AskedJudge, Judge, ModelClient, Work


class JudgeQuestion(NamedTuple):
    """A question to one judge.

    Attributes:
        judge: The judge that is asked.
        case: What was to be done.
        output: What is judged.
        repeat: Which repetition of the question this is.
        guess: A possible answer, to foresee the next questions; None if nothing depends on it.
    """

    judge: AskedJudge
    case: Case
    output: Output
    repeat: int = 0
    guess: Verdict | None = None


Deliberation: TypeAlias = Generator[Sequence[JudgeQuestion], Sequence[Verdict], Verdict]
"""Yields the questions of each round, is sent their answers, and returns the verdict."""

VerdictLookup: TypeAlias = Callable[[JudgeQuestion], Verdict | None]
"""From a question to its answer, if there is one."""


@dataclass(frozen=True, kw_only=True)
class Composite(ABC):
    """A judge that asks others; see `Judge` for what all judges have.

    Attributes:
        shown_as: How its verdicts are signed; a name made of those it asks when left out.
    """

    shown_as: str | None = None

    def named(self, by: str) -> Self:
        """Return the judge under another name; see `Judge`."""
        return replace(self, shown_as=by)

    @property
    @abstractmethod
    def rounds(self) -> int:
        """Greatest number of rounds that a deliberation takes."""

    @abstractmethod
    def deliberate(self, case: Case, output: Output, repeat: int = 0) -> Deliberation:
        """Judge one output by what others say."""

    async def verdict(self, case: Case, output: Output, client: ModelClient, repeat: int = 0) -> Verdict:
        """Judge one output by asking others; see `Judge`."""

        async def ask(question: JudgeQuestion) -> Verdict:
            judge = cast("Judge", question.judge)
            return await judge.verdict(question.case, question.output, client, question.repeat)

        return await discuss(self.deliberate(case, output, repeat), ask)

    async def verdicts(self, work: Iterable[Work], client: ModelClient) -> AsyncGenerator[Verdict]:
        """Judge repetitions of outputs; see `Judge`."""
        from .cycle import as_done  # noqa: PLC0415 - reading what composites are asks no model

        async def ask(case: Case, output: Output, repeat: int) -> Verdict:
            return await self.verdict(case, output, client, repeat)

        async for verdict in as_done(work, ask, client.concurrency):
            yield verdict


async def discuss(talk: Deliberation, ask: Callable[[JudgeQuestion], Awaitable[Verdict]]) -> Verdict:
    """Have others asked, the questions of a round at once, until there is a verdict."""
    import asyncio  # noqa: PLC0415 - reading what composites are asks no model

    try:
        questions = next(talk)
        while True:
            questions = talk.send(await asyncio.gather(*map(ask, questions)))
    except StopIteration as end:
        return end.value


def unread(output: Output) -> Verdict:
    """Return the guess that leads to the most questions: an unreadable reply."""
    return Verdict.on(output.key, by="", source="judge", outcome="unparsable")


def rounds_of(judge: AskedJudge) -> int:
    """Return the greatest number of rounds that asking a judge takes."""
    return judge.rounds if isinstance(judge, Composite) else 1


def deliberation(question: JudgeQuestion) -> Deliberation:
    """Return the deliberation that answers a question, for a composite or a single judge."""
    if isinstance(question.judge, Composite):
        return question.judge.deliberate(question.case, question.output, question.repeat)
    return _alone(question)


def _alone(question: JudgeQuestion) -> Deliberation:
    (verdict,) = yield [question]
    return verdict


def deliberate_together(
    talks: Iterable[Deliberation],
) -> Generator[list[JudgeQuestion], Sequence[Verdict], list[Verdict]]:
    """Run several deliberations at a time; each round asks the questions of all of them."""
    verdicts: list[Verdict | None] = []
    open_talks: list[tuple[int, Deliberation, Sequence[JudgeQuestion]]] = []
    for place, talk in enumerate(talks):
        verdicts.append(None)
        open_talks.append((place, talk, next(talk)))
    while open_talks:
        answers = iter((yield [question for _, _, questions in open_talks for question in questions]))
        still: list[tuple[int, Deliberation, Sequence[JudgeQuestion]]] = []
        for place, talk, questions in open_talks:
            try:
                still.append((place, talk, talk.send([next(answers) for _ in questions])))
            except StopIteration as end:
                verdicts[place] = end.value
        open_talks = still
    return cast("list[Verdict]", verdicts)


def asked_in(talk: Deliberation, number: int, lookup: VerdictLookup) -> Sequence[JudgeQuestion]:
    """Return the questions of a deliberation's round, counted from 1.

    Return none if the known answers do not lead to that round.
    """
    try:
        questions = next(talk)
        for _ in range(number - 1):
            answers = _answers(questions, lookup)
            if answers is None:
                return ()
            questions = talk.send(answers)
    except StopIteration:
        return ()
    return questions


def result_of(talk: Deliberation, lookup: VerdictLookup) -> Verdict | None:
    """Return a deliberation's verdict from known answers; None while an answer is missing."""
    try:
        questions = next(talk)
        while (answers := _answers(questions, lookup)) is not None:
            questions = talk.send(answers)
    except StopIteration as end:
        return end.value
    return None


def _answers(questions: Sequence[JudgeQuestion], lookup: VerdictLookup) -> list[Verdict] | None:
    answers: list[Verdict] = []
    for question in questions:
        answer = lookup(question)
        if answer is None:
            return None
        answers.append(answer)
    return answers
