"""Is a judge equally good on every slice? A test of equal rates that knows clusters."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc

from ..arrays import BoolArray, CodeArray, FloatArray, IntArray, without_gaps
from .results import EqualRates


def equal_rates(success: BoolArray, group: CodeArray, cluster: IntArray) -> EqualRates:
    """Score test that a rate is the same in all groups, with a variance over clusters.

    Groups may share clusters: several systems on the same tasks, say. The variance is taken under the hypothesis of one
    common rate: a Wald test, with a variance for each group from its own few clusters, rejects far too often.

    Source: the generalized score test of Rotnitzky and Jewell 1990, for a saturated mean.

    Args:
        success: Whether each trial succeeded, shape ``(n,)``.
        group: Group number of each trial, shape ``(n,)``.
        cluster: Cluster number of each trial, shape ``(n,)``.

    Returns:
        The test. Undefined with one group, with not more clusters than groups, or where nothing varies over clusters.
    """
    member, k = without_gaps(group)
    if k < 2:  # noqa: PLR2004 - equality needs two
        return EqualRates(p=None, groups=k, undefined="there is only one group")
    number, clusters = without_gaps(cluster)
    if clusters <= k:
        return EqualRates(p=None, groups=k, undefined="there are not more clusters than groups")
    share = np.bincount(member) / len(member)
    residual: FloatArray = success - success.mean()
    sums = np.bincount(number * k + member, weights=residual, minlength=clusters * k).reshape(clusters, k)
    score: FloatArray = sums.sum(axis=0)[1:]
    # The common rate is estimated from the same rows: each cluster moves it, and so every group.
    moved: FloatArray = (sums - sums.sum(axis=1, keepdims=True) * share)[:, 1:]
    spread: FloatArray = moved.T @ moved
    if np.linalg.matrix_rank(spread) < k - 1:
        return EqualRates(p=None, groups=k, undefined="nothing varies over the clusters")
    weighted = np.linalg.solve(spread, score)
    return EqualRates(p=float(chdtrc(k - 1, float(score @ weighted))), groups=k, undefined=None)
