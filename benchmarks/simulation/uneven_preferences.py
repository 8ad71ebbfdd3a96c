"""Win rates over few large and many small clusters: coverage, and agreement with the test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.preference.choices import Choices
from fiducial.calibration.preference.measure import preferences_of

from .scenario import Scenario, share

_SIZES = {
    "3 clusters of 40 and 27 of 2": [40] * 3 + [2] * 27,
    "30 clusters of 5": [5] * 30,
    "8 clusters of 15": [15] * 8,
}
_SPREAD = 0.2
"""Standard deviation of a cluster's chance to prefer the first system."""


def win_rates(draws: int) -> Iterator[Scenario]:
    """Two systems, one preferred in 60 % of comparisons on average over clusters."""
    for name, sizes in _SIZES.items():
        rng = np.random.default_rng(len(sizes))
        covered: list[bool] = []
        at_odds: list[bool] = []
        for _ in range(draws):
            cluster = np.repeat(np.arange(len(sizes)), sizes)
            chance = np.clip(rng.normal(0.6, _SPREAD, len(sizes)), 0.2, 1.0)[cluster]
            prefers = (rng.random(len(cluster)) < chance).astype(np.float64)
            (match,) = preferences_of("j", _choices(prefers, cluster)).matches
            low, high = match.preferred.low, match.preferred.high
            if low is None or high is None or match.p is None:
                continue
            covered.append(low <= 0.6 <= high)
            at_odds.append((match.p <= 0.05) != (low > 0.5 or high < 0.5))
        is_uneven = name.startswith("3 ")
        yield share(f"{name}: win rate covered", "78 %" if is_uneven else "", "at least 91 %", covered)
        yield share(f"{name}: p contradicts interval", "18 %" if is_uneven else "", "never", at_odds)


def _choices(prefers: FloatArray, cluster: np.ndarray) -> Choices:
    n = len(cluster)
    unknown = np.full(n, np.nan)
    first, second = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    return Choices(
        ["a", "b"], first, second, prefers, 1.0 - prefers, cluster, unknown, unknown, unknown, unknown
    )
