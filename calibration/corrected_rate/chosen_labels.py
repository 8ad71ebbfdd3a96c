"""Test whether labelled items were chosen by the judge's scores.

If they were, no estimate that treats them as a random sample is valid.
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

_ALARM = 0.01
"""Level of the test: one random sample in a hundred is mistaken for a chosen one."""


def chosen_by_score(data: LabelledAndJudged, *, tests: int = 1) -> float | None:
    """Return the p of "labelled items are scored like the rest" if it is too small, else None.

    Too small means that the labelled items cannot be a random sample.

    With several ``tests`` of one table it is multiplied by their number (Bonferroni).
    """
    score = np.concatenate([data.score, data.unlabelled])
    cluster = np.concatenate([data.label_cluster, data.unlabelled_cluster])
    p = selection_p(score, np.arange(len(score)) < len(data.score), cluster)
    return _alarm([p, *([1.0] * (tests - 1))])


def chosen_within_strata(items: StratifiedItems) -> float | None:
    """Test within strata whether labelled items were chosen by their scores.

    Each stratum may have any number of labels.
    Return the least p, multiplied by the number of strata (Bonferroni), if it is too small, else None.
    """
    labelled = np.isfinite(items.label)
    strata = [items.stratum == number for number in range(len(items.names))]
    return _alarm([selection_p(items.score[mine], labelled[mine], items.cluster[mine]) for mine in strata])


def selection_p(score: FloatArray, labelled: BoolArray, cluster: IntArray) -> float | None:
    """Test whether the ``(M,)`` scores of labelled and other items differ, two-sided.

    The larger p of Mann and Whitney's test with two errors. One is that of the sums of placements over
    clusters, so that a sample of whole clusters does not alarm. The other holds if the labels are a random
    sample; few labels that all score alike show no spread of their own.

    None if it cannot be tested: all items are labelled, or none; those or the others are in one cluster; or
    all scores are equal.

    Source: DeLong, DeLong and Clarke-Pearson 1988 for the placements; Obuchowski 1997 for clusters; Lehmann
    1975 for ties and continuity.
    """
    if labelled.all() or not labelled.any() or np.ptp(score) == 0.0:
        return None
    placed = placements(labelled, score) - 0.5
    found = combine_means(placed, labelled.astype(np.int64), np.ones(2), cluster)
    # Both means are the estimate, and each adds an error of its own to it.
    p = found._replace(value=found.value / 2).p()
    return None if p is None else max(p, _null_p(score, labelled))


def _null_p(score: FloatArray, labelled: BoolArray) -> float:
    """Return the p-value of the labelled items' rank sum, corrected for ties and continuity.

    The null hypothesis is that the labelled items are a random sample.
    """
    n, chosen, ranks = len(score), int(labelled.sum()), mid_ranks(score)
    distance = abs(float(ranks[labelled].sum()) - chosen * (n + 1) / 2)
    variance = chosen * (n - chosen) / n * float(ranks.var(ddof=1))
    # Half of the least step that the rank sum can make.
    half_step = float(np.diff(np.unique(ranks)).min()) / 2
    return min(1.0, float(2 * ndtr(-max(0.0, distance - half_step) / math.sqrt(variance))))


def _alarm(p_values: list[float | None]) -> float | None:
    tested = [p for p in p_values if p is not None]
    least = min(1.0, min(tested) * len(tested)) if tested else 1.0
    return least if least <= _ALARM else None
