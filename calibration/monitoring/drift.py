"""Tests for drift of a judge on labelled anchors, valid for any number of looks."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

import msgspec
import numpy as np
from scipy.special import stdtr, stdtrit

from ..arrays import FloatArray, IntArray
from ..betting import STAKES, evidence, log_wealth
from ..intervals.clustered_means import mean_over_clusters
from .look_levels import look_levels

_SAMPLES = 20_000
"""Number of simulated runs for one detection rate."""

_MIN_ANCHORS = 10
"""Smallest number of anchors that is tried for the target power."""

_MAX_ANCHORS = 10_000
"""Largest number of anchors that is tried for the target power."""

_REPLY_COUNTS = 10
"""How many numbers of replies per anchor are tried for the target power, from the present number on."""

_DROP = 0.1
"""Assumed drop in accuracy."""

_LOOKS = 5
"""Number of looks within which the assumed drop should be found."""

_TARGET_POWER = 0.7
"""Target chance to find the assumed drop."""


def paired_drops(
    certified: FloatArray, looks: Sequence[FloatArray], cluster: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the drop in accuracy since the certified run after each look, and its p-value.

    Each anchor is compared with itself: its correctness at certification minus its mean over the looks so
    far, by a one-sided t-test over clusters. A judge that repeats its verdicts, right or wrong, has
    differences of 0, so looks need not be independent, and no accuracy has to be accepted in advance. Two anchors
    are added, one that became wrong and one that became right (Bonett and Price 2012); without them a few changes
    in one direction would be an alarm.

    Args:
        certified: Share of correct replies on each anchor at certification, shape ``(n,)``.
        looks: Share of correct replies in each later run; NaN for an anchor that was not judged again.
        cluster: Cluster number of each anchor, shape ``(n,)``.

    Returns:
        The drop and the p-value of no drop after each look, shape ``(looks,)`` each.
    """
    drops, p_values = list[float](), list[float]()
    times_judged, sums = np.zeros(len(certified)), np.zeros(len(certified))
    for look in looks:
        judged = np.isfinite(look)
        times_judged, sums = times_judged + judged, sums + np.where(judged, look, 0.0)
        ever_judged = times_judged > 0
        difference = certified[ever_judged] - sums[ever_judged] / times_judged[ever_judged]
        drops.append(float(difference.mean()) if ever_judged.any() else 0.0)
        clusters = cluster[ever_judged]
        last_cluster = int(clusters.max(initial=-1))
        mean = mean_over_clusters(
            np.append(difference, (1.0, -1.0)), np.append(clusters, (last_cluster + 1, last_cluster + 2))
        )
        p_values.append(float(stdtr(mean.degrees, -mean.value / mean.error)))
    return np.array(drops), np.array(p_values)


def first_drop(p: FloatArray, levels: FloatArray) -> int | None:
    """Return the first look, from 0, with a p-value at most its level (`look_levels`), or None."""
    alarms = np.flatnonzero(p <= levels)
    return int(alarms[0]) if len(alarms) else None


class DriftPower(msgspec.Struct, frozen=True, kw_only=True):
    """Power of the paired test if verdicts do not repeat, which is its worst case.

    Attributes:
        drop: Assumed drop in accuracy, from the first look on.
        looks: Number of looks.
        found: Chance to find the drop within these looks.
        wanted: Target chance.
        anchors: Number of anchors with which ``found`` would reach the target.
        replies: Number of replies per anchor of the certified run with which the present anchors would reach the
            target, or None if nine more are not enough.
    """

    drop: float
    looks: int
    found: float
    wanted: float
    anchors: int
    replies: int | None


def drift_power(accuracy: float, anchors: int, *, replies: float = 1.0) -> DriftPower:
    """Return the power of `paired_drops`, and the anchors or replies that reach the target.

    Args:
        accuracy: The judge's accuracy at certification.
        anchors: Number of anchors at certification, taken as independent and equally hard.
        replies: Replies on each anchor in the certified run.
    """
    # Power grows with the number of anchors, so the number is found by bisection.
    needed_anchors = _MIN_ANCHORS + bisect_left(
        range(_MIN_ANCHORS, _MAX_ANCHORS),
        _TARGET_POWER,
        key=lambda count: _detection_rate(accuracy, count, replies),
    )
    present_replies = math.ceil(replies)
    more_replies = range(present_replies, present_replies + _REPLY_COUNTS)
    return DriftPower(
        drop=_DROP,
        looks=_LOOKS,
        found=_detection_rate(accuracy, anchors, replies),
        wanted=_TARGET_POWER,
        anchors=needed_anchors,
        replies=next(
            (count for count in more_replies if _detection_rate(accuracy, anchors, count) >= _TARGET_POWER),
            None,
        ),
    )


def _detection_rate(accuracy: float, anchors: int, replies: float) -> float:
    """Simulate how often `paired_drops` finds a drop within the looks.

    Each verdict is drawn anew: 20,000 samples from one seed.
    """
    rng = np.random.default_rng(0)
    certified = rng.binomial(round(anchors * replies), accuracy, _SAMPLES) / round(anchors * replies)
    by_look = rng.binomial(anchors, max(0.0, accuracy - _DROP), (_LOOKS, _SAMPLES)) / anchors
    looks = np.arange(1, _LOOKS + 1)[:, None]
    so_far = np.cumsum(by_look, axis=0) / looks
    variance = certified * (1 - certified) / replies + so_far * (1 - so_far) / looks
    # `paired_drops` adds two anchors, with differences of 1 and -1.
    t = anchors * (certified - so_far) / np.sqrt(anchors * variance + 2)
    critical = -stdtrit(anchors, look_levels(_LOOKS, replies=replies))[:, None]
    return float((t >= critical).any(axis=0).mean())


def drift_evidence(looks: Sequence[FloatArray], accepted: float) -> FloatArray:
    """Return the evidence for a drop after each look, as an e-process.

    It is valid if looks are independent of each other given the anchors. Verdicts at temperature 0 are not: repeated
    verdicts count again in each look, and up to 17 % of false alarms were observed where the accepted level was the
    judge's own accuracy. So accept a lower level.

    A look is one run over a fixed set of anchors: the share of correct replies on each. Each stake bets on
    "less accurate than accepted": a look multiplies its wealth by ``prod_i (1 - stake (x_i - m0) / (1 -
    m0))``. The anchors differ in difficulty, but they are judged independently of each other, and their mean
    accuracy is at least ``m0`` unless the judge has drifted; then the expected product is at most 1, by the
    inequality of arithmetic and geometric means. So the wealth is a supermartingale over looks, and by
    Ville's inequality it ever reaches ``1 / alpha`` with probability at most ``alpha``.

    Source: Waudby-Smith and Ramdas 2024 (betting); Li 2026 (arXiv 2606.15474) for judges.

    Args:
        looks: One array per run, in order of time.
        accepted: The accepted accuracy ``m0``, below 1.

    Returns:
        The evidence after each look, shape ``(looks,)``. It may fall again, but an alarm stays raised.

    Raises:
        ValueError: The accepted level is not in (0, 1).
    """
    if not 0.0 < accepted < 1.0:
        raise ValueError(f"an accepted level is inside (0, 1), got {accepted}")
    wealth, after_look = np.zeros(len(STAKES)), list[float]()
    for accuracies in looks:
        wealth = wealth + log_wealth(-(accuracies - accepted) / (1 - accepted))
        after_look.append(evidence(wealth))
    return np.array(after_look, dtype=np.float64)


def first_alarm(evidence: FloatArray, alpha: float = 0.05) -> int | None:
    """Return the first look at which the evidence reaches ``1 / alpha``, or None."""
    alarms = np.flatnonzero(evidence >= 1 / alpha)
    return int(alarms[0]) if len(alarms) else None
