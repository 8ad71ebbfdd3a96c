"""The label is a measurement too: a judge's error rates, corrected for those of the checker that gave the labels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...errors import InputError
from ..arrays import FloatArray, ratio
from ..intervals.bootstrap import percentile_interval, replicate_weights
from ..intervals.closed_forms import wilson_interval
from ..intervals.measurement import Settings
from ..sample import Sample
from ..statistic import Statistic, defined, undefined
from ..tables.table import Table
from .judge_panel import usable_sample
from .results import CorrectedRates, LabelAudit

_NO_BETTER = "the audit finds the labels no better than chance, or lacks a class"


def label_audit(table: Table, truth: Mapping[str, float], settings: Settings) -> LabelAudit:
    """Judges of a table, corrected for errors of its labels.

    Args:
        table: Labels and scores.
        truth: What a person found for some items, chosen at random, by item.
        settings: How intervals are made.

    Returns:
        The audit and the corrected rates of each judge.

    Raises:
        InputError: No audited item has a label.
    """
    counts = audit_counts(table, truth)
    (tn, fp), (fn, tp) = counts.astype(int).tolist()
    judges = {
        judge: corrected_rates(usable_sample(table.take(rows)), counts, settings)
        for judge, rows in table.judge.present()
    }
    return LabelAudit(tp=tp, fp=fp, fn=fn, tn=tn, judges=judges)


def corrected_rates(sample: Sample, audit: FloatArray, settings: Settings | None = None) -> CorrectedRates:
    """Gart and Buck's correction, with a bootstrap of the main table and draws of the labels' error rates together.

    Holds when judge and labels err independently given the truth. Where they share errors, the judge still looks
    better than it is.

    Source: Gart and Buck 1966.

    Args:
        sample: Labels (of the checker) and judge's scores.
        audit: Counts of a random sample of labels against the truth, ``[[tn, fp], [fn, tp]]``: rows the truth, columns
            the label.
        settings: Level, replicates, seed.

    Returns:
        The corrected rates with percentile intervals, undefined where the labels are no better than chance; the rates
        of the labels themselves with Wilson's.
    """
    settings = settings or Settings()
    if not sample.n:
        nothing = undefined("no row has both a label and a score", n=0, level=settings.level)
        return CorrectedRates(nothing, nothing, nothing, nothing, nothing)
    rng = np.random.default_rng(settings.seed)
    blocks = [
        sample.cells.tables(sample.cell_weights(weights))
        for weights in replicate_weights(sample.sizes, settings.replicates, rng)
    ]
    tables, (of_wrong, of_right) = np.concatenate(blocks), audit
    # Of errors that a small audit did not see, resampling it knows nothing: a Beta posterior does (Jeffreys' prior).
    specificity = rng.beta(of_wrong[0] + 0.5, of_wrong[1] + 0.5, size=len(tables))
    sensitivity = rng.beta(of_right[1] + 0.5, of_right[0] + 0.5, size=len(tables))
    observed = _label_rate(of_right[::-1], settings.level), _label_rate(of_wrong, settings.level)
    if None in {each.value for each in observed}:
        nothing = undefined(_NO_BETTER, n=sample.n, level=settings.level)
        return CorrectedRates(nothing, nothing, nothing, *observed)
    values = _gart_buck(sample.cells.tables(sample.counts), *(np.asarray(each.value) for each in observed))
    replicates = _gart_buck(tables, sensitivity, specificity)
    prevalence, positive_rate, negative_rate = (
        _statistic(float(value), draws, sample.n, settings.level)
        for value, draws in zip(values, replicates, strict=True)
    )
    return CorrectedRates(prevalence, positive_rate, negative_rate, *observed)


def audit_counts(table: Table, truth: Mapping[str, float]) -> FloatArray:
    """Compare the labels of a table with an audit of some of its items.

    Args:
        table: Labels by item.
        truth: What a person found, by item.

    Returns:
        ``[[tn, fp], [fn, tp]]``: rows the truth, columns the label; each item once.

    Raises:
        InputError: No audited item has a label.
    """
    counts = np.zeros((2, 2))
    labelled = table.take(np.isfinite(table.label))
    items, first = np.unique(labelled.item.codes, return_index=True)
    cuts = labelled.cut[first]
    for item, label, cut in zip(items, labelled.label[first], cuts, strict=True):
        found = truth.get(table.item.values[int(item)])
        if found is not None:
            counts[int(found >= cut), int(label >= cut)] += 1
    if not counts.sum():
        raise InputError(
            "no item of the label audit has a label in the table; items are case_id|system|trial"
        )
    return counts


def _gart_buck(table: FloatArray, sensitivity: FloatArray, specificity: FloatArray) -> FloatArray:
    """Prevalence, true positive and true negative rate, shape ``(3, ...)``, not clipped."""
    share = ratio(table, table.sum(axis=(-2, -1), keepdims=True))
    youden = sensitivity + specificity - 1
    youden = np.where(youden > 0, youden, np.nan)
    labelled, judged, both = share[..., 1, :].sum(axis=-1), share[..., :, 1].sum(axis=-1), share[..., 1, 1]
    prevalence = (labelled + specificity - 1) / youden
    right_and_passed = (both - (1 - specificity) * judged) / youden
    wrong_and_passed = (sensitivity * judged - both) / youden
    positive = np.where(prevalence > 0, prevalence, np.nan)
    negative = np.where(prevalence < 1, 1 - prevalence, np.nan)
    return np.stack([prevalence, right_and_passed / positive, 1 - wrong_and_passed / negative])


def _label_rate(counts: FloatArray, level: float) -> Statistic:
    """Share of labels that are as the truth, from how many are and are not: items of the audit are independent."""
    right, wrong = counts.tolist()
    n = int(right + wrong)
    if not n:
        return undefined("the audit has no item of this class", n=0, level=level)
    return defined(right / n, wilson_interval(right / n, n, level), n=n, method="Wilson", level=level)


def _statistic(value: float, draws: FloatArray, n: int, level: float) -> Statistic:
    if not np.isfinite(value):
        return undefined(_NO_BETTER, n=n, level=level)
    ends = percentile_interval(np.clip(draws, 0, 1), level)
    value = min(1.0, max(0.0, value))
    if ends is not None:
        ends = min(ends[0], value), max(ends[1], value)
    return defined(value, ends, n=n, method="percentile bootstrap, Jeffreys for the audit", level=level)
