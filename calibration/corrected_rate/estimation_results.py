"""Types of estimation results; ``estimate --json`` is these, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import msgspec

from ...records.result import Framed, Result
from ..label_declarations import LabelsChosenBy, LabelsDeclaredBy
from ..statistic import Caution, Statistic, StatisticEntry
from ..variance_split import VarianceSplit

Target: TypeAlias = Literal["population", "finite"]
"""What a rate is of: the population behind the items, or just these items."""

LabelOrder: TypeAlias = Literal["draws", "rounds", "every_output"]
"""Where the order of labels comes from: rounds of draws, or rounds in which labels were added.

``every_output`` means that every output has a label, so that the order does not matter.
"""

VALID_IF_CHOSEN_BY: dict[LabelsChosenBy, str] = {
    "score": "stratified_ppi",
    "label": "rogan_gladen",
    "elsewhere": "rogan_gladen",
}
"""Estimate that is valid for each way to choose labels other than at random."""

MIN_LABELS = 30
"""Minimum number of labels from which the weights of judges in nested samples are estimated."""

_PREFERENCE = (
    "people_errors",
    "multi_phase",
    "several_judges",
    "reweighted",
    "active",
    "stratified_ppi",
    "ppi_plus_plus",
    "labels_only",
)
"""Estimates to report, from the most specific to how labels were drawn to the most general."""

_VALID_IF_UNEVEN = ("reweighted", "active", "stratified_ppi")
"""Estimates to report if labels are unevenly spread over strata; they do not need a random sample of all items."""


class StratumEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """Estimate of one stratum.

    Attributes:
        n: Number of items.
        n_labelled: Number of items with a label.
        weight: Lambda, how far the judge is trusted here; ``lambda`` in JSON.
        spread: Standard deviation of label minus lambda times score, pooled: all strata together count as thirty
            labels. Otherwise a stratum with a few equal labels would be allocated no further ones.
        estimate: The mean label of this stratum alone.
    """

    n: int
    n_labelled: int
    weight: float = msgspec.field(name="lambda")
    spread: float
    estimate: Statistic


class PersonErrors(msgspec.Struct, frozen=True, kw_only=True):
    """Errors of one person who labels.

    Attributes:
        n: Outputs with a label of this person and of another.
        let_through: Share of bad outputs that the person passes.
        rejected: Share of good outputs that the person fails.
    """

    n: int
    let_through: Statistic
    rejected: Statistic


class ErrorsOfPeople(msgspec.Struct, frozen=True, kw_only=True):
    """Errors of the people who label, and the rate corrected for them.

    Attributes:
        n: Outputs with labels of several people.
        n_split: Outputs on which people differ.
        people: Error rates by person, if people err independently of each other.
        rate: Pass rate corrected for their errors.
        undefined: Why there is no model of their errors; labels are then taken as exact.
    """

    n: int
    n_split: int = 0
    people: dict[str, PersonErrors] = {}
    rate: Statistic | None = None
    undefined: str | None = None


class AnytimeBasis(msgspec.Struct, frozen=True, kw_only=True):
    """Basis of a confidence sequence, besides a random order of labels within rounds.

    Attributes:
        order: Where the order of labels comes from; None if it is unknown, and there is no sequence.
        rounds: Number of labels of each round, in order; an interval may have been looked at after each.
        outputs: Number of outputs from which labels are drawn, without replacement.
        clusters: Number of clusters of these outputs, which are independent draws from the population.
    """

    order: LabelOrder | None
    rounds: list[int]
    outputs: int
    clusters: int


class UngradedShares(msgspec.Struct, frozen=True, kw_only=True):
    """Ungraded outputs as shares of all outputs, each case with weight 1.

    Attributes:
        labelled: Share with a label.
        passed: Share whose label passes, or the weighted sum of labels if these are fractions.
        unlabelled: Share without a label.
    """

    labelled: float
    passed: float
    unlabelled: float


class RateEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """Estimates of one rate. Each estimate is also an attribute: ``rate.ppi_plus_plus.low``.

    Attributes:
        n_labelled: Items with label and score.
        n_unlabelled: Judged items without a label.
        n_missing: Ungraded items, without a score.
        n_missing_labelled: Ungraded items that have a label; ``labels_only``, ``ppi`` and ``ppi_plus_plus``
            count these.
        n_missing_failed: Ungraded items whose calls failed.
        n_cases: Number of cases if they have unequal numbers of trials, so that each case has weight 1; else None.
        ungraded: Shares of ungraded items, or None without one.
        graded_rate: The rate ``ppi_plus_plus`` of graded items alone, if the rate of all items counts labels of
            ungraded ones; else None.
        n_clusters: Number of clusters of all items.
        fractions: Number of scores that are neither 0 nor 1; with any, the judge's mean is not a pass rate.
        label_fractions: Number of labels that are neither 0 nor 1; with any, their mean is not a pass rate.
        target: What the rate is of: the population that the items are from, or just these items.
        judge_mean: Mean score.
        uncorrected: Mean score with its interval, which ignores the judge's errors.
        weight: Lambda, how far the judge is trusted; ``lambda`` in JSON. None when nothing could be combined.
        label_equivalents: Number of labels that alone would be as precise.
        estimates: Estimates by name; ``active`` and ``stratified_ppi`` only if labels were drawn so,
            ``multi_phase`` if phases were named, ``several_judges`` if judges were, ``reweighted`` if columns
            to weight by were, ``open_worse_by`` if that bound was declared.
        strata: Estimates of each stratum, if there are strata.
        rank: Rank of a system among all systems.
        cautions: Limits of the estimates.
        worse_by: Points by which the judge may be worse on undecided outputs, for ``open_worse_by``; None
            without that bound.
        variance: Variance of one score, by item and by repeat or trial, or None if each item was judged once.
        chosen_by: How items were chosen for labels, as declared, or None for a random sample.
        scenarios: Rates by how items may have been chosen for labels, if labelled items are scored unlike the
            others and it is unknown how they were chosen. Then no estimate is reported.
        chosen_by_columns: Columns by which labelled items differ from the others, with p-values. Together with
            the test of scores, 1 % of random samples raise a false alarm.
        explained_by: The columns among them that explain the choice: within each of their values labelled items
            are scored like the others.
        declared: What tells how items were chosen for labels; None if nothing does. Then the uncorrected rate is
            printed first, and the corrected one is valid only if the labels are a random sample.
        label_rounds: Number of labels of each round, in order; empty if the rounds are unknown.
        anytime: Basis of the estimate ``anytime``, if it was requested; its interval is valid at every look, and
            it alone is reported.
        label_errors: Errors of the people who label, if outputs have labels of several people. The rate corrected
            for them is the estimate ``people_errors``. If None, labels are taken as exact.
    """

    n_labelled: int
    n_unlabelled: int
    n_missing: int
    n_clusters: int
    target: Target
    judge_mean: float | None
    uncorrected: Statistic
    weight: float | None = msgspec.field(name="lambda")
    label_equivalents: float | None
    estimates: dict[str, Statistic]
    strata: dict[str, StratumEstimate] | None
    rank: Statistic | None = None
    cautions: list[Caution] = []
    chosen_by: LabelsChosenBy | None = None
    worse_by: float | None = None
    variance: VarianceSplit | None = None
    fractions: int = 0
    label_fractions: int = 0
    n_missing_labelled: int = 0
    scenarios: dict[LabelsChosenBy, Statistic] | None = None
    declared: LabelsDeclaredBy | None = None
    label_errors: ErrorsOfPeople | None = None
    label_rounds: list[int] = []
    anytime: AnytimeBasis | None = None
    chosen_by_columns: dict[str, float] = {}
    explained_by: list[str] = []
    n_missing_failed: int = 0
    n_cases: int | None = None
    ungraded: UngradedShares | None = None
    graded_rate: float | None = None

    @property
    def counts_ungraded(self) -> bool:
        """True if the rate counts labels of ungraded items."""
        if self.reported == "ppi_plus_plus":
            return self.graded_rate is not None
        return self.reported in {"labels_only", "anytime"} and self.n_missing_labelled > 0

    @property
    def only_if_random(self) -> bool:
        """True if there is a corrected rate, but its labels may not be a random sample."""
        return self.declared is None and self.reported is not None and self.uncorrected.value is not None

    @property
    def n_items(self) -> int:
        """Number of items, graded or not."""
        return self.n_labelled + self.n_unlabelled + self.n_missing

    @property
    def rate(self) -> Statistic:
        """Estimate to report, or the judge's uncorrected rate if there is none."""
        return self.uncorrected if self.reported is None else self.estimates[self.reported]

    @property
    def is_mean(self) -> bool:
        """True if the rate is a mean of fractions, and not of passes and fails."""
        return bool(self.fractions if self.reported is None else self.label_fractions)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Rate of all items if all ungraded ones failed, and if they passed.

        Ungraded items whose labels the rate counts keep these labels. None if the rate leaves out no item (as a
        confidence sequence does), or if there is no rate.
        """
        value = self.rate.value
        if not self.ungraded or value is None or self.reported == "anytime":
            return None
        left_out, counted_apart = self.ungraded.unlabelled, 0.0
        if not self.counts_ungraded:
            left_out += self.ungraded.labelled
        elif self.graded_rate is not None:
            # The reported rate counts labelled ungraded items, so begin with that of graded ones alone.
            value, counted_apart = self.graded_rate, self.ungraded.labelled
        if not left_out:
            return None
        passed_apart = self.ungraded.passed if counted_apart else 0.0
        low = min(1.0, max(0.0, value)) * (1 - left_out - counted_apart) + passed_apart
        return low, min(1.0, low + left_out)

    @property
    def reported(self) -> str | None:
        """Name of the most precise estimate that is valid for how labels were chosen.

        None without labels, or if the rate depends on how they were chosen and that is unknown.
        """
        if self.anytime is not None:
            names = ("anytime",)
        elif self.chosen_by in {"label", "elsewhere"}:
            names = ("rogan_gladen",)
        elif self.scenarios is not None:
            names = ("reweighted",)
        elif any(caution.code == "uneven_strata" for caution in self.cautions):
            names = _VALID_IF_UNEVEN
        else:
            names = _PREFERENCE
        for name in names:
            estimate = self.estimates.get(name)
            if estimate is not None and estimate.value is not None:
                return name
        return None

    labels_only = StatisticEntry("estimates")
    ppi = StatisticEntry("estimates")
    ppi_plus_plus = StatisticEntry("estimates")
    post_stratified = StatisticEntry("estimates")
    rogan_gladen = StatisticEntry("estimates")
    multi_phase = StatisticEntry("estimates")
    active = StatisticEntry("estimates")
    stratified_ppi = StatisticEntry("estimates")


class Estimation(Result, Framed, frozen=True, kw_only=True):
    """Rate of all rows, ``estimation["all"]``, and of each system, ``estimation[SYSTEM]``.

    ``to_frame`` has one row per part (all, and each system) and estimate.

    Attributes:
        all: Rate of all rows.
        systems: Rates by system.
        judge: Judge of the uncorrected rates, if several judges were combined.
        undecided_only: Whether outputs decided by a checker were left out.
    """

    all: RateEstimate
    systems: dict[str, RateEstimate] = {}
    judge: str | None = None
    undecided_only: bool = False

    @property
    def parts(self) -> dict[str, RateEstimate]:
        """Rates of all rows and of each system, by name."""
        return {"all": self.all} | self.systems

    def __getitem__(self, name: str) -> RateEstimate:
        if name not in self.parts:
            raise KeyError(f"there is no part {name!r}; there are {', '.join(map(repr, self.parts))}")
        return self.parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)


def estimation_json(estimation: Estimation) -> dict[str, Any]:
    """Return an estimation as JSON, with each rate under its name."""
    return {
        name: msgspec.to_builtins(part)
        | {"reported": part.reported, "bounds": None if part.bounds is None else [*part.bounds]}
        for name, part in estimation.parts.items()
    }
