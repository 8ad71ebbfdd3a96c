"""Functions that executable BFCL entries call and that need no network."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

_MAX_TRIALS = 1_000_000


def calc_binomial_probability(n: int, k: float, p: float) -> float:
    """Return the probability of exactly ``k`` successes in ``n`` independent trials.

    Raises:
        ValueError: The numbers are no trials, successes and probability, or there are more than a million trials.
    """
    if not (0 <= k <= n <= _MAX_TRIALS and k == int(k) and n == int(n) and 0 <= p <= 1):
        raise ValueError(f"expected 0 <= k <= n whole and p in [0, 1], got n={n}, k={k}, p={p}")
    trials, successes = int(n), int(k)
    if trials > 500:  # noqa: PLR2004 - products of larger numbers leave the range of floats
        if p in (0, 1):
            return float(successes == trials * p)
        logs = math.lgamma(trials + 1) - math.lgamma(successes + 1) - math.lgamma(trials - successes + 1)
        return math.exp(logs + successes * math.log(p) + (trials - successes) * math.log1p(-p))
    return float(math.comb(trials, successes) * p**successes * (1 - p) ** (trials - successes))


SHIPPED: Mapping[str, Callable[..., Any]] = {"calc_binomial_probability": calc_binomial_probability}
"""Shipped functions by name; custom functions take precedence."""
