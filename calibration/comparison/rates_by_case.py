"""Rates and differences in which each case counts once, whatever its number of trials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..intervals.clustered_means import mean_over_clusters
from ..repeated_trials import Trials, trial_rate
from ..statistic import Statistic
from .difference import TestedDifference, clustered_difference
from .outputs import Graded


class CasesOfBoth(NamedTuple):
    """Graded outputs of two systems for the cases that both have.

    Attributes:
        first: The first's.
        second: The second's.
    """

    first: Graded
    second: Graded

    def difference(self, level: float) -> TestedDifference:
        """Return the mean difference of the cases' pass rates, tested over clusters."""
        cluster, first = _means_by_case(self.first)
        gaps = first - _means_by_case(self.second)[1]
        return clustered_difference(mean_over_clusters(gaps, cluster), n=len(gaps), level=level)

    def rates(self, level: float) -> list[Statistic]:
        """Return the pass rate of either, with weight 1 for each case."""
        return [rate_by_case(each, level=level) for each in self]


def cases_of_both(first: Graded, second: Graded) -> CasesOfBoth:
    """Return the graded outputs for the cases of which both have one."""
    common = np.intersect1d(first.case[first.is_graded], second.case[second.is_graded])
    sides = (each.take(each.is_graded & np.isin(each.case, common)) for each in (first, second))
    return CasesOfBoth(*sides)


def rate_by_case(graded: Graded, *, level: float = 0.95) -> Statistic:
    """Return the uncorrected pass rate with weight 1 for each case."""
    rows = graded.take(graded.is_graded)
    judged: BoolArray = np.zeros(len(rows.case), dtype=np.bool_)
    return trial_rate(
        "pass^k", 1, Trials(rows.case, rows.cluster, rows.result, judged, rows.label), level=level
    )


def uneven_rates(systems: Mapping[str, Graded], *, level: float = 0.95) -> dict[str, Statistic]:
    """Return these rates for the systems whose cases have unequal numbers of trials."""
    return {
        name: rate_by_case(each, level=level)
        for name, each in systems.items()
        if len(each.trials) and (each.trials != each.trials[0]).any()
    }


def _means_by_case(graded: Graded) -> tuple[IntArray, FloatArray]:
    """Return the cluster and the pass rate of each case, ascending by case."""
    _, first, case = np.unique(graded.case, return_index=True, return_inverse=True)
    return graded.cluster[first], np.bincount(case, weights=graded.result) / np.bincount(case)
