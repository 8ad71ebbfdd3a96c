"""Rates of systems whose cases have unequal numbers of trials; every case has weight 1."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..intervals.clustered_rates import share_of
from ..statistic import Statistic
from .outputs import Graded


def cases_of_both(first: Graded, second: Graded) -> tuple[Graded, Graded]:
    """Return all outputs of two systems for the cases of which both have a graded output."""
    common = np.intersect1d(first.case[first.is_graded], second.case[second.is_graded])
    return first.take(np.isin(first.case, common)), second.take(np.isin(second.case, common))


def cases_of_uneven(graded: Graded) -> int | None:
    """Return the number of cases if they have unequal numbers of trials, else None."""
    return None if graded.weight is None else len(np.unique(graded.case))


def rate_by_case(graded: Graded, *, level: float = 0.95) -> Statistic:
    """Return the uncorrected pass rate with weight 1 for each case."""
    rows = graded.take(graded.is_graded)
    return share_of(rows.result, rows.cluster, rows.weight, level=level)


def uneven_rates(systems: Mapping[str, Graded], *, level: float = 0.95) -> dict[str, Statistic]:
    """Return `rate_by_case` of the systems whose cases have unequal numbers of trials."""
    return {
        name: rate_by_case(graded, level=level)
        for name, graded in systems.items()
        if graded.weight is not None
    }
