"""Best use of a budget, by a pilot table or by expected rates of the judges."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from ..calibration.planning.budget_plan import PHASES, BudgetPlan, PhaseName, Pilot
from ..calibration.planning.budget_plan import plan_budget as best_plan
from ..calibration.planning.pilots import measured_costs, measured_pilot
from ..calibration.tables.calibration_table import Table
from ..errors import UsageError
from ..records import nearest
from ..spelling import setting
from .argument_checks import require_range

JudgeOrRates: TypeAlias = str | tuple[float, float]
"""A judge's name, or its true positive and true negative rate."""


def with_current_names(costs: Mapping[str, float]) -> dict[str, float]:
    """Return costs by phase; ``dear`` is the former name of ``expensive``."""
    if {"dear", "expensive"} <= costs.keys():
        raise UsageError(
            f"{setting('costs', 'dear')} is the former name of {setting('costs', 'expensive')}: give one"
        )
    return {"expensive" if name == "dear" else name: cost for name, cost in costs.items()}


def best_use(
    budget: float,
    costs: dict[str, float],
    judges: Mapping[str, JudgeOrRates | None],
    pilot_of_rates: Callable[[Mapping[str, tuple[float, float]]], Pilot],
    table: Table | None,
    *,
    of: int | None,
    effect: float,
) -> BudgetPlan:
    """Return the best use of a budget, from a pilot table or expected rates of judges."""
    if unknown := sorted(costs.keys() - set(PHASES)):
        raise UsageError(
            f"{setting('costs', unknown[0])}: expected {', '.join(PHASES)}{nearest(unknown[0], PHASES)}"
        )
    for name, cost in costs.items():
        require_range("costs", cost, 0.0, math.inf, "both", of=name)
    if table is None:
        pilot = pilot_of_rates(_expected_rates(judges))
    else:
        names = _named_judges(judges)
        pilot = measured_pilot(table, names)
        costs = measured_costs(table, names) | costs  # stated costs override measured ones
    cost_by_phase: dict[PhaseName, float] = {"check": costs.get("check", 0.0)}
    for name in PHASES[1:]:  # all but `check`
        if name == "label" or judges[name] is not None:
            if name not in costs:
                raise UsageError(
                    f"name the cost of one output of this step: {setting('costs', f'{name}=DOLLARS')}"
                )
            cost_by_phase[name] = costs[name]
    return best_plan(budget, cost_by_phase, pilot, outputs=of, effect=effect)


def _expected_rates(judges: Mapping[str, JudgeOrRates | None]) -> dict[str, tuple[float, float]]:
    """Return the expected rates of judges, for a plan without a table."""
    rates: dict[str, tuple[float, float]] = {}
    for name, judge in judges.items():
        if judge is None:
            continue
        if isinstance(judge, str) or len(judge) != 2:  # noqa: PLR2004 - both rates
            raise UsageError(
                f"{setting(name, judge)}: expected TPR,TNR (0.9,0.8), or a TABLE whose judge it names"
            )
        for rate in judge:
            require_range(name, rate)
        rates[name] = judge
    return rates


def _named_judges(judges: Mapping[str, JudgeOrRates | None]) -> dict[str, str]:
    """Return the names of judges whose rates a table measures."""
    names: dict[str, str] = {}
    for name, judge in judges.items():
        if isinstance(judge, str):
            names[name] = judge
        elif judge is not None:
            raise UsageError(f"{setting(name)}: name a judge of the TABLE, whose rates are measured on it")
    if not names:
        raise UsageError(
            f"with a TABLE, name its judges: {setting('cheap', 'JUDGE')}, {setting('expensive', 'JUDGE')}"
        )
    return names
