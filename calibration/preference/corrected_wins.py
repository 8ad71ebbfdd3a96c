"""Win rate among people, from their choices on a random part of the comparisons."""

from __future__ import annotations

import numpy as np

from ..corrected_rate.chosen_labels import chosen_by_score
from ..corrected_rate.estimators import LabelledAndJudged, labels_only, power_tuned
from ..statistic import Statistic, undefined
from .choices import Choices

MIN_CHOICES = 10
"""Minimum number of people's choices for a corrected win rate."""

_NOT_RANDOM = (
    "people chose between outputs on which the judge decides unlike on the others: "
    "no random part of the comparisons"
)


def corrected_win_rate(matched: Choices, *, level: float = 0.95) -> Statistic | None:
    """Return the win rate of ``a`` among people by PPI++ over clusters; None if no person chose.

    The comparisons on which people chose must be a random part of all. Undefined with fewer than ten, or if they do
    not look like a random part.

    Source: Angelopoulos, Duchi and Zrnic 2023 (arXiv 2311.01453).

    Args:
        matched: Comparisons of two systems, the same one always ``a``, with a verdict of the judge in both
            orders.
        level: Nominal coverage.
    """
    has_person = np.isfinite(matched.person)
    n = int(has_person.sum())
    if not n:
        return None
    if n < MIN_CHOICES:
        return undefined(f"people chose on {n}, and it takes {MIN_CHOICES}", n=n, level=level)
    if has_person.all():
        return labels_only(matched.person, matched.cluster, level=level)
    preferred = matched.preferred
    data = LabelledAndJudged(
        matched.person[has_person],
        preferred[has_person],
        preferred[~has_person],
        matched.cluster[has_person],
        matched.cluster[~has_person],
    )
    if chosen_by_score(data) is not None:
        return undefined(_NOT_RANDOM, n=n, level=level)
    return power_tuned(data, level=level).estimate
