"""Win rate among people, from their choices on a random part of the comparisons."""

from __future__ import annotations

import numpy as np

from ..corrected_rate.chosen_labels import chosen_by_score
from ..corrected_rate.estimators import LabelledAndJudged, labels_only, power_tuned
from ..statistic import Statistic, undefined
from .choices import Choices

MIN_CHOICES = 10
"""Fewest choices of people for a corrected win rate."""

_CHOSEN = (
    "people chose between outputs on which the judge decides unlike on the others: "
    "no random part of the comparisons"
)


def corrected_win_rate(met: Choices, *, level: float = 0.95) -> Statistic | None:
    """Return the win rate of ``a`` among people by PPI++ over clusters; None if no person chose.

    The comparisons on which people chose must be a random part of all. Undefined with fewer than ten, or if
    they look chosen.

    Source: Angelopoulos, Duchi and Zrnic 2023 (arXiv 2311.01453).

    Args:
        met: Comparisons of two systems, the same one always ``a``, with a verdict of the judge in both
            orders.
        level: Nominal coverage.
    """
    chosen = np.isfinite(met.person)
    n = int(chosen.sum())
    if not n:
        return None
    if n < MIN_CHOICES:
        return undefined(f"people chose on {n}, and it takes {MIN_CHOICES}", n=n, level=level)
    if chosen.all():
        return labels_only(met.person, met.cluster, level=level)
    judged = met.preferred
    data = LabelledAndJudged(
        met.person[chosen], judged[chosen], judged[~chosen], met.cluster[chosen], met.cluster[~chosen]
    )
    if chosen_by_score(data) is not None:
        return undefined(_CHOSEN, n=n, level=level)
    return power_tuned(data, level=level).estimate
