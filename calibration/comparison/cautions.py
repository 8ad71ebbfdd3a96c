"""What a reader of a comparison must know before believing it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..agreement.cautions import FEW_CLUSTERS
from ..lines import counted
from .contenders import Contender

_PAIRED = ("accuracy", "true_positive_rate", "true_negative_rate", "prevalence", "judge_rate")
"""Shares of the same rows, whose difference does not need a bootstrap."""

FEW_DIFFERING = 20
"""With fewer items that tell two judges apart, a bootstrap of their difference covers 91 to 93 % for 95."""


_NAMED = 5
"""Pairs that a warning names; of more, it says how many."""


def cautions(pairs: list[dict[str, Any]], statistic: str) -> list[str]:
    """Where the interval of a difference is known to be rough, each reason once.

    Args:
        pairs: As `compare` gives them.
        statistic: Whose difference it is.

    Returns:
        Sentences, none where nothing is amiss.
    """
    clusters = {_names(pair): pair["n_clusters"] for pair in pairs}
    differing = {_names(pair): pair["a_only_right"] + pair["b_only_right"] for pair in pairs}
    lines = [_about(f"fewer than {FEW_CLUSTERS} clusters", clusters, FEW_CLUSTERS)]
    if statistic not in _PAIRED:
        told = f"fewer than {FEW_DIFFERING} items on which only one is right"
        lines.append(_about(told, differing, FEW_DIFFERING))
    return [line for line in lines if line]


def left_out(everybody: Sequence[Contender], right: str) -> list[str]:
    """A word on those who are compared with nobody, since none of their rows can be used.

    Args:
        everybody: Also those without a usable row.
        right: See `compare`.

    Returns:
        A sentence, or none.
    """
    idle = [f"{each.name} ({counted(each.left_out, 'row')})" for each in everybody if not len(each.key)]
    needed = {"agrees": "both score and label", "score": "a score", "label": "a label"}[right]
    return [f"not compared, for want of a row with {needed}: {', '.join(idle)}"] if idle else []


def _names(pair: dict[str, Any]) -> str:
    return f"{pair['a']} and {pair['b']}"


def _about(reason: str, counts: dict[str, int], enough: int) -> str:
    few = [f"{names} ({count})" for names, count in counts.items() if 0 < count < enough]
    more = f" and {counted(len(few) - _NAMED, 'other pair')}" if len(few) > _NAMED else ""
    return f"{reason}, so that an interval may be too short: {', '.join(few[:_NAMED])}{more}" if few else ""
