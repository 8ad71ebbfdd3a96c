"""Judged items in strata with planted rates, for tests and simulated coverage."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.corrected_rate.stratified import StratifiedItems


class Plan(NamedTuple):
    """Planted strata: items, rates, shares, labels, rows per cluster and their dependence."""

    items: int
    rates: tuple[float, ...]
    shares: tuple[float, ...]
    labels: tuple[int, ...] = ()
    rows: int = 1
    alike: float = 0.0

    @property
    def mean(self) -> float:
        """The true rate, over clusters."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(60)
        odds = np.log(np.array(self.rates) / (1 - np.array(self.rates)))[:, None]
        rates = (weights / (1 + np.exp(-odds - self.alike * nodes))).sum(axis=1) / weights.sum()
        return float(rates @ np.array(self.shares))


def world(rng: np.random.Generator, plan: Plan) -> StratifiedItems:
    """Items of which all labels are known, judged with 0.9 of right and 0.85 of wrong ones told."""
    cluster = np.repeat(np.arange(plan.items // plan.rows), plan.rows)
    stratum = rng.choice(len(plan.rates), size=plan.items, p=plan.shares)
    odds = np.log(np.array(plan.rates) / (1 - np.array(plan.rates)))[stratum]
    chance = 1 / (1 + np.exp(-odds - plan.alike * rng.normal(size=plan.items // plan.rows)[cluster]))
    label = (rng.random(plan.items) < chance).astype(np.float64)
    score = (rng.random(plan.items) < np.where(label == 1, 0.9, 0.15)).astype(np.float64)
    return StratifiedItems(label, score, stratum, cluster, [str(index) for index in range(len(plan.rates))])


def labelled(
    rng: np.random.Generator, items: StratifiedItems, known: FloatArray, new: IntArray
) -> FloatArray:
    """The labels known, and so many more of each stratum."""
    label = known.copy()
    for number, count in enumerate(new.tolist()):
        drawn = rng.permutation(np.flatnonzero((items.stratum == number) & np.isnan(label)))[:count]
        label[drawn] = items.label[drawn]
    return label
