"""Means of fractional scores: spread evenly, nearly all 1, alike within clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.intervals.clustered_rates import share_of

from .tally import UNEVEN_COVERAGE, Means, Tally, width_of

Draw = Callable[[np.random.Generator, IntArray], FloatArray]
"""Draws the scores of rows in clusters."""


def _beta(mean: float, alike: float, spread: float) -> Draw:
    def draw(rng: np.random.Generator, cluster: IntArray) -> FloatArray:
        drawn: FloatArray = rng.beta(mean * alike, (1 - mean) * alike, size=int(cluster[-1]) + 1)
        centre: FloatArray = np.minimum(np.maximum(drawn, 1e-6), 1 - 1e-6)[cluster]
        return rng.beta(centre * spread, (1 - centre) * spread)

    return draw


def _ones(share: float, low: Callable[[np.random.Generator, int], FloatArray]) -> Draw:
    def draw(rng: np.random.Generator, cluster: IntArray) -> FloatArray:
        n = len(cluster)
        return np.where(rng.random(n) < share, 1.0, low(rng, n))

    return draw


def _bad_clusters(share: float, within: float) -> Draw:
    def draw(rng: np.random.Generator, cluster: IntArray) -> FloatArray:
        bad = (rng.random(int(cluster[-1]) + 1) < share)[cluster] & (rng.random(len(cluster)) < within)
        return np.where(bad, rng.random(len(cluster)), 1.0)

    return draw


def _any(rng: np.random.Generator, n: int) -> FloatArray:
    return rng.random(n)


def _most_right(rng: np.random.Generator, n: int) -> FloatArray:
    return rng.uniform(0.85, 0.95, n)


SCORES: dict[str, tuple[Draw, float]] = {
    "beta(8, 2)": (_beta(0.8, 1e6, 10), 0.8),
    "beta(0.5, 0.5)": (_beta(0.5, 1e6, 1), 0.5),
    "beta(20, 1)": (_beta(20 / 21, 1e6, 21), 20 / 21),
    "95 % are 1, others even": (_ones(0.95, _any), 0.975),
    "98 % are 1, others even": (_ones(0.98, _any), 0.99),
    "5 shares of 0.97": (lambda rng, cluster: rng.binomial(5, 0.97, len(cluster)) / 5, 0.97),
    "2 % are 0, others near 0.9": (
        lambda rng, cluster: np.where(rng.random(len(cluster)) < 0.02, 0.0, _most_right(rng, len(cluster))),
        0.882,
    ),
}
"""Independent scores, and their mean."""

CLUSTERED: dict[str, tuple[Draw, float]] = {
    "beta, mean 0.8, little alike": (_beta(0.8, 20, 10), 0.8),
    "beta, mean 0.8, much alike": (_beta(0.8, 5, 20), 0.8),
    "beta, mean 0.95": (_beta(0.95, 10, 10), 0.95),
    "a tenth of clusters bad": (_bad_clusters(0.1, 0.6), 0.97),
    "a twentieth of clusters bad": (_bad_clusters(0.05, 0.9), 0.9775),
}
"""Scores in clusters, and their mean."""

_LAYOUTS = {
    "10 of 3": (10, 3),
    "20 of 5": (20, 5),
    "60 of 5": (60, 5),
    "8 of 15": (8, 15),
    "40 of 10": (40, 10),
}


def mean_scores(draws: int) -> Iterator[Tally | Means]:
    """Simulate mean scores of 10, 30 and 100 outputs, and of outputs in clusters."""
    for n in (10, 30, 100):
        yield from _of(f"{n} outputs", SCORES, np.arange(n), draws)
    for name, (clusters, rows) in _LAYOUTS.items():
        yield from _of(f"clusters, {name}", CLUSTERED, np.repeat(np.arange(clusters), rows), draws)


def _of(
    title: str, scores: dict[str, tuple[Draw, float]], cluster: IntArray, draws: int
) -> Iterator[Tally | Means]:
    covered, widths = Tally(f"mean scores, {title}", UNEVEN_COVERAGE), Means(f"widths, {title}")
    rng = np.random.default_rng(13)
    for name, (draw, mean) in scores.items():
        for _ in range(draws):
            found = share_of(draw(rng, cluster), cluster)
            covered.covers(name, found, mean)
            widths.add(name, width_of(found))
    yield from (covered, widths)
