"""Paired differences: estimates, intervals, and p-values of the tests that these invert."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, stdtr

from ...records.made_scores import reaches
from ..arrays import BoolArray, FloatArray, IntArray
from ..intervals.bootstrap import bootstrap
from ..intervals.closed_forms import normal_quantile, t_quantile
from ..intervals.clustered_means import Combination, mean_over_clusters
from ..intervals.measurement import JACKKNIFE_BLOCKS, Settings, measure, resampled_interval
from ..intervals.special_intervals import tango_interval
from ..pass_threshold import HALF
from ..sample import Cells, Estimator, Sample, reduce_rows
from ..statistic import Interval, Statistic, defined, undefined
from .class_rates import ClassDifference, class_difference
from .significance import mcnemar

_POWER_LEVEL = 0.6
"""Two-sided level whose quantile is that of 80 % power: 80 % one-sided is 60 % two-sided."""

_BISECTIONS = 40
"""Number of bisections to find a p-value."""

_FEWER_BISECTIONS = 24
"""Number of bisections to find a p-value from intervals that take long to compute."""

_MIN_P = 1e-9
"""Smallest p-value that is computed from an interval in closed form."""

_UNCLUSTERED_INTERVALS = ("wald", "wilson")
"""Intervals that take rows as independent."""


class TestedDifference(NamedTuple):
    """Difference, first minus second, and its test.

    Attributes:
        estimate: The difference with its interval.
        p: p-value of no difference, by the test that the interval inverts, or None if it cannot be computed.
        smallest_visible: The true difference that this test finds with 80 % power, or None if it cannot be
            computed.
        over_clusters: Whether the test is over clusters, or would be if there were several.
    """

    estimate: Statistic
    p: float | None = None
    smallest_visible: float | None = None
    over_clusters: bool = False


@dataclass(frozen=True, eq=False)
class PairedRows:
    """Common rows of two scores, each array of shape ``(n,)``.

    Attributes:
        label: Trusted values of the items of the first score.
        first: First score.
        second: Second score.
        cluster: Cluster number, or None if every row is its own cluster.
        second_label: Trusted values of the items of the second score, or None if they are the same.
        threshold: Pass threshold of the first score, and of the second unless that has its own.
        second_threshold: Pass threshold of the second score, or None if it is the same.
    """

    label: FloatArray
    first: FloatArray
    second: FloatArray
    cluster: IntArray | None = None
    second_label: FloatArray | None = None
    threshold: float = HALF
    second_threshold: float | None = None

    @property
    def sides(self) -> tuple[Cells, Cells]:
        """Labels and scores of the first and of the second, with one cell per row."""
        second_label = self.label if self.second_label is None else self.second_label
        threshold = self.threshold if self.second_threshold is None else self.second_threshold
        return Cells(self.label, self.first, self.threshold), Cells(second_label, self.second, threshold)


def difference(estimator: Estimator, rows: PairedRows, settings: Settings) -> TestedDifference:
    """Estimate the difference of a statistic.

    By default a share of the same rows, such as accuracy, uses `share_difference`, a weighted mean of TPR and TNR
    uses `class_difference`, and other statistics use a BCa bootstrap over clusters.
    """
    if not len(rows.label):
        return TestedDifference(undefined("no common items", n=0, level=settings.level))
    shares = None if settings.interval is not None else _shares_of_the_same_rows(estimator, rows)
    if shares is not None:
        return share_difference(*shares, settings.level)
    by_class = None if settings.interval is not None else _by_class(estimator, rows)
    if by_class is not None:
        return _tested_by_class(*by_class, settings.level)
    estimator, joint = difference_of(estimator, rows)
    value = float(estimator.formula(joint.counts, joint.cells))
    can_resample = joint.n_clusters > 1 and len(joint.cells.label) <= estimator.max_cells
    if settings.interval in {None, "bootstrap"} and np.isfinite(value) and can_resample:
        return _resampled(estimator, value, joint, settings)
    statistic = measure([estimator], joint, settings)[estimator.name]
    tested = _with_p(statistic, _degrees(statistic, joint, settings), settings.level)
    return tested._replace(
        over_clusters=settings.interval not in _UNCLUSTERED_INTERVALS and not joint.singletons
    )


def share_difference(
    first: BoolArray, second: BoolArray, cluster: IntArray, level: float = 0.95
) -> TestedDifference:
    """Estimate the difference of two shares of the same rows.

    There is at least one row; each array has shape ``(n,)``.

    If every row is its own cluster, the test is McNemar's mid-p test, and the interval Tango's score interval. If
    they disagree about 0, the interval is adjusted to the test. That happens only for a few counts, such as four
    items on which only the first is right and none on which only the second is. If clusters have several rows,
    test and interval are the t-test of `mean_over_clusters`.
    """
    n = len(first)
    gaps = first.astype(np.float64) - second
    if len(np.unique(cluster)) < n:
        return clustered_difference(mean_over_clusters(gaps, cluster), n=n, level=level)
    a_only, b_only = int((gaps > 0).sum()), int((gaps < 0).sum())
    value, p = float(gaps.mean()), mcnemar(a_only, b_only).midp
    low, high = tango_interval(a_only / n, b_only / n, n, normal_quantile(level))
    # The interval includes 0 exactly if the test does not reject.
    if p > 1 - level:
        low, high = min(low, 0.0), max(high, 0.0)
    elif low <= 0.0 <= high:
        # Move the end that is beyond 0 to the number next to 0.
        low, high = (math.nextafter(0.0, 1.0), high) if value > 0 else (low, math.nextafter(0.0, -1.0))
    estimate = defined(value, (low, high), n=n, method="Tango, Wilson's score for pairs", level=level)
    return TestedDifference(estimate, p, _minimum_detectable(estimate, normal_quantile(level)))


def clustered_difference(combination: Combination, *, n: int, level: float) -> TestedDifference:
    """Return a difference over clusters, with the interval that inverts its t-test."""
    if not combination.estimable:
        method = "cluster-t: no interval from a single cluster"
        estimate = defined(combination.value, n=n, method=method, level=level)
        return TestedDifference(estimate, over_clusters=True)
    method = "upper bound (none seen)" if combination.flat else "cluster-t (CR2)"
    estimate = defined(combination.value, combination.interval(level), n=n, method=method, level=level)
    return TestedDifference(
        estimate, combination.p(), combination.smallest_visible(level), over_clusters=True
    )


def difference_of(estimator: Estimator, rows: PairedRows) -> tuple[Estimator, Sample]:
    """Return an estimator of the first score's statistic minus the second's, and its sample.

    The difference is itself a statistic of a joint sample. The sample counts distinct combinations of both labels
    and both scores; its cells contain the first label and score.
    """
    columns = [rows.label, rows.first, rows.second] + (
        [] if rows.second_label is None else [rows.second_label]
    )
    (label, first, second, *second_labels), groups, sizes = reduce_rows(columns, rows.cluster)
    joint = Sample(Cells(label, first, rows.threshold), groups, sizes)
    label_of_second = second_labels[0] if second_labels else label
    threshold = rows.sides[1].pass_at

    def formula(weights: FloatArray, cells: Cells) -> FloatArray:
        # Cells beyond those of the sample are hypothetical rows of `unseen_interval`. There the second score is the
        # opposite of the first, the largest difference that may have gone unseen.
        n = len(second)
        second_label = np.concatenate([label_of_second, cells.label[n:]])
        score = np.concatenate([second, 1.0 - cells.score[n:]])
        second_cells = Cells(second_label, score, threshold)
        return estimator.formula(weights, cells) - estimator.formula(weights, second_cells)

    why_undefined = f"it is so for one of the two: {estimator.undefined}"
    return Estimator(
        estimator.name, estimator.family, formula, why_undefined, max_cells=estimator.max_cells
    ), joint


def _shares_of_the_same_rows(
    estimator: Estimator, rows: PairedRows
) -> tuple[BoolArray, BoolArray, IntArray] | None:
    """Return both sides' successes and clusters, for the rows in the denominator.

    None if the denominator is not the same for both.
    """
    if estimator.proportion is None:
        return None
    successes, trials = estimator.proportion.successes.ravel(), estimator.proportion.trials.ravel()
    first, second = (side.quadrant for side in rows.sides)
    first_tried, second_tried = (first @ trials).astype(np.bool_), (second @ trials).astype(np.bool_)
    # The denominator must depend on the label alone: one that depends on scores has other rows on each side.
    depends_on_label_alone = bool(
        (estimator.proportion.trials[:, 0] == estimator.proportion.trials[:, 1]).all()
    )
    if not depends_on_label_alone or (first_tried != second_tried).any() or not first_tried.any():
        return None
    cluster = np.arange(len(first_tried)) if rows.cluster is None else rows.cluster
    first_succeeded, second_succeeded = (
        (side @ successes).astype(np.bool_)[first_tried] for side in (first, second)
    )
    return first_succeeded, second_succeeded, cluster[first_tried]


def _by_class(estimator: Estimator, rows: PairedRows) -> tuple[ClassDifference, Sample] | None:
    """Return the difference of a weighted mean of TPR and TNR, and its sample.

    None if it is another statistic, or not the same labels and classes on both sides.
    """
    first_passes, second_passes = (reaches(side.label, side.pass_at) for side in rows.sides)
    if estimator.weight_of_passes is None or (first_passes != second_passes).any():
        return None
    (label, score, second_score), groups, sizes = reduce_rows(
        [rows.label, rows.first, rows.second], rows.cluster
    )
    joint = Sample(Cells(label, score, rows.threshold), groups, sizes)
    by_class = class_difference(estimator, joint, reaches(second_score, rows.sides[1].pass_at))
    return None if by_class is None else (by_class, joint)


def _tested_by_class(by_class: ClassDifference, joint: Sample, level: float) -> TestedDifference:
    """Add the p-value of the test that the interval of a difference by class inverts."""
    ends = by_class.at_level(level)
    estimate = defined(by_class.value, ends, n=joint.n, method=by_class.method, level=level)
    p = _p_of_interval(by_class.at_level, _MIN_P, bisections=_FEWER_BISECTIONS)
    detectable = _minimum_detectable(estimate, normal_quantile(level))
    return TestedDifference(estimate, p, detectable, over_clusters=not joint.singletons)


def _resampled(estimator: Estimator, value: float, joint: Sample, settings: Settings) -> TestedDifference:
    """Estimate a difference by bootstrap, with the p-value that its interval implies."""
    formula = estimator.of(joint.cells)
    replicates = bootstrap([formula], joint, replicates=settings.replicates, seed=settings.seed)[0]
    resampled = resampled_interval(estimator, value, replicates, joint, settings)
    estimate = defined(value, resampled.interval, n=joint.n, method=resampled.method, level=settings.level)
    p = None if resampled.interval is None else _p_of_interval(resampled.at_level, 1 / settings.replicates)
    detectable = _minimum_detectable(estimate, normal_quantile(settings.level))
    return TestedDifference(estimate, p, detectable, over_clusters=not joint.singletons)


def _p_of_interval(
    at_level: Callable[[float], Interval | None], smallest_p: float, *, bisections: int = _BISECTIONS
) -> float:
    """Return the p, at least ``smallest_p``, at which an interval of level 1 - p just reaches 0."""
    without_zero, with_zero = 1.0, smallest_p
    for _ in range(bisections):
        # p-values are bisected on a log scale.
        middle = math.sqrt(without_zero * with_zero)
        if _has_zero(at_level(1 - middle)):
            with_zero = middle
        else:
            without_zero = middle
    return without_zero


def _has_zero(ends: Interval | None) -> bool:
    return ends is None or ends[0] <= 0.0 <= ends[1]


def _degrees(statistic: Statistic, joint: Sample, settings: Settings) -> float | None:
    """Return the degrees of freedom behind an interval of `measure`, or None for the normal one."""
    if settings.interval in _UNCLUSTERED_INTERVALS:
        return None
    # `measure` tells only in the method whether it left out blocks of clusters.
    by_blocks = "jackknife" in (statistic.method or "")
    return (min(JACKKNIFE_BLOCKS, joint.n_clusters) if by_blocks else joint.n_clusters) - 1


def _with_p(statistic: Statistic, degrees: float | None, level: float) -> TestedDifference:
    """Add the p-value of an interval of the form value plus and minus quantile * error."""
    if statistic.value is None or statistic.low is None or statistic.high is None:
        return TestedDifference(statistic)
    quantile = normal_quantile(level) if degrees is None else t_quantile(level, degrees)
    error = (statistic.high - statistic.low) / 2 / quantile
    if not error > 0.0:
        return TestedDifference(statistic)
    minus_z = -abs(statistic.value) / error
    tail_probability = float(ndtr(minus_z) if degrees is None else stdtr(degrees, minus_z))
    return TestedDifference(statistic, 2 * tail_probability, _minimum_detectable(statistic, quantile))


def _minimum_detectable(statistic: Statistic, quantile: float) -> float | None:
    """Return the true value detected with 80 % power; ``quantile`` is that of the interval."""
    if statistic.low is None or statistic.high is None:
        return None
    error = (statistic.high - statistic.low) / 2 / quantile
    return error * (quantile + normal_quantile(_POWER_LEVEL))
