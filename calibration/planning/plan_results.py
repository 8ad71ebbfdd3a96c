"""Types of plan results, which make up ``plan --json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from ...records.result import Framed, Result
from ..statistic import Statistic
from .budget_plan import BudgetPlan, former_phase


class StratumPlan(NamedTuple):
    """Labels of one stratum, existing and planned.

    Attributes:
        n: Number of judged items.
        n_labelled: Number of judged items with a label.
        spread: Standard deviation of label minus lambda times score, estimated from the labels.
        next: Number of new labels.
    """

    n: int
    n_labelled: int
    spread: float
    next: int


class Draw(msgspec.Struct, frozen=True, kw_only=True):
    """Items to label next.

    Attributes:
        chances: Chance with which each item was drawn, by item id in the order of labelling; None in a simple
            random sample.
        of: Number of items to draw from.
        strata: Items and draws of each stratum, if drawn by stratum.
        stratum_of: Stratum by item id, if drawn by stratum.
        so_far: Rate by the labels before this draw, with an interval that is valid at every look if labels are a
            random sample. None without labels, and for draws that are not simple random samples.
    """

    chances: Mapping[str, float | None]
    of: int
    strata: Mapping[str, StratumPlan] = {}
    stratum_of: Mapping[str, str] = {}
    so_far: Statistic | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the draw file: items with stratum and chance, if any."""
        from ..tables.calibration_table import DRAWN_FROM, PROBABILITY  # noqa: PLC0415 - numpy is slow to import

        return [
            {"item_id": item}
            | ({"stratum": self.stratum_of[item]} if self.stratum_of else {})
            | ({} if chance is None else {PROBABILITY: chance})
            | {DRAWN_FROM: self.of}
            for item, chance in self.chances.items()
        ]


class MeasuredRates(NamedTuple):
    """Rates of a judge and of its outputs, measured on the labels so far.

    Attributes:
        judge: Name of the judge.
        n: Number of items with label and score.
        n_labelled: Number of items with a label.
        n_unlabelled: Number of judged items without a label.
        tpr: True positive rate, smoothed by half an item of each kind, so that it is neither 0 nor 1.
        tnr: True negative rate, smoothed as well.
        prevalence: Share of labels that pass, smoothed as well.
    """

    judge: str
    n: int
    n_labelled: int
    n_unlabelled: int
    tpr: float
    tnr: float
    prevalence: float


class SamplePlan(Result, Framed, frozen=True, kw_only=True):
    """Planned numbers of labels or items, and the items to label next.

    ``to_frame`` has one row per drawn item; without a draw, one per rate, comparison or phase, with the number of
    labels, items or outputs.

    Attributes:
        design_effect: Factor by which clusters multiply the variance.
        half_width: Half-width of the intervals that labels are planned for.
        assurance: Share of samples in which intervals are that narrow, or None if they are that narrow on average.
        labels: Number of labels by rate, None for a rate for which no number is enough; None in all if not
            requested.
        difference: Difference between two judges or systems that items are planned for.
        power: Chance to find that difference.
        discordant: Expected share of items on which only one of the two is right.
        items: Items needed, or None if not requested.
        draw: Items to label next, or None if not requested.
        budget: Best design for a budget, or None if not requested.
        measured: Measured rates that labels are planned by, or None if rates are assumed.
        expected: Assumed rates that labels are planned by, by option; empty if they are measured.
    """

    design_effect: float
    half_width: float | None = None
    assurance: float | None = None
    labels: Mapping[str, int | None] | None = None
    difference: float | None = None
    power: float = 0.8
    discordant: float = 0.2
    items: int | None = None
    draw: Draw | None = None
    budget: BudgetPlan | None = None
    measured: MeasuredRates | None = None
    expected: Mapping[str, float] = {}


def _budget_json(plan: BudgetPlan) -> dict[str, Any]:
    """Return a budget's plan with phases under their former names, too, until the next version."""
    values: dict[str, Any] = msgspec.to_builtins(plan)
    values["phases"] = [phase | {"phase": former_phase(phase["name"])} for phase in values["phases"]]
    for by_phases in (values["half_widths"], values["pilot"]["explained"]):
        by_phases |= {former_phase(name): value for name, value in by_phases.items()}
    return values


def plan_json(numbers: SamplePlan) -> dict[str, Any]:
    """Return a plan as JSON, without the parts that were not requested."""
    result: dict[str, Any] = {"design_effect": numbers.design_effect}
    if numbers.labels is not None:
        result |= {"assurance": numbers.assurance, "labels": numbers.labels}
    if numbers.measured is not None:
        result["measured"] = numbers.measured._asdict()
    if numbers.items is not None:
        result["items"] = {"comparison": numbers.items}
    if numbers.budget is not None:
        result["budget"] = _budget_json(numbers.budget)
    if numbers.draw is not None:
        draw = numbers.draw
        is_simple = None in draw.chances.values()
        result |= {"next": list(draw.chances) if is_simple else draw.chances, "of": draw.of}
        if draw.so_far is not None:
            result["anytime"] = msgspec.to_builtins(draw.so_far)
        if draw.strata:
            result["strata"] = {name: plan._asdict() for name, plan in draw.strata.items()}
    return result
