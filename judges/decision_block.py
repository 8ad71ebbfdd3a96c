"""The ``decision:`` block of a prompt file: typed questions for a decision model.

::

    decision:
      state: [question, accepted_answers, response, criterion?]   # inputs, sent as JSON; ? marks one that may be missing
      questions:
        settles: {ask: "Does `response` commit to one answer?", if_true: "it names one", if_false: "it hedges"}
        better: {type: choice, ask: "...", choices: {first: null, second: null}, values: {first: 1, second: 0}}
        supported: {each: statements, ask: "Does `search_results` support entry {number} of `statements`?"}
      score: all_of
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

from ..records.typed_values import convert
from .front_matter import FrontMatter
from .transport.decision_apis import CANARY, Question, QuestionType

ScoreRule: TypeAlias = Literal["one", "all_of", "mean", "fraction", "expected"]

NO_STEP = "none"
"""Option of a choice among steps: no step is wrong."""
MAX_OPTIONS = 255
"""Maximum number of options of a choice."""
_MIN_OPTIONS, _MAX_LEVELS = 2, 10
"""Minimum number of options or levels, and maximum number of levels."""
_STEPS = "steps"
_NUMBER = "{number}"
"""Placeholder in a question that is asked about each part of an entry: the number of the part."""


class DeclaredQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question as a prompt file declares it.

    Attributes:
        ask: The instructions; they refer to entries of the state by name.
        type: ``yes_no``, ``choice`` or ``score``.
        if_true: When the answer to a yes/no question is yes.
        if_false: When the answer to a yes/no question is no.
        choices: Options with descriptions; ``steps`` for the agent's step numbers and ``none``.
        levels: Ordered levels, the lowest first.
        values: Score in [0, 1] of each choice.
        each: Entry of the state with numbered parts. The question is asked about each part, whose number replaces ``{number}``
            in ``ask``.
    """

    ask: str
    type: QuestionType = "yes_no"
    if_true: str | None = None
    if_false: str | None = None
    choices: dict[str, str | None] | Literal["steps"] = {}
    levels: list[str] = []
    values: dict[str, float] = {}
    each: str | None = None

    @property
    def among_steps(self) -> bool:
        """True if the options are the steps of a trajectory."""
        return self.choices == _STEPS

    def as_question(self, name: str, *, part: str | None = None, steps: int = 0) -> Question:
        """Return the question for one item, or for one part of an entry of its state."""
        ask = self.ask if part is None else self.ask.replace(_NUMBER, part)
        return Question(name if part is None else f"{name}_{part}", self.type, ask, self._options(steps))

    def _options(self, steps: int) -> Mapping[str, str | None]:
        if self.type == "score":
            return dict.fromkeys(self.levels)
        if self.type == "choice":
            if isinstance(self.choices, dict):
                return self.choices
            return {str(step): None for step in range(1, steps + 1)} | {NO_STEP: "every step is right"}
        criteria = {"true": self.if_true, "false": self.if_false}
        return {name: text for name, text in criteria.items() if text is not None}


class _BlockFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    state: list[str]
    questions: dict[str, DeclaredQuestion]
    score: ScoreRule = "one"
    of: list[str] = []


@dataclass(frozen=True, slots=True)
class DecisionBlock:
    """Questions to a decision model, and how their answers make a score.

    Attributes:
        state: Whether an item must have an entry, by the name of each entry that is sent as material.
        questions: The questions by name, in their order.
        score: Rule of the score.
        scored: Names of the questions that make the score; others are only evidence.
        fixed: The questions, if they are the same for every item, else None.
    """

    state: Mapping[str, bool]
    questions: Mapping[str, DeclaredQuestion]
    score: ScoreRule
    scored: Sequence[str]
    fixed: Sequence[Question] | None = None

    @property
    def names_steps(self) -> bool:
        """True if the score's question asks for the first wrong step of a trajectory."""
        return self.questions[self.scored[0]].among_steps

    def questions_for(self, parts: Mapping[str, Iterable[str]], steps: int = 0) -> list[Question]:
        """Return the questions for one item.

        Args:
            parts: For each entry of the state with parts, the numbers of its parts.
            steps: Number of the agent's steps.
        """
        if self.fixed is not None:
            return [*self.fixed]
        return [
            question.as_question(name, part=part, steps=steps)
            for name, question in self.questions.items()
            for part in ([None] if question.each is None else parts[question.each])
        ]


def read_decision_block(front: FrontMatter) -> DecisionBlock | None:
    """Read the ``decision:`` block of a prompt file, or None without one.

    Raises:
        PromptError: The block is invalid; the message names file and line.
    """
    if front.values.get("decision") is None:
        return None
    try:
        declared = convert(front.values["decision"], _BlockFields)
        return _block(declared)
    except msgspec.ValidationError as error:
        # msgspec calls the block `$`.
        message = str(error).replace("`$.", "`").replace("`$", "`decision")
        raise front.fault(message, "decision") from error
    except ValueError as error:
        raise front.fault(str(error), "decision") from error


def _block(declared: _BlockFields) -> DecisionBlock:
    state = {name.removesuffix("?"): not name.endswith("?") for name in declared.state}
    if not state or not declared.questions:
        raise ValueError("expected entries of the state, and questions about them")
    for name, question in declared.questions.items():
        if not name.isidentifier() or name == CANARY:
            raise ValueError(f"{name!r} is not a name of a question")
        try:
            _require_valid(question, state)
        except ValueError as error:
            raise ValueError(f"questions.{name}: {error}") from error
    scored = declared.of or list(declared.questions)  # by default, all questions make the score
    if unknown := sorted(set(scored) - declared.questions.keys()):
        raise ValueError(f"of: there is no question {unknown[0]!r}")
    _require_scorable(declared.score, [declared.questions[name] for name in scored])
    questions = declared.questions
    depend_on_item = any(question.each is not None or question.among_steps for question in questions.values())
    fixed = None if depend_on_item else [question.as_question(name) for name, question in questions.items()]
    return DecisionBlock(state, declared.questions, declared.score, tuple(scored), fixed)


def _require_valid(question: DeclaredQuestion, state: Mapping[str, bool]) -> None:
    """Require that a question has what its type needs, and nothing else."""
    if not question.ask.strip():
        raise ValueError("ask is empty")
    options: dict[str, Any] = {
        "if_true": question.if_true, "if_false": question.if_false, "choices": question.choices, "values": question.values, "levels": question.levels,
    }  # fmt: skip
    allowed = {"yes_no": {"if_true", "if_false"}, "choice": {"choices", "values"}, "score": {"levels"}}[
        question.type
    ]
    if excess := [name for name, value in options.items() if value and name not in allowed]:
        raise ValueError(f"{excess[0]} does not go with type {question.type}")
    levels = question.levels
    are_different = len(set(levels)) == len(levels)
    if question.type == "score" and not (are_different and _MIN_OPTIONS <= len(levels) <= _MAX_LEVELS):
        raise ValueError(f"expected 2 to {_MAX_LEVELS} different levels, the lowest first")
    if question.type == "choice" and not question.among_steps:
        _require_choices(question)
    if question.among_steps and _STEPS not in state:
        raise ValueError("choices: steps needs numbered steps: add steps to the state")
    if question.each is not None and (question.each not in PARTED or question.each not in state):
        raise ValueError(
            f"each: expected one of {', '.join(sorted(PARTED))} that is in the state, got {question.each!r}"
        )
    if (question.each is None) == (_NUMBER in question.ask):
        raise ValueError(f"each goes with {_NUMBER} in ask")


def _require_choices(question: DeclaredQuestion) -> None:
    choices = question.choices
    if not _MIN_OPTIONS <= len(choices) <= MAX_OPTIONS:
        raise ValueError(f"expected 2 to {MAX_OPTIONS} choices")
    if question.values and (
        question.values.keys() != set(choices)
        or not all(0 <= value <= 1 for value in question.values.values())
    ):
        raise ValueError("values: expected a score in [0, 1] for each choice")


PARTED: Mapping[str, str] = {"statements": "response", "requests": "messages"}
"""Entries of a state with numbered parts, and the input that is divided into them."""


def _require_scorable(rule: ScoreRule, questions: Sequence[DeclaredQuestion]) -> None:
    """Require that answers to these questions make a score by this rule."""
    several = len(questions) > 1
    has_parts = any(question.each is not None for question in questions)
    match rule:
        case "one" if several or has_parts or not (questions[0].type == "yes_no" or questions[0].among_steps):
            raise ValueError("score: one needs one yes/no question (of: [NAME]), or a choice among steps")
        case "all_of" if any(question.type != "yes_no" for question in questions):
            raise ValueError("score: all_of needs yes/no questions")
        case "fraction" if several or not has_parts or questions[0].type != "yes_no":
            raise ValueError("score: fraction needs one yes/no question with each")
        case "expected" if several or has_parts or questions[0].type == "yes_no":
            raise ValueError("score: expected needs one question of type score, or choice with values")
        case _:
            pass
    if rule in {"mean", "expected"} and any(
        question.type == "choice" and not question.values for question in questions
    ):
        raise ValueError("a choice needs values: the score of each of its choices")
