"""`fiducial.plan`: estimate how many labels or items are needed, and which to label next."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, Unpack

import numpy as np

from ..calibration.corrected_rate.estimation import rows_of_judge
from ..calibration.planning.assured_labels import DEFAULT_ASSURANCE, Expected, assured_labels, average_labels
from ..calibration.planning.budget_plan import PHASES, BudgetPlan, PhaseName, Pilot, plan_budget
from ..calibration.planning.next_labels import next_by_doubt, next_by_stratum, next_to_label, unlabelled_items
from ..calibration.planning.pilots import assumed_pilot, measured_costs, measured_pilot, measured_rates
from ..calibration.planning.plan_results import Draw, MeasuredRates
from ..calibration.planning.sample_sizes import items_for_difference
from ..calibration.tables.calibration_table import Table
from ..errors import UsageError
from ..records import nearest
from ..spelling import setting
from .argument_checks import Ends, checked_arguments, require_declared, require_range, require_whole
from .callers import warn_caller
from .table_results import SamplePlan
from .tables import TableReading, Tables, read_table

JudgeOrRates: TypeAlias = str | tuple[float, float]
"""A judge's name, or its true positive and true negative rate."""


@checked_arguments
def plan(
    table: Tables | None = None,
    *,
    half_width: float | None = None,
    tpr: float | None = None,
    tnr: float | None = None,
    prevalence: float | None = None,
    unlabelled: int | None = None,
    assurance: float | None = DEFAULT_ASSURANCE,
    difference: float | None = None,
    discordant: float = 0.2,
    power: float = 0.8,
    rows_per_cluster: float = 1.0,
    icc: float = 0.0,
    draw: int | None = None,
    by_doubt: bool = False,
    strata: str | None = None,
    judge: str | None = None,
    seed: int = 0,
    budget: float | None = None,
    costs: Mapping[str, float] | None = None,
    of: int | None = None,
    cheap: JudgeOrRates | None = None,
    expensive: JudgeOrRates | None = None,
    dear: JudgeOrRates | None = None,
    decided: float = 0.0,
    decided_rate: float = 0.5,
    **reading: Unpack[TableReading],
) -> SamplePlan:
    """Estimate how many labels or items are needed, and draw the items to label next.

    Args:
        table: Items to draw from, in any form; of runs, the outputs that no checker decided.
        half_width: Plan labels for 95 % intervals with this half-width.
        tpr: Expected true positive rate of the judge; by default measured on the labels of the table, else 0.9.
        tnr: Expected true negative rate; its default is found as that of ``tpr``.
        prevalence: Expected share of right outputs; by default measured on the labels of the table, else 0.5.
        unlabelled: Number of judged items without a label, for the corrected rate; by default counted in a table with labels.
        assurance: Share of samples whose intervals are that narrow; None for the average of samples, as in textbooks.
        difference: Plan items to find this difference between two judges.
        discordant: Expected share of items on which only one of the two judges is right.
        power: Chance of finding the difference.
        rows_per_cluster: Items per cluster.
        icc: Correlation within clusters.
        draw: Number of items to draw.
        by_doubt: Draw items with uncertain labels more often.
        strata: Column of strata, or ``score``. The labels so far decide the number of items of each stratum.
        judge: Judge whose scores count, if the table has several.
        seed: Seed of the draw.
        budget: Dollars to spend: plan how many outputs to check, judge and label for the narrowest interval.
        costs: Dollars per output of each step: ``check`` (default 0), ``cheap``, ``expensive``, ``label``. By default a judge's cost is read from
            the table, if it has one.
        of: Number of outputs available; by default unlimited.
        cheap: Name of the cheap judge in the table (the pilot) or, without a table, its expected true positive and true negative rate.
        expensive: The expensive judge, named or described the same way; it errs less.
        dear: Former name of ``expensive``.
        decided: Without a table, expected share of outputs that checkers decide.
        decided_rate: Expected pass rate of these.
        **reading: Options for reading the table; see `TableReading`.

    Returns:
        The plan.

    Raises:
        InputError: There is nothing to draw from, or the strata cannot be made.
        UsageError: There is nothing to plan, two arguments exclude each other, or a number is outside its range.
    """
    arguments = dict(locals())  # the arguments as they were given
    if dear is not None:
        warn_caller("dear= is now expensive=", DeprecationWarning)
    require_declared(reading, TableReading)
    _require_numbers(arguments)
    goals = {"half_width": half_width, "difference": difference, "draw": draw, "budget": budget}
    _require_goal(goals, has_table=table is not None)
    rows = measured = None
    if table is not None and (budget is None or draw is not None):
        rows = read_table(table, open_only=True, tags=[strata] if strata else [], **reading)
    if rows is not None and half_width is not None and budget is None:
        measured = measured_rates(rows, judge)
    if measured is not None and unlabelled is None:
        unlabelled = measured.n_unlabelled or None
    expected = _expected(measured, tpr, tnr, prevalence)._replace(rows_per_cluster=rows_per_cluster, icc=icc)
    given = {"prevalence": prevalence, "tpr": tpr, "tnr": tnr}
    assumed = {
        name: getattr(expected, name)
        for name, value in given.items()
        if measured is None or value is not None
    }
    labels = items = drawn = best = None
    if half_width is not None:
        labels = _labels(half_width, expected, unlabelled, assurance)
    if difference is not None:
        items = math.ceil(items_for_difference(difference, discordant, power=power) * expected.effect)
    if rows is not None and draw is not None:
        drawn = _draw(rows, draw, judge=judge, by_doubt=by_doubt, strata=strata, seed=seed)
    if budget is not None:
        pilot_of_rates = partial(
            assumed_pilot, expected.prevalence, decided=decided, decided_rate=decided_rate
        )
        pilot = None if table is None else read_table(table, outputs=True, **reading)
        judges = {"cheap": cheap, "dear": expensive if dear is None else dear}
        best = _plan_budget(
            budget, _by_phase(costs or {}), judges, pilot_of_rates, pilot, of=of, effect=expected.effect
        )
    return SamplePlan(
        design_effect=expected.effect,
        half_width=half_width,
        assurance=assurance,
        labels=labels,
        difference=difference,
        power=power,
        discordant=discordant,
        items=items,
        draw=drawn,
        budget=best,
        measured=measured,
        expected={} if labels is None else assumed,
    )


def _expected(
    measured: MeasuredRates | None, tpr: float | None, tnr: float | None, prevalence: float | None
) -> Expected:
    """Return the rates to plan by: as given, else as measured, else as usual."""
    usual = Expected(0.9, 0.9, 0.5) if measured is None else Expected(*measured[-3:])
    expected = {"tpr": tpr, "tnr": tnr, "prevalence": prevalence}
    return usual._replace(**{name: value for name, value in expected.items() if value is not None})


def _require_goal(goals: Mapping[str, float | None], *, has_table: bool) -> None:
    """Refuse a plan of nothing, and a table that the plan does not use."""
    if all(value is None for value in goals.values()):
        raise UsageError(
            f"say what to plan: {setting('half_width')}, {setting('difference')}, {setting('draw')} or {setting('budget')}"
        )
    if goals["draw"] is not None and not has_table:
        raise UsageError(f"{setting('draw')} draws items of a TABLE: name it")
    if has_table and all(goals[name] is None for name in ("draw", "half_width", "budget")):
        raise UsageError(
            f"a TABLE is for {setting('draw')}, {setting('half_width')} or {setting('budget')}: add one of them"
        )


_RANGES: Mapping[Ends, Sequence[str]] = {
    "neither": ("half_width", "difference", "tpr", "tnr", "prevalence", "assurance", "power"),
    "high": ("discordant",),
    "low": ("decided",),
    "both": ("icc", "decided_rate"),
}
"""Arguments between 0 and 1 by the ends that belong to their range."""


def _require_numbers(numbers: Mapping[str, Any]) -> None:
    """Refuse an argument of `plan` that is a number outside its range, or draws nothing."""
    for name in ("unlabelled", "draw", "of"):
        require_whole(name, numbers[name])
    if numbers["by_doubt"] and numbers["strata"]:
        raise UsageError(f"{setting('by_doubt')} and {setting('strata')} are two ways to draw; give one")
    if numbers["draw"] is None and (numbers["by_doubt"] or numbers["strata"]):
        raise UsageError(
            f"{setting('by_doubt')} and {setting('strata')} are for {setting('draw')}: add {setting('draw', 'N')}"
        )
    difference, discordant = numbers["difference"], numbers["discordant"]
    if difference is not None and discordant is not None and difference > discordant:
        raise UsageError(
            f"{setting('difference')} cannot be above {setting('discordant')}: the judges differ on those items only"
        )
    for ends, names in _RANGES.items():
        for name in names:
            require_range(name, numbers[name], ends=ends)
    require_range("rows_per_cluster", numbers["rows_per_cluster"], 1.0, math.inf, "both")
    if numbers["icc"] and numbers["rows_per_cluster"] == 1.0:
        raise UsageError(
            f"{setting('icc')} has no effect on clusters of one item: add {setting('rows_per_cluster')}"
        )
    require_range("budget", numbers["budget"], 0.0, math.inf)


def _by_phase(costs: Mapping[str, float]) -> dict[str, float]:
    """Return costs by phase; ``expensive`` is the phase ``dear``."""
    return {"dear" if name == "expensive" else name: cost for name, cost in costs.items()}


def _option(phase: str) -> str:
    return "expensive" if phase == "dear" else phase


def _plan_budget(
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
        require_range("costs", cost, 0.0, math.inf, "both", of=_option(name))
    if table is None:
        pilot = pilot_of_rates(_rates(judges))
    else:
        names = _names(judges)
        pilot = measured_pilot(table, names)
        costs = measured_costs(table, names) | costs
    prices: dict[PhaseName, float] = {"check": costs.get("check", 0.0)}
    for name in PHASES[1:]:
        if name == "label" or judges[name] is not None:
            if name not in costs:
                raise UsageError(
                    f"name the cost of one output of this step: {setting('costs', f'{_option(name)}=DOLLARS')}"
                )
            prices[name] = costs[name]
    return plan_budget(budget, prices, pilot, outputs=of, effect=effect)


def _rates(judges: Mapping[str, JudgeOrRates | None]) -> dict[str, tuple[float, float]]:
    """Return the expected rates of judges without a table."""
    rates: dict[str, tuple[float, float]] = {}
    for name, judge in judges.items():
        if judge is None:
            continue
        if isinstance(judge, str) or len(judge) != 2:  # noqa: PLR2004 - both rates
            raise UsageError(
                f"{setting(_option(name), judge)}: expected TPR,TNR (0.9,0.8), or a TABLE whose judge it names"
            )
        for rate in judge:
            require_range(_option(name), rate)
        rates[name] = judge
    return rates


def _names(judges: Mapping[str, JudgeOrRates | None]) -> dict[str, str]:
    """Return the names of judges in a table."""
    names: dict[str, str] = {}
    for name, judge in judges.items():
        if isinstance(judge, str):
            names[name] = judge
        elif judge is not None:
            raise UsageError(
                f"{setting(_option(name))}: name a judge of the TABLE, whose rates are measured on it"
            )
    if not names:
        raise UsageError(
            f"with a TABLE, name its judges: {setting('cheap', 'JUDGE')}, {setting('expensive', 'JUDGE')}"
        )
    return names


def _labels(
    half_width: float, expected: Expected, unlabelled: int | None, assurance: float | None
) -> Mapping[str, int | None]:
    """Return the number of labels by rate; without an assurance, the average number."""
    if assurance is not None:
        return assured_labels(expected, half_width, unlabelled=unlabelled, assurance=assurance)
    sizes = average_labels(expected, half_width, unlabelled)
    return {name: size if size is None else math.ceil(size * expected.effect) for name, size in sizes.items()}


def _draw(
    table: Table, count: int, *, judge: str | None, by_doubt: bool, strata: str | None, seed: int
) -> Draw:
    table = table if judge is None else rows_of_judge(table, judge)
    if strata is not None:
        return next_by_stratum(table, count, strata, seed=seed)
    if by_doubt:
        scored = table.take(np.isfinite(table.score))
        return Draw(chances=next_by_doubt(table, count, seed=seed), of=len(unlabelled_items(scored)))
    chances = dict.fromkeys(next_to_label(table, count, seed=seed))
    return Draw(chances=chances, of=len(unlabelled_items(table)))
