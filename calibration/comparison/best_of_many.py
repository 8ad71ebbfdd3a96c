"""Choosing the best of many: how much of the winner's lead is luck."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np

from ..arrays import BoolArray, IntArray
from ..folds import folds_of
from ..intervals.cluster_mean import share_of
from ..statistic import Statistic, defined, undefined
from ..true_rate.ranking import simultaneous_level

_NO_INTERVAL = "no interval: the choices of the splits share their items, so their spread says too little"


class Choice(NamedTuple):
    """The best, and what it is worth on items that did not choose it.

    Attributes:
        best: Number of the one that is right most often; the first of equals.
        apparent: Its share right, on the items that chose it, with an interval that holds for whichever is best.
        held_out: Share right of whichever was best elsewhere, fold by fold; undefined with fewer than two clusters.
    """

    best: int
    apparent: Statistic
    held_out: Statistic


def best_of_many(right: BoolArray, cluster: IntArray, *, level: float = 0.95) -> Choice:
    """Choose on nine tenths of the clusters, score on the last tenth, in turn.

    The interval of the winner's share is one of as many that hold together (Bonferroni), so being chosen does not
    undermine it. The held-out share has none: where contenders are about equal, the splits choose alike, and its spread
    over items or splits covers much less often than it says.

    Args:
        right: Whether each contender is right, shape ``(contenders, n)``, at least one item.
        cluster: Cluster number of each item, shape ``(n,)``; a cluster is never split.
        level: Nominal coverage.

    Returns:
        The choice.
    """
    best = int(right.mean(axis=1).argmax())
    together = simultaneous_level(level, len(right))
    alone = share_of(right[best].astype(np.float64), cluster, level=together)
    among = f"{alone.method}, for the best of {len(right)} contender{'' if len(right) == 1 else 's'}"
    apparent = msgspec.structs.replace(alone, level=level, method=among)
    return Choice(best, apparent, _held_out(right, cluster, level))


def _held_out(right: BoolArray, cluster: IntArray, level: float) -> Statistic:
    n = right.shape[1]
    fold, folds = folds_of(cluster)
    if folds < 2:  # noqa: PLR2004 - nothing could be held out
        return undefined("there is only one cluster, so nothing can be held out", n=n, level=level)
    hits = 0
    for each in range(folds):
        chosen = int(right[:, fold != each].mean(axis=1).argmax())
        hits += int(right[chosen, fold == each].sum())
    return defined(hits / n, n=n, method=_NO_INTERVAL, level=level)
