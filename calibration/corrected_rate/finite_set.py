"""Estimates of the mean of a finite set of items, rather than of the population behind them.

Only the choice of labelled items is random. Estimates are valid if these were drawn one by one with equal
chances. Clusters do not matter then: dependence between items is a property of the set, not an error.

Source: Cochran 1977, chapters 2 (finite population correction), 5A (stratification afterwards) and 7
(difference estimator).
"""

from __future__ import annotations

import math

import numpy as np

from ...records.made_scores import reaches
from ..arrays import FloatArray
from ..intervals.closed_forms import wald_interval, wilson_interval
from ..statistic import Statistic, defined, undefined
from .estimators import LabelledAndJudged
from .rate_interval import RateInterval, effective_n_interval, rate_interval


def finite_labels_only(label: FloatArray, size: int, *, level: float = 0.95) -> Statistic:
    """Estimate the mean of ``size`` items from labels alone; exact when all items have one.

    Wilson's interval on ``n / (1 - n / size)`` trials for 0/1 labels, Wald for fractions.
    """
    n = len(label)
    if not n:
        return undefined("no item has a label", n=0, level=level)
    value = float(label.mean())
    if n == size:
        return defined(value, (value, value), n=n, method="every item is labelled", level=level)
    if np.isin(label, (0.0, 1.0)).all():
        ends = wilson_interval(value, n / (1 - n / size), level)
        return defined(value, ends, n=n, method="Wilson, finite set", level=level)
    error = math.sqrt((1 - n / size) * float(label.var(ddof=1)) / n) if n > 1 else math.nan
    return defined(value, wald_interval(value, error, level), n=n, method="Wald, finite set", level=level)


def finite_prediction_powered(
    data: LabelledAndJudged, weight: float, *, interval: RateInterval = "score", level: float = 0.95
) -> Statistic:
    """Return PPI++ with this weight (lambda) for a finite set.

    The value is the same as for a population; the interval is shorter, on each of the three scales.

    With ``N`` unlabelled and ``M`` items in all, ``weight * mean(unlabelled) + mean(label - weight * score)``
    is a constant plus ``mean(label - weight * M / N * score)`` over the labelled.
    """
    n = len(data.label)
    if data.too_few:
        return undefined(data.too_few, n=n, level=level)
    size = n + len(data.unlabelled)
    value = weight * float(data.unlabelled.mean()) + float((data.label - weight * data.score).mean())
    residual = data.label - weight * size / len(data.unlabelled) * data.score
    # A tuned lambda takes one degree of freedom.
    is_tuned = interval == "score" and weight not in {0.0, 1.0}
    squares = float(((residual - residual.mean()) ** 2).sum())
    error = math.sqrt((1 - n / size) * squares / max(1, n - 1 - is_tuned) / n)
    if interval != "score":
        return _with_interval(value, error, data, interval, level)
    share = min(1.0, max(0.0, value))
    ends = effective_n_interval(share, error, n / (1 - n / size), level)
    return defined(share, ends, n=n, method="Wilson on the effective n, finite set", level=level)


def finite_post_stratified(
    data: LabelledAndJudged, *, pass_at: float = 0.5, interval: RateInterval = "score", level: float = 0.95
) -> Statistic:
    """Return the mean label of items that the judge passes and fails, weighted by their shares.

    Undefined with fewer than two labels in one group.
    """
    n = len(data.label)
    if data.too_few:
        return undefined(data.too_few, n=n, level=level)
    labelled_passed, unlabelled_passed = reaches(data.score, pass_at), reaches(data.unlabelled, pass_at)
    size, value, variance = n + len(unlabelled_passed), 0.0, 0.0
    for labelled, unlabelled in (
        (labelled_passed, unlabelled_passed),
        (~labelled_passed, ~unlabelled_passed),
    ):
        stratum_size, labels = int(labelled.sum() + unlabelled.sum()), data.label[labelled]
        if not stratum_size:
            continue
        if len(labels) < 2:  # noqa: PLR2004 - a variance needs two
            return undefined("the judge passes, or fails, fewer than two labelled items", n=n, level=level)
        share = stratum_size / size
        value += share * float(labels.mean())
        variance += share**2 * (1 - len(labels) / stratum_size) * float(labels.var(ddof=1)) / len(labels)
    return _with_interval(value, math.sqrt(variance), data, interval, level)


def _with_interval(
    value: float, error: float, data: LabelledAndJudged, interval: RateInterval, level: float
) -> Statistic:
    n = len(data.label)
    if error == 0.0 and 0.0 <= value <= 1.0:
        # A few equal labels do not prove that there is no variation: use the interval of labels alone.
        ends = wilson_interval(value, n / (1 - n / (n + len(data.unlabelled))), level)
        return defined(value, ends, n=n, method="Wilson, finite set", level=level)
    ends, method = rate_interval(value, error, interval, level)
    return defined(value, ends, n=n, method=f"{method}, finite set", level=level)
