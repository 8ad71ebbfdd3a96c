"""Rogan-Gladen: the true rate from a judge's rate, its sensitivity and its specificity."""

from __future__ import annotations

import math

from ..intervals.closed_forms import normal_quantile
from ..statistic import Statistic, defined, undefined


def rogan_gladen(
    judge_rate: float,
    n_judged: int,
    *,
    true_positives: int,
    positives: int,
    true_negatives: int,
    negatives: int,
    level: float = 0.95,
) -> Statistic:
    """Correct a judge's rate by its error rates; right when the labelled items were chosen by class, or elsewhere.

    Source: Rogan and Gladen 1978; interval of Lang and Reiczigel 2014.

    Args:
        judge_rate: Share the judge passes among the unlabelled.
        n_judged: How many unlabelled items.
        true_positives: Passed by the judge, of the right ones among the labelled.
        positives: Right ones among the labelled.
        true_negatives: Failed by the judge, of the wrong ones among the labelled.
        negatives: Wrong ones among the labelled.
        level: Nominal coverage.

    Returns:
        The rate, clipped to [0, 1]; undefined when sensitivity + specificity is not above 1, raw or smoothed, for then
        the judge's rate says nothing of the true one, and when a class or the unlabelled items are missing.
    """
    n = positives + negatives
    if not positives or not negatives or not n_judged:
        return undefined("needs labelled items of both classes, and unlabelled items", n=n, level=level)
    sensitivity, specificity = true_positives / positives, true_negatives / negatives
    z = normal_quantile(level)
    # Lang and Reiczigel's smoothing: z^2 judged items, half of them passed; one success and one failure per class.
    judged = n_judged + z * z
    rate = (n_judged * judge_rate + z * z / 2) / judged
    smooth_se = (true_positives + 1) / (positives + 2)
    smooth_sp = (true_negatives + 1) / (negatives + 2)
    youden, smooth_youden = sensitivity + specificity - 1, smooth_se + smooth_sp - 1
    if youden <= 0 or smooth_youden <= 0:
        return undefined(
            "the judge is no better than chance: sensitivity + specificity is at most 1", n=n, level=level
        )
    value = _clip((judge_rate + specificity - 1) / youden)
    smooth = _clip((rate + smooth_sp - 1) / smooth_youden)
    spread_se = smooth_se * (1 - smooth_se) / (positives + 2)
    spread_sp = smooth_sp * (1 - smooth_sp) / (negatives + 2)
    shift = 2 * z * z * (smooth * spread_se - (1 - smooth) * spread_sp)
    variance = rate * (1 - rate) / judged + (1 - smooth) ** 2 * spread_sp + smooth**2 * spread_se
    half = z * math.sqrt(variance) / smooth_youden
    interval = _clip(smooth + shift - half), _clip(smooth + shift + half)
    return defined(value, interval, n=n, method="Lang-Reiczigel", level=level)


def _clip(share: float) -> float:
    return min(1.0, max(0.0, share))
