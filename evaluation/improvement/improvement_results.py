"""Results of improving a prompt, as written to ``improvement.json``."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

import msgspec

from ...calibration.comparison.prompt_gain import MARGIN, OperatorChange, PromptGain
from ...calibration.statistic import Statistic
from ...records import Usage
from ...records.result import Framed, Result

ImprovementAnswer: TypeAlias = Literal[
    "improved",
    "no candidate",
    "no better in development",
    "gain not shown",
    "worse on probes",
    "calls failed",
]
"""Outcome of an improvement; only for ``improved`` a prompt is written."""


class SideSize(msgspec.Struct, frozen=True, kw_only=True):
    """Size of the development items or the holdout.

    Attributes:
        items: Number of labelled items, without undecidable ones.
        groups: Number of groups of dependent items.
        adjudicated: Number of items with an adjudicated label.
        undecidable: Number of further items that were adjudicated as undecidable.
    """

    items: int
    groups: int
    adjudicated: int
    undecidable: int


class TriedPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate prompt, and its agreement with labels in development.

    Attributes:
        name: Name of the candidate.
        path: Path of its file, or None if a model's reply contains no prompt.
        by: The model that wrote it, or None for a candidate from a file.
        refused: Reason why it was not tried, or None if it was.
        agreement: Share of development items on which it agrees with the label.
        ungraded: Number of development items that it left ungraded; these count as disagreements.
    """

    name: str
    path: str | None = None
    by: str | None = None
    refused: str | None = None
    agreement: Statistic | None = None
    ungraded: int = 0


class ImprovementCost(msgspec.Struct, frozen=True, kw_only=True):
    """Cost of one part of the work.

    Attributes:
        part: ``proposals``, ``development``, ``holdout`` or ``probes``.
        verdicts: Number of replies or verdicts.
        calls: Number of calls to a model, without cached replies.
        cost: Cost in US dollars, or None if nothing was spent or a price is unknown.
    """

    part: str
    verdicts: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None = None

    @classmethod
    def of(cls, part: str, verdicts: int, usage: Usage) -> Self:
        """Return the cost of a part with this usage."""
        return cls(
            part=part,
            verdicts=verdicts,
            calls=usage.calls,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost=usage.dollars,
        )

    @property
    def usage(self) -> Usage:
        """Its calls, tokens and dollars."""
        return Usage(
            calls=self.calls,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            dollars=self.cost,
        )


class HoldoutLook(msgspec.Struct, frozen=True, kw_only=True):
    """One look at the holdout, recorded before anything is asked.

    Attributes:
        look: Number of the look, from 1.
        alpha: One-sided significance level of the look.
        candidate: Name of the prompt that was tested.
        sha256: Hash of the prompt's file.
        labels: Hash of the holdout's labels at the time.
        at: Time of the look.
    """

    look: int
    alpha: float
    candidate: str
    sha256: str
    labels: str
    at: str


class Improvement(Result, Framed, frozen=True, kw_only=True):
    """Results of improving a prompt.

    ``to_frame`` has one row per candidate.

    Attributes:
        prompt: The current prompt, as the user named it.
        judge: Name of the judge with the current prompt, as it signs verdicts.
        answer: Outcome of the attempt.
        development: Size of the development items.
        holdout: Size of the holdout.
        current: The current prompt in development.
        tried: The candidates.
        best: File of the best candidate in development, or None if none was tried.
        look: The look at the holdout, or None if none was taken.
        gain: Gain on the holdout.
        ungraded: Numbers of held-out items that the current and the new prompt left ungraded; these count as disagreements.
        changes: Changes on probes, by operator.
        margin: Loss on probes that must be excluded.
        costs: Costs by part.
        failed: Number of failed calls.
        written: Path of the improved prompt, or None if none was written.
    """

    prompt: str
    judge: str
    answer: ImprovementAnswer
    development: SideSize
    holdout: SideSize
    current: TriedPrompt | None = None
    tried: list[TriedPrompt] = []
    best: str | None = None
    look: HoldoutLook | None = None
    gain: PromptGain | None = None
    ungraded: list[int] = []
    changes: list[OperatorChange] = []
    margin: float = MARGIN
    costs: list[ImprovementCost] = []
    failed: int = 0
    written: str | None = None

    @property
    def improved(self) -> bool:
        """True if a better prompt was written."""
        return self.answer == "improved"

    @property
    def losses(self) -> list[OperatorChange]:
        """Operators on which the new prompt is worse, or not shown to be no worse."""
        return [change for change in self.changes if change.state != "not worse"]
