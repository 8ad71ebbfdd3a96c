"""pass^k and pass@k over repeated trials of the same cases, corrected for a judge's errors.

pass^k is the chance that k trials of a case all pass, pass@k that at least one does, averaged over cases.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from .arrays import BoolArray, FloatArray, IntArray
from .intervals.closed_forms import t_quantile, wilson_interval
from .intervals.clustered_means import Combination, mean_over_clusters
from .intervals.variance import FEWEST
from .statistic import Statistic, defined, undefined

TrialRate: TypeAlias = Literal["pass^k", "pass@k"]

_STEP = 1e-4
"""Step of the numerical derivative with respect to a judge's rates."""

_FEW = 5.0
"""Number of passes or failures below which the observed spread may be too small."""

_LEAST_INFORMED = 0.05
"""Least difference of a judge's TPR and FPR with which it corrects rates."""


class Trials(NamedTuple):
    """Graded trials of one system, each array of shape ``(n,)``.

    Attributes:
        case: Number of the case that was tried.
        cluster: Cluster number; equal for all trials of a case.
        passed: 1 for a trial that passes, else 0, by a checker or a judge.
        judged: Mask of the trials that a judge graded.
        label: Label of a judged trial, 1 or 0; NaN without one.
    """

    case: IntArray
    cluster: IntArray
    passed: FloatArray
    judged: BoolArray
    label: FloatArray


class JudgeErrors(NamedTuple):
    """Rates of a judge on labelled trials.

    Attributes:
        tpr: Share of right trials that it passes.
        fpr: Share of wrong trials that it passes.
        right: Number of labelled right trials.
        wrong: Number of labelled wrong trials.
    """

    tpr: float
    fpr: float
    right: int
    wrong: int


def judge_errors(trials: Trials) -> JudgeErrors | None:
    """Estimate a judge's rates from labelled trials; None without two right and two wrong ones."""
    right, wrong = (trials.judged & (trials.label == truth) for truth in (1.0, 0.0))
    if min(right.sum(), wrong.sum()) < 2:  # noqa: PLR2004 - a spread needs two
        return None
    return JudgeErrors(
        float(trials.passed[right].mean()),
        float(trials.passed[wrong].mean()),
        int(right.sum()),
        int(wrong.sum()),
    )


def trial_rate(
    rate: TrialRate, k: int, trials: Trials, errors: JudgeErrors | None = None, *, level: float = 0.95
) -> Statistic:
    """Estimate pass^k or pass@k, with an interval clustered by case.

    Per case it is the mean over all choices of k of its trials, which is unbiased (for a checker's verdicts
    ``C(c, k) / C(n, k)``, Chen et al. 2021). The verdict of a judged trial is replaced by ``(x - fpr) / (tpr - fpr)``, whose mean is the
    chance to be right if the judge errs independently from trial to trial.

    Args:
        rate: ``pass^k`` or ``pass@k``.
        k: Number of trials that must all pass, or of which one must.
        trials: Graded trials; cases with fewer than k are not counted.
        errors: Error rates of the judge; None to leave its verdicts uncorrected.
        level: Nominal coverage.
    """
    trials, cases = _with_enough(trials, k)
    if not cases:
        return undefined(f"no case has {k} graded trials", n=0, level=level)
    if errors is not None and trials.judged.any():
        if errors.tpr - errors.fpr < _LEAST_INFORMED:
            why = "the judge does not tell right from wrong trials"
            return undefined(why, n=cases, level=level)
        return _corrected(rate, k, trials, errors, level)
    values, cluster = _by_case(rate, k, trials, 1.0, 0.0)
    found = _counted_by_blocks(mean_over_clusters(values, cluster), k, trials, cluster)
    interval = found.rate_interval(level)
    method = "Wilson on the cluster-effective n" if interval else "no interval from a single cluster"
    return defined(float(values.mean()), interval, n=cases, method=method, level=level)


def _counted_by_blocks(found: Combination, k: int, trials: Trials, cluster: IntArray) -> Combination:
    """Count a case as the blocks of k trials that it holds, rather than as one row.

    A mean over five trials of a case varies less than one trial, so that an interval on the number of cases is too wide.
    A block of one trial is a row with a result of 0 or 1, whose spread is known.
    """
    blocks = np.bincount(np.unique(trials.case, return_inverse=True)[1]) // k
    squares = float((1.0 / blocks).sum()) / len(blocks) ** 2
    shares = np.bincount(np.unique(cluster, return_inverse=True)[1]) / len(blocks)
    spread = found.value * (1.0 - found.value) * squares if k == 1 else 0.0
    return found._replace(
        rows=1.0 / squares,
        cluster_size=float((shares**2).sum()) / squares,
        row_error=max(found.row_error, math.sqrt(spread)),
    )


def _corrected(rate: TrialRate, k: int, trials: Trials, errors: JudgeErrors, level: float) -> Statistic:
    values, cluster = _by_case(rate, k, trials, errors.tpr, errors.fpr)
    value = float(values.mean())
    slopes = _slopes(rate, k, trials, errors)
    # One sum of influences a cluster, since the labelled trials are among those that they correct.
    clusters_present, code = np.unique(trials.cluster, return_inverse=True)
    of_case = np.searchsorted(clusters_present, cluster)
    sums = np.bincount(of_case, weights=values - value, minlength=len(clusters_present)) / len(values)
    unseen = 0.0
    for slope, truth, share, n in zip(
        slopes, (1.0, 0.0), (errors.tpr, errors.fpr), (errors.right, errors.wrong), strict=True
    ):
        rows = trials.judged & (trials.label == truth)
        off = (
            np.bincount(code[rows], weights=trials.passed[rows] - share, minlength=len(clusters_present)) / n
        )
        sums += slope * off
        if n * min(share, 1 - share) < _FEW:
            unseen += slope**2 * max(0.0, _least_variance(share, n) - float((off**2).sum()))
    clusters = len(clusters_present)
    share = min(1.0, max(0.0, value))
    if clusters < FEWEST:
        return defined(share, n=len(values), method="no interval from a single cluster", level=level)
    error2 = float((sums**2).sum()) * clusters / (clusters - 1) + unseen
    blocks = float((np.bincount(np.unique(trials.case, return_inverse=True)[1]) // k).sum())
    inner = min(1 - 0.5 / blocks, max(0.5 / blocks, share))
    effective = inner * (1 - inner) / error2 if error2 > 0 else blocks
    if blocks * min(inner, 1 - inner) < _FEW:
        effective = min(effective, blocks)
    interval = wilson_interval(share, effective, level, z=t_quantile(level, clusters - 1))
    return defined(share, interval, n=len(values), method="Wilson on the effective n", level=level)


def _least_variance(share: float, n: int) -> float:
    """Return the variance of a share after adding one success and one failure.

    With them, a sample without errors does not prove that there are none.
    """
    smoothed = (share * n + 1) / (n + 2)
    return smoothed * (1 - smoothed) / n


def _slopes(rate: TrialRate, k: int, trials: Trials, errors: JudgeErrors) -> tuple[float, float]:
    """Return derivatives of the estimate with respect to the judge's TPR and FPR."""

    def mean(tpr: float, fpr: float) -> float:
        return float(_by_case(rate, k, trials, tpr, fpr)[0].mean())

    tpr, fpr = errors.tpr, errors.fpr
    return (
        (mean(tpr + _STEP, fpr) - mean(tpr - _STEP, fpr)) / (2 * _STEP),
        (mean(tpr, fpr + _STEP) - mean(tpr, fpr - _STEP)) / (2 * _STEP),
    )


def _with_enough(trials: Trials, k: int) -> tuple[Trials, int]:
    """Return the trials of cases that have k of them, and the number of these cases."""
    _, code, count = np.unique(trials.case, return_inverse=True, return_counts=True)
    rows = count[code] >= k
    return Trials._make(column[rows] for column in trials), int((count >= k).sum())


def _by_case(rate: TrialRate, k: int, trials: Trials, tpr: float, fpr: float) -> tuple[FloatArray, IntArray]:
    """Return each case's estimate, shape ``(cases,)``, and its cluster."""
    right = np.where(trials.judged, (trials.passed - fpr) / (tpr - fpr), trials.passed)
    _, first, code = np.unique(trials.case, return_index=True, return_inverse=True)
    each = _mean_product(right if rate == "pass^k" else 1.0 - right, code, k)
    return (each if rate == "pass^k" else 1.0 - each), trials.cluster[first]


def _mean_product(values: FloatArray, case: IntArray, k: int) -> FloatArray:
    """Return the mean product of k different values of each case.

    It is an elementary symmetric polynomial over its number of terms.

    If ``m[t]`` is the mean product of t of the values so far, a next value x makes it ``((n - t) m[t] + t x m[t - 1]) / n``, where n includes x.
    So the number of terms, which exceeds any float from about a thousand values on, is never computed.
    """
    ordered = values[np.argsort(case, kind="stable")]
    count = np.bincount(case)
    first = np.cumsum(count) - count
    longest = np.argsort(-count, kind="stable")  # so that the cases with an n-th value come first
    means = np.zeros((k + 1, len(count)))
    means[0] = 1.0
    taken = np.arange(1, k + 1)[:, None]
    reaching = len(count)
    for n in range(1, int(count.max()) + 1):
        while count[longest[reaching - 1]] < n:
            reaching -= 1
        x = ordered[first[longest[:reaching]] + n - 1]
        share = np.minimum(taken, n) / n
        means[1:, :reaching] = (1.0 - share) * means[1:, :reaching] + share * x * means[:-1, :reaching]
    found = np.empty(len(count))
    found[longest] = means[k]
    return found
