"""Correlation of a judge's errors on trials of one case, from labels of several of them.

The correction of pass^k and pass@k takes errors as independent from trial to trial. With a judge that misreads a
case every time, they would be far too high or too low.
"""

from __future__ import annotations

import math

import numpy as np

from .intervals.closed_forms import t_quantile
from .intervals.variance import cluster_error
from .repeated_trials import JudgeErrors, Trials
from .statistic import Statistic, defined, undefined

_MIN_CASES = 10
"""Minimum number of cases with two labelled trials, for estimating a correlation."""

_EXCLUDED_CORRELATION = 0.3
"""Correlation that the interval must exclude for a correction of several trials."""


def error_correlation(trials: Trials, errors: JudgeErrors, *, level: float = 0.95) -> Statistic:
    """Estimate the correlation of a judge's errors on trials of one case, given the labels.

    Each verdict is standardised: minus its mean given the label, in standard deviations. The correlation is the mean
    product over pairs of labelled trials of a case, with Student's interval over clusters. ``n`` is the number of
    cases with such a pair.
    """
    labelled = trials.take(trials.judged & np.isfinite(trials.label))
    mean = np.where(labelled.label == 1.0, errors.tpr, errors.fpr)
    spread = np.sqrt(mean * (1 - mean))
    scaled = np.where(spread > 0, (labelled.passed - mean) / np.where(spread > 0, spread, 1.0), 0.0)
    _, first, case, count = np.unique(
        labelled.case, return_index=True, return_inverse=True, return_counts=True
    )
    pairs = count * (count - 1) / 2
    # The sum of products over pairs: (square of the sum - sum of squares) / 2.
    products = (np.bincount(case, weights=scaled) ** 2 - np.bincount(case, weights=scaled**2)) / 2
    has_pair = pairs > 0
    cases, cluster = int(has_pair.sum()), labelled.cluster[first][has_pair]
    clusters = len(np.unique(cluster))
    if clusters < _MIN_CASES:
        why = f"{cases:,} cases have two labelled trials; it takes {_MIN_CASES}"
        return undefined(why, n=cases, level=level)
    total = float(pairs.sum())
    value = float(products[has_pair].sum()) / total
    error = cluster_error((products - value * pairs)[has_pair] / total, cluster)
    half_width = t_quantile(level, clusters - 1) * error
    ends = max(-1.0, value - half_width), min(1.0, value + half_width)
    return defined(max(-1.0, min(1.0, value)), ends, n=cases, method="cluster-t", level=level)


def why_uncorrectable(correlation: Statistic) -> str | None:
    """Return why a rate of several trials is not corrected, or None if errors seem independent."""
    if correlation.value is None or correlation.low is None or correlation.high is None:
        return (
            f"whether the judge's errors repeat within a case is not known: {correlation.undefined}; "
            "label several trials of some cases"
        )
    shown = f"{correlation.value:.2f} [{correlation.low:.2f}, {correlation.high:.2f}]"
    if correlation.low > 0.0:
        return f"the judge's errors repeat within a case (correlation {shown}), so that trials are not corrected one by one"
    if not math.isfinite(correlation.high) or correlation.high > _EXCLUDED_CORRELATION:
        return (
            f"the judge's errors may repeat within a case (correlation {shown}, which does not exclude {_EXCLUDED_CORRELATION:g}); "
            "label several trials of more cases"
        )
    return None
