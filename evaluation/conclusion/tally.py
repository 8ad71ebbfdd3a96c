"""Verdict counts by system and part, so that every rate is printed with its sample size."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import fsum
from typing import TypeAlias

import msgspec

from ...records import Author, ItemKey, Kind, Outcome, Verdict
from ..store.journal_rows import JournalRow, StoredVerdict

ExactSum: TypeAlias = "tuple[int, *tuple[float, ...]]"
"""How many scores, and numbers whose sum is theirs, exactly: whatever the order of the scores, and however they were put together."""


@lru_cache(maxsize=1024)
def _with(before: ExactSum, score: float) -> ExactSum:
    """Return one shared object for equal sums, to save memory.

    Most clusters are one output, right or wrong, and there may be a million of them.

    What adding two numbers rounds off is kept beside their sum (Shewchuk 1997); of scores 0 and 1 nothing is.
    """
    count, *numbers = before
    rests: list[float] = []
    for number in numbers:
        total = score + number
        kept = total - score
        rest = (score - (total - kept)) + (number - kept)
        if rest:
            rests.append(rest)
        score = total
    return (count + 1, *rests, score)


_NOTHING: ExactSum = (0, 0.0)

_MOST_REASONS = 20


class Sums(msgspec.Struct):
    """Scores of one group of verdicts, summed by cluster.

    This is enough for a clustered interval, whatever the number of rows.

    Attributes:
        by: The name of who gave them, as it is shown.
        clusters: Cluster to the number of graded verdicts and the exact sum of their scores.
        faults: Error type to how often a checker found it.
        examples: Error type to an output that has it, the first by key.
        failures: Why checkers of the user's own failed, to how often; of reasons that differ each time the first ones.
        fractions: How many scores are neither 0 nor 1.
    """

    by: str | None = None
    outcomes: Counter[Outcome] = msgspec.field(default_factory=Counter)
    clusters: dict[str, ExactSum] = msgspec.field(default_factory=dict)
    faults: Counter[str] = msgspec.field(default_factory=Counter)
    examples: dict[str, ItemKey] = msgspec.field(default_factory=dict[str, ItemKey])
    failures: Counter[str] = msgspec.field(default_factory=Counter)
    fractions: int = 0

    def add(self, verdict: Verdict | JournalRow | StoredVerdict, cluster: str) -> None:
        """Count one verdict."""
        self.outcomes[verdict.outcome] += 1
        if verdict.score is not None:
            self.clusters[cluster] = _with(self.clusters.get(cluster, _NOTHING), verdict.score)
            self.fractions += 0.0 < verdict.score < 1.0
        if verdict.source == "checker" and verdict.error_type is not None:
            self.faults[verdict.error_type] += 1
            known = self.examples.get(verdict.error_type)
            self.examples[verdict.error_type] = verdict.key if known is None else min(known, verdict.key)
        if verdict.source == "checker" and verdict.outcome == "failed":
            reason = verdict.reason or ""
            if reason in self.failures or len(self.failures) < _MOST_REASONS:
                self.failures[reason] += 1

    @property
    def graded(self) -> int:
        """Number of verdicts with a score."""
        return self.outcomes["graded"]

    @property
    def total(self) -> int:
        """Number of verdicts, graded or ungraded."""
        return self.outcomes.total()

    @property
    def score_sum(self) -> float:
        """The sum of the scores."""
        return fsum(number for _, *numbers in self.clusters.values() for number in numbers)

    @property
    def ungraded(self) -> dict[Outcome, int]:
        """The outcomes that are not ``graded``, with their counts."""
        return {outcome: count for outcome, count in self.outcomes.items() if outcome != "graded" and count}


class OpenScores(msgspec.Struct):
    """Undecided outputs of a system that a judge graded, with scores and clusters in one order."""

    keys: list[ItemKey] = msgspec.field(default_factory=list[ItemKey])
    scores: list[float] = msgspec.field(default_factory=list[float])
    clusters: list[str] = msgspec.field(default_factory=list[str])

    def add(self, verdict: Verdict | StoredVerdict, cluster: str) -> None:
        """Note a graded verdict."""
        assert verdict.score is not None
        self.keys.append(verdict.key)
        self.scores.append(verdict.score)
        self.clusters.append(cluster)


class Tally(msgspec.Struct):
    """Sums by system, for the checkers and for each judge on what the checkers left open.

    Attributes:
        graded: System and trial to the cases whose outputs somebody gave a score.
        checked: System to the checkers' verdicts.
        opened: System to judge to the judge's verdicts on outputs that no checker decided.
        open_kinds: System to the outputs no checker decided, by the kind of their case.
        open_scores: System to judge to its scores of these, one by one.
        judged_kinds: System to judge to its verdicts of these, by the kind of their case.
    """

    graded: dict[tuple[str, int], set[str]] = msgspec.field(default_factory=dict)
    checked: dict[str, Sums] = msgspec.field(default_factory=dict)
    opened: dict[str, dict[Author, Sums]] = msgspec.field(default_factory=dict)
    open_kinds: dict[str, Counter[Kind]] = msgspec.field(default_factory=dict)
    open_scores: dict[str, dict[Author, OpenScores]] = msgspec.field(default_factory=dict)
    judged_kinds: dict[str, dict[Author, Counter[Kind]]] = msgspec.field(default_factory=dict)

    def add_checked(self, verdict: Verdict | JournalRow | StoredVerdict, cluster: str, kind: Kind) -> None:
        """Count a checker's verdict."""
        self.checked.setdefault(verdict.system, Sums()).add(verdict, cluster)
        if verdict.outcome == "undecided":
            self.open_kinds.setdefault(verdict.system, Counter())[kind] += 1

    def add_open(self, verdict: Verdict | StoredVerdict, cluster: str, kind: Kind | None = None) -> None:
        """Count a judge's verdict on an output that no checker decided."""
        if kind is not None:
            judged = self.judged_kinds.setdefault(verdict.system, {})
            judged.setdefault(verdict.author, Counter())[kind] += 1
        opened = self.opened.setdefault(verdict.system, {})
        opened.setdefault(verdict.author, Sums(verdict.by)).add(verdict, cluster)
