"""Estimates of statistics from a sample, each with the interval that suits it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from ..arrays import FloatArray
from ..sample import Estimator, Sample
from ..statistic import FEW_CLUSTERS, Interval, Statistic, defined, undefined
from ..statistics.graded import MAX_PAIRWISE_CELLS
from ..statistics.rates import Proportion
from .bootstrap import (
    DEFAULT_REPLICATES,
    acceleration,
    bca_interval,
    bootstrap,
    in_blocks,
    percentile_interval,
    unseen_interval,
    varies,
)
from .closed_forms import (
    fisher_interval,
    jackknife_interval,
    t_interval,
    wald_interval,
    wilson_interval,
    within_unit,
)
from .clustered_rates import clustered_wilson_interval
from .variance import (
    MIN_CLUSTERS,
    degrees_of_freedom,
    influence,
    left_out_error,
    proportion_spread,
    standard_error,
)

IntervalOption: TypeAlias = Literal["wilson", "wald", "cluster-t", "bootstrap"]

JACKKNIFE_BLOCKS = 40
"""Number of blocks left out in turn, where a bootstrap would cost too much."""

_SINGLE_CLUSTER = "cluster-t: no interval from a single cluster"


class Settings(NamedTuple):
    """Interval settings.

    Attributes:
        interval: Method, or None for the best of each statistic: Wilson on the cluster-effective n for
            proportions, a special interval where a statistic has one, and a BCa cluster bootstrap for the
            others. ``wilson`` and ``wald`` take rows as independent, as in textbooks; ``cluster-t`` and
            ``bootstrap`` (percentile) are clustered.
        level: Nominal coverage.
        replicates: Number of bootstrap replicates.
        seed: Seed of the bootstrap.
    """

    interval: IntervalOption | None = None
    level: float = 0.95
    replicates: int = DEFAULT_REPLICATES
    seed: int = 0


DEFAULT_SETTINGS = Settings()
"""Default interval of each statistic, at 95 %."""


def measure(
    estimators: Iterable[Estimator], sample: Sample, settings: Settings = DEFAULT_SETTINGS
) -> dict[str, Statistic]:
    """Estimate statistics of one sample, with intervals, by name in the given order."""
    estimators = list(estimators)
    if not sample.n:
        why = "no row has both a label and a score"
        return {estimator.name: undefined(why, n=0, level=settings.level) for estimator in estimators}
    values = {
        estimator.name: float(estimator.formula(sample.counts, sample.cells)) for estimator in estimators
    }
    resampled = [
        estimator
        for estimator in estimators
        if np.isfinite(values[estimator.name]) and _needs_bootstrap(estimator, sample, settings)
    ]
    replicates = dict(
        zip(
            [estimator.name for estimator in resampled], _replicates(resampled, sample, settings), strict=True
        )
    )
    return {
        estimator.name: _statistic(
            estimator, values[estimator.name], replicates.get(estimator.name), sample, settings
        )
        for estimator in estimators
    }


def _needs_bootstrap(estimator: Estimator, sample: Sample, settings: Settings) -> bool:
    """Return whether the bootstrap is asked for or the default, and the sample allows it."""
    has_better = estimator.proportion is not None or estimator.special_interval is not None
    by_default = settings.interval is None and not has_better
    if settings.interval != "bootstrap" and not by_default:
        return False
    return len(sample.cells.label) <= estimator.max_cells and sample.n_clusters > 1


def _replicates(estimators: list[Estimator], sample: Sample, settings: Settings) -> FloatArray:
    formulas = [estimator.of(sample.cells) for estimator in estimators]
    if not formulas:
        return np.empty((0, 0))
    return bootstrap(formulas, sample, replicates=settings.replicates, seed=settings.seed)


def _statistic(
    estimator: Estimator, value: float, replicates: FloatArray | None, sample: Sample, settings: Settings
) -> Statistic:
    n = sample.n
    if estimator.proportion is not None:
        # The n of a proportion is the size of its denominator.
        n = round(float((sample.cells.tables(sample.counts) * estimator.proportion.trials).sum()))
    if not np.isfinite(value):
        return undefined(estimator.undefined, n=n, level=settings.level)
    few_clusters = _few_clusters_interval(estimator, value, sample, settings)
    # The order is that of precedence: few clusters rule out a bootstrap.
    if few_clusters is not None:
        interval, method = few_clusters
    elif replicates is not None:
        resampled = resampled_interval(estimator, value, replicates, sample, settings)
        interval, method = resampled.interval, resampled.method
    elif estimator.proportion is not None:
        interval, method = _proportion_interval(estimator.proportion, value, sample, settings)
    elif estimator.special_interval is not None and settings.interval is None:
        interval, method = estimator.special_interval(sample, settings.level)
    else:
        interval, method = _analytic_interval(estimator, value, sample, settings)
    return defined(value, interval, n=n, method=method, level=settings.level)


def _few_clusters_interval(
    estimator: Estimator, value: float, sample: Sample, settings: Settings
) -> tuple[Interval, str] | None:
    """Compute Student's jackknife interval, on an unbounded scale, for few clusters.

    A bootstrap of few clusters covers too rarely. None if there are enough clusters, if leaving one out makes no
    difference or makes the statistic undefined, or if the value is at an end of the scale.
    """
    unsuitable = settings.interval is not None or sample.singletons or sample.n_clusters < MIN_CLUSTERS
    if estimator.few_clusters is None or unsuitable or sample.effective_clusters >= FEW_CLUSTERS:
        return None
    parts = [
        (estimator.formula(weights, sample.cells), times) for weights, times in sample.without_each_group(1)
    ]
    values, times = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    shares = np.asarray(sample.groups.sum(axis=1), dtype=np.float64) / sample.n
    error, degrees = float(left_out_error(values, times)), degrees_of_freedom(shares, sample.sizes)
    return jackknife_interval(value, error, degrees, estimator.few_clusters, settings.level)


class ResampledInterval(NamedTuple):
    """Interval of a statistic from its replicates.

    Attributes:
        at_level: Function that returns the interval at any level.
        interval: The interval at the level of the settings, or None if too many replicates are undefined.
        method: Name of the method.
    """

    at_level: Callable[[float], Interval | None]
    interval: Interval | None
    method: str


def resampled_interval(
    estimator: Estimator, value: float, replicates: FloatArray, sample: Sample, settings: Settings
) -> ResampledInterval:
    """Return the interval of a statistic from its bootstrap replicates."""
    method_suffix = "" if sample.singletons else " over clusters"
    at_level: Callable[[float], Interval | None]
    if settings.interval == "bootstrap":
        at_level, method = partial(percentile_interval, replicates), f"percentile bootstrap{method_suffix}"
    elif varies(replicates):
        skewness = acceleration(estimator.of(sample.cells), sample, seed=settings.seed)
        at_level = partial(bca_interval, value, replicates, skewness, sample.n_clusters)
        method = f"BCa bootstrap{method_suffix}"
    else:
        at_level = partial(unseen_interval, estimator, value, sample)
        method = "Wilson upper bound (none seen)"
    ends = at_level(settings.level)
    if ends is None:
        share = float(np.isnan(replicates).mean())
        method += f": no interval, {share:.0%} of the replicates are undefined"
    return ResampledInterval(at_level, ends, method)


def _proportion_interval(
    proportion: Proportion, value: float, sample: Sample, settings: Settings
) -> tuple[Interval | None, str]:
    spread, level = proportion_spread(proportion, sample), settings.level
    if settings.interval == "wilson":
        return wilson_interval(value, spread.trials, level), "Wilson"
    if settings.interval == "wald":
        error = math.sqrt(value * (1 - value) / spread.trials)
        return within_unit(wald_interval(value, error, level)), "Wald"
    if settings.interval == "cluster-t":
        return _cluster_t(value, spread.clustered, spread.clusters, level)
    return clustered_wilson_interval(value, spread, level)


def _analytic_interval(
    estimator: Estimator, value: float, sample: Sample, settings: Settings
) -> tuple[Interval | None, str]:
    independent = settings.interval in {"wilson", "wald"}
    if independent and estimator.name == "pearson":
        return fisher_interval(value, sample.n, settings.level), "Fisher"
    # A user's function has no derivative by the complex step.
    if estimator.family == "custom" or len(sample.cells.label) > MAX_PAIRWISE_CELLS:
        rows = sample.as_independent_rows() if independent else sample
        if rows.n_clusters < MIN_CLUSTERS:
            return None, _SINGLE_CLUSTER
        error, blocks = _block_jackknife(estimator, rows, settings.seed)
        interval, method = _cluster_t(value, error, blocks, settings.level)
        return interval, f"{method} (jackknife of {blocks} blocks)"
    values = influence(estimator.of(sample.cells), sample)
    if independent:
        return wald_interval(value, standard_error(values, sample, independent=True), settings.level), "Wald"
    return _cluster_t(value, standard_error(values, sample), sample.n_clusters, settings.level)


def _cluster_t(value: float, error: float, clusters: int, level: float) -> tuple[Interval | None, str]:
    if clusters < MIN_CLUSTERS:
        return None, _SINGLE_CLUSTER
    return t_interval(value, error, clusters, level), "cluster-t"


def _block_jackknife(estimator: Estimator, sample: Sample, seed: int) -> tuple[float, int]:
    """Return the block-jackknife standard error (Kott 2001), and the number of blocks.

    Each replicate leaves out a block of clusters.
    """
    blocks = in_blocks(sample, min(JACKKNIFE_BLOCKS, sample.n_clusters), seed)
    values = np.concatenate(
        [estimator.formula(weights, sample.cells) for weights, _ in blocks.without_each_group(1)]
    )
    return float(left_out_error(values)), len(values)
