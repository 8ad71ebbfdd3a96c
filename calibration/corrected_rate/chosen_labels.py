"""Tests of whether labelled items were chosen by the judge's scores.

If they were, estimates that take them as a random sample are not valid.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from ..arrays import BoolArray, FloatArray, IntArray
from ..comparison.significance import mid_ranks, placements
from ..intervals.clustered_means import combine_means
from .estimators import LabelledAndJudged
from .stratified import StratifiedItems

CHOICE_ALARM = 0.01
"""Significance level of the tests: one random sample in a hundred raises a false alarm."""


def chosen_by_score(data: LabelledAndJudged, *, tests: int = 1) -> float | None:
    """Return the p-value of "labelled items are scored like the rest" if it rejects, else None.

    It is multiplied by the number of ``tests`` on one table (Bonferroni).
    """
    score = np.concatenate([data.score, data.unlabelled])
    cluster = np.concatenate([data.label_cluster, data.unlabelled_cluster])
    p = selection_p(score, np.arange(len(score)) < len(data.score), cluster)
    # Bonferroni counts p-values, so 1.0 stands for each of the other tests.
    return _p_if_rejected([p, *([1.0] * (tests - 1))])


def chosen_within_strata(items: StratifiedItems) -> float | None:
    """Test within strata whether items were chosen for labels by their scores.

    Return the smallest p-value, times the number of strata (Bonferroni), if the test rejects, else None.
    """
    labelled = np.isfinite(items.label)
    strata = [items.stratum == number for number in range(len(items.names))]
    return _p_if_rejected(
        [selection_p(items.score[rows], labelled[rows], items.cluster[rows]) for rows in strata]
    )


def selection_p(score: FloatArray, labelled: BoolArray, cluster: IntArray) -> float | None:
    """Return the two-sided p-value of "labelled and other items have the same ``(M,)`` scores".

    It is the larger p-value of Mann and Whitney's test with two standard errors. One is over clusters, so that
    a random sample of whole clusters is not rejected. The other is that of a random sample of items, since a
    few labels with equal scores have no spread.

    None if it cannot be tested: all items are labelled, or none; one of the two groups is in a single
    cluster; or all scores are equal.

    Source: DeLong, DeLong and Clarke-Pearson 1988 for the placements; Obuchowski 1997 for clusters; Lehmann
    1975 for ties and continuity.
    """
    if labelled.all() or not labelled.any() or np.ptp(score) == 0.0:
        return None
    centred = placements(labelled, score) - 0.5
    total = combine_means(centred, labelled.astype(np.int64), np.ones(2), cluster)
    # The mean of either group is the estimate, and the error is that of their sum.
    p = total._replace(value=total.value / 2).p()
    return None if p is None else max(p, _null_p(score, labelled))


def _null_p(score: FloatArray, labelled: BoolArray) -> float:
    """Return the p-value of the labelled items' rank sum, corrected for ties and continuity.

    The null hypothesis is that the labelled items are a random sample.
    """
    n, n_labelled, ranks = len(score), int(labelled.sum()), mid_ranks(score)
    distance = abs(float(ranks[labelled].sum()) - n_labelled * (n + 1) / 2)
    variance = n_labelled * (n - n_labelled) / n * float(ranks.var(ddof=1))
    # The continuity correction is half the smallest difference between two rank sums.
    half_step = float(np.diff(np.unique(ranks)).min()) / 2
    return min(1.0, float(2 * ndtr(-max(0.0, distance - half_step) / math.sqrt(variance))))


def _p_if_rejected(p_values: list[float | None]) -> float | None:
    """Return the Bonferroni-corrected smallest p-value if it rejects, else None."""
    tested = [p for p in p_values if p is not None]
    smallest = min(1.0, min(tested) * len(tested)) if tested else 1.0
    return smallest if smallest <= CHOICE_ALARM else None
