"""Calibration of every judge with the labels: baselines, slices, cautions, requested parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ...records.score_kinds import GRADES, PROBABILITIES
from ..comparison.class_rates import ErrorCosts
from ..intervals.bootstrap import DEFAULT_REPLICATES
from ..intervals.measurement import IntervalOption, Settings
from ..pass_threshold import ThresholdSource
from ..statistic import (
    FEW_CLUSTERS,
    FEW_FOR_A_SHARE,
    FEW_OF_A_CLASS,
    AgreementCaution,
    Caution,
    Statistic,
    labels_of_checkers,
)
from ..tables.calibration_table import PROBABILITY, Table
from ..thresholds.threshold_choice import better_threshold, choose_threshold
from ..thresholds.threshold_results import (
    BetterThreshold,
    CertifiedThreshold,
    ChosenThreshold,
    Recalibration,
    Recalibrator,
)
from ..tied_labels import tied_labels
from .adjudication import adjudicate
from .agreement_by_group import slice_homogeneity, systems_by_judge
from .calibration_results import Calibration, JudgeCalibration
from .diagnosis_results import AuditMethod, ProbabilityScores
from .judge_panel import (
    baselines_of,
    by_judge,
    judge_panel,
    people_among_themselves,
    usable_rows,
    usable_sample,
)
from .judge_votes import judges_alone, suspected_label_errors
from .jury_votes import votes_of_juries
from .label_audit import label_audit
from .level_agreement import category_agreement
from .probability_scores import probability_scores


class Requests(NamedTuple):
    """Optional analyses beyond the panel, or None for those not requested.

    Attributes:
        audit: A person's verdicts on a random sample of items, by item, to correct for errors of the labels.
        audit_by: Method of this correction.
        max_error: Maximum error rate, to certify the confidence from which on a judge's verdicts meet it.
        cascade: Judges, in the order in which they are asked, to certify together for ``max_error``.
        categories: All possible values of labels and scores, ascending, for agreement on categories.
        threshold_for: Statistic of the 2x2 table, to choose the threshold that maximises it.
        recalibrate: Method that maps scores to rates.
        error_costs: Costs of passing a bad output and of failing a good one; they set the threshold of scores
            that are probabilities.
    """

    audit: Mapping[str, float] | None = None
    audit_by: AuditMethod = "double-sampling"
    max_error: float | None = None
    cascade: Sequence[str] | None = None
    categories: Sequence[float] | None = None
    threshold_for: str | None = None
    recalibrate: Recalibrator | None = None
    error_costs: ErrorCosts | None = None


def requested_analyses(table: Table, requests: Requests, *, settings: Settings) -> dict[str, Any]:
    """Return the requested analyses of every judge of a table, by field of `Calibration`."""
    # Local names, so that the functions below know that these are not None.
    max_error, cascade, categories = requests.max_error, requests.cascade, requests.categories
    statistic, method = requests.threshold_for, requests.recalibrate
    analyses: dict[str, Any] = {}
    if requests.audit is not None:
        analyses["label_audit"] = label_audit(table, requests.audit, settings, requests.audit_by)
    if cascade is not None and max_error is not None:
        from ..thresholds.certified_thresholds import cascade_of  # noqa: PLC0415 - seldom requested

        analyses["cascade"] = cascade_of(table, list(cascade), max_error, settings.seed)
    functions: dict[str, Callable[[Table], Any]] = {}
    if max_error is not None:
        functions["selective"] = lambda part: selective_threshold(part, max_error, settings.seed)
    if categories is not None:
        functions["categories"] = lambda part: category_agreement(usable_sample(part), categories, settings)
    if statistic is not None:
        functions["thresholds"] = lambda part: _chosen_threshold(part, statistic)
    if method is not None:
        functions["recalibration"] = lambda part: _recalibration(part, method, settings.level)
    return analyses | {name: by_judge(table, function) for name, function in functions.items()}


def selective_threshold(
    table: Table, max_error: float, seed: int, *, by_size: bool = False
) -> CertifiedThreshold:
    """Certify the lowest confidence at which a judge's verdicts meet the allowed error.

    See `certify_threshold` for ``by_size``.
    """
    from ..thresholds.certified_thresholds import (  # noqa: PLC0415 - seldom requested
        bound_of,
        certify_threshold,
        confidence_of,
        in_order_of_items,
    )

    rows = usable_rows(in_order_of_items(table))
    wrong = rows.passed != rows.right
    confidence = confidence_of(rows.score, rows.threshold)
    certified = certify_threshold(
        confidence, wrong, max_error=max_error, cluster=rows.cluster, by_size=by_size, seed=seed
    )
    return certified if by_size else msgspec.structs.replace(certified, bound_of=bound_of(table))


def _chosen_threshold(table: Table, statistic: str) -> ChosenThreshold:
    rows = usable_rows(table)
    return choose_threshold(rows.right, rows.score, rows.cluster, statistic=statistic)


def _recalibration(table: Table, method: Recalibrator, level: float) -> Recalibration:
    from ..thresholds.recalibration import recalibrate  # noqa: PLC0415 - scipy.optimize is slow to import

    rows = usable_rows(table)
    outcome = rows.right.astype(np.float64)
    return recalibrate(outcome, rows.score, rows.cluster, method=method, level=level)


def calibrate(
    table: Table,
    *,
    pass_at: float | Mapping[str, float] | None = None,
    interval: IntervalOption | None = None,
    level: float = 0.95,
    seed: int = 0,
    replicates: int = DEFAULT_REPLICATES,
    slices: bool = True,
    requests: Requests | None = None,
) -> Calibration:
    """Measure the agreement of each judge of a table with the labels.

    ``docs/statistics.md`` describes the parts.

    Args:
        table: Labels, scores, clusters.
        pass_at: Pass threshold of scores and labels, for the 2x2 statistics: for all judges or by judge; by
            default the one that a judge declares, else 0.5.
        interval: See `Settings`, or None for the best of each statistic.
        level: Nominal coverage of the intervals.
        seed: The same seed gives the same intervals.
        replicates: Bootstrap replicates.
        slices: Whether to measure each value of ``system`` and of the other columns separately.
        requests: Further analyses.
    """
    settings = Settings(interval, level, replicates, seed)
    requests, table = requests or Requests(), table.with_pass_at(pass_at)
    if requests.error_costs is not None:
        table = table.with_costs(*requests.error_costs)
    judges = _judges(table, settings)
    better = by_judge(table, lambda part: _better_threshold(part, level) if _has_fractions(part) else None)
    probability = by_judge(
        table, lambda part: probability_scores(part, settings=settings) if _has_fractions(part) else None
    )
    calibrated = {name for name, scores in probability.items() if _is_calibrated(judges[name], scores)}
    # Another threshold is advised only to judges whose scores are not probabilities (`_is_calibrated`).
    advised = {name: threshold for name, threshold in better.items() if name not in calibrated}
    suspected = suspected_label_errors(table)
    calibration = Calibration(
        judges=judges,
        baselines=baselines_of(table, settings),
        slices=_slices(table, settings) if slices else {},
        homogeneity=slice_homogeneity(table) if slices else {},
        suspected_label_errors=suspected.first,
        more_suspected=suspected.more,
        dawid_skene=judges_alone(table),
        pass_at=table.common_threshold,
        level=level,
        cautions=cautions(judges, table, advised),
        people=people_among_themselves(table, settings),
        juries=votes_of_juries(table, level),
        systems=by_judge(table, lambda part: systems_by_judge(part, settings=settings)),
        better_thresholds=better,
        probability=probability,
        adjudication=adjudicate(table, table.decisions, settings) if table.decisions.by_item else None,
    )
    requested = requested_analyses(table, requests, settings=settings)
    return msgspec.structs.replace(calibration, **requested)


def _is_calibrated(panel: JudgeCalibration, scores: ProbabilityScores) -> bool:
    """Return whether scores are, or may be, probabilities that the labels do not contradict.

    The best threshold of such scores follows from the costs of errors, not from the labels, so no other one is
    advised. Fine scores without a declaration may be probabilities.
    """
    if panel.scores == GRADES:
        return False
    undeclared: ThresholdSource = "default"
    may_be_probabilities = scores.are_fine and panel.pass_at_source == undeclared
    if panel.scores != PROBABILITIES and not may_be_probabilities:
        return False
    in_the_large, slope = (
        scores.calibration.get("calibration_in_the_large"),
        scores.calibration.get("slope"),
    )
    return _is_compatible(in_the_large, 0.0) and _is_compatible(slope, 1.0)


def _is_compatible(statistic: Statistic | None, value: float) -> bool:
    if statistic is None or statistic.low is None or statistic.high is None:
        return False
    return statistic.low <= value <= statistic.high


def _has_fractions(table: Table) -> bool:
    """Return whether a score lies between 0 and 1, so that a threshold can be chosen."""
    return bool(((table.score > 0.0) & (table.score < 1.0)).any())


def _better_threshold(table: Table, level: float) -> BetterThreshold | None:
    """Return the gain of another threshold for a judge, on its rows with label and score."""
    table, pass_at = usable_rows(table).at_one_threshold()
    return (
        better_threshold(table.right, table.score, table.cluster, pass_at, level=level)
        if len(table)
        else None
    )


def _judges(table: Table, settings: Settings, of: int | None = None) -> dict[str, JudgeCalibration]:
    """Compare each judge with the labels; intervals are valid for ``of`` judges at once."""
    judges = table.judge.present()
    of = of or len(judges)
    return {
        judge: judge_panel(
            table.take(rows),
            settings=settings,
            source=table.threshold_of(judge).source,
            scores=table.score_kind_of(judge),
            of=of,
        )
        for judge, rows in judges
    }


def _slices(table: Table, settings: Settings) -> dict[str, dict[str, dict[str, JudgeCalibration]]]:
    without_slices, n_judges = table.without_slices(), len(table.judge.present())
    return {
        name: {value: _judges(without_slices.take(rows), settings, n_judges) for value, rows in parts}
        for name, column in table.columns.items()
        if len(parts := column.present()) > 1
    }


def cautions(
    judges: Mapping[str, JudgeCalibration], table: Table, better: Mapping[str, BetterThreshold] | None = None
) -> list[Caution]:
    """Return the cautions about judge panels and better thresholds, at most one of each kind."""
    graded = {name: panel for name, panel in judges.items() if panel.n}
    numbers: dict[AgreementCaution, dict[str, float]] = {
        "no_labelled_score": {name: 0 for name, panel in judges.items() if not panel.n},
        "few_clusters": {
            name: math.floor(panel.effective_clusters)
            for name, panel in graded.items()
            if panel.effective_clusters < FEW_CLUSTERS
        },
        "few_of_a_class": {
            name: count for name, panel in graded.items() if (count := _small_class_labels(panel))
        },
        "few_rows": {name: panel.n for name, panel in graded.items() if panel.n < FEW_FOR_A_SHARE},
        "another_threshold": {
            name: threshold.better_at for name, threshold in (better or {}).items() if threshold.clear
        },
        "missing_verdicts": {name: panel.n_missing for name, panel in graded.items() if panel.n_missing},
    }
    applicable = [Caution(kind, about) for kind, about in numbers.items() if about]
    if not all(panel.binary for panel in judges.values()):
        applicable.append(Caution("ece_biased"))
    chance = table.numbers.get(PROBABILITY)
    labelled = np.isfinite(table.label)
    if chance is not None and len(np.unique(chance[labelled & np.isfinite(chance)])) > 1:
        applicable.append(Caution("drawn_unevenly"))
    return applicable + labels_of_checkers(table.checkers) + tied_labels(table)


def _small_class_labels(panel: JudgeCalibration) -> int:
    classes = (panel.tp + panel.fn, panel.fp + panel.tn)
    return min((count for count in classes if 0 < count < FEW_OF_A_CLASS), default=0)
