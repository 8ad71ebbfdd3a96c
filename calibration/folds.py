"""Tenths of the clusters, each held out in turn: what was chosen on some rows is judged on others."""

from __future__ import annotations

import numpy as np

from .arrays import IntArray

FOLDS = 10


def folds_of(cluster: IntArray) -> tuple[IntArray, int]:
    """Split clusters at random, never one of them; always in the same way.

    In the order of a file every tenth row may be of one sort (systems in turn, right and wrong in turn).

    Args:
        cluster: Cluster number of each row, shape ``(n,)``, at least one row.

    Returns:
        Fold of each row, shape ``(n,)``, and how many folds there are: 1 where there is one cluster.
    """
    number = np.unique(cluster, return_inverse=True)[1]
    clusters = int(number.max()) + 1
    folds = min(FOLDS, clusters)
    return np.random.default_rng(0).permutation(clusters)[number] % folds, folds
