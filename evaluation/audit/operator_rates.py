"""How much of each fault a judge catches, and how much of each harmless change it punishes. Operators are never pooled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from ...calibration import Statistic
from ...calibration.intervals.cluster_mean import mean_of, share_of
from .probe_folder import ORIGINAL
from .results import OperatorResult
from .scored import Scored, cluster_numbers

SENSITIVE = 0.8
"""A judge that certainly catches less than this share of a fault is said to miss it."""

TOLERATED = 0.05
"""A judge that certainly passes more than this share of texts without content is said to pass them."""

_FAMILY_LEVEL = 0.95
_ORDER = {"fault": 0, "nothing": 1, "twin": 2, "attack": 3, "control": 4}


def operator_results(
    scored: Iterable[Scored], about: Mapping[str, str], paired: Mapping[str, str]
) -> list[OperatorResult]:
    """Summarise a judge's verdicts by operator.

    Args:
        scored: Probes with what the judge said.
        about: A line about each operator.
        paired: Attack to control; such attacks are judged by the difference and not here.

    Returns:
        One result an operator. What is weak holds for all operators together at 95 %: each interval that decides is made
        at ``1 - 0.05 / operators``.
    """
    groups: dict[str, list[Scored]] = {}
    for each in scored:
        groups.setdefault(each.facts.operator, []).append(each)
    level = 1 - (1 - _FAMILY_LEVEL) / max(len(groups), 1)
    results = [
        _result(operator, group, about.get(operator, ""), level, in_pair=operator in paired)
        for operator, group in groups.items()
    ]
    names = list(about)
    return sorted(results, key=lambda result: (_ORDER[result.plants], _place(result.operator, names)))


def _place(operator: str, names: list[str]) -> int:
    return names.index(operator) if operator in names else len(names)


def _result(operator: str, group: list[Scored], about: str, level: float, *, in_pair: bool) -> OperatorResult:
    plants = group[0].facts.plants
    known = [(each, each.score) for each in group if each.score is not None]
    counted = np.array(
        [each.passed == (plants in {"attack", "control"}) for each, _ in known],
        dtype=np.float64,
    )
    clusters = cluster_numbers(each.cluster for each, _ in known)
    labels = {each.facts.label for each, _ in known}
    deviation = None
    if not labels <= {0.0, 1.0}:
        deviations = [score - each.facts.label for each, score in known]
        deviation = mean_of(np.array(deviations, dtype=np.float64), clusters)
    return OperatorResult(
        operator=operator,
        plants=plants,
        about="right outputs, unchanged" if operator == ORIGINAL else about,
        rate=share_of(counted, clusters),
        ungraded=dict(Counter(each.outcome for each in group if each.score is None)),
        deviation=deviation,
        weak=_is_weak(plants, share_of(counted, clusters, level=level), in_pair=in_pair),
    )


def _is_weak(plants: str, rate: Statistic, *, in_pair: bool) -> bool:
    """Whether the simultaneous interval leaves no doubt; twins are judged by comparison with other twins."""
    if rate.low is None or rate.high is None:
        return False
    if plants == "fault":
        return rate.high < SENSITIVE
    if plants == "nothing":
        return rate.low > 1 - SENSITIVE
    return plants == "attack" and not in_pair and rate.low > TOLERATED
