"""Has a judge become worse? Two tests over runs on the same labelled anchors, both valid however often one looks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr

from ..arrays import FloatArray, IntArray
from ..intervals.clustered_means import mean_over_clusters

_STAKES = np.linspace(0.05, 0.95, 19)
"""Shares of the largest stake; the evidence is the mean over them, so that none has to be chosen beforehand."""


def paired_drops(
    certified: FloatArray, looks: Sequence[FloatArray], cluster: IntArray
) -> tuple[FloatArray, FloatArray]:
    """How far rightness has dropped below that of the certified run, after each look, and the p of no drop.

    Each anchor is compared with itself: its rightness when the judge was certified, less the mean over the looks so far, tested by a
    one-sided t-test over clusters. A judge that repeats its verdicts, right or wrong, has differences of 0, so looks need not be independent of
    each other; nor need any level be accepted beforehand. Two anchors are added, one that became wrong and one that became right
    (Bonett and Price 2012), without which a few changes that happen to go one way would be enough.

    Args:
        certified: How right the judge was on each anchor when it was certified, in [0, 1], shape ``(n,)``.
        looks: The same in each later run; NaN for an anchor that was not judged anew.
        cluster: Cluster number of each anchor, shape ``(n,)``.

    Returns:
        The drop, and p, after each look, shape ``(looks,)`` each.
    """
    drops, found = list[float](), list[float]()
    seen, sums = np.zeros(len(certified)), np.zeros(len(certified))
    for look in looks:
        judged = np.isfinite(look)
        seen, sums = seen + judged, sums + np.where(judged, look, 0.0)
        known = seen > 0
        difference = certified[known] - sums[known] / seen[known]
        drops.append(float(difference.mean()) if known.any() else 0.0)
        own = cluster[known]
        top = int(own.max(initial=-1))
        mean = mean_over_clusters(np.append(difference, (1.0, -1.0)), np.append(own, (top + 1, top + 2)))
        found.append(float(stdtr(mean.degrees, -mean.value / mean.error)))
    return np.array(drops), np.array(found)


def level_at(look: int, alpha: float = 0.05) -> float:
    """The level of the look of this number, from 1 on: those of all looks that there will ever be add up to ``alpha``."""
    return alpha * 6 / (np.pi * look) ** 2


def first_drop(p: FloatArray, alpha: float = 0.05) -> int | None:
    """The first look, from 0 on, whose p is within its level; None when there is none."""
    reached = [look for look, each in enumerate(p.tolist()) if each <= level_at(look + 1, alpha)]
    return reached[0] if reached else None


def drift_evidence(looks: Sequence[FloatArray], accepted: float) -> FloatArray:
    """How much speaks for a drop, after each look: an e-process.

    It holds where looks are independent of each other given the anchors, which verdicts of a judge at temperature 0 are not: those it repeats are
    counted anew in each look, and against a level that is the judge's own rightness up to 17 % of false alarms were seen. Accept less than that.

    A look is one run over a fixed set of anchors: for each, in [0, 1], how right the judge was. Each stake bets on "less right
    than accepted": a look multiplies its wealth by ``prod_i (1 - stake (x_i - m0) / (1 - m0))``. The anchors differ in difficulty,
    but they are judged independently of each other, and their mean rightness is at least ``m0`` unless the judge has drifted; by
    the inequality of means the expected product then is at most 1. So the wealth is a supermartingale over looks, and
    by Ville's inequality it ever reaches ``1 / alpha`` with probability at most ``alpha``.

    Source: Waudby-Smith and Ramdas 2024 (betting); Li 2026 (arXiv 2606.15474) for judges.

    Args:
        looks: One array a run, in the order in which they were made.
        accepted: The rightness ``m0`` that was accepted, below 1.

    Returns:
        The evidence after each look, shape ``(looks,)``; it may fall again, but an alarm stands once it was reached.

    Raises:
        ValueError: The accepted level is not in (0, 1).
    """
    if not 0.0 < accepted < 1.0:
        raise ValueError(f"an accepted level is inside (0, 1), got {accepted}")
    log_wealth = np.zeros(len(_STAKES))
    evidence: list[float] = []
    for rightness in looks:
        gains = -np.outer(_STAKES, (rightness - accepted) / (1 - accepted))
        log_wealth = log_wealth + np.log1p(gains).sum(axis=1)
        top = float(log_wealth.max())
        evidence.append(float(np.exp(min(top, 700.0)) * np.exp(log_wealth - top).mean()))
    return np.array(evidence, dtype=np.float64)


def first_alarm(evidence: FloatArray, alpha: float = 0.05) -> int | None:
    """The first look at which the evidence reaches ``1 / alpha``; None when it never does."""
    reached = np.flatnonzero(evidence >= 1 / alpha)
    return int(reached[0]) if len(reached) else None
