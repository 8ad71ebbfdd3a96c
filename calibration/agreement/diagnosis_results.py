"""Result types of `calibrate` besides the panel; imports neither numpy nor scipy."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from ..statistic import Statistic, Statistics


class HomogeneityTest(msgspec.Struct, frozen=True, kw_only=True):
    """A test that a rate is the same in several groups.

    Attributes:
        p: p-value of equal rates, or None if it cannot be computed.
        groups: Number of groups.
        undefined: Why there is no p-value, or None if there is one.
        holm_p: ``p`` adjusted over all such tests of the table (Holm).
    """

    p: float | None = None
    groups: int
    undefined: str | None = None
    holm_p: float | None = None


class SuspectedLabel(msgspec.Struct, frozen=True, kw_only=True):
    """An item whose label most judges contradict.

    Attributes:
        item_id: Id of the item.
        label: Label of the item.
        contradicted_by: Judges that disagree with the label.
        agreed_by: Judges that agree with the label.
        evidence: Log-odds that the label is wrong if judges err independently; below 0 if the other class is
            rare.
    """

    item_id: str
    label: float
    contradicted_by: list[str]
    agreed_by: list[str]
    evidence: float


class ModelledJudge(msgspec.Struct, frozen=True, kw_only=True):
    """A judge's rates by Dawid and Skene's model.

    Attributes:
        n: Number of items that the judge graded.
        true_positive_rate: True positive rate.
        true_negative_rate: True negative rate.
    """

    n: int = 0
    true_positive_rate: Statistic
    true_negative_rate: Statistic


class PairAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """Observed agreement of two judges, and the agreement that Dawid and Skene's model expects.

    Attributes:
        a: One judge.
        b: The other judge.
        n: Number of items that both judged.
        observed: Share of these items on which they agree.
        expected: Share that the model expects.
        residual: ``observed`` minus ``expected``. If it is above 0, judges do not err independently. It does not
            show which judges share errors: if the model takes shared errors for the truth, the other judges seem
            to agree too much.
    """

    a: str
    b: str
    n: int
    observed: float
    expected: float
    residual: float


class DawidSkeneRates(msgspec.Struct, frozen=True, kw_only=True):
    """Judge rates without labels, assuming independent errors; a diagnostic, not the truth.

    Attributes:
        n: Number of items with verdicts of three judges or more.
        undefined: Why there is no model, or None if there is one.
        prevalence: Share of right items.
        judges: Rates by judge.
        pairs: Agreement of every two judges with common items; empty for three judges, since the model always fits
            their agreement.
    """

    n: int = 0
    undefined: str | None = None
    prevalence: Statistic | None = None
    judges: dict[str, ModelledJudge] = {}
    pairs: list[PairAgreement] = []


class JuryVotes(msgspec.Struct, frozen=True, kw_only=True):
    """Number of independent votes that a jury is worth.

    Attributes:
        jurors: Number of votes on an output: judges times repeats.
        by: ``labels``: by the jurors' errors, within each class of labels; ``agreement``: by their votes, if no
            output has a label. Right answers that jurors share then count as dependence.
        n_informative: Number of outputs on which some juror errs; by agreement, of all outputs with a vote of each
            juror.
        votes: Number of independent votes.
        constant: Number of jurors with the same vote on all these outputs, which add nothing.
    """

    jurors: int
    by: Literal["labels", "agreement"]
    n_informative: int
    votes: Statistic
    constant: int = 0


class PeopleAgreement(msgspec.Struct, frozen=True):
    """Agreement of the people in a table.

    Attributes:
        names: Names of the people.
        krippendorff_alpha: Krippendorff's alpha at the nominal, ordinal and interval level, by level.
    """

    names: list[str]
    krippendorff_alpha: Statistics


class SystemMeans(msgspec.Struct, frozen=True):
    """Mean label and mean score of one system.

    Attributes:
        n: Rows with label and score.
        label_mean: Mean label.
        score_mean: Mean score.
        difference: Mean of score minus label, with an interval that is valid for all systems at once.
    """

    n: int
    label_mean: float
    score_mean: float
    difference: Statistic


class SystemAgreement(msgspec.Struct, frozen=True):
    """Agreement on systems, rather than on items.

    Attributes:
        systems: Mean label and score by system.
        kendall_tau_b: Kendall's tau-b of the mean labels and mean scores; 1 if the judge ranks systems as the labels
            do.
        largest_difference: Largest absolute difference of mean score and mean label of any system.
    """

    systems: dict[str, SystemMeans]
    kendall_tau_b: Statistic
    largest_difference: Statistic


MAX_GRADES = 10
"""Maximum distinct scores of a scale of grades; finer scores without a declared threshold count as probabilities."""


class ReliabilityBin(msgspec.Struct, frozen=True, kw_only=True):
    """A bin of a reliability curve.

    Attributes:
        n: Number of rows.
        low: Lowest probability.
        high: Highest probability.
        mean: Mean probability.
        rate: Share of rows that are right.
    """

    n: int
    low: float
    high: float
    mean: float
    rate: Statistic


class CoverageStep(msgspec.Struct, frozen=True, kw_only=True):
    """Error rate of a judge's most confident verdicts.

    Attributes:
        threshold: Minimum confidence of the verdicts kept.
        n: Number of verdicts kept.
        coverage: Share of verdicts kept.
        errors: Number of wrong verdicts among those kept.
        risk: Error rate of the verdicts kept.
    """

    threshold: float
    n: int
    coverage: float
    errors: int
    risk: Statistic


class ProbabilityScores(msgspec.Struct, frozen=True, kw_only=True):
    """A judge's scores read as probabilities.

    Attributes:
        n: Number of rows.
        groups: Number of groups of scores.
        grouping: Kind of groups: distinct scores, or bins of equal mass.
        statistics: Parts of the Brier score, plain and corrected for small groups, and ``ece_equal_mass``.
        confidence: Statistics of a verdict's probability as a prediction that it is right.
        bins: Reliability curve, in ten bins of equal mass.
        calibration: Calibration in the large, slope, losses, and their gains over the base rate as a constant.
        coverage: Error rate of the most confident 10, 20 ... 100 % of verdicts.
        distinct: Number of distinct scores.
        certain: Number of scores of exactly 0 or 1.
    """

    n: int = 0
    groups: int
    grouping: str
    statistics: Statistics
    confidence: Statistics = {}
    bins: list[ReliabilityBin] = []
    calibration: Statistics = {}
    coverage: list[CoverageStep] = []
    distinct: int = 0
    certain: int = 0

    @property
    def are_fine(self) -> bool:
        """True if there are more distinct scores than a scale of grades has."""
        return self.distinct > MAX_GRADES


class CorrectedRates(msgspec.Struct, frozen=True):
    """A judge against the truth, estimated with an audit of the labels.

    Attributes:
        prevalence: Share of rows that are truly right.
        true_positive_rate: True positive rate of the judge.
        true_negative_rate: True negative rate of the judge.
        label_sensitivity: Share of truly right rows that the labels pass.
        label_specificity: Share of truly wrong rows that the labels fail.
    """

    prevalence: Statistic
    true_positive_rate: Statistic
    true_negative_rate: Statistic
    label_sensitivity: Statistic
    label_specificity: Statistic


AuditMethod: TypeAlias = Literal["double-sampling", "gart-buck"]
"""``double-sampling`` is valid even if judge and labels share errors. ``gart-buck`` needs no verdicts on
audited items, but is valid only if they share no errors."""


class LabelAudit(msgspec.Struct, frozen=True, kw_only=True):
    """Labels against the truth, and judges corrected for label errors.

    Attributes:
        tp: Audited items that are right and that the label passes.
        fp: Audited items that are wrong and that the label passes.
        fn: Audited items that are right and that the label fails.
        tn: Audited items that are wrong and that the label fails.
        judges: Corrected rates by judge.
        method: Method of the correction.
    """

    tp: int
    fp: int
    fn: int
    tn: int
    judges: dict[str, CorrectedRates]
    method: AuditMethod = "gart-buck"


class CategoryAgreement(msgspec.Struct, frozen=True):
    """Agreement with each level as a category.

    Attributes:
        levels: All possible values, ascending.
        table: Numbers of rows by level; rows are labels, columns are scores.
        statistics: Agreement, exact and weighted by the distance between levels.
    """

    levels: list[float]
    table: list[list[int]]
    statistics: Statistics
