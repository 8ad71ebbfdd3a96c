"""Drift of a judge: two tests over runs on the same labelled anchors.

Both stay valid however often one looks.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

import msgspec
import numpy as np
from scipy.special import stdtr, stdtrit

from ..arrays import FloatArray, IntArray
from ..intervals.clustered_means import mean_over_clusters
from .look_levels import look_levels

_STAKES = np.linspace(0.05, 0.95, 19)
"""Shares of the largest stake; the evidence is the mean over them, so that none has to be chosen beforehand."""

_SAMPLED = 20_000

_FEWEST, _MOST, _OFTEN = 10, 10_000, 10
"""Numbers of anchors, from and to, and how many numbers of replies are tried to find what it takes."""


_DROP, _LOOKS, _WANTED = 0.1, 5, 0.7
"""Drop that is foreseen, looks within which it is to be found, and the chance that is wanted."""


def paired_drops(
    certified: FloatArray, looks: Sequence[FloatArray], cluster: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the drop in accuracy since the certified run after each look, and the p of no drop.

    Each anchor is compared with itself: its rightness when the judge was certified, less the mean over the looks so far, tested by a
    one-sided t-test over clusters. A judge that repeats its verdicts, right or wrong, has differences of 0, so looks need not be independent of
    each other; nor need any level be accepted beforehand. Two anchors are added, one that became wrong and one that became right
    (Bonett and Price 2012), without which a few changes that happen to go one way would be enough.

    Args:
        certified: How right the judge was on each anchor when it was certified, in [0, 1], over one reply or several, shape ``(n,)``.
        looks: The same in each later run; NaN for an anchor that was not judged anew.
        cluster: Cluster number of each anchor, shape ``(n,)``.

    Returns:
        The drop, and p, after each look, shape ``(looks,)`` each.
    """
    drops, p_values = list[float](), list[float]()
    times, sums = np.zeros(len(certified)), np.zeros(len(certified))
    for look in looks:
        judged = np.isfinite(look)
        times, sums = times + judged, sums + np.where(judged, look, 0.0)
        judged_once = times > 0
        difference = certified[judged_once] - sums[judged_once] / times[judged_once]
        drops.append(float(difference.mean()) if judged_once.any() else 0.0)
        own = cluster[judged_once]
        top = int(own.max(initial=-1))
        mean = mean_over_clusters(np.append(difference, (1.0, -1.0)), np.append(own, (top + 1, top + 2)))
        p_values.append(float(stdtr(mean.degrees, -mean.value / mean.error)))
    return np.array(drops), np.array(p_values)


def first_drop(p: FloatArray, levels: FloatArray) -> int | None:
    """Return the first look, from 0, whose p is within its level (`look_levels`), or None."""
    reached = np.flatnonzero(p <= levels)
    return int(reached[0]) if len(reached) else None


class DriftPower(msgspec.Struct, frozen=True, kw_only=True):
    """Power of the paired test when verdicts do not repeat, which is its worst case.

    Attributes:
        drop: How much less often the judge is right than it was, from the first look on.
        looks: Within how many.
        found: The chance that this is found.
        wanted: The chance that was asked for.
        anchors: So many anchors have that chance.
        replies: Replies per anchor that reach it in the certified run, on the same anchors; None if ten more do not.
    """

    drop: float
    looks: int
    found: float
    wanted: float
    anchors: int
    replies: int | None


def drift_power(accuracy: float, anchors: int, *, replies: float = 1.0) -> DriftPower:
    """Return how often `paired_drops` finds a drop, and what finds it as often as wanted.

    Args:
        accuracy: How often the judge was right when it was certified.
        anchors: How many anchors it was certified on; taken as independent and equally hard.
        replies: Replies on each anchor in the certified run.
    """
    enough = _FEWEST + bisect_left(
        range(_FEWEST, _MOST), _WANTED, key=lambda count: _detection_rate(accuracy, count, replies)
    )
    fewest = math.ceil(replies)
    more_replies = range(fewest, fewest + _OFTEN)
    return DriftPower(
        drop=_DROP,
        looks=_LOOKS,
        found=_detection_rate(accuracy, anchors, replies),
        wanted=_WANTED,
        anchors=enough,
        replies=next((r for r in more_replies if _detection_rate(accuracy, anchors, r) >= _WANTED), None),
    )


def _detection_rate(accuracy: float, anchors: int, replies: float) -> float:
    """Simulate how often `paired_drops` finds a drop within the looks.

    Each verdict is drawn anew: 20,000 samples from one seed.
    """
    rng = np.random.default_rng(0)
    certified = rng.binomial(round(anchors * replies), accuracy, _SAMPLED) / round(anchors * replies)
    by_look = rng.binomial(anchors, max(0.0, accuracy - _DROP), (_LOOKS, _SAMPLED)) / anchors
    looks = np.arange(1, _LOOKS + 1)[:, None]
    so_far = np.cumsum(by_look, axis=0) / looks
    variance = certified * (1 - certified) / replies + so_far * (1 - so_far) / looks
    # `paired_drops` adds two anchors, with differences of 1 and -1.
    t = anchors * (certified - so_far) / np.sqrt(anchors * variance + 2)
    critical = -stdtrit(anchors, look_levels(_LOOKS, replies=replies))[:, None]
    return float((t >= critical).any(axis=0).mean())


def drift_evidence(looks: Sequence[FloatArray], accepted: float) -> FloatArray:
    """Return the evidence for a drop after each look, as an e-process.

    It holds if looks are independent of each other given the anchors, which verdicts of a judge at temperature 0 are not: those it repeats are
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
    """Return the first look at which the evidence reaches ``1 / alpha``, or None."""
    reached = np.flatnonzero(evidence >= 1 / alpha)
    return int(reached[0]) if len(reached) else None
