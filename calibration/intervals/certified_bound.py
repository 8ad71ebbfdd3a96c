"""The rate that data certify: a lower bound that holds at its level, for where a guarantee is claimed."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from ..arrays import FloatArray, IntArray
from ..statistic import Statistic, undefined
from .closed_forms import t_quantile
from .variance import Estimate


def certified_rate(passed: FloatArray, cluster: IntArray, *, level: float = 0.95) -> Statistic:
    """A share with its one-sided lower bound.

    Clopper and Pearson's bound with as many trials as the clusters are worth, never more than there are (Korn and Graubard
    1998): exact for independent rows, and at least at its level where it was tried with clusters.

    Args:
        passed: 0 or 1, shape ``(n,)``.
        cluster: Cluster number of each row, shape ``(n,)``.
        level: Of the bound, one-sided.

    Returns:
        The share; ``low`` is the bound, ``high`` is 1.
    """
    if not len(passed):
        return undefined("no row is in the denominator", n=0, level=level)
    share = float(passed.mean())
    worth = _worth(passed, cluster, level)
    successes = share * worth
    low = 0.0 if successes == 0.0 else float(betaincinv(successes, worth - successes + 1, 1 - level))
    return Statistic(
        value=share,
        low=low,
        high=1.0,
        level=level,
        method="Clopper-Pearson on the cluster-effective n, one-sided",
        n=len(passed),
    )


def _worth(passed: FloatArray, cluster: IntArray, level: float) -> float:
    """How many independent trials the rows are worth."""
    trials, share = len(passed), float(passed.mean())
    codes = np.unique(cluster, return_inverse=True)[1]
    clusters = int(codes.max()) + 1
    if clusters == trials or share in {0.0, 1.0}:
        return float(clusters)
    error = Estimate(share, (passed - share) / trials, cluster).error() if clusters > 1 else 0.0
    if error == 0.0:
        return float(clusters)
    two_sided = 2 * level - 1
    shrink = (t_quantile(two_sided, trials - 1) / t_quantile(two_sided, clusters - 1)) ** 2
    return min(float(trials), shrink * share * (1 - share) / error**2)
