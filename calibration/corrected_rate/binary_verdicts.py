"""Estimates from binary verdicts: post-stratified, and Rogan and Gladen's.

The first needs a random sample of labels. The second is also valid for labels drawn by true class.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np

from ...records.made_scores import reaches
from ..arrays import BoolArray, FloatArray, IntArray, clusters_in
from ..intervals.closed_forms import normal_quantile
from ..intervals.clustered_rates import effective_trials_of_mean
from ..intervals.variance import spread_of_rows
from ..row_weights import mean_influence, scaled, weighted_mean
from ..statistic import Statistic, defined, undefined
from .estimators import LabelledAndJudged, standard_error, with_interval, with_score_interval
from .rate_interval import RateInterval


def post_stratified(
    data: LabelledAndJudged, *, pass_at: float = 0.5, interval: RateInterval = "score", level: float = 0.95
) -> Statistic:
    """Return the mean label, post-stratified by the judge's verdict.

    The mean labels of passed and of failed items are weighted by the judge's pass rate on the unlabelled items.
    Undefined if the judge passes, or fails, every labelled item.

    With ``interval="score"`` the interval is ``logit`` for independent items, as published, and Wilson's for
    clustered ones.

    Source: the efficient estimator of arXiv 2601.05420, for a judge of two verdicts.
    """
    if data.too_few:
        return undefined(data.too_few, n=len(data.label), level=level)
    passed = reaches(data.score, pass_at)
    others_passed = reaches(data.unlabelled, pass_at).astype(np.float64)
    rate = weighted_mean(others_passed, data.unlabelled_weight)
    if passed.all() or not passed.any():
        only = "passed" if passed.all() else "failed"
        return undefined(f"the judge {only} every labelled item", n=len(data.label), level=level)
    means: list[float] = []
    label_influence = np.zeros(len(passed))
    for rows, share in ((~passed, 1 - rate), (passed, rate)):
        weight = None if data.label_weight is None else data.label_weight[rows]
        means.append(weighted_mean(data.label[rows], weight))
        label_influence[rows] = share * mean_influence(data.label[rows], weight)
    failed_mean, passed_mean = means
    value = (1 - rate) * failed_mean + rate * passed_mean
    rate_influence: FloatArray = mean_influence(others_passed, data.unlabelled_weight)
    influence = label_influence, (passed_mean - failed_mean) * rate_influence
    if interval == "score" and data.clustered:
        # Two means are fitted, as many as a mean and a slope.
        return with_score_interval(value, influence, data, level, slope_fitted=True)
    error = standard_error(data, influence, clustered=interval != "wald", fitted=0)
    return with_interval(value, error, interval, data, level)


def rogan_gladen_of(data: LabelledAndJudged, pass_at: float, level: float) -> Statistic:
    """Return the Rogan-Gladen estimate of labelled and judged items.

    Its interval takes items as independent. With weights, the n of each rate is its effective n over clusters.
    """
    if data.too_few:
        return undefined(data.too_few, n=len(data.label), level=level)
    if not np.isin(data.label, (0.0, 1.0)).all():
        return undefined(
            "labels are fractions; sensitivity and specificity need 0 and 1", n=len(data.label), level=level
        )
    if data.label_weight is not None:
        return _weighted_rogan_gladen(data, pass_at, level)
    label_passes, judge_passes = data.label == 1.0, reaches(data.score, pass_at)
    clusters = np.concatenate([data.label_cluster, data.unlabelled_cluster])
    corrected = rogan_gladen(
        float(reaches(data.unlabelled, pass_at).mean()),
        len(data.unlabelled),
        true_positives=int((label_passes & judge_passes).sum()),
        positives=int(label_passes.sum()),
        true_negatives=int((~label_passes & ~judge_passes).sum()),
        negatives=int((~label_passes).sum()),
        level=level,
    )
    if corrected.value is None or clusters_in(clusters) == len(clusters):
        return corrected
    return msgspec.structs.replace(corrected, method=f"{corrected.method}, items taken as independent")


def _weighted_rogan_gladen(data: LabelledAndJudged, pass_at: float, level: float) -> Statistic:
    label_passes, judge_passes = data.label == 1.0, reaches(data.score, pass_at)
    if label_passes.all() or not label_passes.any() or not len(data.unlabelled):
        # There is no rate to weigh. With zeros, `rogan_gladen` is undefined and says why.
        return rogan_gladen(0.0, 0, true_positives=0, positives=0, true_negatives=0, negatives=0, level=level)
    assert data.label_weight is not None
    assert data.unlabelled_weight is not None
    sensitivity, positives = _effective_rate(
        judge_passes[label_passes], data.label_cluster[label_passes], data.label_weight[label_passes], level
    )
    specificity, negatives = _effective_rate(
        ~judge_passes[~label_passes],
        data.label_cluster[~label_passes],
        data.label_weight[~label_passes],
        level,
    )
    rate, n_judged = _effective_rate(
        reaches(data.unlabelled, pass_at), data.unlabelled_cluster, data.unlabelled_weight, level
    )
    corrected = rogan_gladen(
        rate,
        n_judged,
        true_positives=sensitivity * positives,
        positives=positives,
        true_negatives=specificity * negatives,
        negatives=negatives,
        level=level,
    )
    # An undefined estimate has no method.
    method = corrected.method and f"{corrected.method} on the cluster-effective n"
    return msgspec.structs.replace(corrected, n=len(data.label), method=method)


def _effective_rate(
    passed: BoolArray, cluster: IntArray, weight: FloatArray, level: float
) -> tuple[float, float]:
    """Return a weighted rate and its effective number of trials."""
    values, weight = passed.astype(np.float64), scaled(weight)
    rate = weighted_mean(values, weight)
    return rate, effective_trials_of_mean(rate, spread_of_rows(values, cluster, weight), level)


def rogan_gladen(
    judge_rate: float,
    n_judged: float,
    *,
    true_positives: float,
    positives: float,
    true_negatives: float,
    negatives: float,
    sensitivity_drop: float = 0.0,
    specificity_drop: float = 0.0,
    level: float = 0.95,
) -> Statistic:
    """Correct a judge's rate by its error rates, clipped to [0, 1].

    Valid even when the labelled items were chosen by class, or come from elsewhere. Undefined when
    sensitivity + specificity, raw or smoothed, is at most 1, since the judge's rate is then uninformative,
    and when a class or the unlabelled items are missing. The drops are the amounts by which sensitivity and
    specificity are lower on the judged items than on the labelled ones.

    Source: Rogan and Gladen 1978; interval of Lang and Reiczigel 2014.
    """
    n = round(positives + negatives)
    if not positives or not negatives or not n_judged:
        return undefined("needs labelled items of both classes, and unlabelled items", n=n, level=level)
    sensitivity = true_positives / positives - sensitivity_drop
    specificity = true_negatives / negatives - specificity_drop
    z = normal_quantile(level)
    # Lang and Reiczigel's smoothing adds z^2 judged items, half of them passed, and one success and one failure
    # per class.
    smoothed_n = n_judged + z * z
    rate = (n_judged * judge_rate + z * z / 2) / smoothed_n
    measured_sensitivity = (true_positives + 1) / (positives + 2)
    measured_specificity = (true_negatives + 1) / (negatives + 2)
    # Drops are assumed, not estimated, so they do not enter the variances.
    sensitivity_variance = measured_sensitivity * (1 - measured_sensitivity) / (positives + 2)
    specificity_variance = measured_specificity * (1 - measured_specificity) / (negatives + 2)
    smoothed_sensitivity = measured_sensitivity - sensitivity_drop
    smoothed_specificity = measured_specificity - specificity_drop
    youden = sensitivity + specificity - 1
    smooth_youden = smoothed_sensitivity + smoothed_specificity - 1
    if youden <= 0 or smooth_youden <= 0:
        return undefined(
            "the judge is no better than chance: sensitivity + specificity is at most 1", n=n, level=level
        )
    value = _clip((judge_rate + specificity - 1) / youden)
    smooth = _clip((rate + smoothed_specificity - 1) / smooth_youden)
    shift = 2 * z * z * (smooth * sensitivity_variance - (1 - smooth) * specificity_variance)
    variance = (
        rate * (1 - rate) / smoothed_n
        + (1 - smooth) ** 2 * specificity_variance
        + smooth**2 * sensitivity_variance
    )
    half_width = z * math.sqrt(variance) / smooth_youden
    interval = _clip(smooth + shift - half_width), _clip(smooth + shift + half_width)
    return defined(value, interval, n=n, method="Lang-Reiczigel", level=level)


def _clip(share: float) -> float:
    return min(1.0, max(0.0, share))
