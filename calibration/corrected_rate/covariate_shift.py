"""Rate corrected with labels whose items differ from the rest by known covariates.

Such covariates are length and category.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit, stdtr

from ...errors import InputError
from ..arrays import BoolArray, FloatArray, IntArray, clusters_in
from ..intervals.variance import cluster_error
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import COVARIATE, Table
from .rate_interval import effective_n_interval

FEWEST_EFFECTIVE = 20.0
"""Least effective number of weighted labels."""

_MOST_WEIGHT = 10.0
"""Largest weight of a label, as a multiple of its weight in a random sample."""

_STEPS = 50
_CLOSE = 1e-10
_RIDGE = 1e-6
_ALARM = 0.01


class ShiftedLabels(NamedTuple):
    """Judged items, some of which have a label; which of them depends on covariates alone.

    Attributes:
        label: Trusted values, shape ``(M,)``; NaN where there is none.
        score: The judge's scores, shape ``(M,)``.
        covariates: Shape ``(M, q)``, the first column all 1.
        cluster: Cluster number, shape ``(M,)``.
        missing: Values of a category on which no item has a label.
    """

    label: FloatArray
    score: FloatArray
    covariates: FloatArray
    cluster: IntArray
    missing: Sequence[str] = ()


def shifted_labels(table: Table, by: Sequence[str]) -> ShiftedLabels:
    """Return the judged rows of a table with their covariates.

    A covariate of many values is a number, and its square is one more.

    Raises:
        InputError: There is no such column, or a judged row has no value in it.
    """
    table = table.take(np.isfinite(table.score))
    labelled = np.isfinite(table.label)
    design, missing = [np.ones((len(table), 1))], list[str]()
    for name in by:
        number = table.numbers.get(f"{COVARIATE}{name}", table.numbers.get(name))
        column = table.columns.get(name)
        if number is None and column is None:
            raise InputError(
                f"the table has no column {name!r} to weight by; {table.slices()}. A column of numbers needs --map {COVARIATE}{name}={name}"
            )
        absent = np.flatnonzero(np.isnan(number) if number is not None else column.codes < 0)  # pyright: ignore[reportOptionalMemberAccess] - one of them is there
        if len(absent):
            item = table.value("item_id", int(absent[0]))
            raise InputError(
                f"item {item!r} is judged but has no value in the column to weight by", field=name
            )
        if number is not None:
            spread = float(number.std())
            scaled = (number - number.mean()) / (spread if spread > 0 else 1.0)
            design.append(np.stack([scaled, scaled**2], axis=1))
        elif column is not None:
            present = [(value, rows) for value, rows in column.present()]
            missing += [f"{name} {value}" for value, rows in present if not (rows & labelled).any()]
            design += [rows[:, None].astype(np.float64) for _, rows in present[1:]]
    return ShiftedLabels(table.label, table.score, np.hstack(design), table.cluster, missing)


def reweighted_rate(data: ShiftedLabels, *, level: float = 0.95) -> Statistic:
    """Estimate the mean label of all judged items by PPI++ with weighted labels.

    A logistic regression estimates each item's chance to be labelled from its covariates. A label's weight is
    one over that chance, at most ten times its weight in a random sample; for a single category these are the
    weights of strata. The value is ``lambda * mean(score) + weighted mean(label - lambda * score)``; its
    error, over clusters, allows for estimated weights, and lambda minimises it. Valid if items with equal
    covariates were labelled at random. Undefined if labels are worth fewer than 20 (``(sum w)^2 / sum w^2``),
    a category has none, or labelled items are scored unlike all even with their weights.

    Source: Angelopoulos, Duchi and Zrnic 2023; Robins, Rotnitzky and Zhao 1994 for estimated weights; Kish
    1965 for the effective number of labels.
    """
    labelled = np.isfinite(data.label)
    n = int(labelled.sum())
    if data.missing:
        return undefined(f"no labelled item has {', '.join(data.missing)}", n=n, level=level)
    if n < FEWEST_EFFECTIVE:
        return undefined(f"{n} labels, and it takes {FEWEST_EFFECTIVE:.0f}", n=n, level=level)
    chance, inverse = _chances(data.covariates, labelled)
    weight = np.minimum(1 / chance, _MOST_WEIGHT * len(labelled) / n)[labelled]
    effective_labels = float(weight.sum() ** 2 / (weight**2).sum())
    if effective_labels < FEWEST_EFFECTIVE:
        why = f"weighted, {n} labels are worth {effective_labels:.0f}, and it takes {FEWEST_EFFECTIVE:.0f}"
        return undefined(why, n=n, level=level)

    def weighted(values: FloatArray) -> tuple[float, FloatArray]:
        """Return the weighted mean of labelled items, and the influence of all items on it."""
        mean = float(weight @ values) / float(weight.sum())
        moved = weight * (values - mean) / float(weight.sum())
        free = np.where(weight < 1 / chance[labelled], 0.0, moved * (1 - chance[labelled]))
        slope = inverse @ (data.covariates[labelled].T @ free)
        influence = -(labelled - chance) * (data.covariates @ slope)
        influence[labelled] += moved
        return mean, influence

    label, of_label = weighted(data.label[labelled])
    score, of_score = weighted(data.score[labelled])
    everywhere = float(data.score.mean())
    gap = (data.score - everywhere) / len(labelled) - of_score
    labelled_cluster = data.cluster[labelled]

    def error(influence: FloatArray) -> float:
        return cluster_error(influence, data.cluster, labelled_cluster)

    if _unlike(everywhere - score, error(gap), effective_labels):
        return undefined("labelled items are scored unlike the others, even weighted", n=n, level=level)
    squares = float(gap @ gap)
    trust = min(1.0, max(-1.0, -float(of_label @ gap) / squares)) if squares > 0 else 0.0
    value = min(1.0, max(0.0, label + trust * (everywhere - score)))
    units = effective_labels * clusters_in(labelled_cluster) / n
    spread = error(of_label + trust * gap) * math.sqrt((effective_labels - 1) / (effective_labels - 2))
    ends = effective_n_interval(value, spread, units, level, degrees=units - 1 - (trust != 0.0))
    return defined(
        value,
        ends,
        n=n,
        method=f"Wilson on the effective n; weighted labels worth {effective_labels:.0f}",
        level=level,
    )


def _chances(covariates: FloatArray, labelled: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return each item's chance to be labelled, and the inverse of the regression's information."""
    start = np.zeros(covariates.shape[1])
    rate = labelled.mean()
    start[0] = math.log(rate / (1 - rate)) if rate < 1 else 1 / _RIDGE
    slope, penalty = start, np.diag([0.0, *[_RIDGE] * (len(start) - 1)])
    inverse: FloatArray = np.zeros(penalty.shape)
    for _ in range(_STEPS):
        chance = expit(covariates @ slope)
        spread = covariates.T * (chance * (1 - chance)) @ covariates
        inverse = np.linalg.pinv(spread + penalty, hermitian=True).astype(np.float64)
        step = inverse @ (covariates.T @ (labelled - chance) - penalty @ slope)
        slope = slope + step * min(1.0, 5.0 / max(float(np.abs(step).max()), _CLOSE))
        if float(np.abs(step).max()) < _CLOSE:
            break
    return np.clip(expit(covariates @ slope), 1e-9, 1.0), inverse


def _unlike(distance: float, error: float, effective_labels: float) -> bool:
    return error > 0 and float(2 * stdtr(effective_labels - 1, -abs(distance) / error)) <= _ALARM
