"""Gain of a new judge prompt on held-out items, and its losses on probes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np

from ..arrays import BoolArray, IntArray, cluster_numbers
from ..intervals.closed_forms import normal_quantile
from ..intervals.clustered_rates import share_of
from ..statistic import Statistic, undefined
from .difference import TestedDifference, share_difference
from .significance import adjust_known

ALPHA = 0.05
"""Chance of any false claim over all looks at a holdout, however many there will be."""

MARGIN = 0.1
"""Loss on an operator's probes that must be excluded before a prompt is written."""

_FIRST_LOOK_SHARE = 0.8
"""Share of `ALPHA` that the first look spends; each later one spends half of the rest (docs/decisions/0030)."""

OperatorSort: TypeAlias = Literal["fault", "harmless", "attack"]
"""Sort of a probe: an output to fail, an output to pass, or one that asks to be passed."""

SORTS: Mapping[str, OperatorSort] = {
    "fault": "fault",
    "control": "fault",
    "nothing": "harmless",
    "twin": "harmless",
    "attack": "attack",
}
"""Sort of a probe by what its operator plants."""


def look_alpha(look: int) -> float:
    """Return the one-sided level of a look, counted from 1; the levels sum to `ALPHA`."""
    return ALPHA * _FIRST_LOOK_SHARE if look == 1 else ALPHA * (1 - _FIRST_LOOK_SHARE) / 2 ** (look - 1)


class HeldOutItems(NamedTuple):
    """Labelled held-out items, each array of shape ``(n,)``.

    Attributes:
        current: Whether the current prompt agrees with the label.
        new: Whether the new prompt agrees with the label.
        cluster: Cluster number.
        adjudicated: Whether a person decided between the label and a judge.
    """

    current: BoolArray
    new: BoolArray
    cluster: IntArray
    adjudicated: BoolArray


class PromptGain(msgspec.Struct, frozen=True, kw_only=True):
    """Gain of a new prompt in agreement with the labels, on the holdout.

    Attributes:
        current: Share of labels with which the current prompt agrees.
        new: Share of labels with which the new prompt agrees.
        gain: ``new`` minus ``current``, with a two-sided interval.
        at_least: One-sided lower bound of the gain, or None if it cannot be computed.
        alpha: Level of that bound.
        won: Number of items on which only the new prompt agrees with the label.
        lost: Number of items on which only the current prompt agrees with the label.
        won_unadjudicated: Number of items won whose label was not adjudicated.
        lost_unadjudicated: Number of items lost whose label was not adjudicated.
        smallest_visible: The true gain that is found with 80 % power.
    """

    current: Statistic
    new: Statistic
    gain: Statistic
    at_least: float | None
    alpha: float
    won: int
    lost: int
    won_unadjudicated: int
    lost_unadjudicated: int
    smallest_visible: float | None

    @property
    def proven(self) -> bool:
        """True if the lower bound is above 0."""
        return self.at_least is not None and self.at_least > 0.0

    @property
    def unadjudicated(self) -> float:
        """Part of the gain that rests on labels that were not adjudicated."""
        return (self.won_unadjudicated - self.lost_unadjudicated) / self.gain.n if self.gain.n else 0.0


def prompt_gain(items: HeldOutItems, alpha: float) -> PromptGain:
    """Estimate the gain of a new prompt; see `share_difference` for the test."""
    two_sided = _difference(items.new, items.current, items.cluster, 0.95)
    # The lower end of a two-sided interval at 1 - 2 alpha is a one-sided bound at alpha.
    bound = _difference(items.new, items.current, items.cluster, 1 - 2 * alpha)
    won, lost = items.new & ~items.current, items.current & ~items.new
    return PromptGain(
        current=share_of(items.current.astype(np.float64), items.cluster),
        new=share_of(items.new.astype(np.float64), items.cluster),
        gain=two_sided.estimate,
        at_least=bound.estimate.low,
        alpha=alpha,
        won=int(won.sum()),
        lost=int(lost.sum()),
        won_unadjudicated=int((won & ~items.adjudicated).sum()),
        lost_unadjudicated=int((lost & ~items.adjudicated).sum()),
        smallest_visible=bound.smallest_visible,
    )


class ProbedPair(NamedTuple):
    """A probe judged with both prompts.

    Attributes:
        operator: Name of the operator that made the probe.
        plants: What the operator plants, a key of `SORTS`.
        current: Whether the current prompt is right: it fails a fault or an attack, and passes a harmless output.
        new: Whether the new prompt is right.
        cluster: Name of the cluster.
    """

    operator: str
    plants: str
    current: bool
    new: bool
    cluster: str


OperatorState: TypeAlias = Literal["not worse", "worse", "not shown"]
"""Whether a loss of the margin is excluded, a loss is proven, or neither."""


class OperatorChange(msgspec.Struct, frozen=True, kw_only=True):
    """Change of a judge on the probes of one operator, or of several rare ones.

    Attributes:
        operator: The operator; ``other ...`` for those with too few probes to be tested alone.
        sort: Sort of its probes.
        operators: Names of the operators.
        change: Share that the new prompt gets right minus share that the current one does, with a two-sided
            interval.
        at_least: One-sided lower bound of the change, or None if it cannot be computed.
        holm_p: p-value of no change, two-sided, adjusted over all operators.
        state: Whether a loss of the margin is excluded, or a loss proven.
    """

    operator: str
    sort: OperatorSort
    operators: list[str]
    change: Statistic
    at_least: float | None
    holm_p: float | None
    state: OperatorState


def operator_changes(
    pairs: Iterable[ProbedPair], alpha: float = ALPHA, margin: float = MARGIN
) -> list[OperatorChange]:
    """Compare two prompts on the probes of each operator.

    The claim "no operator loses the margin" requires that each operator excludes it at ``alpha``, so the
    claim as a whole is wrong at most that often. Operators with too few probes to ever exclude it are tested
    together by sort.
    """
    groups = _groups(list(pairs), fewest_probes(alpha, margin))
    differences = [_operator_difference(group.pairs, 0.95) for group in groups]
    bounds = [_operator_difference(group.pairs, 1 - 2 * alpha).estimate.low for group in groups]
    adjusted = adjust_known([difference.p for difference in differences])
    return [
        OperatorChange(
            operator=group.name,
            sort=group.sort,
            operators=sorted({pair.operator for pair in group.pairs}),
            change=difference.estimate,
            at_least=low,
            holm_p=p,
            state=_state(difference.estimate.value or 0.0, low, p, margin),
        )
        for group, difference, low, p in zip(groups, differences, bounds, adjusted, strict=True)
    ]


def is_improvement(gain: PromptGain, changes: Sequence[OperatorChange]) -> bool:
    """Return whether the gain is proven and probes show that no operator gets worse."""
    return gain.proven and bool(changes) and all(change.state == "not worse" for change in changes)


def fewest_probes(alpha: float = ALPHA, margin: float = MARGIN) -> int:
    """Return the number of probes that exclude a loss of the margin if no verdict differs."""
    # Tango's lower end without discordant pairs is -z^2 / (n + z^2), as Wilson's for 0 of n.
    # The count is the smallest n for which that is above the negative margin.
    square = normal_quantile(1 - 2 * alpha) ** 2
    return math.floor(square * (1 - margin) / margin) + 1


class _OperatorGroup(NamedTuple):
    """Probes of one operator, or of all rare operators of a sort."""

    name: str
    sort: OperatorSort
    pairs: list[ProbedPair]


def _groups(pairs: Sequence[ProbedPair], fewest: int) -> list[_OperatorGroup]:
    """Return the pairs by operator, rare operators of a sort together."""
    by_operator: dict[str, list[ProbedPair]] = {}
    for pair in pairs:
        by_operator.setdefault(pair.operator, []).append(pair)
    common: list[_OperatorGroup] = []
    rare: dict[OperatorSort, list[ProbedPair]] = {}
    for name, group in by_operator.items():
        sort = SORTS[group[0].plants]
        if len(group) >= fewest:
            common.append(_OperatorGroup(name, sort, group))
        else:
            rare.setdefault(sort, []).extend(group)
    return common + [_OperatorGroup(f"other {sort} operators", sort, group) for sort, group in rare.items()]


def _operator_difference(group: Sequence[ProbedPair], level: float) -> TestedDifference:
    new = np.array([pair.new for pair in group], dtype=np.bool_)
    current = np.array([pair.current for pair in group], dtype=np.bool_)
    return _difference(new, current, cluster_numbers(pair.cluster for pair in group), level)


def _difference(first: BoolArray, second: BoolArray, cluster: IntArray, level: float) -> TestedDifference:
    if not len(first):
        return TestedDifference(undefined("no item was judged", n=0, level=level))
    return share_difference(first, second, cluster, level)


def _state(change: float, low: float | None, p: float | None, margin: float) -> OperatorState:
    if change < 0.0 and p is not None and p <= ALPHA:
        return "worse"
    return "not worse" if low is not None and low > -margin else "not shown"
