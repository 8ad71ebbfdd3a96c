"""Plan of a budget: the design with the narrowest interval.

A design is the numbers of outputs to check, to judge with a cheap and with an expensive judge, and to label.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from ...errors import UsageError
from ...spelling import setting
from ..arrays import bisected
from ..corrected_rate.estimation_results import MIN_LABELS
from ..intervals.closed_forms import normal_quantile

LEVEL = 0.95
"""Confidence level of the planned intervals."""

PhaseName: TypeAlias = Literal["check", "cheap", "expensive", "label"]
"""Name of a phase: a checker, a cheap judge, an expensive judge, or people."""

PHASES: tuple[PhaseName, ...] = ("check", "cheap", "expensive", "label")
"""Phases in order; each takes a random part of the undecided outputs of the phase before."""

_DESIGNS: tuple[tuple[PhaseName, ...], ...] = ((), ("cheap",), ("expensive",), ("cheap", "expensive"))
"""Designs by their judges; all of them check and label."""

_HALVINGS = 200
"""Maximum halvings of a search for a scale, which may be anywhere between 0 and `_MAX_SCALE`."""

_MAX_SCALE = 1e18
"""Scale of an allocation at which the search stops, since no budget is spent beyond it."""

_ROUNDING = 1e-6
"""Fraction of an output by which bisection may miss a whole number."""


class Pilot(msgspec.Struct, frozen=True, kw_only=True):
    """Rates known or assumed before the budget is spent.

    Attributes:
        decided: Share of outputs that the checkers decide.
        decided_rate: Share of decided outputs that pass.
        open_rate: Share of undecided outputs that are right.
        explained: Share of the variance of undecided outputs' labels that verdicts explain (squared multiple
            correlation), by judge: ``cheap``, ``expensive``, and both as ``cheap+expensive``.
        n: Number of labelled outputs behind these rates; 0 if they are assumed.
    """

    decided: float
    decided_rate: float
    open_rate: float
    explained: Mapping[str, float]
    n: int = 0


class Phase(msgspec.Struct, frozen=True, kw_only=True):
    """One phase of a plan, and its cost.

    Attributes:
        name: Name of the phase.
        outputs: Number of outputs.
        unit_cost: Cost of one output, in dollars.
        cost: Cost of all outputs.
        variance: Share of the rate's variance that comes from this phase; more outputs would reduce it.
    """

    name: PhaseName
    outputs: int
    unit_cost: float
    cost: float
    variance: float

    @property
    def phase(self) -> str:
        """Former name of the phase, with ``dear`` for ``expensive``."""
        return former_phase(self.name)


def former_phase(name: str) -> str:
    """Return the former name of a phase, or of several joined by ``+``."""
    return name.replace("expensive", "dear")


class BudgetPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Best design for a budget, with the other designs for comparison.

    Attributes:
        budget: The budget in dollars.
        spent: Dollars that the plan spends.
        half_width: Half-width of a 95 % interval of the rate of all outputs.
        open_half_width: Half-width for the rate of undecided outputs, which `estimate` reports for a run.
        phases: The phases.
        half_widths: Half-width of the best plan of each design, named by its judges, joined by ``+``, or
            ``labels alone``.
        labels_alone_cost: Cost of the same half-width without a judge, or None if labels of all outputs are not
            enough.
        pilot: The assumed rates.
    """

    budget: float
    spent: float
    half_width: float
    open_half_width: float
    phases: list[Phase]
    half_widths: Mapping[str, float]
    labels_alone_cost: float | None
    pilot: Pilot


class _Step(NamedTuple):
    """Phase of a design, with the cost and the variance of one undecided output."""

    name: PhaseName
    cost: float
    variance: float


def plan_budget(
    budget: float,
    costs: Mapping[PhaseName, float],
    pilot: Pilot,
    *,
    outputs: int | None = None,
    effect: float = 1.0,
) -> BudgetPlan:
    """Return the plan that spends a budget for the narrowest interval.

    The estimate is that of nested samples: each phase is a random part of the one before, and corrects it
    (`multi_phase_rate`). Its variance is a sum over phases: the variance of the phase divided by its number of
    outputs. So a phase gets outputs in proportion to the root of its variance over its price; if that is more than
    the phase before gets, both get equal numbers. All sets of judges are tried.

    Source: Neyman 1938 for two phases; Cochran 1977, chapter 12; Kott 1990 for more of them.

    Args:
        budget: The budget in dollars.
        costs: Cost of one output, by phase: ``check`` and ``label``, and ``cheap`` and ``expensive`` if there are
            such judges.
        pilot: Assumed rates.
        outputs: Number of outputs available, or None for unlimited.
        effect: Factor by which clusters multiply the variance.

    Raises:
        UsageError: The budget does not pay for the minimum of labels, outputs without a limit cost nothing, or
            checkers decide everything.
    """
    if pilot.decided >= 1.0:
        raise UsageError("checkers decide every output: nothing is left to judge or label")
    if outputs is None and min(costs.values()) <= 0.0:
        raise UsageError(
            f"outputs without a cost need a limit: say how many there are with {setting('of', 'N')}"
        )
    designs = [names for names in _DESIGNS if all(name in costs for name in names)]
    steps = {"+".join(names) or "labels alone": _steps(names, costs, pilot) for names in designs}
    available = math.inf if outputs is None else outputs * (1 - pilot.decided)
    allocations = {name: _allocate(budget, design, available) for name, design in steps.items()}
    half_widths = {
        name: _half_width(steps[name], counts, effect)
        for name, counts in allocations.items()
        if counts is not None
    }
    if not half_widths:
        cheapest = min(_price(step, [float(MIN_LABELS)] * len(step)) for step in steps.values())
        raise UsageError(
            f"a budget of {budget:g} does not pay for {MIN_LABELS} labels and their checks and judgements ({cheapest:,.2f}); raise {setting('budget')}"
        )
    best = min(half_widths, key=lambda name: half_widths[name])
    best_counts = allocations[best] or []
    phases = _phases(steps[best], best_counts, pilot)
    return BudgetPlan(
        budget=budget,
        spent=sum(phase.cost for phase in phases),
        half_width=half_widths[best],
        open_half_width=_half_width(steps[best][1:], best_counts[1:], effect) / max(1 - pilot.decided, 1e-12),
        phases=phases,
        half_widths=half_widths,
        labels_alone_cost=_cost_of(half_widths[best], steps["labels alone"], available, effect),
        pilot=pilot,
    )


def _steps(judges: Sequence[PhaseName], costs: Mapping[PhaseName, float], pilot: Pilot) -> list[_Step]:
    """Return the phases of a design, counted by undecided outputs.

    It takes ``1 / (1 - decided)`` checks to find one undecided output.
    """
    undecided = 1 - pilot.decided
    # Variance that an undecided output's label adds to the rate of all outputs.
    label_variance = undecided**2 * pilot.open_rate * (1 - pilot.open_rate)
    overall_rate = pilot.decided * pilot.decided_rate + undecided * pilot.open_rate
    # Variance of the checker's result, where an undecided output counts as the rate of undecided outputs.
    check_variance = pilot.decided * pilot.decided_rate + undecided * pilot.open_rate**2 - overall_rate**2
    explained = [0.0, *(pilot.explained["+".join(judges[: n + 1])] for n in range(len(judges)))]
    # A judge's phase has the variance that it explains beyond the judges before; labels have the rest.
    shares = [max(0.0, after - before) for before, after in pairwise(explained)] + [1 - explained[-1]]
    return [
        _Step("check", costs["check"] / undecided, max(0.0, check_variance) * undecided),
        *(
            _Step(name, costs[name], label_variance * share)
            for name, share in zip((*judges, "label"), shares, strict=True)
        ),
    ]


def _allocate(budget: float, steps: Sequence[_Step], available: float) -> list[float] | None:
    """Allocate undecided outputs to phases, never more than in the phase before.

    There are ``available`` undecided outputs. None if the budget does not pay for the minimum of labels.
    """
    ratios = _falling_ratios(steps)

    def counts(scale: float) -> list[float]:
        return [
            min(available, max(MIN_LABELS, scale * ratio if ratio < math.inf else available))
            for ratio in ratios
        ]

    if available < MIN_LABELS or _price(steps, counts(0.0)) > budget:
        return None
    low, high = 0.0, 1.0
    while (
        _price(steps, counts(high)) <= budget
        and any(count < available for count in counts(high))
        and high < _MAX_SCALE
    ):
        low, high = high, 2 * high
    affordable, _ = bisected(
        low, high, lambda scale: _price(steps, counts(scale)) > budget, halvings=_HALVINGS
    )
    return counts(affordable)


def _falling_ratios(steps: Sequence[_Step]) -> list[float]:
    """Return roots of variance over cost, made non-increasing by pooling adjacent violators.

    Phases with one ratio get equal numbers of outputs.
    """
    blocks: list[list[float]] = []  # variance, cost and number of phases
    for step in steps:
        blocks.append([step.variance, step.cost, 1])
        # Ratios are compared by cross-multiplication, since a cost may be 0.
        while len(blocks) > 1 and blocks[-1][0] * blocks[-2][1] >= blocks[-2][0] * blocks[-1][1]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    return [
        math.sqrt(variance / cost) if cost > 0 else math.inf
        for variance, cost, phases in blocks
        for _ in range(int(phases))
    ]


def _price(steps: Sequence[_Step], counts: Sequence[float]) -> float:
    return sum(step.cost * count for step, count in zip(steps, counts, strict=True))


def _half_width(steps: Sequence[_Step], counts: Sequence[float], effect: float) -> float:
    variance = sum(step.variance / count for step, count in zip(steps, counts, strict=True))
    return normal_quantile(LEVEL) * math.sqrt(effect * variance)


def _cost_of(half_width: float, steps: Sequence[_Step], available: float, effect: float) -> float | None:
    """Return the smallest cost of a design with this half-width, or None if no number is enough."""
    all_outputs = [available] * len(steps)
    if available < math.inf and _half_width(steps, all_outputs, effect) > half_width:
        return None
    ratios = [min(falling_ratio, 1e9) for falling_ratio in _falling_ratios(steps)]  # outputs may cost nothing

    def counts(scale: float) -> list[float]:
        return [min(available, max(MIN_LABELS, ratio / scale)) for ratio in ratios]

    def is_too_wide(scale: float) -> bool:
        return _half_width(steps, counts(max(scale, 1e-18)), effect) > half_width

    scale, _ = bisected(0.0, 1e9, is_too_wide, halvings=_HALVINGS)
    return _price(steps, counts(max(scale, 1e-18)))


def _phases(steps: Sequence[_Step], counts: Sequence[float], pilot: Pilot) -> list[Phase]:
    total = sum(step.variance / count for step, count in zip(steps, counts, strict=True))
    phases: list[Phase] = []
    for step, count in zip(steps, counts, strict=True):
        # Steps count undecided outputs, but all outputs are checked.
        undecided_share = 1 - pilot.decided if step.name == "check" else 1.0
        n, price = math.floor(count / undecided_share + _ROUNDING), step.cost * undecided_share
        variance_share = step.variance / count / total if total > 0 else 0.0
        phases.append(
            Phase(name=step.name, outputs=n, unit_cost=price, cost=n * price, variance=variance_share)
        )
    return phases
