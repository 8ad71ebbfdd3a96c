"""Standard errors of Cohen's kappa in closed form, as textbooks and other software have them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..statistic import Statistic, defined, undefined

_NO_CHANCE = 1e-12


class _Shares(NamedTuple):
    """Cell shares, both margins, and agreement by chance."""

    share: FloatArray
    rows: FloatArray
    columns: FloatArray
    chance: float


def kappa_standard_error(table: FloatArray) -> Statistic:
    """The standard error of Cohen's kappa, whatever kappa is.

    Poor below about 50 rows or near 1, where a bootstrap is better. The intervals of `measure` with ``interval="wald"``
    are made of it: they find it by the derivative of kappa, without this formula.

    Source: Fleiss, Cohen and Everitt 1969.

    Args:
        table: Counts, rows one rater, columns the other, shape ``(q, q)``.

    Returns:
        The standard error, without an interval; undefined where kappa is.
    """
    return _standard_error(table, _variance, "Fleiss, Cohen and Everitt 1969")


def kappa_null_standard_error(table: FloatArray) -> Statistic:
    """The standard error of Cohen's kappa if the true kappa is 0: for that test alone, which asks for very little.

    Source: Fleiss, Cohen and Everitt 1969.

    Args:
        table: Counts, rows one rater, columns the other, shape ``(q, q)``.

    Returns:
        The standard error, without an interval; undefined where kappa is.
    """
    return _standard_error(table, _null_variance, "Fleiss, Cohen and Everitt 1969, kappa 0")


def _standard_error(table: FloatArray, variance: Callable[[_Shares], float], method: str) -> Statistic:
    n, shares = int(table.sum()), _shares(table)
    if n == 0 or shares.chance > 1 - _NO_CHANCE:
        return undefined("both raters use one and the same category only, or there is no row", n=n)
    return defined(math.sqrt(max(0.0, variance(shares) / n)), n=n, method=method)


def _variance(shares: _Shares) -> float:
    """Of kappa, times the number of rows."""
    share, rows, columns, chance = shares
    agreement = float(np.trace(share))
    mixed = rows[None, :] + columns[:, None]
    diagonal = float((np.diag(share) * ((1 - chance) - np.diag(mixed) * (1 - agreement)) ** 2).sum())
    beside = share * mixed**2
    others = (1 - agreement) ** 2 * float(beside.sum() - np.trace(beside))
    less = (agreement * chance - 2 * chance + agreement) ** 2
    return (diagonal + others - less) / (1 - chance) ** 4


def _null_variance(shares: _Shares) -> float:
    """Of kappa where the true one is 0, times the number of rows."""
    _, rows, columns, chance = shares
    return (chance + chance**2 - float((rows * columns * (rows + columns)).sum())) / (1 - chance) ** 2


def _shares(table: FloatArray) -> _Shares:
    share = table / max(1.0, float(table.sum()))
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    return _Shares(share, rows, columns, float(rows @ columns))
