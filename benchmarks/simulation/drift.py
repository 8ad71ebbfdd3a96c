"""Drift of judges that grade the same anchors again: some get worse, some do not.

The judges repeat their verdicts with different probabilities.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import binom, hypergeom

from fiducial.calibration.arrays import BoolArray, FloatArray, IntArray
from fiducial.calibration.intervals.clustered_rates import certified_rate
from fiducial.calibration.monitoring.drift import (
    drift_evidence,
    drift_power,
    first_alarm,
    first_drop,
    paired_drops,
)
from fiducial.calibration.monitoring.look_levels import look_levels

from .tally import FOUND, SIZE, Means, Tally, Target

KINDS = {"all alike": 0.0, "uneven": 2.0, "most are sure": 0.3}
"""Spread of the judge's accuracy over anchors: the sum of the parameters of a Beta distribution; 0 for no spread."""

_LOOKS, _SOON, _DROP = 20, 5, 0.1

_LEVELS = look_levels(_LOOKS)


def drift(draws: int) -> Iterator[Tally | Means]:
    """Simulate drift on 100 anchors: false alarms in 20 looks, ten-point drops found in five.

    Both tests are simulated.
    """
    paired, lucky, betting = (
        Tally(f"drift, {test}: alarm ever in 20 looks, nothing changed", target)
        for test, target in (
            ("paired", SIZE),
            ("paired, of certificates whose claim, 5 points below the truth, held", FOUND),
            ("e-process, the anchors' own rate accepted", SIZE),
        )
    )
    found, found_betting = (
        Tally(f"drift, {test}: a drop of 10 points found within 5 looks", Target("power", 0.7, 1.0))
        for test in ("paired", "e-process, the certified bound accepted")
    )
    for accuracy in (0.85, 0.95):
        for kind, sum_of in KINDS.items():
            for repeats in (0.0, 0.5, 0.95):
                for clusters, rows in ((100, 1), (20, 5)):
                    of = f"{accuracy:g}, {kind}, {repeats:.0%} repeated, {clusters} of {rows}"
                    rng, cluster = np.random.default_rng(40), np.repeat(np.arange(clusters), rows)
                    for _ in range(draws // 4):
                        chance = _chances(rng, accuracy, sum_of, clusters)[cluster]
                        certified, looks = _looks(rng, chance, 0.0, repeats)
                        bound = certified_rate(certified, cluster).low or 0.0
                        alarm = _paired(certified, looks, cluster)
                        paired.add(of, alarm)
                        betting.add(of, _betting(looks, float(chance.mean())))
                        if bound >= accuracy - 0.05:
                            lucky.add(of, alarm)
                        certified, looks = _looks(rng, chance, _DROP / accuracy, repeats)
                        bound = certified_rate(certified, cluster).low or 0.0
                        found.add(of, _paired(certified, looks, cluster))
                        found_betting.add(of, _betting(looks, bound))
    yield from (paired, lucky, betting, found, found_betting, *_attainable(draws))


def _attainable(draws: int) -> Iterator[Tally | Means]:
    """Simulate drift of independent verdicts, beside the best possible test and the forecast.

    It shows whether the recommended anchors and replies find a drop of ten points within five looks.
    """
    most = Means(
        "drift: the most that an unbiased test at 5 % finds by one look at all five runs (Fisher, randomized)"
    )
    said = Means("drift: what `certify` foresees")
    for accuracy in (0.85, 0.95):
        most.add(f"right on {accuracy:g}", _most_powerful(100, 500, accuracy, accuracy - _DROP))
        said.add(f"right on {accuracy:g}", drift_power(accuracy, 100).found)
    enough = Tally("drift, as asked for: a drop of 10 points found within 5 looks", Target("power", 0.7, 1.0))
    rng, asked = np.random.default_rng(41), drift_power(0.85, 80)
    for anchors, replies in ((asked.anchors, 1), (80, asked.replies or 1)):
        for _ in range(draws // 4):
            certified = rng.binomial(replies, 0.85, anchors) / replies
            looks = [rng.binomial(1, 0.85 - _DROP, anchors).astype(np.float64) for _ in range(_SOON)]
            p = paired_drops(certified, looks, np.arange(anchors))[1]
            enough.add(
                f"{anchors} anchors, {replies} replies",
                first_drop(p, look_levels(_SOON, replies=replies)) is not None,
            )
    yield from (most, said, enough)


def _most_powerful(n: int, m: int, first: float, second: float) -> float:
    """Return the power of the uniformly most powerful unbiased test at 5 %.

    The null hypothesis is that the first rate, of n trials, is at most the second, of m trials.
    """
    power = 0.0
    for total in range(n + m + 1):
        k = np.arange(max(0, total - m), min(n, total) + 1)
        chance = binom.pmf(k, n, first) * binom.pmf(total - k, m, second)
        null = hypergeom.pmf(k, n + m, n, total)
        above = np.cumsum(null[::-1])[::-1] - null  # strictly more than k
        rejects = np.clip((0.05 - above) / np.maximum(null, 1e-300), 0.0, 1.0)
        power += float(chance @ rejects)
    return power


def _chances(rng: np.random.Generator, accuracy: float, sum_of: float, clusters: int) -> FloatArray:
    if not sum_of:
        return np.full(clusters, accuracy)
    return rng.beta(accuracy * sum_of, (1 - accuracy) * sum_of, clusters)


def _betting(looks: list[FloatArray], accepted: float) -> bool:
    return first_alarm(drift_evidence(looks, min(0.99, max(0.01, accepted)))) is not None


def _looks(
    rng: np.random.Generator, chance: FloatArray, worse: float, repeats: float
) -> tuple[FloatArray, list[FloatArray]]:
    """Draw the certified run and later ones of a judge that may get worse.

    Worse means wrong on a share of the items it was right on.
    """
    own = rng.random(len(chance)) < chance
    lost = rng.random(len(chance)) < worse
    later = [
        _look(rng, chance * (1 - worse), own & ~lost, repeats) for _ in range(_SOON if worse else _LOOKS)
    ]
    return _look(rng, chance, own, repeats), later


def _look(rng: np.random.Generator, chance: FloatArray, own: BoolArray, repeats: float) -> FloatArray:
    fresh = rng.random(len(chance)) < chance
    return np.where(rng.random(len(chance)) < repeats, own, fresh).astype(np.float64)


def _paired(certified: FloatArray, looks: list[FloatArray], cluster: IntArray) -> bool:
    return first_drop(paired_drops(certified, looks, cluster)[1], _LEVELS[: len(looks)]) is not None
