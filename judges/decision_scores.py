"""Make a score from a decision model's answers, with bounds and a confidence of our own.

Answers are checked strictly: a probability that is missing or no number never becomes 0.
"""

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

_MAX_ROUNDING = 0.005
"""Maximum error of a probability that a server rounds to two decimals."""
_DECIMALS = 2
_FLOAT_ERROR = 1e-9
_MAX_SUM_ERROR = 0.01
"""Maximum error of a sum of probabilities that are not rounded, but computed with 16-bit numbers, for example."""
_PART = re.compile(r"\A(?P<name>.+)_(?P<part>[0-9]{1,6})\Z")
"""Name of the answer about one part: the question's name and the part's number."""

QUESTIONS, CONFIDENCE, BOUNDS = "questions", "confidence", "bounds"
"""Evidence keys: all answers, our confidence in the answer that makes the score, and bounds of a joint probability."""


class UnscoredAnswersError(DecodingError):
    """Error about answers from which no score can be made; ``details`` contains the answers."""

    def __init__(self, message: str, *, refused: bool, details: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.refused = refused
        self.details = details


class _Value(NamedTuple):
    """Value of one answer in [0, 1], and our confidence in it."""

    value: float
    confidence: float


@dataclass(frozen=True, slots=True)
class _ReadAnswers:
    """Answers by question: values of valid ones, refused questions, and problems of the rest."""

    values: dict[str, _Value] = field(default_factory=dict[str, _Value])
    refused: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])


def decision_parser(block: DecisionBlock, *, flipped: bool = False) -> ReplyParser:
    """Return a parser of decision models' replies.

    With ``flipped``, for a criterion that describes a fault, the score is 1 minus the usual one.
    """

    def parse(text: str) -> ParsedReply:
        answers = _answers(text)
        details: dict[str, Any] = {QUESTIONS: answers}
        read = _read(block, answers)
        if read.problems:
            raise UnscoredAnswersError("; ".join(read.problems), refused=False, details=details)
        if read.refused:
            names = ", ".join(read.refused)
            raise UnscoredAnswersError(
                f"the model refused the question {names}", refused=True, details=details
            )
        score, evidence = _score(block, read.values, answers)
        details |= evidence
        if flipped:
            score = 1 - score
            if BOUNDS in details:
                details[BOUNDS] = [1 - bound for bound in reversed(details[BOUNDS])]
        return ParsedReply(score, None, details)

    return parse


def form_parser(text: str) -> ParsedReply:
    """Parse a reply to questions in another form (`decision_forms`), for comparison.

    The score is not a grade but the mean of our confidence in the answers.
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
    confidences = [confidence_of(answer_distribution(answer)) for answer in answers.values()]
    return ParsedReply(sum(confidences) / len(confidences), None, details)


YES, NO = "yes", "no"
"""Options in the distribution of a yes/no question."""


def answer_distribution(answer: Mapping[str, Any] | None) -> dict[str, float]:
    """Return the distribution of one answer over its options, such as yes and no.

    Raises:
        ValueError: It is not a distribution.
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


def _read(block: DecisionBlock, answers: Mapping[str, dict[str, Any] | None]) -> _ReadAnswers:
    """Read the answers from which the score is made."""
    read_answers = _ReadAnswers()
    for name in block.scored:
        question = block.questions[name]
        answer_names = list(_answer_names(name, question, answers))
        if not answer_names:
            read_answers.problems.append(f"no answer to {name}")
        for answer_name in answer_names:
            answer = answers.get(answer_name)
            if answer is not None and answer.get("refused") is True:
                read_answers.refused.append(answer_name)
                continue
            try:
                read_answers.values[answer_name] = _value(question, answer)
            except ValueError as error:
                read_answers.problems.append(f"{answer_name}: {error}")
    return read_answers


def _answer_names(name: str, question: DeclaredQuestion, answers: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the answers to a question: its own, or one for each part."""
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
        return _Value(p, abs(2 * p - 1))  # 0 at a half, 1 at certainty
    distribution = _distribution(answer)
    confidence = _confidence(list(distribution.values()))
    if question.type == "score":
        highest = len(distribution) - 1
        expected_level = sum(int(level) * p for level, p in distribution.items())
        return _Value(_clipped(expected_level / highest), confidence)
    if question.among_steps:
        return _Value(distribution[NO_STEP], confidence)
    expected_value = sum(question.values[label] * p for label, p in distribution.items())
    return _Value(_clipped(expected_value), confidence)


def _probability(value: Any) -> float:
    """Return a probability.

    Raises:
        ValueError: It is anything else, such as null or NaN, which must not become 0.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"expected a probability, got {'nothing' if value is None else repr(value)}")  # noqa: TRY004 - of a reply
    if not 0 <= value <= 1:
        raise ValueError(f"expected a probability, got {value:g}")
    return float(value)


def _distribution(answer: Mapping[str, Any]) -> dict[str, float]:
    """Return the distribution over the options.

    It is scaled to a sum of 1, if the difference may be due to rounding.
    """
    probabilities: Any = answer.get("probabilities")
    if not isinstance(probabilities, dict):
        raise ValueError("no probabilities")  # noqa: TRY004 - of a reply
    if unexpected := answer.get("unexpected"):
        raise ValueError(f"probabilities of options that were not asked about: {', '.join(unexpected)}")
    try:
        distribution = {label: _probability(p) for label, p in cast("dict[str, Any]", probabilities).items()}
    except ValueError as error:
        raise ValueError(f"an option has none: {error}") from error
    total = sum(distribution.values())
    if abs(total - 1) > _tolerance(distribution.values()) or not total:
        raise ValueError(f"the probabilities add up to {total:g}")
    return {label: p / total for label, p in distribution.items()}


def _tolerance(probabilities: Collection[float]) -> float:
    """Return how far the sum of probabilities may be from 1."""
    are_rounded = all(abs(p - round(p, _DECIMALS)) < _FLOAT_ERROR for p in probabilities)
    return len(probabilities) * _MAX_ROUNDING + _FLOAT_ERROR if are_rounded else _MAX_SUM_ERROR


def _confidence(probabilities: Sequence[float]) -> float:
    """Return the likeliest option's probability, scaled so that chance is 0 and certainty 1."""
    n = len(probabilities)
    return _clipped((n * max(probabilities) - 1) / (n - 1))


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))


def _score(
    block: DecisionBlock, values: Mapping[str, _Value], answers: Mapping[str, dict[str, Any] | None]
) -> tuple[float, dict[str, Any]]:
    """Return the score by the block's rule, and the evidence that the rule adds."""
    numbers = [value.value for value in values.values()]
    if block.score == "all_of":
        # Bounds of the probability that all answers are yes, whatever their dependence (Fréchet 1935).
        least_likely = min(values, key=lambda name: values[name].value)
        lower, upper = max(0.0, sum(numbers) - (len(numbers) - 1)), values[least_likely].value
        evidence = {
            CONFIDENCE: values[least_likely].confidence,
            "least": least_likely,
            BOUNDS: [lower, upper],
        }
        return upper, evidence
    if block.score in {"mean", "fraction"}:
        return sum(numbers) / len(numbers), {}
    ((name, only_value),) = values.items()  # the other rules score one question
    evidence = {CONFIDENCE: only_value.confidence}
    if block.questions[name].among_steps:
        probabilities: dict[str, float] = (answers[name] or {})["probabilities"]
        likeliest = max(probabilities, key=probabilities.__getitem__)
        evidence[STEP_NAMED] = 0 if likeliest == NO_STEP else int(likeliest)
    return only_value.value, evidence
