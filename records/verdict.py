"""Verdict: what one checker, judge, person or construction says of one output."""

from __future__ import annotations

from typing import Any, Literal, Self, TypeAlias

from .case import Record
from .judge_id import Author, JudgeId
from .output import ItemKey

Source: TypeAlias = Literal["checker", "judge", "human", "construction"]

Outcome: TypeAlias = Literal["graded", "undecided", "not_applicable", "unparsable", "refused", "failed"]

UNGRADED: tuple[Outcome, ...] = ("undecided", "not_applicable", "unparsable", "refused", "failed")
"""Outcomes that mean "we could not grade this", in the order in which they are printed. They carry no score."""


_AT_SCORE, _AT_JUDGE = " - at `$.score`", " - at `$.judge`"
"""The fields, in msgspec's own form."""


class Usage(Record, frozen=True, kw_only=True):
    """What a judge's verdict cost, summed over every call that was made for it."""

    calls: int = 1
    """How many calls were made."""
    prompt_tokens: int = 0
    """Tokens of the questions."""
    completion_tokens: int = 0
    """Tokens of the replies."""
    cached: bool = False
    """True when the reply came from the cache or a recording, so that nothing was spent now."""
    reasked: int = 0
    """How often an unreadable reply was asked again."""


class Verdict(Record, frozen=True, kw_only=True):
    """What one checker, judge, person or construction says of one output.

    Attributes:
        case_id: The case.
        system: Who produced the output.
        trial: Which attempt.
        by: Checker with its rules (``ast/bfcl``), or ``judge/variant@model``, or a person's name; for a judge a name to read.
        source: What sort of thing ``by`` is.
        outcome: ``graded``, or why we could not grade.
        score: In [0, 1] when graded, else None.
        error_type: The kind of fault found, in the original's words where there is an original.
        reason: One sentence for a person: which argument, what was expected, what came.
        evidence: Details a machine may read.
        repeat: Which repetition of the same question to the same judge.
        usage: What it cost; None for what costs nothing.
        raw: The judge's reply, verbatim.
        judge: Which judge it was, of a judge; None where nothing but its name was written down.
    """

    case_id: str
    system: str
    by: str
    source: Source
    outcome: Outcome
    trial: int = 0
    score: float | None = None
    error_type: str | None = None
    reason: str | None = None
    evidence: dict[str, Any] = {}
    repeat: int = 0
    usage: Usage | None = None
    raw: str | None = None
    judge: JudgeId | None = None

    def __post_init__(self) -> None:
        if self.outcome == "graded":
            if self.score is None or not 0.0 <= self.score <= 1.0:
                raise ValueError(f"a graded verdict needs a score in [0, 1], got {self.score!r}{_AT_SCORE}")
        elif self.score is not None:
            raise ValueError(
                f"only graded verdicts carry a score; this one is {self.outcome!r} with {self.score!r}{_AT_SCORE}"
            )
        if self.judge is not None and self.source != "judge":
            raise ValueError(f"only verdicts of judges name one; this is of a {self.source}{_AT_JUDGE}")

    @classmethod
    def on(cls, item: ItemKey, *, by: str, source: Source, outcome: Outcome = "graded", **said: Any) -> Self:
        """A verdict on an output, with whatever else is said."""
        case_id, system, trial = item
        return cls(case_id=case_id, system=system, trial=trial, by=by, source=source, outcome=outcome, **said)

    @property
    def key(self) -> ItemKey:
        """The output this is about."""
        return ItemKey(self.case_id, self.system, self.trial)

    @property
    def author(self) -> Author:
        """Whose verdict it is."""
        return self.by if self.judge is None else self.judge

    @property
    def graded(self) -> bool:
        """Whether there is a score."""
        return self.outcome == "graded"
