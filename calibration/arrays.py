"""Array helpers: types, numbering, cluster folds, derivatives, safe division, bisection.

A division by 0 is "undefined" instead of a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
CodeArray: TypeAlias = npt.NDArray[np.signedinteger[Any]]
"""Integers of any size that number the values of a column."""

_ROUNDING = 1e-13
"""A variance of numbers in [0, 1] below this is rounding: the numbers are one constant."""

_MAX_ENTRIES_PER_ROW = 8
"""Maximum number of lookup-table entries per row; for sparser numbers sorting is cheaper."""

FOLDS = 10
"""Number of parts into which clusters are split for cross-fitting."""


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide elementwise; NaN where the denominator is 0, which callers turn into "undefined".

    Values are real, or complex while a formula is being differentiated.
    """
    zero = np.abs(denominator) <= _ROUNDING
    return np.where(zero, np.nan, numerator / np.where(zero, 1.0, denominator))


def numbered(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], IntArray]:
    """Return the distinct values, ascending, and the number of each.

    Equals `numpy.unique` of ``(n,)`` values, none NaN, with its inverse, but without sorting all rows.
    """
    distinct = np.unique(values)
    return distinct, np.searchsorted(distinct, values)


def cluster_numbers(names: Iterable[str]) -> IntArray:
    """Number names, of clusters or cases, in order of first appearance."""
    codes: dict[str, int] = {}
    return np.array([codes.setdefault(name, len(codes)) for name in names], dtype=np.int64)


def without_gaps(numbers: npt.NDArray[np.integer[Any]]) -> tuple[IntArray, int]:
    """Renumber in the same order without gaps, shape ``(n,)``; also return the count of numbers."""
    top = int(numbers.max(initial=-1)) + 1
    if numbers.min(initial=0) < 0 or top > _MAX_ENTRIES_PER_ROW * len(numbers) + _MAX_ENTRIES_PER_ROW:
        distinct, code = numbered(numbers)
        return code, len(distinct)
    used = np.zeros(top, dtype=np.bool_)
    used[numbers] = True
    return (np.cumsum(used) - 1)[numbers], int(used.sum())


def clusters_in(cluster: IntArray) -> int:
    """Count distinct cluster numbers, none of them below 0."""
    return without_gaps(cluster)[1]


def first_known(values: FloatArray, group: IntArray, groups: int) -> FloatArray:
    """Return each group's first value that is not NaN, shape ``(groups,)``; NaN without one.

    Values and their group numbers have shape ``(n,)``.
    """
    first = np.full(groups, np.nan)
    # NumPy keeps the last of several assignments to a group, so go backwards.
    backwards = np.flatnonzero(np.isfinite(values))[::-1]
    first[group[backwards]] = values[backwards]
    return first


def derivative(
    function: Callable[[FloatArray], FloatArray], at: FloatArray, directions: FloatArray
) -> FloatArray:
    """Compute directional derivatives by the complex step, exact to rounding.

    The function maps weights ``(..., m)`` to ``(...)`` and must be built of analytic operations; comparisons
    of real parts are fine. ``at`` has shape ``(m,)``, ``directions`` ``(k, m)``, the result ``(k,)``.

    Source: Squire and Trapp 1998.
    """
    step = 1e-30
    moved: FloatArray = at + 1j * step * directions  # pyright: ignore[reportAssignmentType] - complex on purpose
    return np.imag(function(moved)) / step


def folds_of(cluster: IntArray) -> tuple[IntArray, int]:
    """Split clusters at random, but reproducibly, into folds without dividing a cluster.

    Return the fold of each row, shape ``(n,)``, and the number of folds, which is 1 for a single cluster. The
    split is random because files may list systems, or right and wrong rows, in turn.
    """
    number = np.unique(cluster, return_inverse=True)[1]
    clusters = int(number.max()) + 1
    folds = min(FOLDS, clusters)
    return np.random.default_rng(0).permutation(clusters)[number] % folds, folds


def bisected(
    low: float, high: float, holds: Callable[[float], bool], *, halvings: int = 60
) -> tuple[float, float]:
    """Bisect a condition that is false up to some point and true from there.

    Return the largest point found where it is false, and the smallest where it is true.
    """
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high
