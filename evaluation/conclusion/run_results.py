"""Results of a run and the counts behind them, by system and part, never pooled."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from ...calibration.agreement.diagnosis_results import JuryVotes
from ...calibration.comparison.comparison_results import ContradictedLabels
from ...calibration.label_declarations import RANDOM_SAMPLES, LabelsDeclaredBy
from ...calibration.statistic import Statistic
from ...records import JudgeId, Kind, Outcome, Source, Usage

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
"""Reason why a rate over unequal numbers of trials is not gated."""


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
        item: The output, as ``case_id|system|trial``.
        reason: The reason that the checker or judge gave, or None without one.
    """

    item: str
    reason: str | None = None


class OtherForms(ResultStruct, frozen=True, kw_only=True):
    """Outputs whose texts differ only in form from accepted ones, which leaves them undecided.

    Attributes:
        outputs: Number of these outputs.
        loose: Pass rate of the checked outputs if they all pass.
        exact: Pass rate of the checked outputs if they all fail.
        imported: Number of these outputs on cases of BFCL that do not say how texts compare.
    """

    outputs: int
    loose: float
    exact: float
    imported: int = 0


class SystemResult(ResultStruct, frozen=True, kw_only=True):
    """Results of one system.

    Attributes:
        strata: Its rates, one a part; never pooled, because the parts differ in who decided them.
        outcomes: Number of verdicts by source and outcome.
        missing: Number of cases without an output.
        missing_case: Smallest id of a case without an output; empty if all have one.
        faults: How often each error type was found by the checker.
        failures: Number of failures of custom checkers, by reason.
        overall: Pass rate on all outputs: the checkers' verdicts if they decide, else one judge's for each output.
        judged: Pass rate on the undecided outputs by the same judges, or None if no judge graded one.
        examples: An output for each of the commonest error types, with the reason of its checker.
        judged_examples: An undecided output that each of the strictest judges failed, by judge, with its reason.
        unjudged: Number of undecided outputs that no judge was asked about, by kind.
        unjudged_steps: Number of unjudged outputs that record their steps, by kind.
        form: Outputs that differ only in form, or None if there are none.
        withheld: Outputs that no judge graded though one replied, by outcome: unparsable or refused.
        failed_calls: Outputs that no judge graded or replied to, because calls failed.
        graded_weight: Weight of the graded outputs if each case has weight 1, or None if each case has one output.
        withheld_weight: Weight of the withheld outputs, or None if each case has one output.
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
    """p-value of "right as often on undecided outputs as on checked ones", or None if it is not worse there, or cannot be tested."""
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
