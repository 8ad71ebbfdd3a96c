"""Changes of a judge's scores from a right output to its probes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...calibration.arrays import cluster_numbers
from ...calibration.intervals.clustered_means import mean_of
from ...calibration.statistic import Statistic
from ...records import ItemKey
from .audit_results import JudgeWeakness, OperatorResult, ScoreChange
from .comparisons import MIN_REPEATS, by_operator, control_of, probes_by_site
from .scored import ScoredProbe

MIN_MEAN_CHANGE = 0.05
"""Scores move if they change by more than this on average, beyond chance and beyond changes between repeats."""

_FAMILY_LEVEL = 0.95
"""Confidence level that holds for all operators together."""


class ItemChange(NamedTuple):
    """Change of the score on one item.

    Attributes:
        change: Signed change; for two repeats, whose order means nothing, its size.
        repeat_change: Size of the change between two repeats of the same question, or None if it was asked once.
        item: Display name of the item.
    """

    change: float
    repeat_change: float | None
    item: str
    cluster: str


def has_fine_scores(scored: Iterable[ScoredProbe]) -> bool:
    """Return whether a judge gives scores between 0 and 1 where labels are 0 or 1."""
    extremes = {0.0, 1.0}
    return any(
        probe.score not in extremes
        for probe in scored
        if probe.score is not None and probe.facts.label in extremes
    )


def score_changes(
    scored: Mapping[ItemKey, ScoredProbe], controls: Mapping[str, str]
) -> dict[str, ScoreChange]:
    """Return the changes by operator, compared with right outputs, or with controls for attacks.

    For right outputs themselves, repeats are compared. Probes whose counterpart is ungraded are left out, which n shows.
    """
    changes_by_operator: dict[str, ScoreChange] = {}
    groups = by_operator(scored.values())
    level = 1 - (1 - _FAMILY_LEVEL) / max(len(groups), 1)  # Bonferroni
    by_site = probes_by_site(scored.values())
    for operator, group in groups.items():
        if group[0].facts.plants == "nothing":
            changes = list(_between_repeats(group))
        elif operator in controls:
            pairs = [(probe, control_of(probe, controls[operator], by_site)) for probe in group]
            changes = [
                _item_change(attack, control, scored)
                for attack, control in pairs
                if attack.repeats and control
            ]
        else:
            sources = [(probe, scored.get(probe.facts.source)) for probe in group]
            changes = [
                _item_change(probe, source, scored)
                for probe, source in sources
                if probe.repeats and source and source.repeats
            ]
        if changes:
            changes_by_operator[operator] = change_of(changes, level)
    return changes_by_operator


def _between_repeats(group: Iterable[ScoredProbe]) -> Iterator[ItemChange]:
    for probe in group:
        if len(probe.repeats) >= MIN_REPEATS:
            yield ItemChange(
                change=abs(probe.repeats[1] - probe.repeats[0]),
                repeat_change=None,
                item=str(probe.facts.key),
                cluster=probe.cluster,
            )


def _item_change(
    probe: ScoredProbe, counterpart: ScoredProbe, scored: Mapping[ItemKey, ScoredProbe]
) -> ItemChange:
    source = scored.get(probe.facts.source)
    repeat_change = None
    if source is not None and len(source.repeats) >= MIN_REPEATS:
        repeat_change = abs(source.repeats[1] - source.repeats[0])
    return ItemChange(
        change=probe.repeats[0] - counterpart.repeats[0],
        repeat_change=repeat_change,
        item=str(probe.facts.key),
        cluster=probe.cluster,
    )


def change_of(changes: Sequence[ItemChange], level: float) -> ScoreChange:
    """Summarise changes; findings use intervals of this level, corrected for all operators."""
    values = np.array([change.change for change in changes], dtype=np.float64)
    clusters = cluster_numbers(change.cluster for change in changes)
    beyond_repeats = [
        (abs(change.change) - change.repeat_change, change.cluster)
        for change in changes
        if change.repeat_change is not None
    ]
    largest = max(changes, key=lambda change: abs(change.change))
    return ScoreChange(
        mean=mean_of(values, clusters),
        size=mean_of(np.abs(values), clusters, least=0.0),
        largest=largest.change,
        largest_at=largest.item,
        beyond_repeats=_mean(beyond_repeats),
        upwards=_is_above(mean_of(values, clusters, level=level)),
        moved=_is_above(_mean(beyond_repeats, level)),
    )


def _mean(values: Sequence[tuple[float, str]], level: float = _FAMILY_LEVEL) -> Statistic:
    array = np.array([value for value, _ in values], dtype=np.float64)
    return mean_of(array, cluster_numbers(cluster for _, cluster in values), level=level)


def _is_above(statistic: Statistic) -> bool:
    return statistic.low is not None and statistic.low > MIN_MEAN_CHANGE


def change_findings(
    operators: Iterable[OperatorResult], known: Iterable[JudgeWeakness], controls: Mapping[str, str]
) -> Iterator[JudgeWeakness]:
    """Yield the findings from scores that move, except for operators with ``known`` findings.

    They are for judges with scores between 0 and 1: scores of other judges move only if the verdict changes.
    """
    operators_found = {finding.where for finding in known}
    for operator in operators:
        change = operator.change
        if change is None or operator.operator in operators_found:
            continue
        if operator.plants == "twin" and change.moved:
            yield JudgeWeakness(
                concern="moves on what is harmless",
                where=operator.operator,
                sentence=f"scores change by {change.size} on {operator.operator}, {change.beyond_repeats} more than on repeats: {operator.about}",
            )
        if operator.operator in controls and change.upwards:
            yield JudgeWeakness(
                concern="can be talked into passing",
                where=operator.operator,
                sentence=f"{operator.operator}: scores are {change.mean} higher than on its control: {operator.about}",
            )
