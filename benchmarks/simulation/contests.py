"""Two systems in few or uneven clusters, and systems whose outputs are partly decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from fiducial.calibration import compare, table_from_rows
from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.comparison.difference import share_difference

from .tally import COVERAGE, NEVER, SIZE, Means, Tally, width_of

CLUSTERS: dict[str, list[int]] = {
    "8 of 10": [10] * 8,
    "12 of 5": [5] * 12,
    "20 of 5": [5] * 20,
    "60 of 5": [5] * 60,
    "8 uneven, 2 to 40": [40, 20, 10, 8, 6, 4, 2, 2],
    "20, one with half of the rows": [95] + [5] * 19,
    "30, three with half of the rows": [60, 40, 20] + [4] * 27,
}

RATES = ((0.8, 0.8), (0.8, 0.7), (0.97, 0.97), (0.98, 0.95))


def two_systems(
    rng: np.random.Generator, cluster: IntArray, rates: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Draw who is right: items and clusters are hard for both, clusters also for each alone."""
    several = int(cluster.max()) + 1
    hard = np.sqrt(0.5) * rng.normal(size=len(cluster)) + np.sqrt(0.3) * rng.normal(size=several)[cluster]
    first, second = (
        stats.norm.ppf(rate) * np.sqrt(2.1)
        > hard + np.sqrt(0.3) * rng.normal(size=several)[cluster] + rng.normal(size=len(cluster))
        for rate in rates
    )
    return first.astype(np.float64), second.astype(np.float64)


def clusters(draws: int) -> Iterator[Tally | Means]:
    """Simulate the t-test over clusters of a difference of shares: coverage, size and width."""
    for rates in RATES:
        covered = Tally(f"difference of shares over clusters, right {rates[0]:g} and {rates[1]:g}", COVERAGE)
        size = Tally(f"its test, right {rates[0]:g} and {rates[1]:g}", SIZE)
        at_odds = Tally(f"interval and test say different things, right {rates[0]:g} and {rates[1]:g}", NEVER)
        width = Means(f"width of its interval, right {rates[0]:g} and {rates[1]:g}")
        for name, sizes in CLUSTERS.items():
            rng, cluster = np.random.default_rng(21), np.repeat(np.arange(len(sizes)), sizes)
            for _ in range(draws):
                first, second = two_systems(rng, cluster, rates)
                found = share_difference(first == 1, second == 1, cluster)
                covered.covers(name, found.estimate, rates[0] - rates[1])
                if rates[0] == rates[1]:
                    size.add(name, None if found.p is None else found.p <= 0.05)
                low, high = found.estimate.low, found.estimate.high
                if low is not None and high is not None and found.p is not None:
                    at_odds.add(name, (found.p <= 0.05) != (low > 0.0 or high < 0.0))
                width.add(name, width_of(found.estimate))
        yield covered
        yield at_odds
        if size.hits:
            yield size
        yield width


def strata(draws: int) -> Iterator[Tally]:
    """Simulate two systems on 240 cases in clusters of 1 and 4.

    Two thirds are decided, the rest are judged, and a third of these are labelled.
    """
    for rows in (1, 4):
        covered = Tally(f"systems by stratum, {240 // rows} clusters of {rows}", COVERAGE)
        size = Tally(f"equal systems by stratum, {240 // rows} clusters of {rows}", SIZE)
        for rates, tally in (((0.8, 0.65), covered), ((0.75, 0.75), size)):
            rng = np.random.default_rng(22)
            for _ in range(draws // 4):
                _systems(rng, rows, rates, tally)
        yield covered
        yield size


def _systems(rng: np.random.Generator, rows: int, rates: tuple[float, float], tally: Tally) -> None:
    cluster = np.repeat(np.arange(240 // rows), rows)
    passes = two_systems(rng, cluster, rates)
    # Open cases are as hard as others, but the judge passes one wrong output in five, and fails one right one in ten.
    is_undecided, labelled = np.arange(240) % 3 == 0, rng.random((2, 240)) < 1 / 3
    given: list[dict[str, Any]] = []
    for name, truth, known in zip("ab", passes, labelled, strict=True):
        judged = np.where(rng.random(240) < np.where(truth == 1, 0.1, 0.2), 1 - truth, truth)
        given += [
            {
                "item_id": f"c{n}",
                "cluster": str(cluster[n]),
                "judge": "j",
                "system": name,
                "score": judged[n],
                "checker_score": None if is_undecided[n] else truth[n],
                "label": truth[n] if is_undecided[n] and known[n] else None,
            }
            for n in range(240)
        ]
    found = compare(table_from_rows(given), by="system", labels_chosen_by="random").strata
    assert found is not None
    for name, stratum in (("decided", found.decided), ("open, corrected", found.open), ("all", found.all)):
        (pair,) = stratum.pairs
        if rates[0] == rates[1]:
            tally.add(name, None if pair.p is None else pair.p <= 0.05)
            continue
        tally.covers(f"{name}: difference", pair.difference, rates[0] - rates[1])
        for system, rate in zip("ab", rates, strict=True):
            tally.covers(f"{name}: rate of {system}", stratum.rates[system], rate)
