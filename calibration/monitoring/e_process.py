"""E-process: evidence, valid at every look, that a judge has become worse than what was accepted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import FloatArray

_STAKES = np.linspace(0.05, 0.95, 19)
"""Shares of the largest stake; the evidence is the mean over them, so that none has to be chosen beforehand."""


def drift_evidence(looks: Sequence[FloatArray], accepted: float) -> FloatArray:
    """How much speaks for a drop, after each look.

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
    """The first look at which the evidence reaches ``1 / alpha``; None when it never does."""
    reached = np.flatnonzero(evidence >= 1 / alpha)
    return int(reached[0]) if len(reached) else None
