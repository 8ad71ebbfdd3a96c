"""Reliability of probabilities: bins, losses against the base rate, slope, risk by coverage."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from ...records.made_scores import reaches
from ..arrays import BoolArray, FloatArray, IntArray, clusters_in
from ..intervals.closed_forms import t_interval
from ..intervals.clustered_means import mean_of
from ..intervals.clustered_rates import share_of
from ..intervals.variance import cluster_error
from ..statistic import Statistic, defined, undefined
from ..statistics.probabilities import equal_mass_groups
from ..thresholds.certified_thresholds import coverage_thresholds
from .diagnosis_results import CoverageStep, ReliabilityBin

_BINS = 10
"""Maximum number of bins of a reliability curve."""

_NEWTON_STEPS, _CONVERGED = 100, 1e-12
"""Limits of Newton's method: number of steps, and the relative size of a step below which it has converged."""

_MIN_CLUSTERS = 2
"""Minimum number of clusters for a standard error."""


def reliability_bins(
    p: FloatArray, right: BoolArray, cluster: IntArray, *, level: float = 0.95
) -> list[ReliabilityBin]:
    """Return the mean probability and the rate of right rows in ten bins of equal mass.

    Equal probabilities share a bin, so there may be fewer.
    """
    if not len(p):
        return []
    values, value_of_row, counts = np.unique(p, return_inverse=True, return_counts=True)
    if len(values) <= _BINS:
        group = value_of_row
    else:
        group = equal_mass_groups(values, counts.astype(np.float64), _BINS)[value_of_row]
    bins: list[ReliabilityBin] = []
    for number in range(int(group.max()) + 1):
        rows = group == number
        rate = share_of(right[rows].astype(np.float64), cluster[rows], level=level)
        scores = p[rows]
        bins.append(
            ReliabilityBin(
                n=int(rows.sum()),
                low=float(scores.min()),
                high=float(scores.max()),
                mean=float(scores.mean()),
                rate=rate,
            )
        )
    return bins


def losses(
    p: FloatArray, right: BoolArray, cluster: IntArray, *, level: float = 0.95
) -> dict[str, Statistic]:
    """Return losses of probabilities, and their gains over the base rate as a constant.

    The base rate is that of the rows. It minimises both losses, so to first order its error adds nothing to the
    intervals.
    """
    outcome = right.astype(np.float64)
    n, rate = len(p), float(outcome.mean()) if len(p) else math.nan
    squared, constant = (p - outcome) ** 2, (rate - outcome) ** 2
    statistics = {
        "mean_p": mean_of(p, cluster, level=level, least=0.0),
        "calibration_in_the_large": mean_of(p - outcome, cluster, level=level),
        "brier": mean_of(squared, cluster, level=level, least=0.0),
        "brier_of_base_rate": defined(float(constant.mean()), n=n, method="of the rows' rate", level=level),
        "brier_gain": mean_of(constant - squared, cluster, level=level),
    }
    p_of_outcome = np.where(right, p, 1 - p)
    n_infinite = int((p_of_outcome <= 0).sum())
    if n_infinite:
        why = f"infinite: {n_infinite:,} {'row has' if n_infinite == 1 else 'rows have'} a probability of 0 or 1 and the opposite label"
        return (
            statistics
            | {name: undefined(why, n=n, level=level) for name in ("log_loss", "log_loss_gain")}
            | {"log_loss_of_base_rate": _entropy(rate, n, level)}
        )
    log_loss: FloatArray = -np.log(p_of_outcome)
    gain = _entropy_of_rows(rate, right) - log_loss
    return statistics | {
        "log_loss": _mean(log_loss, cluster, level),
        "log_loss_of_base_rate": _entropy(rate, n, level),
        "log_loss_gain": _mean(gain, cluster, level),
    }


def _entropy_of_rows(rate: float, right: BoolArray) -> FloatArray:
    """Return each row's log loss if the probability is a constant ``rate``."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(np.where(right, rate, 1 - rate)), dtype=np.float64)


def _entropy(rate: float, n: int, level: float) -> Statistic:
    """Return the mean log loss if the probability is the constant ``rate`` of the rows."""
    value = float(special.entr(rate) + special.entr(1 - rate))
    return defined(value, n=n, method="of the rows' rate", level=level)


def _mean(values: FloatArray, cluster: IntArray, level: float) -> Statistic:
    """Return the mean of unbounded values with a cluster-t interval."""
    n, clusters, mean = len(values), clusters_in(cluster), float(values.mean())
    if clusters < _MIN_CLUSTERS:
        return defined(mean, n=n, method="cluster-t: no interval from a single cluster", level=level)
    ends = t_interval(mean, cluster_error((values - mean) / n, cluster), clusters, level)
    return defined(mean, ends, n=n, method="cluster-t", level=level)


def calibration_slope(
    p: FloatArray, right: BoolArray, cluster: IntArray, *, level: float = 0.95
) -> dict[str, Statistic]:
    """Return slope and intercept of a logistic regression of the outcome on the log-odds of p.

    A slope below 1 means that probabilities are too extreme, above 1 that they are too timid. Rows with a
    probability of 0 or 1, whose log-odds are infinite, are left out and do not count in ``n``.

    Source: Cox 1958.
    """
    inside = (p > 0) & (p < 1)
    p, outcome, cluster = p[inside], right[inside].astype(np.float64), cluster[inside]
    n, names = len(p), ("slope", "intercept")
    why = None
    if len(np.unique(outcome)) < 2:  # noqa: PLR2004 - both classes
        why = "it needs rows of both classes with a probability inside (0, 1)"
    elif len(np.unique(p)) < 2:  # noqa: PLR2004 - no line through one point
        why = "all probabilities are equal"
    elif clusters_in(cluster) < _MIN_CLUSTERS:
        why = "there is a single cluster"
    fit = None if why else _logistic(special.logit(p), outcome)
    if fit is None:
        why = why or "a cut of the probabilities separates the classes, so that the slope is infinite"
        return {name: undefined(why, n=n, level=level) for name in names}
    weights, influence = fit
    clusters = clusters_in(cluster)
    return {
        name: defined(
            float(weights[index]),
            t_interval(float(weights[index]), cluster_error(influence[index], cluster), clusters, level),
            n=n,
            method="logistic regression on log-odds, cluster-t",
            level=level,
        )
        for index, name in enumerate(names)
    }


def _logistic(x: FloatArray, outcome: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Fit slope and intercept by Newton's method.

    Return them with each row's influence on them, or None if the likelihood has no maximum.
    """
    design = np.stack([x, np.ones(len(x))])
    weights = np.zeros(2)
    for _ in range(_NEWTON_STEPS):
        rate = special.expit(weights @ design)
        curvature = (design * rate * (1 - rate)) @ design.T
        # Slopes that grow without bound make all rates 0 or 1, and the curvature singular.
        if np.linalg.cond(curvature) > 1 / _CONVERGED:
            return None
        step = np.linalg.solve(curvature, design @ (outcome - rate))
        # Steps are bounded, so that a few rows far from the rest do not make the fit diverge.
        weights = weights + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < _CONVERGED * max(1.0, float(np.abs(weights).max())):
            rate = special.expit(weights @ design)
            influence: FloatArray = np.linalg.solve(curvature, design * (outcome - rate)).astype(np.float64)
            return weights, influence
    return None


def risk_by_coverage(
    confidence: FloatArray, wrong: BoolArray, cluster: IntArray, *, level: float = 0.95
) -> list[CoverageStep]:
    """Return the error rate of the most confident 10, 20 ... 100 % of verdicts.

    Equal confidences are kept together, so that a step may keep more. The steps are those that a certificate
    tries (`certify_threshold`).
    """
    steps: list[CoverageStep] = []
    for threshold in coverage_thresholds(confidence):
        keep = reaches(confidence, threshold)
        steps.append(
            CoverageStep(
                threshold=threshold,
                n=int(keep.sum()),
                coverage=float(keep.mean()),
                errors=int((keep & wrong).sum()),
                risk=share_of(wrong[keep].astype(np.float64), cluster[keep], level=level),
            )
        )
    return steps
