"""What to ask next: most of it where 80 % may be caught, the rest evenly, so that the whole curve is seen."""

from __future__ import annotations

from collections import Counter

import numpy as np

from .curve import Answers, CurveFamily

_EVENLY = 0.125
"""Of each round: the share that goes evenly over all levels."""


def next_levels(family: CurveFamily, answers: Answers, count: int) -> list[int]:
    """Choose the levels of the next questions.

    All that is asked first goes evenly over the levels. Later seven of eight questions go to the levels next to evenly spaced quantiles of where
    80 % may be caught, as the answers so far have it: where that is known well, to one or two levels, else to many. Where it may not be on the
    ladder at all, half of them go to that end of it, and half evenly, so that a flat curve is seen to be one.

    Args:
        family: The curves that are thought of.
        answers: Those so far; may be none.
        count: So many.

    Returns:
        Levels by number, in ascending order; a level comes as often as it is to be asked about.
    """
    aimed = 0 if not len(answers.rung) else count - round(count * _EVENLY)
    chosen: list[int] = []
    if aimed:
        likely = family.likely(answers)
        at = ((np.arange(aimed) + 0.5) / aimed).tolist()
        places = likely.quantiles(likely.threshold, at)
        kept = np.isfinite(places) | (np.arange(aimed) % 2 == 0)
        nearest = np.abs(np.clip(places[kept], 0.0, 1.0)[:, None] - family.places).argmin(axis=1)
        chosen = nearest.tolist()
    asked = Counter[int](answers.rung.tolist())
    for _ in range(count - len(chosen)):
        least = min(range(len(family.places)), key=lambda level: (asked[level], level))
        asked[least] += 1
        chosen.append(least)
    return sorted(chosen)
