"""Scores of a decision model's answers, with bounds and our own confidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from ..errors import DecodingError
from ..records.typed_values import decode_json
from .decision_block import NO_STEP, DecisionBlock, DeclaredQuestion
from .parsing.parsed_reply import ParsedReply, ReplyParser
from .parsing.step_reply import STEP_NAMED

_ROUNDING = 0.005
"""Largest error of a probability that is rounded to two decimals, as some servers do."""
_DECIMALS = 2
_UNROUNDED = 1e-9
_IMPRECISION = 0.01
"""Largest error of the sum of probabilities that are not rounded, such as those of 16-bit numbers."""
_PART = re.compile(r"\A(?P<name>.+)_(?P<part>[0-9]{1,6})\Z")

QUESTIONS, CONFIDENCE, BOUNDS = "questions", "confidence", "bounds"
"""Keys in evidence: all answers, our own confidence in the score's, and the bounds of a joint probability."""


class UnscoredAnswersError(DecodingError):
    """Answers that make no score; ``details`` holds those that were given."""

    def __init__(self, message: str, *, refused: bool, details: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.refused = refused
        self.details = details


class _Value(NamedTuple):
    """Value of one answer in [0, 1], and our confidence in it."""

    value: float
    confidence: float


@dataclass(frozen=True, slots=True)
class _Read:
    """Answers to a question: valid ones with their values, and what is wrong with the others."""

    values: dict[str, _Value] = field(default_factory=dict[str, _Value])
    refused: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])


def decision_parser(block: DecisionBlock, *, flipped: bool = False) -> ReplyParser:
    """Return a parser of decision models' replies; ``flipped`` for a criterion about a fault."""

    def parse(text: str) -> ParsedReply:
        answers = _answers(text)
        details: dict[str, Any] = {QUESTIONS: answers}
        read = _read(block, answers)
        if read.problems:
            raise UnscoredAnswersError("; ".join(read.problems), refused=False, details=details)
        if read.refused:
            named = ", ".join(read.refused)
            raise UnscoredAnswersError(
                f"the model refused the question {named}", refused=True, details=details
            )
        score, further = _scored(block, read.values, answers)
        details |= further
        if flipped:
            score = 1 - score
            if BOUNDS in details:
                details[BOUNDS] = [1 - bound for bound in reversed(details[BOUNDS])]
        return ParsedReply(score, None, details)

    return parse


def form_parser(text: str) -> ParsedReply:
    """Parse a reply to questions in another form, whose answers are compared and make no grade.

    The score is the mean of our confidence in the answers.
    """
    answers = _answers(text)
    details: dict[str, Any] = {QUESTIONS: answers}
    refused = [name for name, answer in answers.items() if (answer or {}).get("refused") is True]
    problems: list[str] = []
    for name in answers.keys() - set(refused):
        try:
            answer_distribution(answers[name])
        except ValueError as error:
            problems.append(f"{name}: {error}")
    if problems or not answers:
        raise UnscoredAnswersError("; ".join(sorted(problems)) or "no answer", refused=False, details=details)
    if refused:
        raise UnscoredAnswersError(
            f"the model refused the question {', '.join(refused)}", refused=True, details=details
        )
    sure = [confidence_of(answer_distribution(answer)) for answer in answers.values()]
    return ParsedReply(sum(sure) / len(sure), None, details)


YES, NO = "yes", "no"
"""Options of a yes/no question, as its answer is compared."""


def answer_distribution(answer: Mapping[str, Any] | None) -> dict[str, float]:
    """Return the distribution of one answer; of a yes/no question, over yes and no.

    Raises:
        ValueError: It is none.
    """
    if answer is None:
        raise ValueError("no answer")
    if "probabilities" in answer:
        return _distribution(answer)
    p = _probability(answer.get("p"))
    return {YES: p, NO: 1 - p}


def confidence_of(distribution: Mapping[str, float]) -> float:
    """Return our confidence in an answer: the margin of the likeliest option above chance."""
    return _confidence(list(distribution.values()))


def _answers(text: str) -> dict[str, dict[str, Any] | None]:
    try:
        return decode_json(text.encode(), dict[str, dict[str, Any] | None])
    except ValueError as error:
        raise DecodingError(f"the reply holds no answers: {error}") from error


def _read(block: DecisionBlock, answers: Mapping[str, dict[str, Any] | None]) -> _Read:
    """Read the answers of which the score is made."""
    read = _Read()
    for name in block.scored:
        question = block.questions[name]
        asked = list(_asked(name, question, answers))
        if not asked:
            read.problems.append(f"no answer to {name}")
        for each in asked:
            answer = answers.get(each)
            if answer is not None and answer.get("refused") is True:
                read.refused.append(each)
                continue
            try:
                read.values[each] = _value(question, answer)
            except ValueError as error:
                read.problems.append(f"{each}: {error}")
    return read


def _asked(name: str, question: DeclaredQuestion, answers: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names under which a question was asked; a reply names every question."""
    if question.each is None:
        yield name
        return
    yield from (
        answer for answer in answers if (match := _PART.match(answer)) is not None and match["name"] == name
    )


def _value(question: DeclaredQuestion, answer: Mapping[str, Any] | None) -> _Value:
    if answer is None:
        raise ValueError("no answer")
    if question.type == "yes_no":
        p = _probability(answer.get("p"))
        return _Value(p, abs(2 * p - 1))
    distribution = _distribution(answer)
    confidence = _confidence(list(distribution.values()))
    if question.type == "score":
        levels = len(distribution) - 1
        return _Value(_clipped(sum(int(level) * p for level, p in distribution.items()) / levels), confidence)
    if question.among_steps:
        return _Value(distribution[NO_STEP], confidence)
    values = question.values
    return _Value(_clipped(sum(values[label] * p for label, p in distribution.items())), confidence)


def _probability(value: Any) -> float:
    """Return a probability; anything else, null and NaN among them, is an error and never 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"expected a probability, got {'nothing' if value is None else repr(value)}")  # noqa: TRY004 - of a reply
    if not 0 <= value <= 1:
        raise ValueError(f"expected a probability, got {value:g}")
    return float(value)


def _distribution(answer: Mapping[str, Any]) -> dict[str, float]:
    """Return the distribution over the options, scaled to 1 if only rounded."""
    given: Any = answer.get("probabilities")
    if not isinstance(given, dict):
        raise ValueError("no probabilities")  # noqa: TRY004 - of a reply
    if unexpected := answer.get("unexpected"):
        raise ValueError(f"probabilities of options that were not asked about: {', '.join(unexpected)}")
    try:
        distribution = {label: _probability(p) for label, p in cast("dict[str, Any]", given).items()}
    except ValueError as error:
        raise ValueError(f"an option has none: {error}") from error
    total = sum(distribution.values())
    if abs(total - 1) > _tolerance(distribution.values()) or not total:
        raise ValueError(f"the probabilities add up to {total:g}")
    return {label: p / total for label, p in distribution.items()}


def _tolerance(probabilities: Collection[float]) -> float:
    """Return by how much probabilities may miss a sum of 1: by their rounding, or by little."""
    rounded = all(abs(p - round(p, _DECIMALS)) < _UNROUNDED for p in probabilities)
    return len(probabilities) * _ROUNDING + _UNROUNDED if rounded else _IMPRECISION


def _confidence(probabilities: Sequence[float]) -> float:
    """Return the margin of the likeliest option above chance, from 0 to 1."""
    n = len(probabilities)
    return _clipped((n * max(probabilities) - 1) / (n - 1))


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))


def _scored(
    block: DecisionBlock, values: Mapping[str, _Value], answers: Mapping[str, dict[str, Any] | None]
) -> tuple[float, dict[str, Any]]:
    """Return the score, and evidence that goes with its rule."""
    numbers = [value.value for value in values.values()]
    if block.score == "all_of":
        least = min(values, key=lambda name: values[name].value)
        lower = max(0.0, sum(numbers) - (len(numbers) - 1))
        further = {CONFIDENCE: values[least].confidence, "least": least, BOUNDS: [lower, values[least].value]}
        return values[least].value, further
    if block.score in {"mean", "fraction"}:
        return sum(numbers) / len(numbers), {}
    ((name, only),) = values.items()
    further = {CONFIDENCE: only.confidence}
    if block.questions[name].among_steps:
        probabilities: dict[str, float] = (answers[name] or {})["probabilities"]
        likeliest = max(probabilities, key=probabilities.__getitem__)
        further[STEP_NAMED] = 0 if likeliest == NO_STEP else int(likeliest)
    return only.value, further
