"""Result types of `calibrate`, with the fields of ``calibrate --json``.

Imports neither numpy nor scipy, so that showing results is fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from ...errors import InputError
from ...records import nearest
from ...records.result import DocumentPieces, Framed, Result, display_of
from ...records.score_kinds import ScoreKind
from ...records.typed_values import convert
from ...spelling import command
from ..comparison.comparison_results import Comparison
from ..label_declarations import LabelsDeclaredBy
from ..pass_threshold import HALF, ThresholdSource
from ..statistic import Caution, Statistic, StatisticEntry, Statistics
from ..thresholds.threshold_results import (
    BetterThreshold,
    Cascade,
    CertifiedThreshold,
    ChosenThreshold,
    Recalibration,
)
from .adjudication_results import Adjudication
from .diagnosis_results import (
    CategoryAgreement,
    DawidSkeneRates,
    HomogeneityTest,
    JuryVotes,
    LabelAudit,
    PeopleAgreement,
    ProbabilityScores,
    SuspectedLabel,
    SystemAgreement,
)


class AccuracyWithMissing(msgspec.Struct, frozen=True):
    """Accuracy under each treatment of missing verdicts.

    Attributes:
        drop: Missing verdicts are left out.
        count_as_fail: Missing verdicts count as "fail", which is right if the label fails.
        count_as_disagreement: Missing verdicts count as wrong.
    """

    drop: Statistic
    count_as_fail: Statistic
    count_as_disagreement: Statistic


class MissingVerdicts(msgspec.Struct, frozen=True):
    """Rate of missing verdicts on labelled rows, and their possible effect on accuracy."""

    rate: Statistic
    accuracy: AccuracyWithMissing


class JudgeCalibration(msgspec.Struct, frozen=True, kw_only=True):
    """Calibration results for one judge.

    Each statistic is also an attribute: ``judge.cohen_kappa.low``.

    Attributes:
        pass_at: Scores and labels at or above this threshold pass.
        pass_at_source: Source of the threshold: the user, the judge, or the default.
        scores: Declared kind of the judge's scores, or None if undeclared.
        n: Number of rows with label and score.
        n_missing: Number of labelled rows without a score.
        n_unlabelled: Number of rows without a label.
        n_clusters: Number of clusters of the ``n`` rows.
        effective_clusters: Effective number of clusters: ``n^2 / sum of squared sizes``.
        binary: Whether all labels and scores are 0 or 1.
        tp: Number of rows that label and judge pass.
        fp: Number of rows that the label fails and the judge passes.
        fn: Number of rows that the label passes and the judge fails.
        tn: Number of rows that label and judge fail.
        statistics: Every statistic of `ESTIMATORS`, by name, and the custom ones.
        missing: Rate and possible effect of missing verdicts.
        balanced_accuracy_at_once: Balanced accuracy with an interval that is valid for all judges of the table at
            once (Bonferroni), or None for a single judge.
        rates_at_once: True positive rate, true negative rate and bias with such intervals, by name; empty for
            a single judge.
        declared: What tells that all of the judge's outputs, or a random sample of them, have labels; None if
            nothing does.
    """

    pass_at: float = HALF
    pass_at_source: ThresholdSource = "default"  # noqa: S105 - a pass threshold, not a password
    scores: ScoreKind | None = None
    n: int = 0
    n_missing: int = 0
    n_unlabelled: int = 0
    n_clusters: int = 0
    effective_clusters: float = 0.0
    binary: bool = False
    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0
    statistics: Statistics = {}
    missing: MissingVerdicts | None = None
    balanced_accuracy_at_once: Statistic | None = None
    rates_at_once: Statistics = {}
    declared: LabelsDeclaredBy | None = None

    accuracy = StatisticEntry()
    true_positive_rate = StatisticEntry()
    true_negative_rate = StatisticEntry()
    precision = StatisticEntry()
    f1_positive = StatisticEntry()
    f1_macro = StatisticEntry()
    balanced_accuracy = StatisticEntry()
    mcc = StatisticEntry()
    cohen_kappa = StatisticEntry()
    scott_pi = StatisticEntry()
    gwet_ac1 = StatisticEntry()
    krippendorff_alpha = StatisticEntry()
    prevalence = StatisticEntry()
    judge_rate = StatisticEntry()
    bias = StatisticEntry()
    pearson = StatisticEntry()
    spearman = StatisticEntry()
    kendall_tau_b = StatisticEntry()
    concordance = StatisticEntry()
    icc_a1 = StatisticEntry()
    weighted_kappa = StatisticEntry()
    krippendorff_alpha_interval = StatisticEntry()
    krippendorff_alpha_ordinal = StatisticEntry()
    mae = StatisticEntry()
    rmse = StatisticEntry()
    signed_bias = StatisticEntry()
    auroc = StatisticEntry()
    average_precision = StatisticEntry()
    brier = StatisticEntry()
    ece = StatisticEntry()


class Calibration(Result, Framed, frozen=True, kw_only=True):
    """Agreement of each judge of a table with the labels.

    Each judge is accessible by name: ``calibration["judge"].cohen_kappa``. ``to_frame`` has one row per judge and
    statistic.

    Attributes:
        judges: Results by judge.
        baselines: Results of baselines that a judge should beat: ``always_pass``, ``always_fail``, and those in
            the table.
        slices: Results by judge on each value of a column, by column and value.
        homogeneity: Tests that a judge is equally good on every slice, by column, judge and rate.
        suspected_label_errors: The 20 most doubtful labels.
        dawid_skene: Rates of the judges if they erred independently, estimated without labels.
        pass_at: Pass threshold, or None if judges differ.
        level: Nominal coverage of the intervals.
        cautions: Limits of these results.
        juries: Number of independent votes that each jury of a run is worth.
        people: Agreement between people, if several graded the same items.
        more_suspected: Number of doubtful labels beyond those listed.
        systems: Agreement on systems, by judge, if there are two or more.
        probability: Scores read as probabilities, by judge, if they lie between 0 and 1.
        better_thresholds: Gain of the best other threshold over the judge's own, by judge, if scores lie between 0
            and 1 and have labels.
        adjudication: Judges against adjudicated labels, if there are any.
        label_audit: On request: judges corrected for errors of the labels.
        selective: On request: the confidence from which on the error rate is certified to be low, by judge.
        cascade: On request: judges asked one after another.
        categories: On request: agreement on declared levels, by judge.
        thresholds: On request: the threshold that maximises a statistic, by judge.
        recalibration: On request: a map from scores to rates, by judge.
        comparison: For a run with several judges: their comparison, as in ``compare --json``.
    """

    judges: dict[str, JudgeCalibration] = {}
    baselines: dict[str, JudgeCalibration] = {}
    slices: dict[str, dict[str, dict[str, JudgeCalibration]]] = {}
    homogeneity: dict[str, dict[str, dict[str, HomogeneityTest]]] = {}
    suspected_label_errors: list[SuspectedLabel] = []
    dawid_skene: DawidSkeneRates = DawidSkeneRates()
    pass_at: float | None = HALF
    level: float = 0.95
    cautions: list[Caution] = []
    # Fields from here on are left out of the JSON if they are empty (`_OMITTED_IF_EMPTY`).
    people: PeopleAgreement | None = None
    juries: dict[str, JuryVotes] = {}
    more_suspected: int = 0
    systems: dict[str, SystemAgreement] = {}
    probability: dict[str, ProbabilityScores] = {}
    better_thresholds: dict[str, BetterThreshold] = {}
    adjudication: Adjudication | None = None
    label_audit: LabelAudit | None = None
    selective: dict[str, CertifiedThreshold] = {}
    cascade: Cascade | None = None
    categories: dict[str, CategoryAgreement] = {}
    thresholds: dict[str, ChosenThreshold] = {}
    recalibration: dict[str, Recalibration] = {}
    comparison: Comparison | None = None

    @property
    def better_cuts(self) -> dict[str, BetterThreshold]:
        """Former name of ``better_thresholds``."""
        return self.better_thresholds

    @property
    def suspected_count(self) -> int:
        """Number of labels that most judges contradict."""
        return len(self.suspected_label_errors) + self.more_suspected

    def document(self, *, slices: Iterable[str] = ()) -> DocumentPieces:
        """Return the results as a document with tables.

        Args:
            slices: Columns to show by value.
        """
        return display_of(type(self)).document(self, slices=slices)

    def screen(self, room: int | None = None, *, slices: Iterable[str] = ()) -> DocumentPieces:
        """Return the verdicts on the judges and their rates, in one screen of a terminal.

        Args:
            room: Lines for it; those of a terminal if not given.
            slices: Columns to show by value.
        """
        return display_of(type(self)).screen(self, room, slices=slices)

    def __getitem__(self, judge: str) -> JudgeCalibration:
        if judge not in self.judges:
            raise KeyError(f"there is no judge {judge!r}{nearest(judge, self.judges)}")
        return self.judges[judge]

    def __iter__(self) -> Iterator[str]:
        return iter(self.judges)

    def __len__(self) -> int:
        return len(self.judges)


_OMITTED_IF_EMPTY = Calibration.__struct_fields__[Calibration.__struct_fields__.index("people") :]
"""Fields left out of the JSON if they are empty or were not requested: ``people`` and those after it."""


def calibration_json(calibration: Calibration) -> dict[str, Any]:
    """Return a calibration as JSON, without optional parts that are empty."""
    parts: dict[str, Any] = msgspec.to_builtins(calibration)
    parts["better_cuts"] = parts["better_thresholds"]  # its former name, until the next version
    return {
        name: part for name, part in parts.items() if part or name not in {*_OMITTED_IF_EMPTY, "better_cuts"}
    }


def read_calibration(stored: Mapping[str, Any], path: object | None = None) -> Calibration:
    """Read a calibration from its JSON, ignoring unknown fields; ``path`` is for messages.

    Raises:
        InputError: ``stored`` is not a calibration.
    """
    try:
        return convert({"better_thresholds": stored.get("better_cuts", {}), **stored}, Calibration)
    except msgspec.ValidationError as error:
        message = f"not a calibration as `{command('calibrate', json=True)}` writes it: {error}"
        raise InputError(message, path=path) from error
