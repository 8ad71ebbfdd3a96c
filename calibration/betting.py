"""Evidence against a mean by betting, valid under any stopping rule.

Each stake is a share of the largest bet that cannot lose everything. Under the hypothesis its wealth is a
supermartingale, and so is the mean wealth over stakes, so that no stake has to be chosen in advance. By Ville's
inequality the evidence ever reaches ``1 / alpha`` with probability at most ``alpha``.

Source: Waudby-Smith and Ramdas 2024, Estimating means of bounded random variables by betting.
"""

from __future__ import annotations

import math

import numpy as np

from .arrays import FloatArray

STAKES = np.linspace(0.05, 0.95, 19)
"""Stakes, as shares of the largest bet."""

_MAX_LOG = 700.0
"""Largest log evidence whose exponential is finite."""


def log_wealth(gains: FloatArray) -> FloatArray:
    """Return the log wealth of each stake after some bets, shape ``(stakes,)``.

    Args:
        gains: Gain of the largest bet on each observation, at least -1, shape ``(n,)``.
    """
    return np.log1p(np.outer(STAKES, gains)).sum(axis=1)


def log_evidence(wealth: FloatArray) -> float:
    """Return the log of the mean wealth over stakes, from their log wealths."""
    top = float(wealth.max())
    return top if math.isinf(top) else top + math.log(float(np.exp(wealth - top).mean()))


def evidence(wealth: FloatArray) -> float:
    """Return the mean wealth over stakes, from their log wealths; at most a finite number."""
    top = float(wealth.max())
    return float(np.exp(min(top, _MAX_LOG)) * np.exp(wealth - top).mean())
