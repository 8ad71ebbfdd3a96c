"""Estimates from binary verdicts: post-stratified, and Rogan and Gladen's."""

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
    """Return the mean label of passed and of failed items, weighted by the judge's pass rate.

    The pass rate is that of the unlabelled items. Undefined when one group has no labelled item.

    With ``score`` independent items have a ``logit`` interval, as published; clustered items have Wilson's.

    Source: the efficient estimator of arXiv 2601.05420, for a judge of two verdicts.
    """
    if data.too_few:
        return undefined(data.too_few, n=len(data.label), level=level)
    passed, others = reaches(data.score, pass_at), (reaches(data.unlabelled, pass_at)).astype(np.float64)
    rate = weighted_mean(others, data.unlabelled_weight)
    if passed.all() or not passed.any():
        only = "passed" if passed.all() else "failed"
        return undefined(f"the judge {only} every labelled item", n=len(data.label), level=level)
    sides, weight = (~passed, passed), data.label_weight
    parts = [None if weight is None else weight[side] for side in sides]
    means = [weighted_mean(data.label[side], part) for side, part in zip(sides, parts, strict=True)]
    value = (1 - rate) * means[0] + rate * means[1]
    of_labels = np.zeros(len(passed))
    for side, part, share in zip(sides, parts, (1 - rate, rate), strict=True):
        of_labels[side] = share * mean_influence(data.label[side], part)
    of_others = mean_influence(others, data.unlabelled_weight)
    influence: tuple[FloatArray, FloatArray] = of_labels, (means[1] - means[0]) * of_others
    if interval == "score" and data.clustered:
        return with_score_interval(value, influence, data, level, slope_fitted=True)
    error = standard_error(data, influence, clustered=interval != "wald", fitted=0)
    return with_interval(value, error, interval, data, level)


def rogan_gladen_of(data: LabelledAndJudged, pass_at: float, level: float) -> Statistic:
    """Return the Rogan-Gladen estimate; its interval takes items as independent.

    With weights each rate has the rows' effective number over clusters.
    """
    if data.too_few:
        return undefined(data.too_few, n=len(data.label), level=level)
    if not np.isin(data.label, (0.0, 1.0)).all():
        return undefined(
            "labels are fractions; sensitivity and specificity need 0 and 1", n=len(data.label), level=level
        )
    right, passed = data.label == 1.0, reaches(data.score, pass_at)
    if data.label_weight is not None:
        return _weighted_rogan_gladen(data, pass_at, level)
    clusters = np.concatenate([data.label_cluster, data.unlabelled_cluster])
    corrected = rogan_gladen(
        float((reaches(data.unlabelled, pass_at)).mean()),
        len(data.unlabelled),
        true_positives=int((right & passed).sum()),
        positives=int(right.sum()),
        true_negatives=int((~right & ~passed).sum()),
        negatives=int((~right).sum()),
        level=level,
    )
    if corrected.value is None or clusters_in(clusters) == len(clusters):
        return corrected
    return msgspec.structs.replace(corrected, method=f"{corrected.method}, items taken as independent")


def _weighted_rogan_gladen(data: LabelledAndJudged, pass_at: float, level: float) -> Statistic:
    right, passed, others = data.label == 1.0, reaches(data.score, pass_at), data.unlabelled
    if right.all() or not right.any() or not len(others):
        return rogan_gladen(0.0, 0, true_positives=0, positives=0, true_negatives=0, negatives=0, level=level)
    assert data.label_weight is not None
    assert data.unlabelled_weight is not None
    sensitivity, positives = _effective_rate(
        passed[right], data.label_cluster[right], data.label_weight[right], level
    )
    specificity, negatives = _effective_rate(
        ~passed[~right], data.label_cluster[~right], data.label_weight[~right], level
    )
    rate, judged = _effective_rate(
        reaches(others, pass_at), data.unlabelled_cluster, data.unlabelled_weight, level
    )
    corrected = rogan_gladen(
        rate,
        judged,
        true_positives=sensitivity * positives,
        positives=positives,
        true_negatives=specificity * negatives,
        negatives=negatives,
        level=level,
    )
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
    worse: tuple[float, float] = (0.0, 0.0),
    level: float = 0.95,
) -> Statistic:
    """Correct a judge's rate by its error rates, clipped to [0, 1].

    Valid even when the labelled items were chosen by class, or come from elsewhere. Undefined when
    sensitivity + specificity, raw or smoothed, is at most 1, since the judge's rate is then uninformative,
    and when a class or the unlabelled items are missing. ``worse`` holds the amounts by which sensitivity and
    specificity are lower on the judged items.

    Source: Rogan and Gladen 1978; interval of Lang and Reiczigel 2014.
    """
    n = round(positives + negatives)
    if not positives or not negatives or not n_judged:
        return undefined("needs labelled items of both classes, and unlabelled items", n=n, level=level)
    sensitivity, specificity = true_positives / positives - worse[0], true_negatives / negatives - worse[1]
    z = normal_quantile(level)
    # Lang and Reiczigel's smoothing adds z^2 judged items, half of them passed, and one success and one failure
    # per class.
    judged = n_judged + z * z
    rate = (n_judged * judge_rate + z * z / 2) / judged
    smooth_se = (true_positives + 1) / (positives + 2)
    smooth_sp = (true_negatives + 1) / (negatives + 2)
    spread_se = smooth_se * (1 - smooth_se) / (positives + 2)
    spread_sp = smooth_sp * (1 - smooth_sp) / (negatives + 2)
    smooth_se, smooth_sp = smooth_se - worse[0], smooth_sp - worse[1]
    youden, smooth_youden = sensitivity + specificity - 1, smooth_se + smooth_sp - 1
    if youden <= 0 or smooth_youden <= 0:
        return undefined(
            "the judge is no better than chance: sensitivity + specificity is at most 1", n=n, level=level
        )
    value = _clip((judge_rate + specificity - 1) / youden)
    smooth = _clip((rate + smooth_sp - 1) / smooth_youden)
    shift = 2 * z * z * (smooth * spread_se - (1 - smooth) * spread_sp)
    variance = rate * (1 - rate) / judged + (1 - smooth) ** 2 * spread_sp + smooth**2 * spread_se
    half = z * math.sqrt(variance) / smooth_youden
    interval = _clip(smooth + shift - half), _clip(smooth + shift + half)
    return defined(value, interval, n=n, method="Lang-Reiczigel", level=level)


def _clip(share: float) -> float:
    return min(1.0, max(0.0, share))
