"""Choosing the best of many: how much of the winner's lead is luck."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays import BoolArray, IntArray
from ..folds import folds_of


class Choice(NamedTuple):
    """The best, and what it is worth on items that did not choose it.

    Attributes:
        best: Number of the one that is right most often; the first of equals.
        apparent: Its share right, on the items that chose it.
        held_out: Share right of whichever was best elsewhere, fold by fold; None with fewer than two clusters.
    """

    best: int
    apparent: float
    held_out: float | None

    def numbers(self) -> dict[str, float | None]:
        """Apparent, held-out, and the difference of the two."""
        optimism = None if self.held_out is None else self.apparent - self.held_out
        return {"apparent": self.apparent, "held_out": self.held_out, "optimism": optimism}


def best_of_many(right: BoolArray, cluster: IntArray) -> Choice:
    """Choose on nine tenths of the clusters, score on the last tenth, in turn.

    Args:
        right: Whether each contender is right, shape ``(contenders, n)``.
        cluster: Cluster number of each item, shape ``(n,)``; a cluster is never split.

    Returns:
        The choice.
    """
    best = int(right.mean(axis=1).argmax())
    apparent = float(right[best].mean())
    fold, folds = folds_of(cluster)
    if folds < 2:  # noqa: PLR2004 - nothing could be held out
        return Choice(best, apparent, None)
    hits = 0.0
    for each in range(folds):
        chosen = int(right[:, fold != each].mean(axis=1).argmax())
        hits += float(right[chosen, fold == each].sum())
    return Choice(best, apparent, hits / right.shape[1])
