"""Result types for errors of judges, labels or people; imports no heavy package.

These are the results of `calibrate` besides the panel.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from ..statistic import Statistic, Statistics


class EqualRates(msgspec.Struct, frozen=True, kw_only=True):
    """A test that a rate is the same in several groups.

    Attributes:
        p: Its p-value; None when it cannot be computed.
        groups: How many groups took part.
        undefined: Why there is no p-value; None when there is one.
        holm_p: Adjusted for all such tests of the table.
    """

    p: float | None = None
    groups: int
    undefined: str | None = None
    holm_p: float | None = None


class SuspectedLabel(msgspec.Struct, frozen=True, kw_only=True):
    """An item whose label most judges contradict.

    Attributes:
        item_id: The item.
        label: Its label.
        contradicted_by: Judges on the other side of it.
        agreed_by: Judges on its side.
        evidence: Log-odds that the truth is of the other class than the label, were judges to err
            independently; below 0 if that class is rare.
    """

    item_id: str
    label: float
    contradicted_by: list[str]
    agreed_by: list[str]
    evidence: float


class ModelledJudge(msgspec.Struct, frozen=True, kw_only=True):
    """A judge's rates by Dawid and Skene's model, on ``n`` items."""

    n: int = 0
    true_positive_rate: Statistic
    true_negative_rate: Statistic


class PairAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """Observed agreement of two judges, and the agreement that Dawid and Skene's model expects.

    Attributes:
        a: One judge.
        b: The other.
        n: Items that both judged.
        observed: Share of them on which they agree.
        expected: What the model expects.
        residual: Observed less expected. Above 0 judges do not err independently; which of them share errors
            it does not tell: the model may have taken what some share for the truth, and then it is the
            others that agree too much.
    """

    a: str
    b: str
    n: int
    observed: float
    expected: float
    residual: float


class JudgesAlone(msgspec.Struct, frozen=True, kw_only=True):
    """Judge rates without labels, assuming independent errors; a diagnostic, never the truth.

    Attributes:
        n: Items with verdicts of three judges or more.
        undefined: Why there is no model; None if there is one.
        prevalence: Share of right items.
        judges: The judges' rates.
        pairs: Every two judges with items in common; none of three judges, whose agreement the model can
            always meet.
    """

    n: int = 0
    undefined: str | None = None
    prevalence: Statistic | None = None
    judges: dict[str, ModelledJudge] = {}
    pairs: list[PairAgreement] = []


class People(msgspec.Struct, frozen=True):
    """Joint agreement of a table's people.

    Attributes:
        names: Theirs.
        krippendorff_alpha: At the nominal, ordinal and interval level.
    """

    names: list[str]
    krippendorff_alpha: Statistics


class SystemMeans(msgspec.Struct, frozen=True):
    """One system, by labels and by a judge.

    Attributes:
        n: Rows with both.
        label_mean: Mean label.
        score_mean: Mean score.
        difference: Mean of score minus label; its interval holds together with those of the other systems.
    """

    n: int
    label_mean: float
    score_mean: float
    difference: Statistic


class SystemAgreement(msgspec.Struct, frozen=True):
    """Agreement on systems, not on items.

    Attributes:
        systems: Each system's means.
        kendall_tau_b: Kendall's tau-b of the means; 1 if the judge ranks like the labels.
        largest_difference: Largest absolute difference of any system.
    """

    systems: dict[str, SystemMeans]
    kendall_tau_b: Statistic
    largest_difference: Statistic


class ProbabilityScores(msgspec.Struct, frozen=True, kw_only=True):
    """A judge's scores read as probabilities.

    Attributes:
        n: Rows.
        groups: How many groups of scores.
        grouping: What the groups are.
        statistics: Parts of the Brier score, plain and corrected for small groups, and ``ece_equal_mass``.
        confidence: How well the verdict's own probability foretells that it is right.
    """

    n: int = 0
    groups: int
    grouping: str
    statistics: Statistics
    confidence: Statistics = {}


class CorrectedRates(msgspec.Struct, frozen=True):
    """A judge against the truth, as estimated by an audit of the labels.

    Attributes:
        prevalence: Share that is truly right.
        true_positive_rate: True positive rate of the judge.
        true_negative_rate: True negative rate of the judge.
        label_sensitivity: Share of the truly right that the labels pass.
        label_specificity: Share of the truly wrong that the labels fail.
    """

    prevalence: Statistic
    true_positive_rate: Statistic
    true_negative_rate: Statistic
    label_sensitivity: Statistic
    label_specificity: Statistic


AuditMethod: TypeAlias = Literal["double-sampling", "gart-buck"]
"""``double-sampling`` holds whatever errors judge and labels share; ``gart-buck`` if they share none, and
needs no verdict on audited items."""


class LabelAudit(msgspec.Struct, frozen=True, kw_only=True):
    """Labels against the truth, and judges corrected for label errors.

    Rows of the table are the truth, columns the label. The correction names its method.
    """

    tp: int
    fp: int
    fn: int
    tn: int
    judges: dict[str, CorrectedRates]
    method: AuditMethod = "gart-buck"


class CategoryAgreement(msgspec.Struct, frozen=True):
    """Agreement with each level a category: the levels, the table (rows: label), the statistics."""

    levels: list[float]
    table: list[list[int]]
    statistics: Statistics
