"""Pilots: rates before a budget is spent, assumed or estimated from labelled outputs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from ...errors import InputError
from ..arrays import BoolArray, FloatArray
from ..corrected_rate.estimation import rows_of_judge
from ..corrected_rate.estimation_results import MIN_LABELS
from ..corrected_rate.multi_phase import explained_variance, nested_verdicts
from ..tables.calibration_table import Table
from .budget_plan import Pilot
from .plan_results import MeasuredRates


def assumed_pilot(
    open_rate: float,
    judges: Mapping[str, tuple[float, float]],
    *,
    decided: float = 0.0,
    decided_rate: float = 0.5,
) -> Pilot:
    """Return a pilot from assumed rates, for judges that err independently given the truth.

    Rates are within (0, 1).

    Args:
        open_rate: Rate of undecided outputs.
        judges: True positive and true negative rate of each judge.
        decided: Share of outputs that the checkers decide.
        decided_rate: Share of decided outputs that pass.
    """
    label_variance = open_rate * (1 - open_rate)
    youden = np.array([tpr + tnr - 1 for tpr, tnr in judges.values()])
    pass_rate = np.array([open_rate * tpr + (1 - open_rate) * (1 - tnr) for tpr, tnr in judges.values()])
    # Verdicts that are independent given the truth covary only through it.
    covariance: FloatArray = label_variance * np.outer(youden, youden)
    np.fill_diagonal(covariance, pass_rate * (1 - pass_rate))
    explained: dict[str, float] = {}
    for names in _judge_sets(judges):
        rows = [list(judges).index(name) for name in names]
        label_covariance = label_variance * youden[rows]
        slope = np.linalg.solve(covariance[np.ix_(rows, rows)], label_covariance)
        explained["+".join(names)] = float(slope @ label_covariance) / label_variance
    return Pilot(decided=decided, decided_rate=decided_rate, open_rate=open_rate, explained=explained)


def measured_rates(table: Table, judge: str | None = None) -> MeasuredRates | None:
    """Measure a judge's rates on the labels so far, or None if no item has a label and a score.

    Raises:
        InputError: The table has several judges and none is named, or there is no such judge.
    """
    rows = rows_of_judge(table, judge)
    labelled, judged = np.isfinite(rows.label), np.isfinite(rows.score)
    labelled_and_judged = labelled & judged
    if not labelled_and_judged.any():
        return None
    right, passed = rows.right[labelled_and_judged], rows.passed[labelled_and_judged]
    return MeasuredRates(
        judge=next(iter(dict(rows.judge.present()))),
        n=int(labelled_and_judged.sum()),
        n_labelled=_n_items(rows, labelled),
        n_unlabelled=_n_items(rows, judged & ~labelled),
        tpr=_smoothed_share(passed[right]),
        tnr=_smoothed_share(~passed[~right]),
        prevalence=_smoothed_share(rows.right[labelled]),
    )


def _n_items(table: Table, rows: BoolArray) -> int:
    return len(set(table.item.codes[rows].tolist()))


def _smoothed_share(successes: BoolArray) -> float:
    """Return a share after adding half an item of each kind, so that it is neither 0 nor 1."""
    return float((successes.sum() + 0.5) / (len(successes) + 1))


def measured_pilot(table: Table, judges: Mapping[str, str]) -> Pilot:
    """Return a pilot estimated from a table or run with labels.

    Args:
        table: Table of all outputs, judged or not.
        judges: Names of the judges ``cheap`` and ``expensive``.

    Raises:
        InputError: There is no such judge, or the undecided outputs that it judged have fewer than 30 labels
            or labels that are all equal.
    """
    outputs = nested_verdicts(table, list(judges.values()))
    decided, undecided = outputs.decided[np.isfinite(outputs.decided)], outputs.undecided()
    explained: dict[str, float] = {}
    for names in _judge_sets(judges):
        data = nested_verdicts(table, [judges[name] for name in names])
        share = explained_variance(data)
        if share is None:
            judge_names = " and ".join(judges[name] for name in names)
            raise InputError(
                f"a pilot takes {MIN_LABELS} labels, right and wrong ones, "
                f"of undecided outputs that {judge_names} judged"
            )
        explained["+".join(names)] = share
    label = undecided.label[np.isfinite(undecided.label)]
    if len(label) < MIN_LABELS:
        raise InputError(f"a pilot takes {MIN_LABELS} labels of undecided outputs, there are {len(label)}")
    return Pilot(
        decided=len(decided) / len(outputs.decided),
        decided_rate=float((decided >= 0.5).mean()) if len(decided) else 0.5,  # noqa: PLR2004 - a checker's 0 or 1
        open_rate=float(label.mean()),
        explained=explained,
        n=len(label),
    )


def measured_costs(table: Table, judges: Mapping[str, str]) -> dict[str, float]:
    """Return the mean cost of a verdict of each judge, if the table has it."""
    cost = table.numbers.get("cost", np.full(len(table), np.nan))
    costs = {name: cost[table.judge.isin({judge}) & np.isfinite(cost)] for name, judge in judges.items()}
    return {name: float(judge_costs.mean()) for name, judge_costs in costs.items() if len(judge_costs)}


def _judge_sets(judges: Mapping[str, object]) -> list[tuple[str, ...]]:
    return [names for size in range(1, len(judges) + 1) for names in combinations(judges, size)]
