"""Dawid and Skene's model of the judges' verdicts, and labels that most judges contradict.

Both are diagnostics, not the truth: language models share errors, and the model takes a shared error for a
correct verdict.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...records.score_kinds import PROBABILITIES
from ..arrays import BoolArray, CodeArray, FloatArray, IntArray, first_known, ratio
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import Table
from .diagnosis_results import DawidSkeneRates, ModelledJudge, PairAgreement, SuspectedLabel
from .judge_panel import usable_rows

_METHOD = "Dawid-Skene: no interval"


def judges_alone(table: Table) -> DawidSkeneRates:
    """Fit Dawid and Skene's model to the verdicts of all judges, without labels."""
    names, verdicts = _verdicts(table)
    model = dawid_skene(verdicts)
    if isinstance(model, str):
        return DawidSkeneRates(undefined=model)
    modelled = np.isfinite(model.posterior)
    n = int(modelled.sum())
    return DawidSkeneRates(
        n=n,
        prevalence=_point_estimate(model.prevalence, n),
        judges={
            name: _modelled_judge(model, verdicts[:, modelled], number) for number, name in enumerate(names)
        },
        pairs=[
            PairAgreement(
                a=names[a],
                b=names[b],
                n=n,
                observed=observed,
                expected=expected,
                residual=observed - expected,
            )
            for a, b, n, observed, expected in model.pairs
        ],
    )


def _verdicts(table: Table) -> tuple[list[str], FloatArray]:
    """Return the judges, and their verdicts on all items: 1, 0, or NaN, shape ``(J, n)``."""
    item = np.unique(table.output_key(), return_inverse=True)[1]
    passed = np.where(np.isfinite(table.score), table.passed, np.nan)
    judges, n_items = table.judge.present(), int(item.max(initial=-1)) + 1
    verdicts = [first_known(passed[rows], item[rows], n_items) for _, rows in judges]
    return [name for name, _ in judges], np.array(verdicts).reshape(len(judges), n_items)


def _modelled_judge(model: DawidSkene, verdicts: FloatArray, judge: int) -> ModelledJudge:
    n = int(np.isfinite(verdicts[judge]).sum())
    tpr, tnr = (float(rates[judge]) for rates in (model.true_positive_rate, model.true_negative_rate))
    return ModelledJudge(
        n=n, true_positive_rate=_point_estimate(tpr, n), true_negative_rate=_point_estimate(tnr, n)
    )


def _point_estimate(value: float, n: int) -> Statistic:
    if math.isfinite(value):
        return defined(value, n=n, method=_METHOD)
    return undefined("the model finds none of the judge's items to be of that class", n=n)


MIN_JUDGES = 3
"""Minimum number of judges of an item; with two the model has more unknowns than data."""

_MAX_STEPS = 20_000
"""Maximum number of steps of expectation maximization."""

_TOLERANCE = 1e-10
"""Change of all posteriors below which expectation maximization stops."""


class JudgePairAgreement(NamedTuple):
    """Agreement of two judges.

    Attributes:
        a: Number of one judge.
        b: Number of the other judge.
        n: Number of items that both judged.
        observed: Share of these items on which they agree.
        expected: Share that the model expects.
    """

    a: int
    b: int
    n: int
    observed: float
    expected: float


class DawidSkene(NamedTuple):
    """Fitted model of Dawid and Skene.

    Attributes:
        prevalence: Share of right items.
        true_positive_rate: True positive rate by judge, shape ``(J,)``; NaN if it judged no right item.
        true_negative_rate: True negative rate by judge, shape ``(J,)``; NaN if it judged no wrong item.
        posterior: Chance that each item is right, shape ``(n,)``; NaN where fewer than three judged it.
        pairs: Agreement of every two judges with common items; empty for three judges, since the model always fits
            their agreement.
    """

    prevalence: float
    true_positive_rate: FloatArray
    true_negative_rate: FloatArray
    posterior: FloatArray
    pairs: list[JudgePairAgreement]


def dawid_skene(verdicts: FloatArray) -> DawidSkene | str:
    """Fit the two-class model by expectation maximization, or return why it cannot be fitted.

    Verdicts are 1 for pass, 0 for fail, NaN without one, shape ``(J, n)``; only items with verdicts of three
    judges or more count. The fit starts from the majority. The two classes are interchangeable; "right" is
    the one for which the judges together are better than chance (mean Youden's J above 0).

    Source: Dawid and Skene 1979.
    """
    has_enough = np.isfinite(verdicts).sum(axis=0) >= MIN_JUDGES
    verdicts = np.where(has_enough, verdicts, np.nan)
    judged = np.isfinite(verdicts)
    if not has_enough.any():
        return "it takes three judges on the same items; no item has verdicts of three"
    n_common = judged.astype(np.float64) @ judged.T
    has_judged = np.diag(n_common) > 0
    if (n_common[np.ix_(has_judged, has_judged)] == 0).any():
        return "some judges have no item in common with others"
    n_judges = int(has_judged.sum())
    patterns, pattern_of_item, counts = _patterns(verdicts)
    prevalence, tpr, tnr, p_right = fit_classes(
        patterns, counts, majority(patterns), steps=_MAX_STEPS, tolerance=_TOLERANCE
    )
    if not 1e-6 < prevalence < 1 - 1e-6:  # noqa: PLR2004 - one class is empty but for rounding
        return "the model finds all items to be of one class"
    # The fit cannot tell the classes apart: swap them if judges would be worse than chance.
    if np.nanmean(tpr + tnr) < 1:
        prevalence, tpr, tnr, p_right = 1 - prevalence, 1 - tnr, 1 - tpr, 1 - p_right
    posterior = np.full(verdicts.shape[1], np.nan)
    posterior[judged.any(axis=0)] = p_right[pattern_of_item]
    pairs = _pair_agreements(verdicts, posterior, tpr, tnr) if n_judges > MIN_JUDGES else []
    return DawidSkene(float(prevalence), tpr, tnr, posterior, pairs)


def _patterns(verdicts: FloatArray) -> tuple[FloatArray, np.ndarray, FloatArray]:
    """Return the distinct patterns of verdicts ``(J, k)``, each item's pattern, and counts.

    Only items that at least one judge graded are included.
    """
    code = np.where(np.isfinite(verdicts), verdicts, 2.0).astype(np.int8)
    code = code[:, (code < 2).any(axis=0)]  # noqa: PLR2004 - 2 stands for no verdict
    distinct, pattern_of_item, counts = np.unique(code, axis=1, return_inverse=True, return_counts=True)
    return distinct.astype(np.float64), pattern_of_item.reshape(-1), counts.astype(np.float64)


def _pair_agreements(
    verdicts: FloatArray, posterior: FloatArray, tpr: FloatArray, tnr: FloatArray
) -> list[JudgePairAgreement]:
    """Return the observed agreement of every two judges, and that expected by the model."""
    agreements: list[JudgePairAgreement] = []
    for a, b in combinations(range(len(verdicts)), 2):
        judged_by_both = np.isfinite(verdicts[a]) & np.isfinite(verdicts[b])
        if not judged_by_both.any() or not np.isfinite([tpr[a], tpr[b], tnr[a], tnr[b]]).all():
            continue
        expected_right = posterior[judged_by_both].mean()
        if_right = tpr[a] * tpr[b] + (1 - tpr[a]) * (1 - tpr[b])
        if_wrong = tnr[a] * tnr[b] + (1 - tnr[a]) * (1 - tnr[b])
        observed = float((verdicts[a][judged_by_both] == verdicts[b][judged_by_both]).mean())
        expected = float(expected_right * if_right + (1 - expected_right) * if_wrong)
        agreements.append(JudgePairAgreement(a, b, int(judged_by_both.sum()), observed, expected))
    return agreements


class SuspectedLabels(NamedTuple):
    """Labels that most judges contradict.

    Attributes:
        first: The most doubtful labels.
        more: Number of further ones.
    """

    first: list[SuspectedLabel]
    more: int


def suspected_label_errors(table: Table, *, limit: int = 20) -> SuspectedLabels:
    """Return labels that most judges contradict, the most doubtful first.

    They are ordered by the log-odds that the label is wrong. These are the log-odds of the class frequencies plus
    the evidence of each judge: its log-likelihood ratio (add-one smoothed), or its probability of the label.
    Without the class frequencies the many errors of a judge in the larger class would come before the few wrong
    labels. Judges share errors, so this is an order for review, not a probability.

    If there are several judges, outputs with a single verdict are left out: one judge is no majority.
    """
    table = usable_rows(table)
    if not len(table):
        return SuspectedLabels([], 0)
    label_passes, passed = table.right, table.passed
    contradicts = label_passes != passed
    _, first_row, output = np.unique(table.output_key(), return_index=True, return_inverse=True)
    doubt = np.bincount(output, weights=_evidence(table, label_passes, passed))
    odds = doubt + _log_odds_of_other_class(label_passes[first_row])
    mostly_contradicted = 2 * np.bincount(output, weights=contradicts) > np.bincount(output)
    # Judges at chance add no doubt. The class frequencies order labels but select none: a rare class must not hide
    # the verdicts of good judges.
    has_majority = _judges_by_output(output, table.judge.codes) >= min(2, len(np.unique(table.judge.codes)))
    suspect_outputs: list[int] = np.flatnonzero(mostly_contradicted & (doubt > 0) & has_majority).tolist()
    items = [table.value("item_id", row) or "" for row in first_row.tolist()]
    # Ties are ordered by id, whatever the order of files and the rounding of a processor.
    suspected = sorted(suspect_outputs, key=lambda number: (-round(float(odds[number]), 9), items[number]))
    first = [
        SuspectedLabel(
            item_id=items[number],
            label=float(table.label[first_row[number]]),
            contradicted_by=_judge_names(table, contradicts & (output == number)),
            agreed_by=_judge_names(table, ~contradicts & (output == number)),
            evidence=float(odds[number]),
        )
        for number in suspected[:limit]
    ]
    return SuspectedLabels(first, len(suspected) - len(first))


def _judges_by_output(output: IntArray, judge: CodeArray) -> IntArray:
    """Count the judges of each output, repeats once, shape ``(outputs,)``."""
    graded = np.unique(np.stack([output, judge]), axis=1)
    return np.bincount(graded[0])


def _log_odds_of_other_class(label_passes: BoolArray) -> FloatArray:
    """Return the log-odds of the class opposite to each output's label, shape ``(outputs,)``.

    The frequencies of both classes are those of the labels.
    """
    rate = (int(label_passes.sum()) + 1) / (len(label_passes) + 2)
    return np.where(label_passes, -1.0, 1.0) * np.log(rate / (1 - rate))


def _judge_names(table: Table, rows: BoolArray) -> list[str]:
    return [name for name, judge_rows in table.judge.present() if (judge_rows & rows).any()]


def _evidence(table: Table, label_passes: BoolArray, passed: BoolArray) -> FloatArray:
    """Return each verdict's log-likelihood under the opposite label minus that under the label."""
    evidence = np.zeros(len(table))
    other_class = _log_odds_of_other_class(label_passes)
    for name, rows in table.judge.present():
        if table.score_kind_of(name) == PROBABILITIES:
            # A probability includes the class frequencies, which are added to the sum of all judges later.
            evidence = np.where(
                rows, _surprise(table.score, label_passes, int(rows.sum())) - other_class, evidence
            )
            continue
        pass_rate_right = _smoothed_pass_rate(passed, rows & label_passes)
        pass_rate_wrong = _smoothed_pass_rate(passed, rows & ~label_passes)
        chance_if_right = np.where(passed, pass_rate_right, 1 - pass_rate_right)
        chance_if_wrong = np.where(passed, pass_rate_wrong, 1 - pass_rate_wrong)
        log_ratio: FloatArray = np.log(chance_if_wrong) - np.log(chance_if_right)
        evidence = np.where(rows, np.where(label_passes, log_ratio, -log_ratio), evidence)
    return evidence


def _surprise(p: FloatArray, label_passes: BoolArray, n: int) -> FloatArray:
    """Return the log-odds against each label by the judge's probability, clipped at 1 in n + 2."""
    label_p = np.clip(np.where(label_passes, p, 1 - p), 1 / (n + 2), 1 - 1 / (n + 2))
    return np.asarray(np.log(1 - label_p) - np.log(label_p), dtype=np.float64)


def _smoothed_pass_rate(passed: BoolArray, rows: BoolArray) -> float:
    return (int((passed & rows).sum()) + 1) / (int(rows.sum()) + 2)


class LatentClasses(NamedTuple):
    """Fitted two-class model; leading axes are those of the weights.

    Attributes:
        prevalence: Share of right items, shape ``(...)``.
        true_positive_rate: True positive rate by rater, shape ``(..., J)``; NaN if it judged no right item.
        true_negative_rate: True negative rate by rater, shape ``(..., J)``; NaN if it judged no wrong item.
        p_right: Chance that an item of each pattern is right, shape ``(..., k)``.
    """

    prevalence: FloatArray
    true_positive_rate: FloatArray
    true_negative_rate: FloatArray
    p_right: FloatArray


def majority(patterns: FloatArray) -> FloatArray:
    """Return the share of passing verdicts in each pattern ``(J, k)``, the start of a fit."""
    passed, failed = _passed_and_failed(patterns)
    return passed.sum(axis=0) / (passed + failed).sum(axis=0)


def fit_classes(
    patterns: FloatArray, counts: FloatArray, start: FloatArray, *, steps: int, tolerance: float
) -> LatentClasses:
    """Fit the model to weighted patterns of verdicts.

    Source: Dawid and Skene 1979.

    Args:
        patterns: Distinct patterns of verdicts, shape ``(J, k)``: 1, 0, or another value for a missing verdict.
        counts: Weight of each pattern, shape ``(..., k)``.
        start: Initial chance that an item of each pattern is right, shape ``(..., k)``.
        steps: Maximum number of steps.
        tolerance: Change of all chances below which the fit stops.
    """
    passed, failed = _passed_and_failed(patterns)
    p_right = start
    for _ in range(steps):
        prevalence, rates = _m_step(p_right, passed, failed, counts)
        last_p_right, p_right = p_right, _e_step(prevalence, rates, passed, failed)
        if np.abs(p_right - last_p_right).max() < tolerance:
            break
    prevalence, rates = _m_step(p_right, passed, failed, counts)
    return LatentClasses(prevalence, *rates, p_right)


def _passed_and_failed(patterns: FloatArray) -> tuple[FloatArray, FloatArray]:
    return (patterns == 1).astype(np.float64), (patterns == 0).astype(np.float64)


def _m_step(
    p_right: FloatArray, passed: FloatArray, failed: FloatArray, counts: FloatArray
) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """Return the prevalence and the raters' rates that maximize the expected likelihood."""
    expected_right, expected_wrong = counts * p_right, counts * (1 - p_right)
    judged = (passed + failed).T
    tpr = ratio(expected_right @ passed.T, expected_right @ judged)
    tnr = ratio(expected_wrong @ failed.T, expected_wrong @ judged)
    return expected_right.sum(axis=-1) / counts.sum(axis=-1), (tpr, tnr)


def _e_step(
    prevalence: FloatArray, rates: tuple[FloatArray, FloatArray], passed: FloatArray, failed: FloatArray
) -> FloatArray:
    """Return the posterior probability that items of each pattern are right."""
    # The rate of an empty class is NaN and taken as 0.5. Rates are kept above 0 so that their logarithms are finite,
    # and log-odds within 700, where exp does not overflow.
    tpr, tnr = (np.clip(np.nan_to_num(rate, nan=0.5), 1e-300, 1.0) for rate in rates)
    fnr, fpr = (np.clip(1 - rate, 1e-300, 1.0) for rate in (tpr, tnr))
    right, wrong = (np.log(np.clip(array, 1e-300, 1.0))[..., None] for array in (prevalence, 1 - prevalence))
    log_right = right + np.log(tpr) @ passed + np.log(fnr) @ failed
    log_wrong = wrong + np.log(tnr) @ failed + np.log(fpr) @ passed
    return 1 / (1 + np.exp(np.clip(log_wrong - log_right, -700, 700)))
