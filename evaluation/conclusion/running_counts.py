"""Running counts of a run's verdicts by system and part, from which its results are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache, partial
from math import fsum
from typing import TypeAlias, TypeVar

import msgspec

from ...records import DIFFERS_IN_FORM, Author, ItemKey, Kind, Outcome, Verdict
from ..store.journal_rows import JournalRow, StoredVerdict

K = TypeVar("K")
V = TypeVar("V")

ExactSum: TypeAlias = "tuple[int, *tuple[float, ...]]"
"""Number of scores, then floats whose exact sum is that of the scores, whatever their order."""


def _added_to(exact_sum: ExactSum, score: float) -> ExactSum:
    """Add a number to an exact sum.

    The rounding error of each addition is kept as one more number (Shewchuk 1997). Whole numbers are added without errors, so scores
    of 0 and 1 need one number.
    """
    count, *numbers = exact_sum
    errors: list[float] = []
    for number in numbers:
        total = score + number  # rounded; the next lines recover its error (Knuth's TwoSum)
        added = total - score  # the part of `number` that the sum took up
        error = (score - (total - added)) + (number - added)
        if error:
            errors.append(error)
        score = total
    return (count + 1, *errors, score)


_shared_added_to = lru_cache(maxsize=1024)(_added_to)
"""One shared object for equal sums: most clusters are one output, right or wrong, and there may be a million of them."""

_EMPTY_SUM: ExactSum = (0, 0.0)

_MAX_REASONS = 20
"""Number of different reasons of failed checkers that are counted."""


class Sums(msgspec.Struct):
    """Scores of one group of verdicts, summed by cluster.

    This is all that a clustered interval needs, and it grows with the clusters, not the rows.

    Attributes:
        by: Display name of their author.
        clusters: Cluster to the number of graded verdicts and the exact sum of their scores.
        faults: Error type to how often a checker found it.
        examples: Error type to the smallest key of an output that has it.
        worst: A judge's lowest score below 1, and the smallest key of an output with it; None if all scores are 1.
        failures: Reason of a custom checker's failure to how often it came; later reasons beyond `_MAX_REASONS` are left out.
        fractions: Number of scores other than 0 and 1.
        between: Exact sum of ``score (1 - score)`` over these scores.
        other_forms: Number of outputs that differ only in form, and of those among them on BFCL's cases that do not say how texts compare.
    """

    by: str | None = None
    outcomes: Counter[Outcome] = msgspec.field(default_factory=Counter)
    clusters: dict[str, ExactSum] = msgspec.field(default_factory=dict)
    faults: Counter[str] = msgspec.field(default_factory=Counter)
    examples: dict[str, ItemKey] = msgspec.field(default_factory=dict[str, ItemKey])
    worst: tuple[float, ItemKey] | None = None
    failures: Counter[str] = msgspec.field(default_factory=Counter)
    fractions: int = 0
    between: ExactSum = _EMPTY_SUM
    other_forms: tuple[int, int] = (0, 0)

    def add(
        self, verdict: Verdict | JournalRow | StoredVerdict, cluster: str, *, silent: bool = False
    ) -> None:
        """Count one verdict; ``silent`` as in `CaseFacts`."""
        self.outcomes[verdict.outcome] += 1
        if verdict.score is not None:
            self.clusters[cluster] = _shared_added_to(self.clusters.get(cluster, _EMPTY_SUM), verdict.score)
            if 0.0 < verdict.score < 1.0:
                self.fractions += 1
                self.between = _added_to(self.between, verdict.score * (1.0 - verdict.score))
            if verdict.score < 1.0 and verdict.source == "judge":
                score_and_key = verdict.score, verdict.key
                self.worst = score_and_key if self.worst is None else min(self.worst, score_and_key)
        if verdict.error_type == DIFFERS_IN_FORM and verdict.outcome == "undecided":
            outputs, imported = self.other_forms
            self.other_forms = outputs + 1, imported + silent
        elif verdict.source == "checker" and verdict.error_type is not None:
            self.faults[verdict.error_type] += 1
            first = self.examples.get(verdict.error_type)
            self.examples[verdict.error_type] = verdict.key if first is None else min(first, verdict.key)
        if verdict.source == "checker" and verdict.outcome == "failed":
            reason = verdict.reason or ""
            if reason in self.failures or len(self.failures) < _MAX_REASONS:
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


def entry(entries: dict[K, V], key: K, new: Callable[[], V]) -> V:
    """Return the value of a key, created by ``new`` if there is none yet."""
    value = entries.get(key)
    if value is None:  # `setdefault` would create one for each verdict
        value = entries[key] = new()
    return value


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
    """Sums by system, for the checkers and for each judge on the undecided outputs.

    Attributes:
        graded: System and trial to the cases whose outputs have a score.
        checked: System to the checkers' verdicts.
        opened: System to judge to the judge's verdicts on outputs that no checker decided.
        open_kinds: System to the outputs no checker decided, by the kind of their case.
        open_scores: System to judge to its scores of these, one by one.
        judged_kinds: System to judge to its verdicts of these, by the kind of their case.
        withheld: System to the outcomes of outputs that no judge graded though one replied.
        failed_calls: System to the number of outputs that no judge graded or replied to, because calls failed.
        withheld_keys: System to these outputs.
        against_people: Checked outputs that people labelled, by whether the checker passed them and whether people do.
    """

    graded: dict[tuple[str, int], set[str]] = msgspec.field(default_factory=dict)
    checked: dict[str, Sums] = msgspec.field(default_factory=dict)
    opened: dict[str, dict[Author, Sums]] = msgspec.field(default_factory=dict)
    open_kinds: dict[str, Counter[Kind]] = msgspec.field(default_factory=dict)
    open_scores: dict[str, dict[Author, OpenScores]] = msgspec.field(default_factory=dict)
    judged_kinds: dict[str, dict[Author, Counter[Kind]]] = msgspec.field(default_factory=dict)
    withheld: dict[str, Counter[Outcome]] = msgspec.field(default_factory=dict)
    failed_calls: Counter[str] = msgspec.field(default_factory=Counter[str])
    withheld_keys: dict[str, list[ItemKey]] = msgspec.field(default_factory=dict)
    against_people: Counter[tuple[bool, bool]] = msgspec.field(default_factory=Counter[tuple[bool, bool]])

    def add_checked(
        self,
        verdict: Verdict | JournalRow | StoredVerdict,
        cluster: str,
        kind: Kind,
        *,
        silent: bool = False,
    ) -> None:
        """Count a checker's verdict; ``silent`` as in `CaseFacts`."""
        entry(self.checked, verdict.system, Sums).add(verdict, cluster, silent=silent)
        if verdict.outcome == "undecided":
            entry(self.open_kinds, verdict.system, Counter)[kind] += 1

    def add_open(self, verdict: Verdict | StoredVerdict, cluster: str, kind: Kind | None = None) -> None:
        """Count a judge's verdict on an output that no checker decided."""
        if kind is not None:
            judged = self.judged_kinds.setdefault(verdict.system, {})
            entry(judged, verdict.author, Counter)[kind] += 1
        opened = self.opened.setdefault(verdict.system, {})
        entry(opened, verdict.author, partial(Sums, verdict.by)).add(verdict, cluster)
