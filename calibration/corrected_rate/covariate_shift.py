"""Rate corrected with labels that depend on known covariates, such as length or category."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit, stdtr

from ...errors import InputError
from ...spelling import spelled_pairs
from ..arrays import BoolArray, FloatArray, IntArray, clusters_in
from ..intervals.variance import cluster_error
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import COVARIATE, Table
from .rate_interval import effective_n_interval

MIN_EFFECTIVE = 20.0
"""Minimum effective number of weighted labels."""

_MAX_WEIGHT = 10.0
"""Largest weight of a label, as a multiple of its weight in a random sample."""

_MAX_STEPS = 50
"""Maximum number of steps of Newton's method."""

_CONVERGED = 1e-10
"""Size of a step below which Newton's method has converged."""

_RIDGE = 1e-6
"""Penalty on squared slopes; without it they diverge if a covariate determines which items have labels."""

_ALARM = 0.01
"""Significance level of the test that labelled items are scored like the others."""


class ShiftedLabels(NamedTuple):
    """Judged items with covariates, which alone decide whether an item has a label.

    Attributes:
        label: Trusted values, shape ``(M,)``; NaN where there is none.
        score: The judge's scores, shape ``(M,)``.
        covariates: Shape ``(M, q)``, the first column all 1.
        cluster: Cluster number, shape ``(M,)``.
        missing: Values of a category for which no item has a label.
    """

    label: FloatArray
    score: FloatArray
    covariates: FloatArray
    cluster: IntArray
    missing: Sequence[str] = ()


def shifted_labels(table: Table, by: Sequence[str]) -> ShiftedLabels:
    """Return the judged rows of a table with their covariates.

    A numeric covariate enters with its square, a category as indicators of all values but one.

    Raises:
        InputError: There is no such column, or a judged row has no value in it.
    """
    table = table.take(np.isfinite(table.score))
    labelled = np.isfinite(table.label)
    design, missing = [np.ones((len(table), 1))], list[str]()
    for name in by:
        columns, unlabelled = _covariate(table, name, labelled)
        design.append(columns)
        missing += unlabelled
    return ShiftedLabels(table.label, table.score, np.hstack(design), table.cluster, missing)


def _covariate(table: Table, name: str, labelled: BoolArray) -> tuple[FloatArray, list[str]]:
    """Return a covariate's columns of the design matrix, and its values without any label."""
    number = table.numbers.get(f"{COVARIATE}{name}", table.numbers.get(name))
    if number is not None:
        _require_values(table, name, np.isfinite(number))
        deviation = float(number.std())
        standardised = (number - number.mean()) / (deviation if deviation > 0 else 1.0)
        return np.stack([standardised, standardised**2], axis=1), []
    column = table.columns.get(name)
    if column is None:
        raise InputError(
            f"the table has no column {name!r} to weight by; {table.strata()}. A column of numbers needs {spelled_pairs('map', {f'{COVARIATE}{name}': name})}"
        )
    _require_values(table, name, column.codes >= 0)
    present = column.present()
    indicators = [rows.astype(np.float64) for _, rows in present[1:]]
    unlabelled = [f"{name} {value}" for value, rows in present if not (rows & labelled).any()]
    return np.array(indicators).reshape(len(indicators), len(table)).T, unlabelled


def _require_values(table: Table, name: str, has_value: BoolArray) -> None:
    rows_without = np.flatnonzero(~has_value)
    if len(rows_without):
        item = table.value("item_id", int(rows_without[0]))
        raise InputError(f"item {item!r} is judged but has no value in the column to weight by", field=name)


def reweighted_rate(data: ShiftedLabels, *, level: float = 0.95) -> Statistic:
    """Estimate the mean label of all judged items by PPI++ with weighted labels.

    A logistic regression estimates each item's chance to be labelled from its covariates. A label's weight is
    one over that chance, at most ten times its weight in a random sample. For a single category these are the
    weights of strata.

    The value is ``lambda * mean(score) + weighted mean(label - lambda * score)``. Its error is over clusters and
    allows for estimated weights; lambda minimises it before clusters count. Valid if items with equal
    covariates were labelled at random.

    Undefined if the effective number of labels, ``(sum w)^2 / sum w^2``, is below 20, if a value of a category
    has no label, or if labelled items are scored unlike all items even with their weights.

    Source: Angelopoulos, Duchi and Zrnic 2023; Robins, Rotnitzky and Zhao 1994 for estimated weights; Kish
    1965 for the effective number of labels.
    """
    labelled = np.isfinite(data.label)
    n = int(labelled.sum())
    if data.missing:
        return undefined(f"no labelled item has {', '.join(data.missing)}", n=n, level=level)
    if n < MIN_EFFECTIVE:
        return undefined(f"{n} labels; it takes {MIN_EFFECTIVE:.0f}", n=n, level=level)
    weighting = _weighting(data.covariates, labelled)
    effective_labels = weighting.effective_labels
    if effective_labels < MIN_EFFECTIVE:
        why = f"weighted, {n} labels are worth {effective_labels:.0f}; it takes {MIN_EFFECTIVE:.0f}"
        return undefined(why, n=n, level=level)
    label, label_influence = weighting.mean(data.label[labelled])
    score, score_influence = weighting.mean(data.score[labelled])
    mean_score = float(data.score.mean())
    gap, gap_influence = mean_score - score, (data.score - mean_score) / len(labelled) - score_influence
    labelled_cluster = data.cluster[labelled]

    def error(influence: FloatArray) -> float:
        return cluster_error(influence, data.cluster, labelled_cluster)

    if _rejects_zero(gap, error(gap_influence), effective_labels):
        return undefined("labelled items are scored unlike the others, even weighted", n=n, level=level)
    squares = float(gap_influence @ gap_influence)
    slope = -float(label_influence @ gap_influence) / squares if squares > 0 else 0.0
    slope = min(1.0, max(-1.0, slope))
    value = min(1.0, max(0.0, label + slope * gap))
    # Number of labelled clusters, lowered by the share of labels that the weights cost.
    effective_clusters = effective_labels * clusters_in(labelled_cluster) / n
    # The fitted lambda takes one degree of freedom.
    fit_penalty = math.sqrt((effective_labels - 1) / (effective_labels - 2))
    value_error = fit_penalty * error(label_influence + slope * gap_influence)
    ends = effective_n_interval(
        value, value_error, effective_clusters, level, degrees=effective_clusters - 1 - (slope != 0.0)
    )
    method = f"Wilson on the effective n; weighted labels worth {effective_labels:.0f}"
    return defined(value, ends, n=n, method=method, level=level)


class _Weighting(NamedTuple):
    """Weights of labelled items by their estimated chance to be labelled.

    Attributes:
        covariates: Covariates of all items, shape ``(M, q)``.
        labelled: Mask of the labelled items, shape ``(M,)``.
        chance: Estimated chance of each item to be labelled, shape ``(M,)``.
        inverse: Inverse of the regression's information, shape ``(q, q)``.
        weight: Weight of each labelled item, shape ``(n,)``.
    """

    covariates: FloatArray
    labelled: BoolArray
    chance: FloatArray
    inverse: FloatArray
    weight: FloatArray

    @property
    def effective_labels(self) -> float:
        return float(self.weight.sum() ** 2 / (self.weight**2).sum())

    def mean(self, values: FloatArray) -> tuple[float, FloatArray]:
        """Return the weighted mean of labelled values ``(n,)``, and the influence of each item."""
        total, chance = float(self.weight.sum()), self.chance[self.labelled]
        mean = float(self.weight @ values) / total
        label_influence = self.weight * (values - mean) / total
        # A weight at its limit does not change with the estimated chances.
        at_limit = self.weight < 1 / chance
        through_chance = np.where(at_limit, 0.0, label_influence * (1 - chance))
        slope = self.inverse @ (self.covariates[self.labelled].T @ through_chance)
        influence = -(self.labelled - self.chance) * (self.covariates @ slope)
        influence[self.labelled] += label_influence
        return mean, influence


def _weighting(covariates: FloatArray, labelled: BoolArray) -> _Weighting:
    chance, inverse = _chances(covariates, labelled)
    weight = np.minimum(1 / chance, _MAX_WEIGHT * len(labelled) / int(labelled.sum()))[labelled]
    return _Weighting(covariates, labelled, chance, inverse, weight)


def _chances(covariates: FloatArray, labelled: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Fit a logistic regression of "has a label" on covariates, by Newton's method.

    Return each item's chance to be labelled, and the inverse of the information matrix.
    """
    start = np.zeros(covariates.shape[1])
    rate = labelled.mean()
    # If every item is labelled, a huge intercept makes every chance 1.
    start[0] = math.log(rate / (1 - rate)) if rate < 1 else 1 / _RIDGE
    slope, penalty = start, np.diag([0.0, *[_RIDGE] * (len(start) - 1)])  # the intercept is not penalised
    inverse: FloatArray = np.zeros(penalty.shape)
    for _ in range(_MAX_STEPS):
        chance = expit(covariates @ slope)
        information = covariates.T * (chance * (1 - chance)) @ covariates
        inverse = np.linalg.pinv(information + penalty, hermitian=True).astype(np.float64)
        step = inverse @ (covariates.T @ (labelled - chance) - penalty @ slope)
        # No step is longer than 5 in any slope: a full one can overshoot and diverge.
        slope = slope + step * min(1.0, 5.0 / max(float(np.abs(step).max()), _CONVERGED))
        if float(np.abs(step).max()) < _CONVERGED:
            break
    return np.clip(expit(covariates @ slope), 1e-9, 1.0), inverse


def _rejects_zero(distance: float, error: float, effective_labels: float) -> bool:
    return error > 0 and float(2 * stdtr(effective_labels - 1, -abs(distance) / error)) <= _ALARM
