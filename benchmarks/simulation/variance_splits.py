"""Variance of repeated trials: coverage of the share of cases, and promised half-widths."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration.variance_split import variance_split

from .scenario import Scenario, mean, share

_WORLDS = (
    (50, 4, 2, 1),
    (100, 2, 2, 1),
    (100, 8, 0.5, 0.5),
    (200, 4, 8, 2),
    (100, 4, 40, 10),
    (100, 5, 6, 0.6),
)
"""Cases, trials of one on average, and the Beta distribution of cases' chances to pass."""


def variance_splits(draws: int) -> Iterator[Scenario]:
    """Cases with uneven numbers of trials."""
    for cases, times, a, b in _WORLDS:
        rng, planted = np.random.default_rng(cases + times), 1 / (a + b + 1)
        covered: list[bool] = []
        halves: list[float] = []
        means: list[float] = []
        for _ in range(draws):
            chance = rng.beta(a, b, cases)
            case = np.repeat(np.arange(cases), rng.integers(max(2, times - 1), times + 2, cases))
            values = (rng.random(len(case)) < chance[case]).astype(np.float64)
            found = variance_split(values, case, case)
            if found is None or found.by_case.low is None or found.by_case.high is None:
                continue
            covered.append(found.by_case.low <= planted <= found.by_case.high)
            means.append(float(values.mean()))
            halves.append(found.half_width or 0.0)
        what = f"{cases} cases of about {times} trials, {a / (a + b):.2f} pass, share {planted:.2f}"
        yield share(f"{what}: covered", "", "93 to 97 %", covered)
        true = 1.96 * float(np.std(means))
        yield mean(f"{what}: half-width over the true one", "", "1", [half / true for half in halves])
