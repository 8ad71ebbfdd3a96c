"""Strengths of systems under a judge that favours what is shown first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import expit

from fiducial.calibration.preference.choices import Choices
from fiducial.calibration.preference.measure import preferences_of

from .scenario import Scenario, mean, share


def order_effects(draws: int) -> Iterator[Scenario]:
    """Two systems with a strength difference of 1.00, 300 comparisons in both orders."""
    for effect, before in ((0.0, ""), (0.8, "0.86"), (1.5, "0.63"), (2.5, "0.31")):
        rng = np.random.default_rng(round(10 * effect))
        differences: list[float] = []
        orders: list[float] = []
        covered: list[bool] = []
        for _ in range(max(1, draws // 4)):
            found = preferences_of("j", _choices(rng, effect))
            one, other = (found.systems[name].strength for name in "ab")
            if one.value is None or other.value is None or one.low is None or one.high is None:
                continue
            differences.append(one.value - other.value)
            covered.append(one.low <= 0.5 <= one.high)
            if found.position.log_odds.value is not None:
                orders.append(found.position.log_odds.value)
        yield mean(f"order effect {effect:g}: strength difference, planted 1.00", before, "1.00", differences)
        yield mean(f"order effect {effect:g}: estimated", "", f"{effect:g}", orders)
        yield share(f"order effect {effect:g}: strength covered", "", "95 %", covered)


def _choices(rng: np.random.Generator, effect: float) -> Choices:
    n = 300
    unknown = np.full(n, np.nan)
    a_first = (rng.random(n) < expit(1.0 + effect)).astype(np.float64)
    b_first = (rng.random(n) < expit(effect - 1.0)).astype(np.float64)
    first = np.zeros(n, dtype=np.int64)
    return Choices(
        ["a", "b"], first, first + 1, a_first, b_first, np.arange(n), unknown, unknown, unknown, unknown
    )
