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
from .intervals.variance import MIN_CLUSTERS
from .statistic import Statistic, defined, undefined

TrialRate: TypeAlias = Literal["pass^k", "pass@k"]
"""Rate over trials: that all k pass, or that at least one of k does."""

_STEP = 1e-4
"""Step of the numerical derivative with respect to a judge's rates."""

_FEW_RESULTS = 5.0
"""With fewer passes, or fewer failures, the observed spread may be too small."""

_MIN_YOUDEN = 0.05
"""Minimum of Youden's J (TPR - FPR) of a judge for a correction, which divides by it."""


class Trials(NamedTuple):
    """Graded trials of one system, each array of shape ``(n,)``.

    Attributes:
        case: Number of the case.
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

    def take(self, rows: BoolArray) -> Trials:
        """Return the selected trials."""
        return Trials._make(column[rows] for column in self)


class JudgeErrors(NamedTuple):
    """Rates of a judge on labelled trials.

    Attributes:
        tpr: Share of right trials that the judge passes.
        fpr: Share of wrong trials that the judge passes.
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


def tried_until_passed(case: IntArray, number: FloatArray, passed: FloatArray) -> str | None:
    """Return why trials allow no rate: it seems only failed cases were tried again; else None.

    It seems so if some cases have fewer trials than others, and in each of these cases only the last trial passes.
    Cases with the most trials may end in a failure. Then the number of trials depends on their results, and a mean
    over them is too high.

    Args:
        case: Number of the case of each trial, graded or not, shape ``(n,)``.
        number: Number of the trial in its case.
        passed: 1 for a pass, 0 for a fail, NaN if ungraded.
    """
    _, code, count = np.unique(case, return_inverse=True, return_counts=True)
    has_fewer = count < count.max(initial=0)
    if not has_fewer.any():
        return None
    order = np.lexsort((number, code))
    last = order[np.cumsum(count) - 1]
    passes = np.bincount(code, weights=passed == 1.0, minlength=len(count))
    ends_in_its_only_pass = (passes == 1.0) & (passed[last] == 1.0)
    if not ends_in_its_only_pass[has_fewer].all():
        return None
    return (
        f"each of the {int(has_fewer.sum()):,} cases with fewer trials ends in its only pass: if only failed "
        "cases were tried again, their trials pass too often; give each case as many trials"
    )


def trial_rate(
    rate: TrialRate,
    k: int,
    trials: Trials,
    errors: JudgeErrors | None = None,
    *,
    of_cases_with: int = 1,
    level: float = 0.95,
) -> Statistic:
    """Estimate pass^k or pass@k, with an interval clustered by case.

    Per case it is the mean over all choices of k of its trials, which is unbiased (for a checker's verdicts
    ``C(c, k) / C(n, k)``, Chen et al. 2021). The verdict of a judged trial is replaced by ``(x - fpr) / (tpr
    - fpr)``, whose mean is the chance to be right if the judge errs independently from trial to trial.

    Args:
        rate: ``pass^k`` or ``pass@k``.
        k: Number of trials that must all pass, or of which one must.
        trials: Graded trials; cases with fewer than k are not counted.
        errors: Error rates of the judge; None to leave its verdicts uncorrected.
        of_cases_with: Count only cases with at least this many trials, if it is above k.
        level: Nominal coverage.
    """
    counted = _of_cases_with(trials, max(k, of_cases_with))
    cases = len(np.unique(counted.case))
    if not cases:
        return undefined(f"no case has {k} graded trials", n=0, level=level)
    if errors is not None and counted.judged.any():
        if errors.tpr - errors.fpr < _MIN_YOUDEN:
            why = "the judge does not tell right from wrong trials"
            return undefined(why, n=cases, level=level)
        labelled = trials.take(trials.judged & np.isfinite(trials.label))
        return _corrected(rate, k, counted, labelled=labelled, errors=errors, level=level)
    values, cluster = _by_case(rate, k, counted, 1.0, 0.0)
    mean = _counted_by_blocks(mean_over_clusters(values, cluster), k, counted, cluster)
    interval = mean.rate_interval(level)
    method = "Wilson on the cluster-effective n" if interval else "no interval from a single cluster"
    return defined(float(values.mean()), interval, n=cases, method=method, level=level)


def _counted_by_blocks(mean: Combination, k: int, trials: Trials, cluster: IntArray) -> Combination:
    """Count a case as its number of blocks of k trials, rather than as one row.

    A mean over five trials of a case varies less than one trial, so that an interval on the number of cases is too
    wide. A block of one trial is a row with a result of 0 or 1, whose spread is known.
    """
    blocks = _blocks_by_case(trials, k)
    squares = float((1.0 / blocks).sum()) / len(blocks) ** 2
    shares = np.bincount(np.unique(cluster, return_inverse=True)[1]) / len(blocks)
    known_variance = mean.value * (1.0 - mean.value) * squares if k == 1 else 0.0
    return mean._replace(
        rows=1.0 / squares,
        cluster_size=float((shares**2).sum()) / squares,
        row_error=max(mean.row_error, math.sqrt(known_variance)),
    )


def _blocks_by_case(trials: Trials, k: int) -> IntArray:
    """Return the number of blocks of k trials in each case, shape ``(cases,)``."""
    return np.bincount(np.unique(trials.case, return_inverse=True)[1]) // k


def _corrected(
    rate: TrialRate, k: int, trials: Trials, *, labelled: Trials, errors: JudgeErrors, level: float
) -> Statistic:
    """Correct a rate for the judge's errors, as estimated from all ``labelled`` trials."""
    values, cluster = _by_case(rate, k, trials, errors.tpr, errors.fpr)
    share = min(1.0, max(0.0, float(values.mean())))
    clusters = len(np.unique(np.concatenate([cluster, labelled.cluster])))
    if clusters < MIN_CLUSTERS:
        return defined(share, n=len(values), method="no interval from a single cluster", level=level)
    variance = _corrected_variance(values, cluster, labelled, errors, _slopes(rate, k, trials, errors))
    blocks = float(_blocks_by_case(trials, k).sum())
    # At 0 and 1 the variance of a block would be 0, so stay half a block inside.
    inner_share = min(1 - 0.5 / blocks, max(0.5 / blocks, share))
    effective = inner_share * (1 - inner_share) / variance if variance > 0 else blocks
    # A few results do not prove an effective number above the number of blocks.
    if blocks * min(inner_share, 1 - inner_share) < _FEW_RESULTS:
        effective = min(effective, blocks)
    interval = wilson_interval(share, effective, level, z=t_quantile(level, clusters - 1))
    return defined(share, interval, n=len(values), method="Wilson on the effective n", level=level)


def _corrected_variance(
    values: FloatArray,
    cluster: IntArray,
    labelled: Trials,
    errors: JudgeErrors,
    slopes: tuple[float, float],
) -> float:
    """Return the variance over clusters of the mean of cases' values and of the judge's rates.

    ``slopes`` are the derivatives of that mean with respect to the judge's TPR and FPR.
    """
    clusters = np.unique(np.concatenate([cluster, labelled.cluster]))

    def by_cluster(influence: FloatArray, row_cluster: IntArray) -> FloatArray:
        sums = np.bincount(np.searchsorted(clusters, row_cluster), weights=influence, minlength=len(clusters))
        return sums.astype(np.float64)

    # Influences are added within clusters: most labelled trials are also among the corrected ones.
    total, extra_variance = by_cluster(values - values.mean(), cluster) / len(values), 0.0
    for slope, truth, share, n in zip(
        slopes, (1.0, 0.0), (errors.tpr, errors.fpr), (errors.right, errors.wrong), strict=True
    ):
        rows = labelled.label == truth
        rate_influence = by_cluster(labelled.passed[rows] - share, labelled.cluster[rows]) / n
        total += slope * rate_influence
        if n * min(share, 1 - share) < _FEW_RESULTS:
            missing_variance = _smoothed_variance(share, n) - float((rate_influence**2).sum())
            extra_variance += slope**2 * max(0.0, missing_variance)
    return float((total**2).sum()) * len(clusters) / (len(clusters) - 1) + extra_variance


def _smoothed_variance(share: float, n: int) -> float:
    """Return the variance of a share after adding one success and one failure.

    So a sample without errors does not prove that there are none.
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


def _of_cases_with(trials: Trials, k: int) -> Trials:
    _, code, count = np.unique(trials.case, return_inverse=True, return_counts=True)
    return trials.take(count[code] >= k)


def _by_case(rate: TrialRate, k: int, trials: Trials, tpr: float, fpr: float) -> tuple[FloatArray, IntArray]:
    """Return each case's estimate, shape ``(cases,)``, and its cluster."""
    right = np.where(trials.judged, (trials.passed - fpr) / (tpr - fpr), trials.passed)
    _, first, code = np.unique(trials.case, return_index=True, return_inverse=True)
    if rate == "pass^k":
        return _mean_product(right, code, k), trials.cluster[first]
    # At least one passes unless all fail.
    return 1.0 - _mean_product(1.0 - right, code, k), trials.cluster[first]


def _mean_product(values: FloatArray, case: IntArray, k: int) -> FloatArray:
    """Return the mean product of k different values of each case.

    It is an elementary symmetric polynomial divided by its number of terms. Let ``m[t]`` be the mean product of t of
    the values so far. With a next value x it becomes ``((n - t) m[t] + t x m[t - 1]) / n``, where n includes x. So the
    number of terms, which overflows a float with about a thousand values, is never computed.
    """
    ordered = values[np.argsort(case, kind="stable")]
    count = np.bincount(case)
    first = np.cumsum(count) - count
    by_length = np.argsort(-count, kind="stable")  # so that the cases with an n-th value come first
    means = np.zeros((k + 1, len(count)))
    means[0] = 1.0
    factors = np.arange(1, k + 1)[:, None]  # t in the formula above
    n_longer = len(count)
    for n in range(1, int(count.max()) + 1):
        # Only cases with an n-th value go on.
        while count[by_length[n_longer - 1]] < n:
            n_longer -= 1
        x = ordered[first[by_length[:n_longer]] + n - 1]
        share = np.minimum(factors, n) / n
        means[1:, :n_longer] = (1.0 - share) * means[1:, :n_longer] + share * x * means[:-1, :n_longer]
    products = np.empty(len(count))
    products[by_length] = means[k]
    return products
