"""Judges composed of other judges, which ask in rounds; later rounds depend on earlier ones.

A deliberation is a generator: it yields the questions of a round, is sent their answers, and returns the verdict. Three callers
drive it. `Composite.verdict` asks the other judges about one output. A run asks about all outputs of a round before the next
round begins (`fiducial.evaluation.judging.composites`). A dry run answers with guesses, to count the questions.

`JudgeOfParts` is the base of composites that ask one judge about parts of an output: its statements, or criteria of a rubric.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias, cast

import msgspec

from ..records import UNGRADED, Case, JudgeId, JudgeKind, Kind, Outcome, Output, Verdict
from .judge import Judge, JudgeDescription, ModelClient, Work

if TYPE_CHECKING:
    from .prompt_judge import PromptJudge


class JudgeQuestion(NamedTuple):
    """A question to one judge.

    Attributes:
        judge: The judge that is asked.
        case: The case.
        output: The output to judge.
        repeat: Number of the repetition, from 0.
        guess: A possible answer, with which a dry run counts later questions; None if no later question depends on it.
    """

    judge: JudgeDescription
    case: Case
    output: Output
    repeat: int = 0
    guess: Verdict | None = None


Deliberation: TypeAlias = Generator[Sequence[JudgeQuestion], Sequence[Verdict], Verdict]
"""Generator that yields the questions of each round, is sent the answers, and returns the verdict."""

VerdictLookup: TypeAlias = Callable[[JudgeQuestion], Verdict | None]
"""Function that returns the answer to a question, or None if there is none yet."""


@dataclass(frozen=True, kw_only=True)
class Composite(ABC):
    """A judge that asks other judges.

    Attributes:
        shown_as: Author of its verdicts; None makes a name from the names of the judges that it asks.
    """

    shown_as: str | None = None

    def named(self, by: str) -> Self:
        """Return the judge under another name; see `Judge`."""
        return replace(self, shown_as=by)

    @property
    @abstractmethod
    def rounds(self) -> int:
        """Maximum number of rounds of a deliberation."""

    @abstractmethod
    def deliberate(self, case: Case, output: Output, repeat: int = 0) -> Deliberation:
        """Judge one output by the verdicts of other judges."""

    async def verdict(self, case: Case, output: Output, client: ModelClient, repeat: int = 0) -> Verdict:
        """Judge one output by asking other judges; see `Judge`."""

        async def ask(question: JudgeQuestion) -> Verdict:
            judge = cast("Judge", question.judge)
            return await judge.verdict(question.case, question.output, client, question.repeat)

        return await run_deliberation(self.deliberate(case, output, repeat), ask)

    async def verdicts(self, work: Iterable[Work], client: ModelClient) -> AsyncGenerator[Verdict]:
        """Judge repetitions of outputs; see `Judge`."""
        from .cycle import judge_concurrently  # noqa: PLC0415 - describing composites needs no event loop

        async def ask(case: Case, output: Output, repeat: int) -> Verdict:
            return await self.verdict(case, output, client, repeat)

        async for verdict in judge_concurrently(work, ask, client.concurrency):
            yield verdict


@dataclass(frozen=True)
class JudgeOfParts(Composite):
    """A composite that asks one prompt judge about the parts of an output, or of its case.

    Attributes:
        judge: The judge of the parts.
    """

    judge: PromptJudge

    @property
    def kinds(self) -> frozenset[Kind] | None:
        """See `Judge`."""
        return self.judge.kinds

    @property
    def pass_at(self) -> float | None:
        """See `Judge`."""
        return self.judge.pass_at

    def _id(self, kind: JudgeKind, depends_on: str) -> JudgeId:
        """Return the composite's id, whose fingerprint covers its judge and ``depends_on``."""
        text = f"{self.judge.fingerprint} {depends_on}"
        fingerprint = hashlib.sha256(text.encode()).hexdigest()
        return msgspec.structs.replace(self.judge.id, kind=kind, fingerprint=fingerprint)


class CombinedOpinions(NamedTuple):
    """Outcome, score and reason of a verdict that combines several opinions."""

    outcome: Outcome
    score: float | None
    reason: str


class PartOutcome(NamedTuple):
    """Outcome of an ungraded part, with its reason."""

    outcome: Outcome
    reason: str | None


def outcome_of_ungraded(parts: Iterable[PartOutcome]) -> tuple[Outcome, str]:
    """Return the outcome of a combined verdict with these ungraded parts, and a reason.

    If a call failed, the outcome is ``failed``: the next run retries it, and a verdict must not depend on when calls were made.
    Otherwise it is the most frequent outcome.
    """
    ungraded = list(parts)
    counts = Counter(part.outcome for part in ungraded)
    outcome: Outcome = "failed" if counts["failed"] else max(UNGRADED, key=lambda outcome: counts[outcome])
    reasons = (part.reason for part in ungraded if part.outcome == outcome and part.reason)
    return outcome, next(reasons, outcome)


async def run_deliberation(
    deliberation: Deliberation, ask: Callable[[JudgeQuestion], Awaitable[Verdict]]
) -> Verdict:
    """Ask the questions of each round concurrently until there is a verdict."""
    import asyncio  # noqa: PLC0415 - describing composites needs no event loop

    try:
        questions = next(deliberation)
        while True:
            questions = deliberation.send(await asyncio.gather(*map(ask, questions)))
    except StopIteration as end:
        return end.value


def unreadable_guess(output: Output) -> Verdict:
    """Return an unparsable verdict, the guess that leads to the most further questions."""
    return Verdict.on(output.key, by="", source="judge", outcome="unparsable")


def rounds_of(judge: JudgeDescription) -> int:
    """Return the maximum number of rounds in which a judge is asked."""
    return judge.rounds if isinstance(judge, Composite) else 1


def deliberation_on(question: JudgeQuestion) -> Deliberation:
    """Return the deliberation that answers a question to a composite or a single judge."""
    if isinstance(question.judge, Composite):
        return question.judge.deliberate(question.case, question.output, question.repeat)
    return _single_question(question)


def _single_question(question: JudgeQuestion) -> Deliberation:
    (verdict,) = yield [question]
    return verdict


class _OngoingDeliberation(NamedTuple):
    """An unfinished deliberation, its position among all, and its questions in this round."""

    position: int
    deliberation: Deliberation
    questions: Sequence[JudgeQuestion]


def deliberate_together(
    deliberations: Iterable[Deliberation],
) -> Generator[list[JudgeQuestion], Sequence[Verdict], list[Verdict]]:
    """Run several deliberations concurrently; each round asks the questions of all.

    Returns:
        The verdicts, in the order of the deliberations.
    """
    verdicts: dict[int, Verdict] = {}
    ongoing = [
        _OngoingDeliberation(position, deliberation, next(deliberation))
        for position, deliberation in enumerate(deliberations)
    ]
    while ongoing:
        questions_of_round = [question for deliberation in ongoing for question in deliberation.questions]
        # The answers come in the order of the questions, so each deliberation takes its own from the front.
        answers = iter((yield questions_of_round))
        unfinished: list[_OngoingDeliberation] = []
        for position, deliberation, questions in ongoing:
            try:
                next_questions = deliberation.send([next(answers) for _ in questions])
            except StopIteration as end:
                verdicts[position] = end.value
            else:
                unfinished.append(_OngoingDeliberation(position, deliberation, next_questions))
        ongoing = unfinished
    return [verdicts[position] for position in sorted(verdicts)]


def questions_in_round(
    deliberation: Deliberation, number: int, lookup: VerdictLookup
) -> Sequence[JudgeQuestion]:
    """Return the questions of a deliberation's round, where the first round has number 1.

    There are none if the answers known so far do not lead to that round.
    """
    try:
        questions = next(deliberation)
        for _ in range(number - 1):
            answers = _answers(questions, lookup)
            if answers is None:
                return ()
            questions = deliberation.send(answers)
    except StopIteration:
        return ()
    return questions


def verdict_so_far(deliberation: Deliberation, lookup: VerdictLookup) -> Verdict | None:
    """Return a deliberation's verdict, or None while an answer is missing."""
    try:
        questions = next(deliberation)
        while (answers := _answers(questions, lookup)) is not None:
            questions = deliberation.send(answers)
    except StopIteration as end:
        return end.value
    return None


def _answers(questions: Sequence[JudgeQuestion], lookup: VerdictLookup) -> list[Verdict] | None:
    """Return the answers to all questions, or None if one is missing."""
    answers: list[Verdict] = []
    for question in questions:
        answer = lookup(question)
        if answer is None:
            return None
        answers.append(answer)
    return answers
