"""Maps from a judge's scores to rates, and their gain on held-out items."""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize, special

from ..arrays import FloatArray, IntArray, folds_of
from ..intervals.clustered_means import mean_of
from ..statistic import undefined
from .threshold_results import Curve, Recalibration, Recalibrator, Sigmoid

_MAX_STEPS = 100
"""Maximum number of steps of Newton's method."""

_CONVERGED = 1e-12
"""Size of a step below which Newton's method has converged."""

_RIDGE = 1e-9
"""Penalty that keeps the curvature invertible."""


def isotonic(score: FloatArray, outcome: FloatArray) -> Curve:
    """Fit the increasing step function nearest to the outcomes, as a curve through its steps.

    Source: Ayer et al. 1955 (pool adjacent violators); for probabilities Zadrozny and Elkan 2002.
    """
    values, value_of_row = np.unique(score, return_inverse=True)
    count = np.bincount(value_of_row).astype(np.float64)
    mean = np.bincount(value_of_row, weights=outcome) / count
    rate: FloatArray = optimize.isotonic_regression(mean, weights=count).x
    # Knots are the ends of each step; the curve is constant between them.
    is_inside_step = np.zeros(len(values), dtype=np.bool_)
    is_inside_step[1:-1] = (rate[1:-1] == rate[:-2]) & (rate[1:-1] == rate[2:])
    return Curve(values[~is_inside_step].tolist(), rate[~is_inside_step].tolist())


def platt(score: FloatArray, outcome: FloatArray) -> Sigmoid:
    """Fit a logistic regression of the outcome on the score, with targets inside (0, 1).

    With ``r`` right and ``w`` wrong items the targets are ``(r + 1) / (r + 2)`` and ``1 / (w + 2)``.

    Source: Platt 1999.
    """
    right = float(outcome.sum())
    wrong = len(outcome) - right
    target: FloatArray = np.where(outcome == 1, (right + 1) / (right + 2), 1 / (wrong + 2))
    design = np.stack([score - score.mean(), np.ones(len(score))])
    weights = np.array([0.0, _log_odds(float(target.mean()))])
    for _ in range(_MAX_STEPS):
        rate = special.expit(weights @ design)
        curvature = (design * rate * (1 - rate)) @ design.T + _RIDGE * np.eye(2)
        step = np.linalg.solve(curvature, design @ (target - rate))
        weights = weights + step
        if np.abs(step).max() < _CONVERGED:
            break
    # Scores were centred for the fit.
    slope, intercept_at_mean = weights.tolist()
    return Sigmoid(slope, intercept_at_mean - slope * float(score.mean()))


def recalibrate(
    outcome: FloatArray, score: FloatArray, cluster: IntArray, *, method: Recalibrator, level: float = 0.95
) -> Recalibration:
    """Map scores in [0, 1] to rates, cross-fitted; undefined with fewer than two clusters.

    Scores of each tenth of the clusters are mapped by a map fitted to the others. Outcomes are 1 for right and 0 for
    wrong. ``isotonic`` fits any increasing map and needs hundreds of labels; ``platt`` fits two numbers.
    """
    fit = isotonic if method == "isotonic" else platt
    fold, folds = folds_of(cluster) if len(cluster) else (cluster, 0)
    if folds < 2:  # noqa: PLR2004 - nothing could be held out
        nothing = undefined(
            "there are not two clusters, so no map can be tried on others", n=len(score), level=level
        )
        return Recalibration(method, nothing, nothing, nothing, None)
    mapped = np.empty(len(score))
    for index in range(folds):
        mapped[fold == index] = fit(score[fold != index], outcome[fold != index])(score[fold == index])
    before_loss, after_loss = (score - outcome) ** 2, (mapped - outcome) ** 2
    return Recalibration(
        method,
        mean_of(before_loss, cluster, level=level, least=0.0),
        mean_of(after_loss, cluster, level=level, least=0.0),
        mean_of(after_loss - before_loss, cluster, level=level),
        fit(score, outcome),
    )


def _log_odds(rate: float) -> float:
    return math.log(rate / (1 - rate))
