"""Localisation: the rate at which a judge names the step where a trajectory goes wrong."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np

from .arrays import BoolArray, FloatArray, IntArray
from .intervals.clustered_rates import certified_rate, share_of
from .statistic import Statistic

ALPHA = 0.05
"""Chance of a false claim that a judge localises, over all sorts of fault."""


class NamedSteps(NamedTuple):
    """Steps that one judge named on trajectories with a known fault.

    Attributes:
        named: Named step, counted from 1; 0 if no step was named; shape ``(n,)``.
        planted: Step with the fault, counted from 1; shape ``(n,)``.
        steps: Number of steps of each trajectory, shape ``(n,)``.
        cluster: Cluster number of each trajectory, shape ``(n,)``.
    """

    named: IntArray
    planted: IntArray
    steps: IntArray
    cluster: IntArray


class HitRates(msgspec.Struct, frozen=True):
    """Shares of faults that a baseline locates.

    Attributes:
        exact: Share of faults whose step it names.
        within_one: Share of faults for which it names that step or one next to it.
    """

    exact: float
    within_one: float


class Localisation(msgspec.Struct, frozen=True, kw_only=True):
    """Rates at which a judge names the step where trajectories go wrong.

    Attributes:
        exact: Share of faults whose exact step the judge names; an unnoticed fault counts as missed.
        within_one: Share of faults for which the judge names that step or one next to it.
        unnoticed: Number of faults for which the judge names no step.
        last_step: Rates of a baseline that always names the last step, on the same trajectories.
        uniform: Expected rates of a baseline that names a random step.
        bound: One-sided lower bound of ``exact``, or None without a row.
        localises: Whether the bound is above the better of both baselines.
    """

    exact: Statistic
    within_one: Statistic
    unnoticed: int
    last_step: HitRates
    uniform: HitRates
    bound: float | None
    localises: bool


def localisation(rows: NamedSteps, *, sorts: int = 1) -> Localisation:
    """Compare the steps that a judge named with those at which faults were planted.

    Args:
        rows: One row for each graded trajectory.
        sorts: Number of sorts of fault; their bounds are valid for all at once, at 95 %.
    """
    # An unnamed step is 0, which may be within one of a fault in step 1, but is no hit.
    distance = np.abs(rows.named - rows.planted)
    exact = _float(distance == 0)
    within = _float((distance <= 1) & (rows.named > 0))
    last, uniform = baselines(rows)
    bound = certified_rate(exact, rows.cluster, level=1 - ALPHA / sorts).low
    return Localisation(
        exact=share_of(exact, rows.cluster),
        within_one=share_of(within, rows.cluster),
        unnoticed=int((rows.named == 0).sum()),
        last_step=last,
        uniform=uniform,
        bound=bound,
        localises=bound is not None and bound > max(last.exact, uniform.exact),
    )


def baselines(rows: NamedSteps) -> tuple[HitRates, HitRates]:
    """Return the rates of naming the last step, and of naming any step with equal chance."""
    if not len(rows.planted):
        return HitRates(0.0, 0.0), HitRates(0.0, 0.0)
    steps_after = rows.steps - rows.planted
    # The faulty step and its neighbours, of which the first and the last step have only one.
    n_within_one = 1 + (rows.planted > 1) + (steps_after > 0)
    return (
        HitRates(float((steps_after == 0).mean()), float((steps_after <= 1).mean())),
        HitRates(float((1 / rows.steps).mean()), float((n_within_one / rows.steps).mean())),
    )


def _float(hit: BoolArray) -> FloatArray:
    return hit.astype(np.float64)
