"""Self-consistency: agreement of a judge's repeated verdicts on one question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import IntArray
from ..intervals.clustered_means import mean_of
from ..intervals.clustered_rates import share_of
from ..statistic import Statistic

_PAIR = 2
"""Minimum number of repeats that can differ."""


class SelfConsistency(NamedTuple):
    """Agreement between repeats.

    Attributes:
        flip_rate: Mean over items of the share of pairs of repeats that differ.
        all_equal: Share of items on which all repeats agree (TARa@k, Atil et al. 2024).
    """

    flip_rate: Statistic
    all_equal: Statistic


def self_consistency(repeats: Sequence[Sequence[bool]], cluster: IntArray) -> SelfConsistency:
    """Measure the agreement between repeats of the same question.

    The flip rate of an item with ``k`` repeats, ``k_c`` of them with verdict ``c``, is
    ``1 - sum over c of k_c (k_c - 1) / (k (k - 1))``.

    Args:
        repeats: Whether each repeat passed, by item; at least two repeats each.
        cluster: Cluster number of each item.

    Raises:
        ValueError: An item has fewer than two repeats.
    """
    if any(len(passes) < _PAIR for passes in repeats):
        raise ValueError("an item needs at least two repeats")
    rates = np.array([flips(passes) for passes in repeats], dtype=np.float64)
    return SelfConsistency(
        mean_of(rates, cluster, least=0.0), share_of((rates == 0.0).astype(np.float64), cluster)
    )


def flips(passes: Sequence[bool]) -> float:
    """Return the share of pairs of repeats of one item that differ."""
    k = len(passes)
    return 1 - sum(count * (count - 1) for count in Counter(passes).values()) / (k * (k - 1))
