"""Results of a run and the counts behind them, by system and part, never pooled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache, partial
from math import fsum
from typing import TypeAlias, TypeVar

import msgspec

from ...calibration.agreement.diagnosis_results import JuryVotes
from ...calibration.comparison.comparison_results import ContradictedLabels
from ...calibration.label_declarations import RANDOM_SAMPLES, LabelsDeclaredBy
from ...calibration.statistic import Statistic
from ...records import DIFFERS_IN_FORM, Author, ItemKey, JudgeId, Kind, Outcome, Source, Usage, Verdict
from ..store.journal_rows import JournalRow, StoredVerdict

K = TypeVar("K")
V = TypeVar("V")

DECIDED = "checker decided"
UNJUDGED = "open"
OPEN = "open: judge's rate, uncorrected"
JUDGED = "judge's rate"
CORRECTED = "open: corrected by labels"
ALL = "all outputs"
ALL_CORRECTED = "all outputs: judged part corrected with labels"
ALL_UNCORRECTED = "all outputs: judged part uncorrected"
ONE_EACH = "undecided: one judge for each output"
ONE_EACH_CORRECTED = "undecided: one judge for each output, corrected with labels"

TRIED_AGAIN = "each case with fewer trials ends in its only pass: if only failed cases were tried again, the rate is too high; give each case as many trials"
"""Why a rate over unequal trials is not gated."""


class ResultStruct(msgspec.Struct, frozen=True, kw_only=True):
    """Base of the parts of a report: frozen, with named fields."""


class UnevenTrials(ResultStruct, frozen=True, kw_only=True):
    """Numbers of trials that differ by case; each case has weight 1.

    Attributes:
        cases: Cases with a graded output.
        outputs: Outputs for these cases, graded or not.
        fewest: Smallest number of outputs of a case.
        most: Largest number of outputs of a case.
        retried: Whether each case with fewer trials ends in its only pass, as if only failed cases were tried again.
        by_case: The rate with weight 1 for each case, by judges' uncorrected verdicts.
        failed: Number of outputs that fail, or None if it is not counted, as for fractions.
    """

    cases: int
    outputs: int
    fewest: int
    most: int
    by_case: Statistic
    retried: bool = False
    failed: int | None = None


class StratumRate(Statistic, frozen=True, kw_only=True):
    """A rate over one part of a system's items: the mean score of those that are graded.

    Attributes:
        name: Which part, and who decided it: ``checker decided``, ``open: judge's rate, uncorrected``.
        by: The checker or judge whose scores are averaged.
        of: Rows in this part, graded or not.
        outcomes: Number of ungraded rows by outcome; ``missing`` counts cases without an output.
        bounds: The rate if all ungraded rows failed, and if all passed, or None if all are graded.
        note: A caution about the number.
        fractions: Number of scores other than 0 and 1. With any, the value is a mean score and not a pass rate.
        trials: Numbers of trials by case, or None if all cases have equally many.
        n_cases: Number of cases behind the rate, if they have unequal numbers of trials; else None.
        declared: Declaration of how outputs were chosen for labels, for rates that labels could correct; None
            without one, and then no headline rate is corrected.
        if_random: The rate corrected with labels without such a declaration, valid if they are a random sample.
        contradicted: Evidence that the labels are no random sample, and the rates that they then give.
    """

    name: str
    of: int
    by: str | None = None
    outcomes: dict[str, int] = {}
    bounds: tuple[float, float] | None = None
    note: str | None = None
    fractions: int = 0
    trials: UnevenTrials | None = None
    n_cases: int | None = None
    declared: LabelsDeclaredBy | None = None
    if_random: Statistic | None = None
    contradicted: ContradictedLabels | None = None

    @property
    def corrects(self) -> bool:
        """True if its labels are declared to be a random sample, so that it is corrected."""
        return self.name == CORRECTED and self.declared in RANDOM_SAMPLES


class FaultExample(ResultStruct, frozen=True, kw_only=True):
    """An output with a fault.

    Attributes:
        item: As ``case_id|system|trial``.
        reason: The reason of the checker, or judge, or None if it gives none.
    """

    item: str
    reason: str | None = None


class OtherForms(ResultStruct, frozen=True, kw_only=True):
    """Outputs whose texts differ only in form from accepted ones, which leaves them undecided.

    Attributes:
        outputs: How many there are.
        loose: Pass rate of the checked outputs if all of these pass.
        exact: That rate if none does.
        imported: How many of them answer BFCL's cases that do not say how texts compare.
    """

    outputs: int
    loose: float
    exact: float
    imported: int = 0


class SystemResult(ResultStruct, frozen=True, kw_only=True):
    """Results of one system.

    Attributes:
        strata: Its rates, one a part; never pooled, because the parts differ in who decided them.
        outcomes: How many verdicts of each outcome, by source of the verdict.
        missing: Cases without an output.
        missing_case: Smallest id of these; empty without one.
        faults: How often each error type was found by the checker.
        failures: Why custom checkers failed, and how often.
        overall: Pass rate on all outputs: the checkers' verdicts if they decide, else one judge's for each output.
        judged: Pass rate on the undecided outputs by the same judges, or None if no judge graded one.
        examples: An output for each of the commonest error types, and what its checker says of it.
        judged_examples: An undecided output that each of the strictest judges failed, by judge, with its reason.
        unjudged: Kinds of the undecided outputs that no judge was asked about, to how many there are.
        unjudged_steps: How many of these record their steps.
        form: Outputs that differ only in form, or None if there are none.
        withheld: Outputs that no judge graded though one replied, by outcome: unparsable or refused.
        failed_calls: Outputs that no judge graded or replied to, because calls failed.
        graded_weight: Weight of the graded outputs if each case has weight 1, or None if each case has one output.
        withheld_weight: Weight of the withheld ones; None as well.
    """

    system: str
    strata: list[StratumRate]
    outcomes: dict[Source, dict[Outcome, int]] = {}
    missing: int = 0
    missing_case: str = ""
    faults: dict[str, int] = {}
    failures: dict[str, int] = {}
    overall: StratumRate | None = None
    judged: StratumRate | None = None
    examples: dict[str, FaultExample] = {}
    judged_examples: dict[str, FaultExample] = {}
    unjudged: dict[Kind, int] = {}
    unjudged_steps: dict[Kind, int] = {}
    form: OtherForms | None = None
    withheld: dict[Outcome, int] = {}
    failed_calls: int = 0
    graded_weight: float | None = None
    withheld_weight: float | None = None

    @property
    def failed_checks(self) -> int:
        """Number of outputs without a verdict because their checker failed."""
        return self.outcomes.get("checker", {}).get("failed", 0)


class JudgeUse(ResultStruct, frozen=True, kw_only=True):
    """Use of one judge: its identity, outcomes and cost."""

    name: str
    fingerprint: str
    outcomes: dict[Outcome, int]
    id: JudgeId | None = None
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: int = 0
    """Number of verdicts whose reply was cached or recorded, and cost nothing now."""
    reasked: int = 0
    """Number of unreadable replies that were asked for again, over all starts of the run."""
    cost: float | None = None
    """US dollars for these tokens; None when nothing was spent or the price is not known."""
    seconds: float | None = None
    """Seconds that asking took, over all starts of the run, or None if no judge was asked."""
    undecided: int = 0
    """Number of undecided outputs that it graded."""
    undecided_labelled: int = 0
    """Number of these that have a label."""
    undecided_worse_p: float | None = None
    """The p of "right as often on undecided outputs as on checked ones"; None if it is as often right there, or nothing can be tested."""
    reasons: dict[Outcome, dict[str, int]] = {}
    """Number of verdicts by outcome without a score and by reason, most frequent first."""
    refused: list[str] = []
    """Decoding parameters that the model refused, so that they were not sent."""
    cached_tokens: int = 0
    """Tokens of the prompts that the provider had cached, if it counts them."""
    served_by: dict[str, int] = {}
    """Number of verdicts by version of a decision model, if several answered."""
    jury: JuryVotes | None = None
    """Number of independent votes that a jury is worth, or None for other judges."""

    @property
    def usage(self) -> Usage:
        """Its calls, tokens and dollars."""
        return Usage(
            calls=self.calls,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cached=self.from_cache,
            reasked=self.reasked,
            cached_tokens=self.cached_tokens,
            dollars=self.cost,
        )

    @property
    def graded_nothing(self) -> bool:
        """True if it was asked and gave no grade, for another reason than failed calls."""
        outcomes = {
            outcome for outcome, count in self.outcomes.items() if count and outcome != "not_applicable"
        }
        return bool(outcomes) and "graded" not in outcomes and outcomes != {"failed"}


ExactSum: TypeAlias = "tuple[int, *tuple[float, ...]]"
"""Number of scores, then floats whose exact sum is that of the scores, whatever their order."""


def _plus(exact_sum: ExactSum, score: float) -> ExactSum:
    """Add a number to an exact sum.

    The rounding error of each addition is kept as one more number (Shewchuk 1997); scores 0 and 1 have none.
    """
    count, *numbers = exact_sum
    errors: list[float] = []
    for number in numbers:
        total = score + number
        added = total - score  # the part of `number` that the sum took up
        error = (score - (total - added)) + (number - added)
        if error:
            errors.append(error)
        score = total
    return (count + 1, *errors, score)


_shared_plus = lru_cache(maxsize=1024)(_plus)
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
        examples: Error type to an output that has it, the first by key.
        worst: A judge's lowest score below 1, and the first output by key that has it; None if all scores are 1.
        failures: Why custom checkers failed, to how often; of reasons that differ each time the first ones.
        fractions: How many scores are neither 0 nor 1.
        between: Exact sum of ``score (1 - score)`` over them.
        other_forms: Outputs that differ only in form, and how many of these answer cases of BFCL that say nothing of texts.
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
            self.clusters[cluster] = _shared_plus(self.clusters.get(cluster, _EMPTY_SUM), verdict.score)
            if 0.0 < verdict.score < 1.0:
                self.fractions += 1
                self.between = _plus(self.between, verdict.score * (1.0 - verdict.score))
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
