"""Judge error rates, corrected for label errors, such as those of a checker.

People audit some of the labels. `doubly_sampled` allows for errors that judge and labels share; `corrected_rates`
(Gart and Buck) needs independent errors.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...errors import InputError
from ...records.made_scores import reaches
from ..arrays import FloatArray, ratio
from ..intervals.bootstrap import percentile_interval, replicate_weights
from ..intervals.closed_forms import wilson_interval
from ..intervals.clustered_rates import (
    averaged_effect,
    default_effect,
    informative_errors,
    observed_effect,
    student_ratio,
)
from ..intervals.measurement import DEFAULT_SETTINGS, Settings
from ..sample import Sample
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import Table
from .diagnosis_results import AuditMethod, CorrectedRates, LabelAudit
from .judge_panel import usable_rows, usable_sample

_NO_BETTER = "the audit finds the labels no better than chance, or lacks a class"
_NOT_JUDGED = "no audited item has a verdict of this judge; Gart and Buck's correction needs none"
_NOT_AUDITED = "the audit has no item that the labels pass, or none that they fail"
_NO_CLASS = "the audit finds no right item, or no wrong one"


def label_audit(
    table: Table, truth: Mapping[str, float], settings: Settings, method: AuditMethod = "double-sampling"
) -> LabelAudit:
    """Return the rates of each judge, corrected for label errors.

    Args:
        table: Rows of all judges; at least one audited item has a label.
        truth: A person's grades of audited items, by item.
        settings: Level, replicates and seed of the intervals.
        method: Method of the correction.
    """
    counts, effect = audit_counts(table, truth), audit_effect(table, truth)
    (tn, fp), (fn, tp) = counts.astype(int).tolist()
    judges: dict[str, CorrectedRates] = {}
    for judge, rows in table.judge.present():
        part = table.take(rows)
        if method == "gart-buck":
            judges[judge] = corrected_rates(usable_sample(part), counts, settings, effect=effect)
        else:
            judges[judge] = doubly_sampled(
                usable_sample(part), counts, audited_verdicts(part, truth), settings, effect=effect
            )
    return LabelAudit(tp=tp, fp=fp, fn=fn, tn=tn, judges=judges, method=method)


def doubly_sampled(
    sample: Sample,
    audit: FloatArray,
    verdicts: FloatArray,
    settings: Settings = DEFAULT_SETTINGS,
    *,
    effect: float = 1.0,
) -> CorrectedRates:
    """Estimate rates by double sampling.

    All rows give the frequency of each pair of label and verdict; the audit gives the share of each pair that is
    right. ``P(right, verdict) = sum over labels of P(label, verdict) P(right | label, verdict)``, which is true
    whatever errors judge and labels share.

    The interval is of a bootstrap of the rows over clusters together with draws of the audit's four shares (Beta
    posteriors with Jeffreys' prior: resampling a small audit ignores errors that it did not observe). Undefined if
    no audited item was judged, or the audit lacks a class.

    Source: Tenenbein 1970, extended to errors that differ with the verdict.

    Args:
        sample: Labels (of the checker) and judge's scores.
        audit: Audit counts as in `corrected_rates`, for the rates of the labels.
        verdicts: Number of audited items by label, verdict and truth, shape ``(2, 2, 2)``; index 0 is fail or
            wrong, 1 is pass or right.
        settings: Level, replicates, seed.
        effect: Design effect of the audit (`audit_effect`): n audited items count as n / effect.
    """
    label_rates = _label_rates(audit, settings.level, effect)
    audited = verdicts.sum(axis=-1)
    why = None
    if not sample.n:
        why = "no row has both a label and a score"
    elif not audited.any():
        why = _NOT_JUDGED
    elif not audited.sum(axis=1).all():
        why = _NOT_AUDITED
    if why is not None:
        nothing = undefined(why, n=sample.n, level=settings.level)
        return CorrectedRates(nothing, nothing, nothing, *label_rates)
    rng = np.random.default_rng(settings.seed)
    tables = resampled_tables(sample, settings, rng)
    wrong, right = verdicts[..., 0], verdicts[..., 1]
    share_by_label = right.sum(axis=1, keepdims=True) / audited.sum(axis=1, keepdims=True)
    # A pair without audited items counts as right as often as its label.
    shares = np.where(audited > 0, right / np.where(audited > 0, audited, 1.0), share_by_label)
    drawn_shares = rng.beta(right / effect + 0.5, wrong / effect + 0.5, size=tables.shape)
    values = _tenenbein(sample.cells.tables(sample.counts), shares)
    prevalence, positive_rate, negative_rate = (
        rate_statistic(float(value), draws, sample.n, settings.level, _NO_CLASS)
        for value, draws in zip(values, _tenenbein(tables, drawn_shares), strict=True)
    )
    return CorrectedRates(prevalence, positive_rate, negative_rate, *label_rates)


def corrected_rates(
    sample: Sample, audit: FloatArray, settings: Settings = DEFAULT_SETTINGS, *, effect: float = 1.0
) -> CorrectedRates:
    """Correct a judge's rates with Gart and Buck's formula.

    The interval combines a bootstrap of the main table with draws of the labels' error rates.

    The correction holds if judge and labels err independently given the truth. If they share errors, the
    judge still looks better than it is. The corrected rates have percentile intervals, and are undefined if
    the labels are no better than chance; the rates of the labels themselves have Wilson's.

    Source: Gart and Buck 1966.

    Args:
        sample: Labels (of the checker) and judge's scores.
        audit: Counts of a random sample of labels against the truth, ``[[tn, fp], [fn, tp]]``: rows the
            truth, columns the label.
        settings: Level, replicates, seed.
        effect: Design effect of the audit (`audit_effect`): n audited items count as n / effect.
    """
    if not sample.n:
        nothing = undefined("no row has both a label and a score", n=0, level=settings.level)
        return CorrectedRates(nothing, nothing, nothing, nothing, nothing)
    rng = np.random.default_rng(settings.seed)
    tables = resampled_tables(sample, settings, rng)
    (wrong_failed, wrong_passed), (right_failed, right_passed) = audit
    # Resampling a small audit ignores errors that it did not observe; a Beta posterior (Jeffreys' prior) does not.
    specificity = rng.beta(wrong_failed / effect + 0.5, wrong_passed / effect + 0.5, size=len(tables))
    sensitivity = rng.beta(right_passed / effect + 0.5, right_failed / effect + 0.5, size=len(tables))
    label_rates = _label_rates(audit, settings.level, effect)
    if None in {statistic.value for statistic in label_rates}:
        nothing = undefined(_NO_BETTER, n=sample.n, level=settings.level)
        return CorrectedRates(nothing, nothing, nothing, *label_rates)
    values = _gart_buck(
        sample.cells.tables(sample.counts), *(np.asarray(statistic.value) for statistic in label_rates)
    )
    replicates = _gart_buck(tables, sensitivity, specificity)
    prevalence, positive_rate, negative_rate = (
        rate_statistic(float(value), draws, sample.n, settings.level, _NO_BETTER)
        for value, draws in zip(values, replicates, strict=True)
    )
    return CorrectedRates(prevalence, positive_rate, negative_rate, *label_rates)


def audit_counts(table: Table, truth: Mapping[str, float]) -> FloatArray:
    """Count a table's labels against an audit of some of its items, each item once.

    The counts are ``[[tn, fp], [fn, tp]]``: rows are the truth, columns the label.

    Raises:
        InputError: No audited item has a label.
    """
    counts = np.zeros((2, 2))
    labelled = table.take(np.isfinite(table.label))
    items, first = np.unique(labelled.item.codes, return_index=True)
    thresholds = labelled.threshold[first]
    for item, label, threshold in zip(items, labelled.label[first], thresholds, strict=True):
        grade = truth.get(table.item.values[int(item)])
        if grade is not None:
            counts[int(reaches(grade, threshold)), int(reaches(float(label), threshold))] += 1
    if not counts.sum():
        raise InputError(
            "no item of the label audit has a label in the table; items are case_id|system|trial"
        )
    return counts


def audit_effect(table: Table, truth: Mapping[str, float]) -> float:
    """Return the design effect of an audit; 1 if each audited item is its own cluster.

    If the outputs of several systems for one case are audited, errors of their labels depend on each other. The
    effect observed in the errors, given the label, is enlarged for few clusters and averaged with the default one.
    """
    labelled = table.take(np.isfinite(table.label))
    _, first = np.unique(labelled.item.codes, return_index=True)
    items = labelled.take(first)
    codes: list[int] = items.item.codes.tolist()
    grade = np.array([truth.get(items.item.values[code], np.nan) for code in codes])
    audited = np.isfinite(grade)
    cluster, label = items.cluster[audited], items.right[audited]
    sizes = np.unique(cluster, return_counts=True)[1]
    effective_size = float((sizes**2).sum()) / len(cluster)
    if effective_size <= 1.0:
        return 1.0
    wrong = (label != (reaches(grade[audited], items.threshold[audited]))).astype(np.float64)
    residual = wrong.copy()
    for rows in (label, ~label):
        if rows.any():
            residual[rows] -= wrong[rows].mean()
    observed = observed_effect(residual, cluster)
    student = student_ratio(0.95, len(sizes) - 1)
    return averaged_effect(
        observed * student**2,
        default_effect(effective_size),
        informative_errors(float(wrong.sum()), effective_size),
    )


def audited_verdicts(table: Table, truth: Mapping[str, float]) -> FloatArray:
    """Count audited items by label, verdict and truth, shape ``(2, 2, 2)``.

    An item that was judged several times counts once, in equal parts.
    """
    rows, counts = usable_rows(table), np.zeros((2, 2, 2))
    verdicts_per_item = np.bincount(rows.item.codes, minlength=len(rows.item.values))
    right, passed, thresholds = rows.right.astype(np.int64), rows.passed.astype(np.int64), rows.threshold
    items: list[int] = rows.item.codes.tolist()
    for row, item in enumerate(items):
        grade = truth.get(rows.item.values[item])
        if grade is not None:
            counts[right[row], passed[row], int(reaches(grade, thresholds[row]))] += (
                1 / verdicts_per_item[item]
            )
    return counts


def resampled_tables(sample: Sample, settings: Settings, rng: np.random.Generator) -> FloatArray:
    """Draw bootstrap tables ``[[tn, fp], [fn, tp]]`` over clusters, ``(replicates, 2, 2)``."""
    blocks = [
        sample.cells.tables(sample.cell_weights(weights))
        for weights in replicate_weights(sample.sizes, settings.replicates, rng)
    ]
    return np.concatenate(blocks)


def _tenenbein(table: FloatArray, right: FloatArray) -> FloatArray:
    """Return the true rates, given the share of each label and verdict that is right."""
    return true_rates(table * right, table * (1 - right))


def true_rates(of_right: FloatArray, of_wrong: FloatArray) -> FloatArray:
    """Return prevalence, true positive and true negative rate, shape ``(3, ...)``.

    Args:
        of_right: Amount of right rows by label and verdict, shape ``(..., 2, 2)``.
        of_wrong: Amount of wrong rows by label and verdict, shape ``(..., 2, 2)``.
    """
    rights, wrongs = of_right.sum(axis=(-2, -1)), of_wrong.sum(axis=(-2, -1))
    return np.stack(
        [
            ratio(rights, rights + wrongs),
            ratio(of_right[..., :, 1].sum(axis=-1), rights),
            ratio(of_wrong[..., :, 0].sum(axis=-1), wrongs),
        ]
    )


def _gart_buck(table: FloatArray, sensitivity: FloatArray, specificity: FloatArray) -> FloatArray:
    """Return prevalence, true positive and true negative rate, shape ``(3, ...)``, not clipped."""
    share = ratio(table, table.sum(axis=(-2, -1), keepdims=True))
    youden = sensitivity + specificity - 1
    youden = np.where(youden > 0, youden, np.nan)
    label_passes, judge_passes = share[..., 1, :].sum(axis=-1), share[..., :, 1].sum(axis=-1)
    both_pass = share[..., 1, 1]
    prevalence = (label_passes + specificity - 1) / youden
    right_and_passed = (both_pass - (1 - specificity) * judge_passes) / youden
    wrong_and_passed = (sensitivity * judge_passes - both_pass) / youden
    positive = np.where(prevalence > 0, prevalence, np.nan)
    negative = np.where(prevalence < 1, 1 - prevalence, np.nan)
    return np.stack([prevalence, right_and_passed / positive, 1 - wrong_and_passed / negative])


def _label_rates(audit: FloatArray, level: float, effect: float) -> tuple[Statistic, Statistic]:
    """Return sensitivity and specificity of the labels."""
    return _label_rate(audit[1, ::-1], level, effect), _label_rate(audit[0], level, effect)


def _label_rate(counts: FloatArray, level: float, effect: float) -> Statistic:
    """Return the share of labels that match the truth, from counts of both outcomes."""
    right, wrong = counts.tolist()
    n = int(right + wrong)
    if not n:
        return undefined("the audit has no item of this class", n=0, level=level)
    method = "Wilson" if effect == 1.0 else "Wilson on the cluster-effective n"
    return defined(right / n, wilson_interval(right / n, n / effect, level), n=n, method=method, level=level)


def rate_statistic(value: float, draws: FloatArray, n: int, level: float, why: str) -> Statistic:
    """Return a rate with the percentile interval of its draws; undefined, with ``why``, if NaN."""
    if not np.isfinite(value):
        return undefined(why, n=n, level=level)
    ends = percentile_interval(np.clip(draws, 0, 1), level)
    value = min(1.0, max(0.0, value))
    if ends is not None:
        ends = min(ends[0], value), max(ends[1], value)
    return defined(value, ends, n=n, method="percentile bootstrap, Jeffreys for the audit", level=level)
