"""Numeric results of a run: one per system, with parts never pooled, and judges' usage."""

from __future__ import annotations

import msgspec

from ...calibration.statistic import Statistic
from ...records import JudgeId, Kind, Outcome, Source

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


class ResultStruct(msgspec.Struct, frozen=True, kw_only=True):
    """Base of what a report is made of: frozen, named fields."""


class StratumRate(Statistic, frozen=True, kw_only=True):
    """A rate over one part of a system's items: the mean score of those that are graded.

    Attributes:
        name: Which part, and who decided it: ``checker decided``, ``open: judge's rate, uncorrected``.
        by: The checker or judge whose scores are averaged.
        of: Rows in this part, graded or not.
        outcomes: The rows that are not graded, by outcome; ``missing`` counts cases without an output.
        bounds: The rate if everything not graded were wrong, and if it were all right; None where all is graded.
        note: What a reader must know to read the number.
        fractions: How many of the scores are neither 0 nor 1; with one the value is a mean score, and no share that passes.
    """

    name: str
    of: int
    by: str | None = None
    outcomes: dict[str, int] = {}
    bounds: tuple[float, float] | None = None
    note: str | None = None
    fractions: int = 0


class FaultExample(ResultStruct, frozen=True, kw_only=True):
    """An output with a fault.

    Attributes:
        item: As ``case_id|system|trial``.
        reason: The checker's reason; None where it gives none.
    """

    item: str
    reason: str | None = None


class SystemResult(ResultStruct, frozen=True, kw_only=True):
    """Results of one system.

    Attributes:
        strata: Its rates, one a part; never pooled, because the parts differ in who decided them.
        outcomes: How many verdicts of each outcome, by source of the verdict.
        missing: Cases without an output.
        faults: How often each error type was found by the checker.
        failures: Why checkers of the user's own failed, and how often.
        overall: Pass rate on all outputs: the checkers' where they decide, else one judge's for each output.
        judged: Pass rate on the undecided outputs by the same judges; None where no judge graded one.
        examples: An output for each of the commonest error types, and what its checker says of it.
        unjudged: Kinds of the undecided outputs that no judge was asked about, to how many there are.
        unjudged_steps: How many of these record their steps.
    """

    system: str
    strata: list[StratumRate]
    outcomes: dict[Source, dict[Outcome, int]] = {}
    missing: int = 0
    faults: dict[str, int] = {}
    failures: dict[str, int] = {}
    overall: StratumRate | None = None
    judged: StratumRate | None = None
    examples: dict[str, FaultExample] = {}
    unjudged: dict[Kind, int] = {}
    unjudged_steps: dict[Kind, int] = {}

    @property
    def failed_checks(self) -> int:
        """Number of outputs without a verdict because their checker failed."""
        return self.outcomes.get("checker", {}).get("failed", 0)


class JudgeUse(ResultStruct, frozen=True, kw_only=True):
    """One judge: what it is exactly, what it said how often, what it cost."""

    name: str
    fingerprint: str
    outcomes: dict[Outcome, int]
    id: JudgeId | None = None
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    from_cache: int = 0
    """Verdicts that cost nothing now, because the reply was cached or recorded."""
    reasked: int = 0
    """Replies that could not be read and were asked for once more, over all starts of the run."""
    cost: float | None = None
    """US dollars for these tokens; None when nothing was spent or the price is not known."""
    seconds: float | None = None
    """How long asking took, over all starts of the run; None when nobody was asked."""
    undecided: int = 0
    """Outputs that it graded and no checker decided."""
    undecided_labelled: int = 0
    """Those of them that have a label."""
    undecided_worse_p: float | None = None
    """The p of "right as often on undecided outputs as on checked ones"; None where it is as often right there, or nothing can be tested."""
    reasons: dict[Outcome, dict[str, int]] = {}
    """By outcome without a score: why, as the verdicts say, and how many say so; most frequent first."""
    refused: list[str] = []
    """Decoding parameters that the model refused, so that they were not sent."""
    cached_tokens: int = 0
    """Tokens of the prompts that the provider had cached, where it counts them."""
