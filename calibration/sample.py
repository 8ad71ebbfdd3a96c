"""Samples (labels and scores as counts) and estimators (formulas of a sample)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from scipy import sparse

from ..records.made_scores import reaches
from .arrays import FloatArray, IntArray, numbered, without_gaps
from .statistic import Interval, TransformedScale
from .statistics.rates import Proportion

_DENSE_CELLS = 64
"""Maximum number of cells with which counts are dense, and clusters with equal counts are grouped."""

_MAX_NUMBER = 1 << 62
"""Bound of numbers that combine the counts of a row, so that they fit into 64 bits."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Distinct (label, score) pairs of a sample: ``m`` of them, sorted by label, then score.

    A statistic is a function of weights ``(..., m)`` on these cells. The same function gives the estimate
    (weights are counts), the bootstrap (counts of resampled clusters) and the jackknife; its derivative gives
    the influence values.

    Attributes:
        label: Trusted value of each cell, shape ``(m,)``, in [0, 1].
        score: Score of each cell, shape ``(m,)``, in [0, 1].
        pass_at: Values at or above this pass.
    """

    label: FloatArray
    score: FloatArray
    pass_at: float

    @cached_property
    def quadrant(self) -> FloatArray:
        """Quadrant of each cell, one-hot ``(m, 4)``.

        Quadrants are true negative, false positive, false negative and true positive.
        """
        number = 2 * reaches(self.label, self.pass_at) + reaches(self.score, self.pass_at)
        return np.eye(4)[number]

    def tables(self, weights: FloatArray) -> FloatArray:
        """Return the 2x2 tables of weights ``(..., m)``, shape ``(..., 2, 2)``.

        Tables are ``[[tn, fp], [fn, tp]]`` (rows: label, columns: judge).
        """
        return (weights @ self.quadrant).reshape(*weights.shape[:-1], 2, 2)


QUADRANTS = Cells(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0]), 0.5)
"""Four cells: true negative, false positive, false negative and true positive."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Labels and scores of one judge, as counts.

    Clusters with equal counts are one group, so a million rows of 0/1 data are a few hundred numbers.

    Attributes:
        cells: The distinct (label, score) pairs.
        groups: Counts per cell of one cluster of each group, shape ``(k, m)``, dense or sparse.
        sizes: Number of clusters in each group, shape ``(k,)``.
    """

    cells: Cells
    groups: FloatArray | sparse.csr_array
    sizes: IntArray

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.sizes.sum())

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.counts.sum())

    @cached_property
    def counts(self) -> FloatArray:
        """Rows per cell, shape ``(m,)``."""
        return self.sizes @ self.groups

    @cached_property
    def singletons(self) -> bool:
        """True if every row is its own cluster."""
        return self.n == self.n_clusters

    @cached_property
    def effective_clusters(self) -> float:
        """Effective number of clusters: ``(sum of m)^2 / sum of m^2`` for sizes m; 0 without rows."""
        rows = np.asarray(self.groups.sum(axis=1), dtype=np.float64)
        return self.n**2 / float(self.sizes @ rows**2) if self.n else 0.0

    def cell_weights(self, group_weights: FloatArray) -> FloatArray:
        """Return counts per cell ``(b, m)`` from weights of the groups ``(b, k)``."""
        return group_weights @ self.groups

    def as_independent_rows(self) -> Sample:
        """Return the same rows, each as its own cluster."""
        return Sample(self.cells, _identity(len(self.counts)), self.counts.astype(np.int64))

    def without_each_group(self, rows: int) -> Iterator[tuple[FloatArray, IntArray]]:
        """Yield counts per cell ``(b, m)`` without one cluster of each group.

        Groups come in blocks of ``b``, at most ``rows``, with the numbers of clusters in these groups, shape
        ``(b,)``.
        """
        for start in range(0, len(self.sizes), rows):
            block = self.groups[start : start + rows]
            dense = block.toarray() if isinstance(block, sparse.csr_array) else block
            yield self.counts - dense, self.sizes[start : start + rows]


def make_sample(
    label: FloatArray, score: FloatArray, cluster: IntArray | None = None, *, pass_at: float = 0.5
) -> Sample:
    """Reduce rows, labels and scores in [0, 1], shape ``(n,)``, to a sample.

    Without clusters every row is its own cluster; without rows there are no clusters.

    Raises:
        ValueError: The shapes differ.
    """
    if label.shape != score.shape or (cluster is not None and cluster.shape != label.shape):
        raise ValueError("label, score and cluster must have the same shape")
    (labels, scores), groups, sizes = reduce_rows([label, score], cluster)
    return Sample(Cells(labels, scores, pass_at), groups, sizes)


def reduce_rows(
    columns: list[FloatArray], cluster: IntArray | None = None
) -> tuple[list[FloatArray], FloatArray | sparse.csr_array, IntArray]:
    """Return the distinct rows of some columns, and their counts in each cluster.

    Without clusters every row is its own cluster.

    Returns:
        The columns of the ``m`` distinct rows; the counts per cell of one cluster of each group, shape
        ``(k, m)``; the number of clusters in each group, shape ``(k,)``.
    """
    # Columns are combined one by one, and renumbered after each, so that cell numbers stay small.
    cell, m = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        values, code = numbered(column)
        cell, m = without_gaps(cell * len(values) + code)
    row_of_cell = np.zeros(m, dtype=np.int64)
    row_of_cell[cell] = np.arange(len(cell))
    distinct = [column[row_of_cell] for column in columns]
    if cluster is None:
        return distinct, _identity(m), np.bincount(cell, minlength=m)
    number, n_clusters = without_gaps(cluster)
    if n_clusters == len(cell):
        return distinct, _identity(m), np.bincount(cell, minlength=m)
    groups, sizes = _group(cell, number, m, n_clusters)
    return distinct, groups, sizes


def _identity(m: int) -> FloatArray | sparse.csr_array:
    return np.eye(m) if m <= _DENSE_CELLS else sparse.csr_array(sparse.eye_array(m))


def _group(
    cell: IntArray, cluster: IntArray, m: int, n_clusters: int
) -> tuple[FloatArray | sparse.csr_array, IntArray]:
    """Return counts per cell of one cluster of each group, and the number of clusters in each."""
    if m > _DENSE_CELLS:
        counts = sparse.csr_array((np.ones(len(cell)), (cluster, cell)), shape=(n_clusters, m))
        return counts, np.ones(n_clusters, dtype=np.int64)
    dense = np.bincount(cluster * m + cell, minlength=n_clusters * m).reshape(n_clusters, m)
    first, sizes = _distinct_rows(dense)
    return dense[first].astype(np.float64), sizes


def _distinct_rows(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the index of each distinct row, in order of value, and the number of equal rows."""
    radix = [int(top) + 1 for top in counts.max(axis=0)]
    if math.prod(radix) > _MAX_NUMBER:
        _, first, sizes = np.unique(counts, axis=0, return_index=True, return_counts=True)
        return first, sizes
    # A row's counts are the digits of one number, which sorts ten times as fast.
    digits = np.array([math.prod(radix[column + 1 :]) for column in range(len(radix))])
    _, first, sizes = np.unique(counts @ digits, return_index=True, return_counts=True)
    return first, sizes


MAX_CELLS = 25_000
"""Distinct (label, score) pairs above which a block jackknife replaces the bootstrap."""

StatisticFamily: TypeAlias = Literal["table", "graded", "probability", "custom"]
"""Data that a statistic uses.

* ``table``: the 2x2 table of passes.
* ``graded``: labels and scores as they are.
* ``probability``: scores as the probability of passing.
* ``custom``: whatever a custom function uses.
"""

IntervalFunction: TypeAlias = Callable[[Sample, float], tuple[Interval | None, str]]
"""Function from a sample and a level to an interval and the name of its method."""


@dataclass(frozen=True)
class Estimator:
    """One statistic of a sample.

    Attributes:
        name: Name in JSON.
        family: Kind of data that it is computed from.
        formula: Function from cell weights ``(..., m)`` and the cells to values ``(...)``, NaN where
            undefined.
        undefined: Reason given where the formula is undefined.
        proportion: Successes and trials, for a proportion.
        special_interval: Default interval of a statistic that needs neither Wilson's nor BCa.
        few_clusters: Scale of the jackknife interval that replaces BCa if clusters are few; None to use BCa.
        max_cells: Number of cells above which the statistic is not bootstrapped.
        weight_of_passes: Weight of the true positive rate, from the 2x2 table, if the statistic is a weighted
            mean of both rates.
    """

    name: str
    family: StatisticFamily
    formula: Callable[[FloatArray, Cells], FloatArray]
    undefined: str
    proportion: Proportion | None = None
    special_interval: IntervalFunction | None = None
    few_clusters: TransformedScale | None = None
    max_cells: int = MAX_CELLS
    weight_of_passes: Callable[[FloatArray], float] | None = None

    def of(self, cells: Cells) -> Callable[[FloatArray], FloatArray]:
        """Return the formula as a function of the weights alone."""
        return lambda weights: self.formula(weights, cells)
