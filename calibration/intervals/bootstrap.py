"""Cluster bootstrap and jackknife, and the interval if all replicates are equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse
from scipy.special import ndtr, ndtri

from ..arrays import FloatArray, IntArray
from ..sample import Cells, Estimator, Sample
from ..statistic import Interval
from .closed_forms import t_quantile
from .clustered_rates import unseen_share

DEFAULT_REPLICATES = 2_000
"""Number of bootstrap replicates, unless set."""

_BLOCK = 1 << 18
"""Numbers per block: 2 MB, which fit into the cache, for any number of replicates and clusters."""

_SMALL_GROUP = 30
"""Maximum size of a group whose clusters are drawn one by one; drawing a binomial number costs about as much."""

_MAX_GROUPS = 1_000
"""Above this number of groups the acceleration is estimated from blocks of clusters, which have the same skewness."""

_ROUNDING = 1e-12
"""A difference below this is rounding."""

_MAX_UNDEFINED_SHARE = 0.1
"""Maximum share of undefined replicates; with more, the interval would describe only the others."""


def replicate_weights(
    sizes: IntArray, replicates: int, rng: np.random.Generator, *, width: int = 1
) -> Iterator[FloatArray]:
    """Draw clusters with replacement, yielding counts per group in blocks of replicates.

    Numbers of clusters from large groups are drawn as a multinomial, which costs replicates x groups. The clusters
    of all small groups are one more entry of the multinomial, and are then drawn one by one.

    Args:
        sizes: Clusters per group, shape ``(k,)``.
        replicates: Number of resamples.
        rng: Random generator.
        width: Numbers that a replicate needs besides its ``k`` weights, for the size of blocks.

    Yields:
        Weights ``(b, k)``; each row sums to the number of clusters.
    """
    total, k = int(sizes.sum()), len(sizes)
    is_large = sizes > _SMALL_GROUP
    small_group_of_cluster = np.repeat(np.arange(k)[~is_large], sizes[~is_large])
    n_small = len(small_group_of_cluster)
    chances = np.append(sizes[is_large], n_small) / total
    rows = max(1, _BLOCK // max(k, n_small, width, 1))
    for start in range(0, replicates, rows):
        count = min(rows, replicates - start)
        draws = rng.multinomial(total, chances, size=count)
        small_draws = draws[:, -1]
        cluster = rng.integers(max(n_small, 1), size=int(small_draws.sum()), dtype=np.uint32)
        # One number for replicate and group, to count both at once. It is added in place: with a third array of
        # this size the bootstrap takes 1.8 times as long.
        cell = small_group_of_cluster[cluster]
        cell += np.repeat(np.arange(count) * k, small_draws)
        weights = np.bincount(cell, minlength=count * k).reshape(count, k).astype(np.float64)
        weights[:, is_large] = draws[:, :-1]
        yield weights


def bootstrap(
    formulas: list[Callable[[FloatArray], FloatArray]], sample: Sample, *, replicates: int, seed: int
) -> FloatArray:
    """Compute replicates of several statistics, shape ``(len(formulas), replicates)``.

    All statistics use the same resampled clusters, and the same seed gives the same replicates. Each formula maps
    cell weights ``(b, m)`` to values ``(b,)``, NaN where undefined.
    """
    values = np.empty((len(formulas), replicates))
    rng = np.random.default_rng(seed)
    start = 0
    for weights in replicate_weights(sample.sizes, replicates, rng, width=len(sample.cells.label)):
        cells = sample.cell_weights(weights)
        stop = start + len(cells)
        for row, formula in zip(values, formulas, strict=True):
            row[start:stop] = formula(cells)
        start = stop
    return values


def acceleration(formula: Callable[[FloatArray], FloatArray], sample: Sample, *, seed: int) -> float:
    """Return BCa's acceleration ``a``, by the cluster jackknife (Efron 1987).

    It is a sixth of the skewness of the estimate; 0 if leaving out any cluster gives the same estimate.
    """
    blocks = in_blocks(sample, _MAX_GROUPS, seed) if len(sample.sizes) > _MAX_GROUPS else sample
    rows = max(1, _BLOCK // max(len(sample.cells.label), 1))
    parts = [(formula(weights), sizes) for weights, sizes in blocks.without_each_group(rows)]
    values = np.concatenate([value for value, _ in parts])
    sizes = np.concatenate([size for _, size in parts])
    finite = np.isfinite(values)
    values, sizes = values[finite], sizes[finite]
    if not len(values):
        return 0.0
    # Efron's order: the mean minus the value without the cluster.
    distance = np.average(values, weights=sizes) - values
    spread = float(sizes @ distance**2)
    return float(sizes @ distance**3) / (6.0 * spread**1.5) if spread > 0.0 else 0.0


def bca_interval(
    estimate: float, replicates: FloatArray, skewness: float, clusters: int, level: float
) -> tuple[float, float] | None:
    """Compute the bias-corrected and accelerated interval (Efron 1987).

    It is expanded for few clusters (Hesterberg 2015). The spread of ``G`` resampled clusters is too small by the
    factor ``sqrt((G - 1) / G)``, and itself uncertain, so the quantile is Student's divided by this factor. None if
    too many replicates are undefined.

    Args:
        estimate: The statistic.
        replicates: Its bootstrap replicates, shape ``(b,)``; undefined ones NaN.
        skewness: Result of `acceleration`.
        clusters: Number of clusters, at least 2.
        level: Nominal coverage.
    """
    defined = _defined_replicates(replicates)
    if defined is None:
        return None
    # Ties count half: a statistic of counts has few distinct values.
    below = float((defined < estimate - _ROUNDING).mean() + (defined <= estimate + _ROUNDING).mean()) / 2
    # Half a replicate stays on each side, so that the bias is finite.
    bias = float(ndtri(min(max(below, 0.5 / len(defined)), 1 - 0.5 / len(defined))))
    lower_quantile = -t_quantile(level, clusters - 1) * math.sqrt(clusters / (clusters - 1))
    ends = [bias + (bias + z) / (1 - skewness * (bias + z)) for z in (lower_quantile, -lower_quantile)]
    low, high = np.quantile(defined, [float(ndtr(end)) for end in ends])
    return min(float(low), estimate), max(float(high), estimate)


def percentile_interval(replicates: FloatArray, level: float) -> tuple[float, float] | None:
    """Return the percentile bootstrap interval, or None if too many replicates are undefined."""
    defined = _defined_replicates(replicates)
    if defined is None:
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def varies(replicates: FloatArray) -> bool:
    """Return whether replicates differ by more than rounding; True if too few are defined."""
    defined = _defined_replicates(replicates)
    return defined is None or float(np.ptp(defined)) > _ROUNDING


def _defined_replicates(replicates: FloatArray) -> FloatArray | None:
    defined = replicates[np.isfinite(replicates)]
    return defined if len(defined) >= (1 - _MAX_UNDEFINED_SHARE) * len(replicates) else None


def in_blocks(sample: Sample, blocks: int, seed: int) -> Sample:
    """Join clusters at random into blocks with nearly equal numbers of clusters."""
    block_of_cluster = np.random.default_rng(seed).permutation(sample.n_clusters) % blocks
    group_of_cluster = np.repeat(np.arange(len(sample.sizes)), sample.sizes)
    joins = sparse.csr_array(
        (np.ones(len(block_of_cluster)), (block_of_cluster, group_of_cluster)),
        shape=(blocks, len(sample.sizes)),
    )
    joined: FloatArray | sparse.csr_array = joins @ sample.groups  # pyright: ignore[reportAssignmentType] - too wide in the stubs
    return Sample(sample.cells, joined, np.ones(blocks, dtype=np.int64))


_CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
"""Label and score of the four extreme rows."""


def unseen_interval(estimator: Estimator, value: float, sample: Sample, level: float) -> Interval:
    """Return the range of a statistic if the sample misses a share of one kind of extreme row.

    Kinds are the corners of (label, score), and the share is `unseen_share`. This range replaces the bootstrap where
    all replicates are equal: for a judge that never erred, the bootstrap interval has width 0, on ten rows as on
    ten thousand.
    """
    share = unseen_share(sample, level)
    cells = Cells(
        np.concatenate([sample.cells.label, _CORNERS[:, 0]]),
        np.concatenate([sample.cells.score, _CORNERS[:, 1]]),
        sample.cells.pass_at,
    )
    observed_counts = np.concatenate([sample.counts, np.zeros(len(_CORNERS))])
    # One row per corner, with all of the sample's weight on that corner.
    corner_counts = np.eye(len(observed_counts))[-len(_CORNERS) :] * sample.n
    values: FloatArray = estimator.formula((1 - share) * observed_counts + share * corner_counts, cells)
    possible = np.append(values[np.isfinite(values)], value)
    return float(possible.min()), float(possible.max())
