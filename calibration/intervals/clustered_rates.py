"""Rates and means of rows in clusters, by the effective number of independent trials.

The design effect of a cluster sample is estimated from a variance over clusters. Without errors it cannot be
observed, and with two or three the estimate is luck. So the observed effect is averaged with a default one, which
has the weight of a few errors (docs/decisions/0012).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray
from ..row_weights import scaled, weighted_mean
from ..statistic import Interval, Statistic, defined, undefined
from .closed_forms import normal_quantile, t_quantile, wilson_interval
from .variance import MIN_CLUSTERS, ClusterSpread, cluster_sums, spread_of_rows, spread_of_sums

if TYPE_CHECKING:
    from ..sample import Sample


class Prior(NamedTuple):
    """Prior on the dependence within clusters, before errors are observed.

    Attributes:
        weight: Number of errors that the prior counts as.
        correlation: Correlation of errors within clusters.
    """

    weight: float
    correlation: float


INTERVAL_PRIOR = Prior(weight=3, correlation=0.2)
"""Prior for two-sided intervals (docs/decisions/0012)."""
GUARANTEE_PRIOR = Prior(weight=8, correlation=0.3)
"""Prior for guarantees, which are one-sided and more cautious (docs/decisions/0012)."""
FRACTIONS_PRIOR = Prior(weight=1, correlation=0.0)
"""Prior for the spread of fractions (docs/decisions/0033)."""

_ROUNDING = 1e-12
"""A variance below this is rounding."""


def default_effect(cluster_size: float, prior: Prior = INTERVAL_PRIOR) -> float:
    """Return the default design effect for rows in clusters of this size."""
    return 1 + (cluster_size - 1) * prior.correlation


def observed_effect(residual: FloatArray, cluster: IntArray) -> float:
    """Return the design effect that residuals show, at least 1; 1 if all are 0.

    It is the variance of the residuals' sum over clusters, as a multiple of that of independent rows. Both arrays
    have shape ``(n,)``.
    """
    squares = float((residual**2).sum())
    return max(1.0, float((cluster_sums(residual, cluster) ** 2).sum()) / squares) if squares else 1.0


def averaged_effect(observed: float, default: float, errors: float, prior: Prior = INTERVAL_PRIOR) -> float:
    """Average the observed design effect with the default one, weighted by number of errors."""
    return (errors * observed + prior.weight * default) / (errors + prior.weight)


def informative_errors(errors: float, cluster_size: float) -> float:
    """Return the effective number of errors that inform an interval's design effect.

    Errors in the same cluster are not independent observations of the dependence within clusters.
    """
    return errors / math.sqrt(default_effect(cluster_size))


def effective_trials(
    spread: ClusterSpread,
    errors: float,
    row_variance: float,
    *,
    prior: Prior = INTERVAL_PRIOR,
    student: float = 1.0,
) -> float:
    """Return the effective number of independent trials of rows in clusters.

    It is the number of rows over the design effect, or 1 for a single cluster. The design effect averages two: that
    of the prior, ``1 + (m - 1) * correlation`` for clusters of ``m`` rows, and that of the jackknife, at least 1.
    The latter is multiplied by the square of Student's quantile over the normal one, since few clusters estimate
    their spread badly.

    Source: Korn and Graubard 1998, except for the prior (docs/decisions/0012).

    Args:
        spread: Spread of the rate, over clusters.
        errors: Number of rows with the rarer result: the weight of the observed design effect.
        row_variance: Variance of one row's result.
        prior: Assumed dependence before errors are observed.
        student: Student's quantile over the normal one, at the level of the interval.
    """
    if spread.clusters == spread.trials:
        return spread.trials
    if spread.clusters < MIN_CLUSTERS:
        return 1.0
    default = default_effect(spread.cluster_size, prior)
    if row_variance <= 0.0:
        return spread.trials / default
    observed = max(1.0, spread.jackknife**2 * spread.trials / row_variance)
    return spread.trials / averaged_effect(observed * student**2, default, errors, prior)


def unseen_share(sample: Sample, level: float) -> float:
    """Return Wilson's upper bound for the population share of rows that the sample lacks."""
    rows = np.asarray(sample.groups.sum(axis=1), dtype=np.float64)
    spread = spread_of_sums(np.zeros_like(rows), rows, sample.sizes)
    return wilson_interval(0.0, effective_trials(spread, 0.0, 0.0), level)[1]


def clustered_wilson_interval(
    share: float, spread: ClusterSpread, level: float = 0.95, *, between: float = 0.0
) -> tuple[Interval, str]:
    """Compute Wilson's interval on the rows' effective number of trials, and its name.

    The estimate is a mean of scores in [0, 1], or a rate. ``between``, the mean of ``score (1 - score)``, is 0 for a
    rate and above 0 for scores between 0 and 1.
    """
    if spread.clusters != spread.trials:
        name = "Wilson on the cluster-effective n"
    else:
        name = "Wilson on the effective n" if between else "Wilson"
    return wilson_interval(
        share, effective_trials_of_mean(share, spread, level, between=between), level
    ), name


def effective_trials_of_mean(
    share: float, spread: ClusterSpread, level: float, *, between: float = 0.0
) -> float:
    """Return the effective number of trials for the interval of a mean of scores in [0, 1].

    Args:
        share: The mean.
        spread: Its spread over clusters.
        level: Nominal coverage.
        between: Mean of ``score (1 - score)``: the amount by which the variance of fractions is below that of
            0/1 scores with the same mean.
    """
    errors = informative_errors(spread.trials * min(share, 1 - share), spread.cluster_size)
    max_variance = share * (1 - share)
    row_variance = max_variance - between if max_variance - between > _ROUNDING else 0.0
    trials = effective_trials(spread, errors, row_variance, student=student_ratio(level, spread.degrees))
    if not between or spread.clusters < MIN_CLUSTERS:
        return trials
    rows = spread.trials
    observed = row_variance / max_variance * rows / (rows - 1) * student_ratio(level, rows - 1) ** 2
    # Fractions cannot vary more than 0/1 scores with the same mean.
    return trials / min(1.0, averaged_effect(observed, 1.0, errors, FRACTIONS_PRIOR))


def share_of(
    scores: FloatArray, cluster: IntArray, weight: FloatArray | None = None, *, level: float = 0.95
) -> Statistic:
    """Return the mean of ``(n,)`` scores in [0, 1], with its `clustered_wilson_interval`.

    The mean of 0/1 scores is a share. With weights it is the weighted mean, on the effective number of rows.
    Undefined without rows.
    """
    if not len(scores):
        return undefined("no row was graded", n=0, level=level)
    weight = None if weight is None else scaled(weight)
    share = weighted_mean(scores, weight)
    between = weighted_mean(scores * (1 - scores), weight)
    spread = spread_of_rows(scores, cluster, weight)
    ends, method = clustered_wilson_interval(share, spread, level, between=between)
    return defined(share, ends, n=len(scores), method=method, level=level)


def certified_rate(passed: FloatArray, cluster: IntArray, *, level: float = 0.95) -> Statistic:
    """Return a share of ``(n,)`` 0/1 rows, with a one-sided lower bound; ``high`` is 1.

    The bound is Clopper and Pearson's on the effective number of trials. Errors cluster, too, so their weight
    against the prior is their number over the default design effect.
    """
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import; rates over independent cases do not need it

    if not len(passed):
        return undefined("no row is in the denominator", n=0, level=level)
    share, spread = float(passed.mean()), spread_of_rows(passed, cluster)
    # The quantiles are two-sided, so a one-sided level of 95 % needs those of 90 %.
    student = student_ratio(2 * level - 1, spread.clusters - 1)
    errors = spread.trials * (1 - share) / default_effect(spread.cluster_size, GUARANTEE_PRIOR)
    trials = effective_trials(spread, errors, share * (1 - share), prior=GUARANTEE_PRIOR, student=student)
    successes = share * trials
    low = 0.0 if share == 0.0 else float(betaincinv(successes, trials - successes + 1, 1 - level))
    method = "Clopper-Pearson on the cluster-effective n, one-sided"
    return Statistic(value=share, low=low, high=1.0, level=level, method=method, n=len(passed))


def student_ratio(level: float, degrees: float) -> float:
    """Return the ratio of Student's quantile to the normal one.

    It is 1 without degrees of freedom, as in a single cluster.
    """
    return t_quantile(level, degrees) / normal_quantile(level) if degrees > 0 else 1.0
