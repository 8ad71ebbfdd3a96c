"""Labels for an interval of at most a given half-width in most samples.

With labels that give this half-width on average, half of the samples would have wider intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import stdtrit

from ..arrays import FloatArray
from ..intervals.closed_forms import normal_quantile
from ..sample import QUADRANTS
from ..statistics.rates import cohen_kappa
from .budget_plan import LEVEL
from .sample_sizes import (
    ClassLabels,
    design_effect,
    labels_for_corrected_rate,
    labels_for_kappa,
    labels_for_rate,
    labels_for_rogan_gladen,
)

DEFAULT_ASSURANCE = 0.8
"""Share of samples in which an interval is narrow enough (docs/decisions/0011)."""

_DRAWS = 4_000
"""Number of simulated samples."""

_SEED = 0
"""Seed of the simulation; fixed, so that a plan is repeatable."""

_MAX_MULTIPLE = 64
"""Largest number of labels tried, as a multiple of the number that is enough on average."""

_STEP = 1e-20
"""Complex step of the derivative of kappa (see `arrays.derivative`)."""

_BOOTSTRAP_NOISE = 0.022
"""Relative standard deviation of the width of a bootstrap interval with 2,000 replicates."""


class Expected(NamedTuple):
    """Expected rates of a judge, its outputs and the labels.

    Attributes:
        tpr: True positive rate of the judge.
        tnr: True negative rate of the judge.
        prevalence: Share of right items.
        rows_per_cluster: Number of items per cluster.
        icc: Correlation within clusters.
    """

    tpr: float
    tnr: float
    prevalence: float
    rows_per_cluster: float = 1.0
    icc: float = 0.0

    @property
    def effect(self) -> float:
        """Design effect: the factor by which clusters multiply a variance."""
        return design_effect(self.rows_per_cluster, self.icc)

    @property
    def shares(self) -> list[float]:
        """Shares of true negatives, false positives, false negatives and true positives."""
        wrong, right = 1 - self.prevalence, self.prevalence
        return [wrong * self.tnr, wrong * (1 - self.tnr), right * (1 - self.tpr), right * self.tpr]


_ErrorFunction: TypeAlias = Callable[[int, np.random.Generator], FloatArray]
"""Function from a number of labels to the standard errors of `_DRAWS` samples of independent rows.

An error is infinite where it cannot be estimated.
"""


def assured_labels(
    expected: Expected,
    half_width: float,
    *,
    unlabelled: int | None = None,
    assurance: float = DEFAULT_ASSURANCE,
) -> dict[str, int | None]:
    """Return the number of labels for 95 % intervals of at most this half-width, by rate.

    Intervals are that narrow in the share ``assurance`` of samples. A number is None if no number is enough.

    Samples are simulated as tables of label and verdict. If clusters have several items, the error of the estimated
    spread is simulated, too; it is larger with fewer clusters.
    """
    average = average_labels(expected, half_width, unlabelled)
    errors = {
        # Indices are those of `Expected.shares`: tn, fp, fn, tp.
        "pass_rate": _rate_errors(expected, [2, 3], [0, 1, 2, 3]),
        "true_positive_rate": _rate_errors(expected, [3], [2, 3]),
        "true_negative_rate": _rate_errors(expected, [0], [0, 1]),
        "cohen_kappa": _kappa_errors(expected),
    }
    if unlabelled is not None:
        errors["corrected_pass_rate"] = _corrected_errors(expected, unlabelled)
    labels = {
        name: _sufficient_labels(errors_of_rate, average[name], expected, half_width, assurance)
        for name, errors_of_rate in errors.items()
    }
    if unlabelled is None:
        return labels
    right, wrong = average["rogan_gladen_right"], average["rogan_gladen_wrong"]
    by_class: tuple[int | None, int | None] = None, None
    if right is not None and wrong is not None:
        classes = ClassLabels(right, wrong)
        errors_of_rate = _rogan_gladen_errors(expected, unlabelled, classes)
        total = _sufficient_labels(errors_of_rate, right + wrong, expected, half_width, assurance)
        by_class = by_class if total is None else _split(total, classes)
    return labels | {"rogan_gladen_right": by_class[0], "rogan_gladen_wrong": by_class[1]}


def average_labels(
    expected: Expected, half_width: float, unlabelled: int | None = None
) -> dict[str, int | None]:
    """Return the labels at which intervals have this half-width on average, by rate.

    Items are taken as independent, as in textbooks. None if no number is enough.
    """
    tpr, tnr, prevalence = expected.tpr, expected.tnr, expected.prevalence
    labels: dict[str, int | None] = {
        "pass_rate": labels_for_rate(prevalence, half_width),
        "true_positive_rate": labels_for_rate(tpr, half_width, share=prevalence),
        "true_negative_rate": labels_for_rate(tnr, half_width, share=1 - prevalence),
        "cohen_kappa": labels_for_kappa(tpr, tnr, prevalence, half_width),
    }
    if unlabelled is not None:
        classes = labels_for_rogan_gladen(tpr, tnr, prevalence, half_width, unlabelled)
        labels["corrected_pass_rate"] = labels_for_corrected_rate(
            tpr, tnr, prevalence, half_width, unlabelled
        )
        labels["rogan_gladen_right"] = None if classes is None else classes.right
        labels["rogan_gladen_wrong"] = None if classes is None else classes.wrong
    return labels


def _sufficient_labels(
    errors: _ErrorFunction, on_average: int | None, expected: Expected, half_width: float, assurance: float
) -> int | None:
    """Return the smallest sufficient number of labels, or None.

    It is bisected from half of the number that is enough on average.
    """
    if on_average is None:
        return None
    start = max(2, math.ceil(on_average * expected.effect))

    def is_enough(labels: int) -> bool:
        rng = np.random.default_rng(_SEED)
        return bool((_half_widths(errors, labels, expected, rng) <= half_width).mean() >= assurance)

    low, high = start // 2, start
    while not is_enough(high):
        low, high = high, 2 * high
        if high > _MAX_MULTIPLE * start:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _half_widths(
    errors: _ErrorFunction, labels: int, expected: Expected, rng: np.random.Generator
) -> FloatArray:
    """Return the half-widths of simulated intervals, with Student's quantile over clusters."""
    error = errors(labels, rng)
    if expected.rows_per_cluster == 1:
        return normal_quantile(LEVEL) * error
    degrees = max(1.0, labels / expected.rows_per_cluster - 1)
    # An estimated variance over clusters is about the true one times chi-squared over its degrees of freedom.
    error_factor = np.sqrt(expected.effect * rng.chisquare(degrees, size=_DRAWS) / degrees)
    return float(stdtrit(degrees, (1 + LEVEL) / 2)) * error * error_factor


def _tables(expected: Expected, labels: int, rng: np.random.Generator) -> FloatArray:
    """Draw counts of true negatives, false positives, false negatives and true positives.

    The shape is ``(draws, 4)``.
    """
    return rng.multinomial(labels, expected.shares, size=_DRAWS).astype(np.float64)


def _rate_errors(expected: Expected, successes: list[int], trials: list[int]) -> _ErrorFunction:
    def errors(labels: int, rng: np.random.Generator) -> FloatArray:
        tables = _tables(expected, labels, rng)
        n = tables[:, trials].sum(axis=1)
        share = tables[:, successes].sum(axis=1) / np.maximum(n, 1)
        # Wilson's half-width over the quantile, which is wider than Wald's if a rate is near 0 or 1.
        square = normal_quantile(LEVEL) ** 2
        error = np.sqrt(n * share * (1 - share) + square / 4) / (n + square)
        return np.where(n > 0, error, np.inf)

    return errors


def _kappa_errors(expected: Expected) -> _ErrorFunction:
    """Return the errors of kappa by the delta method, with the noise of a bootstrap."""

    def errors(labels: int, rng: np.random.Generator) -> FloatArray:
        shares = _tables(expected, labels, rng) / labels
        # The derivative by each cell, by the complex step.
        steps = [
            cohen_kappa(QUADRANTS.tables(shares + 1j * _STEP * np.eye(4)[cell])).imag / _STEP
            for cell in range(4)
        ]
        slope = np.stack(steps, axis=1)
        variance = (shares * slope**2).sum(axis=1) - (shares * slope).sum(axis=1) ** 2
        error = rng.normal(1.0, _BOOTSTRAP_NOISE, size=_DRAWS) * np.sqrt(np.maximum(variance, 0.0) / labels)
        return np.where(np.isfinite(variance), error, np.inf)

    return errors


def _corrected_errors(expected: Expected, unlabelled: int) -> _ErrorFunction:
    """Return the errors of PPI++, the root of ``var(Y) (1 - rho^2 N / (N + n)) / n``."""

    def errors(labels: int, rng: np.random.Generator) -> FloatArray:
        shares = _tables(expected, labels, rng) / labels
        right, passed = shares[:, 2] + shares[:, 3], shares[:, 1] + shares[:, 3]
        covariance = np.maximum(0.0, shares[:, 3] - right * passed)
        label_variance, score_variance = right * (1 - right), passed * (1 - passed)
        explained = np.divide(covariance**2, score_variance, out=np.zeros(_DRAWS), where=score_variance > 0)
        variance = label_variance - explained * unlabelled / (unlabelled + labels)
        return np.sqrt(np.maximum(variance, 0.0) / max(1, labels - 1))

    return errors


def _rogan_gladen_errors(expected: Expected, unlabelled: int, classes: ClassLabels) -> _ErrorFunction:
    def errors(labels: int, rng: np.random.Generator) -> FloatArray:
        right, wrong = _split(labels, classes)
        passing = expected.prevalence * expected.tpr + (1 - expected.prevalence) * (1 - expected.tnr)
        tpr, tnr, rate = (
            rng.binomial(n, p, size=_DRAWS) / n
            for n, p in ((right, expected.tpr), (wrong, expected.tnr), (unlabelled, passing))
        )
        youden = np.where(tpr + tnr > 1, tpr + tnr - 1, np.nan)
        truth = np.clip((rate + tnr - 1) / youden, 0.0, 1.0)
        variance = rate * (1 - rate) / unlabelled
        variance = variance + truth**2 * tpr * (1 - tpr) / right + (1 - truth) ** 2 * tnr * (1 - tnr) / wrong
        return np.nan_to_num(np.sqrt(variance) / youden, nan=np.inf)

    return errors


def _split(labels: int, classes: ClassLabels) -> tuple[int, int]:
    """Split labels over right and wrong items, in the proportion that needs the fewest labels."""
    right = min(labels - 1, max(1, round(labels * classes.right / sum(classes))))
    return right, labels - right
