"""Plans: how many labels or items are needed, which to label next, how to spend a budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Unpack

import msgspec
import numpy as np

from ..calibration.corrected_rate.estimation import rows_of_judge
from ..calibration.planning.assured_labels import DEFAULT_ASSURANCE, Expected, assured_labels, average_labels
from ..calibration.planning.next_labels import (
    next_by_doubt,
    next_by_stratum,
    next_to_label,
    rate_so_far,
    unlabelled_items,
)
from ..calibration.planning.pilots import assumed_pilot, measured_rates
from ..calibration.planning.plan_results import Draw, MeasuredRates
from ..calibration.planning.sample_sizes import items_for_difference
from ..calibration.tables.calibration_table import Table
from ..errors import UsageError
from ..spelling import either, setting
from .argument_checks import (
    Ends,
    checked_arguments,
    known_arguments,
    require_declared,
    require_known,
    require_range,
    require_whole,
)
from .budget_use import JudgeOrRates, best_use, with_current_names
from .callers import warn_caller
from .table_results import SamplePlan
from .tables import TableReading, Tables, read_table

_MIN_PRECISION = 1e-6
"""Minimum half-width or difference to plan for: finer ones take more items than can be drawn as integers."""

_MAX_CLUSTER = 1_000_000
"""Maximum number of rows in a cluster."""

_MAX_UNLABELLED = 2**53
"""More unlabelled items than these change no plan: floats no longer count them, nor can they be drawn."""


@checked_arguments
def plan_labels(
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
    **reading: Unpack[TableReading],
) -> SamplePlan:
    """Estimate how many labels or items are needed, and draw the items to label next.

    Args:
        table: Items to draw from, in any form; of runs, the outputs that no checker decided.
        half_width: Plan labels for 95 % intervals with this half-width.
        tpr: Expected true positive rate of the judge; by default measured on the labels of the table, else 0.9.
        tnr: Expected true negative rate; by default measured like ``tpr``, else 0.9.
        prevalence: Expected share of right outputs; by default measured on the labels of the table, else 0.5.
        unlabelled: Number of judged items without a label, for the corrected rate; by default counted in a table with labels.
        assurance: Share of samples whose intervals shall have at most that half-width; None plans for the average sample, as
            textbooks do.
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
        **reading: Options for reading the table; see `TableReading`.

    Returns:
        The plan.

    Raises:
        InputError: There is nothing to draw from, or the strata cannot be made.
        UsageError: There is nothing to plan, two arguments exclude each other, or a number is outside its range.
    """
    require_declared(reading, TableReading)
    rates = {"prevalence": prevalence, "tpr": tpr, "tnr": tnr}
    shares = {"half_width": half_width, "assurance": assurance, "icc": icc, **rates}
    _require_shares({**shares, "difference": difference, "discordant": discordant, "power": power})
    _require_drawing(draw, by_doubt=by_doubt, strata=strata, unlabelled=unlabelled)
    require_whole("seed", seed, 0)
    for name, goal in {"half_width": half_width, "difference": difference}.items():
        require_range(name, goal, _MIN_PRECISION, math.inf, "low")
    _require_difference(difference, discordant)
    _require_clusters(rows_per_cluster, icc)
    goals = {"half_width": half_width, "difference": difference, "draw": draw}
    _require_goal(goals, has_table=table is not None)
    rows = rates_of_table = None
    if table is not None:
        rows = read_table(table, open_only=True, tags=[strata] if strata else [], **reading)
    if rows is not None and half_width is not None:
        rates_of_table = measured_rates(rows, judge)
    if rates_of_table is not None and unlabelled is None:
        unlabelled = rates_of_table.n_unlabelled or None
    if unlabelled is not None:
        unlabelled = min(unlabelled, _MAX_UNLABELLED)
    expected_rates = _planning_rates(rates_of_table, **rates)._replace(
        rows_per_cluster=rows_per_cluster, icc=icc
    )
    assumed_rates = {
        name: getattr(expected_rates, name)
        for name, value in rates.items()
        if rates_of_table is None or value is not None
    }
    labels = items = next_items = None
    if half_width is not None:
        labels = _label_counts(half_width, expected_rates, unlabelled, assurance)
    if difference is not None:
        items = math.ceil(items_for_difference(difference, discordant, power=power) * expected_rates.effect)
    if rows is not None and draw is not None:
        next_items = _draw_items(rows, draw, judge=judge, by_doubt=by_doubt, strata=strata, seed=seed)
    return SamplePlan(
        design_effect=expected_rates.effect,
        half_width=half_width,
        assurance=assurance,
        labels=labels,
        difference=difference,
        power=power,
        discordant=discordant,
        items=items,
        draw=next_items,
        measured=rates_of_table,
        expected={} if labels is None else assumed_rates,
    )


@checked_arguments
def plan_budget(
    budget: float,
    table: Tables | None = None,
    *,
    costs: Mapping[str, float] | None = None,
    of: int | None = None,
    cheap: JudgeOrRates | None = None,
    expensive: JudgeOrRates | None = None,
    prevalence: float | None = None,
    decided: float = 0.0,
    decided_rate: float = 0.5,
    rows_per_cluster: float = 1.0,
    icc: float = 0.0,
    **reading: Unpack[TableReading],
) -> SamplePlan:
    """Plan what to check, judge and label for the narrowest interval that a budget buys.

    Args:
        budget: Dollars to spend.
        table: A pilot with labels of undecided outputs, in any form; without one, rates are expected.
        costs: Dollars per output of each step: ``check`` (default 0), ``cheap``, ``expensive``, ``label``. By default a judge's cost is
            read from the table, if it has one.
        of: Number of outputs available; by default unlimited.
        cheap: Name of the cheap judge in the table or, without a table, its expected true positive and true negative rate.
        expensive: The expensive judge, named or described the same way; it errs less.
        prevalence: Without a table, expected share of right outputs; by default 0.5.
        decided: Without a table, expected share of outputs that checkers decide.
        decided_rate: Expected pass rate of the outputs that checkers decide.
        rows_per_cluster: Items per cluster.
        icc: Correlation within clusters.
        **reading: Options for reading the table; see `TableReading`.

    Returns:
        The plan.

    Raises:
        InputError: The pilot has too few labels.
        UsageError: A cost is missing, or a number is outside its range.
    """
    require_declared(reading, TableReading)
    _require_shares({"prevalence": prevalence, "decided": decided, "decided_rate": decided_rate, "icc": icc})
    require_whole("of", of)
    _require_clusters(rows_per_cluster, icc)
    require_range("budget", budget, 0.0, math.inf)
    expected_rates = _planning_rates(None, prevalence=prevalence)._replace(
        rows_per_cluster=rows_per_cluster, icc=icc
    )
    pilot_of_rates = partial(
        assumed_pilot, expected_rates.prevalence, decided=decided, decided_rate=decided_rate
    )
    pilot = None if table is None else read_table(table, outputs=True, **reading)
    judges = {"cheap": cheap, "expensive": expensive}
    best_spending = best_use(
        budget,
        with_current_names(costs or {}),
        judges,
        pilot_of_rates,
        pilot,
        of=of,
        effect=expected_rates.effect,
    )
    return SamplePlan(design_effect=expected_rates.effect, budget=best_spending)


_BUDGET_ARGUMENTS = frozenset({"budget", "costs", "of", "cheap", "expensive", "decided", "decided_rate"})
"""Arguments of `plan_budget` only."""
_SHARED_ARGUMENTS = frozenset({"prevalence", "rows_per_cluster", "icc", *TableReading.__annotations__})
"""Arguments of both `plan_labels` and `plan_budget`."""


def plan_both(table: Tables | None = None, **arguments: Any) -> SamplePlan:
    """Return one plan of labels and of a budget; see `plan_labels` and `plan_budget`."""
    known_names: list[str] = []
    for function in (plan_labels, plan_budget):
        known_names += known_arguments(function) or []
    require_known("plan", arguments, known_names)
    label_arguments = {name: value for name, value in arguments.items() if name not in _BUDGET_ARGUMENTS}
    if arguments.get("budget") is None:
        return plan_labels(table, **label_arguments)
    names = _BUDGET_ARGUMENTS | _SHARED_ARGUMENTS
    budget_arguments = {name: value for name, value in arguments.items() if name in names}
    budget_plan = plan_budget(table=table, **budget_arguments)
    if all(arguments.get(name) is None for name in ("half_width", "difference", "draw")):
        return budget_plan
    # Without a draw, `plan_labels` plans by expected rates; the table is the budget's pilot.
    rows = None if arguments.get("draw") is None else table
    return msgspec.structs.replace(plan_labels(rows, **label_arguments), budget=budget_plan.budget)


def plan(table: Tables | None = None, **arguments: Any) -> SamplePlan:
    """Plan labels or a budget under the former name of `plan_labels` and `plan_budget`.

    Args:
        table: See `plan_labels`.
        **arguments: Arguments of `plan_labels` and `plan_budget`; ``dear`` is the former name of ``expensive``.
    """
    warn_caller("plan is now plan_labels (how many labels) and plan_budget", DeprecationWarning)
    if (dear := arguments.pop("dear", None)) is not None:
        warn_caller("dear= is now expensive=", DeprecationWarning)
        if arguments.get("expensive") is not None:
            raise UsageError("dear is the former name of expensive: give one")
        arguments["expensive"] = dear
    return plan_both(table, **arguments)


def _planning_rates(
    measured: MeasuredRates | None,
    tpr: float | None = None,
    tnr: float | None = None,
    prevalence: float | None = None,
) -> Expected:
    """Return the rates to plan by: those that the caller expects, else measured or typical."""
    default_rates = Expected(0.9, 0.9, 0.5)  # as `plan_labels` documents
    if measured is not None:
        default_rates = Expected(measured.tpr, measured.tnr, measured.prevalence)
    rates = {"tpr": tpr, "tnr": tnr, "prevalence": prevalence}
    return default_rates._replace(**{name: value for name, value in rates.items() if value is not None})


def _draw_or_budget() -> str:
    """Return the end of a list of goals: a draw or a budget, as the running surface names them."""
    draw = setting("draw")
    return either(f", {draw} or {setting('budget')}", f" or {draw} (fd.plan_budget spends a budget)")


def _require_goal(goals: Mapping[str, float | None], *, has_table: bool) -> None:
    """Raise a UsageError if nothing is to be planned, or the plan would not use the table."""
    if all(value is None for value in goals.values()):
        raise UsageError(
            f"say what to plan: {setting('half_width')}, {setting('difference')}{_draw_or_budget()}"
        )
    if goals["draw"] is not None and not has_table:
        raise UsageError(f"{setting('draw')} draws items of a TABLE: name it")
    if has_table and all(goals[name] is None for name in ("draw", "half_width")):
        raise UsageError(f"a TABLE is for {setting('half_width')}{_draw_or_budget()}: add one of them")


_ACCEPTED_ENDS: Mapping[str, Ends] = {"discordant": "high", "decided": "low", "icc": "both", "decided_rate": "both"}  # fmt: skip
"""Ends of the range from 0 to 1 that an argument may take; other arguments may take neither."""


def _require_shares(shares: Mapping[str, float | None]) -> None:
    for name, share in shares.items():
        require_range(name, share, ends=_ACCEPTED_ENDS.get(name, "neither"))


def _require_drawing(draw: int | None, *, by_doubt: bool, strata: str | None, unlabelled: int | None) -> None:
    """Raise a UsageError for two ways to draw, or a way to draw without a number."""
    require_whole("unlabelled", unlabelled)
    require_whole("draw", draw)
    if by_doubt and strata:
        raise UsageError(f"{setting('by_doubt')} and {setting('strata')} are two ways to draw; give one")
    if draw is None and (by_doubt or strata):
        raise UsageError(
            f"{setting('by_doubt')} and {setting('strata')} are for {setting('draw')}: add {setting('draw', 'N')}"
        )


def _require_difference(difference: float | None, discordant: float) -> None:
    if difference is not None and difference > discordant:
        raise UsageError(
            f"{setting('difference')} cannot be above {setting('discordant')}: the judges differ on those items only"
        )


def _require_clusters(rows_per_cluster: float, icc: float) -> None:
    require_range("rows_per_cluster", rows_per_cluster, 1.0, math.inf, "both")
    if rows_per_cluster > _MAX_CLUSTER:
        raise UsageError(
            f"{setting('rows_per_cluster')} expects a number up to {_MAX_CLUSTER:,}, got {rows_per_cluster:g}"
        )
    if icc and rows_per_cluster == 1.0:
        raise UsageError(
            f"{setting('icc')} has no effect on clusters of one item: add {setting('rows_per_cluster')}"
        )


def _label_counts(
    half_width: float, expected: Expected, unlabelled: int | None, assurance: float | None
) -> Mapping[str, int | None]:
    """Return the labels needed by each rate; without an assurance, the average number."""
    if assurance is not None:
        return assured_labels(expected, half_width, unlabelled=unlabelled, assurance=assurance)
    average_counts = average_labels(expected, half_width, unlabelled)
    return {
        name: size if size is None else math.ceil(size * expected.effect)
        for name, size in average_counts.items()
    }


def _draw_items(
    table: Table, count: int, *, judge: str | None, by_doubt: bool, strata: str | None, seed: int
) -> Draw:
    table = table if judge is None else rows_of_judge(table, judge)
    if strata is not None:
        return next_by_stratum(table, count, strata, seed=seed)
    if by_doubt:
        scored = table.take(np.isfinite(table.score))
        return Draw(chances=next_by_doubt(table, count, seed=seed), of=len(unlabelled_items(scored)))
    # None for each item: a simple random sample needs no draw probabilities.
    draw_chances = dict.fromkeys(next_to_label(table, count, seed=seed))
    return Draw(chances=draw_chances, of=len(unlabelled_items(table)), so_far=rate_so_far(table))
