"""Simulation of `plan --budget`: promised half-widths, and other uses of the money.

Nested samples of the planned sizes should give the half-width, and no other split should do better.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fiducial.calibration import Statistic
from fiducial.calibration.corrected_rate.multi_phase import NestedVerdicts, multi_phase_rate
from fiducial.calibration.planning.budget_plan import BudgetPlan, Phase, PhaseName, plan_budget
from fiducial.calibration.planning.pilots import assumed_pilot

from .tally import COVERAGE, Means, Tally


class World(NamedTuple):
    """Planted values.

    Attributes:
        rate: Share of undecided outputs that are right.
        decided: Share of outputs that checkers decide; seven in ten of these pass.
        cheap: True positive and true negative rate of the cheap judge.
        dear: True positive and true negative rate of the expensive judge.
        costs: Cost of one output, by phase.
        budget: Budget in the same unit.
    """

    rate: float
    decided: float
    cheap: tuple[float, float]
    dear: tuple[float, float]
    costs: dict[PhaseName, float]
    budget: float


_USUAL: dict[PhaseName, float] = {"check": 1e-5, "cheap": 5e-4, "expensive": 0.02, "label": 2.0}

WORLDS = {
    "a good dear judge": World(0.6, 0.0, (0.85, 0.8), (0.95, 0.93), _USUAL, 300),
    "most outputs decided": World(0.6, 0.7, (0.85, 0.8), (0.95, 0.93), _USUAL, 300),
    "nine in ten right": World(0.9, 0.4, (0.9, 0.7), (0.96, 0.9), _USUAL, 600),
    "dear judge hardly better": World(0.5, 0.4, (0.85, 0.8), (0.87, 0.82), _USUAL, 300),
    "useless cheap judge": World(0.5, 0.4, (0.5, 0.5), (0.9, 0.9), _USUAL, 300),
    "checking costs as much as judging": World(
        0.5, 0.5, (0.8, 0.8), (0.93, 0.93), {**_USUAL, "check": 0.01}, 400
    ),
}

_PASS = 0.7


def budgets(draws: int) -> Iterator[Means | Tally]:
    """Simulate promised and actual half-widths in each world, and other uses of the money."""
    widths, covered = (
        Means("budget: 1.96 standard deviations of the estimated rate over the promised half-width"),
        Tally("budget: rate of open outputs by multi_phase_rate", COVERAGE),
    )
    printed = Means("budget: mean printed half-width over the promised one, open outputs")
    other = Means("budget: standard deviation when the money is spent otherwise, over that of the plan")
    for number, (name, world) in enumerate(WORLDS.items()):
        rng, plan = np.random.default_rng(50 + number), planned(world)
        found: list[float] = []
        for _ in range(draws // 4):
            total, rate = estimated(rng, world, counts_of(plan))
            found += [] if total is None else [total]
            covered.covers(name, rate, world.rate)
            if rate.low is not None and rate.high is not None:
                printed.add(name, (rate.high - rate.low) / 2 / plan.open_half_width)
        spread = float(np.std(found))
        widths.add(f"{name}: {_words(plan)}", 1.96 * spread / plan.half_width)
        for way, counts in _otherwise(world, plan).items():
            every = [estimated(rng, world, counts)[0] for _ in range(draws // 4)]
            spent = [each for each in every if each is not None]
            other.add(f"{name}: {way}", float(np.std(spent)) / spread)
    yield from (widths, printed, covered, other)


def planned(world: World, outputs: int = 1_000_000) -> BudgetPlan:
    """Return the plan for a world with this many outputs and known rates."""
    pilot = assumed_pilot(
        world.rate, {"cheap": world.cheap, "expensive": world.dear}, decided=world.decided, decided_rate=_PASS
    )
    return plan_budget(world.budget, world.costs, pilot, outputs=outputs)


def counts_of(plan: BudgetPlan) -> dict[PhaseName, int]:
    """Return the number of outputs by phase."""
    return {phase.name: phase.outputs for phase in plan.phases}


def _words(plan: BudgetPlan) -> str:
    return ", ".join(f"{phase.outputs:,} {phase.name}" for phase in plan.phases)


def _otherwise(world: World, plan: BudgetPlan) -> dict[str, dict[PhaseName, int]]:
    """Return other uses of the budget: labels alone, and labels against the phases before.

    The latter move a third of the labels' cost there, or as much from there to labels.
    """
    of: dict[PhaseName, Phase] = {phase.name: phase for phase in plan.phases}
    left, prices = 1 - world.decided, world.costs
    alone = int(world.budget / (prices["label"] + prices["check"] / left))
    ways: dict[str, dict[PhaseName, int]] = {"labels alone": {"check": round(alone / left), "label": alone}}
    for way, share in (("a third fewer labels", 2 / 3), ("half as much before labels", None)):
        counts: dict[PhaseName, int] = counts_of(plan)
        before = sum(each.cost for name, each in of.items() if name != "label")
        if share is None:
            counts = {name: round(n / 2) for name, n in counts.items()}
            counts["label"] = round((world.budget - before / 2) / prices["label"])
        else:
            more = (world.budget - share * of["label"].cost) / max(before, 1e-9)
            counts = {name: min(1_000_000, round(n * more)) for name, n in counts.items()}
            counts["label"] = round(share * of["label"].outputs)
        counts["label"] = min(counts.values())
        ways[way] = counts
    return ways


def estimated(
    rng: np.random.Generator, world: World, counts: dict[PhaseName, int]
) -> tuple[float | None, Statistic]:
    """Check, judge and label random outputs; estimate the rate of all and of undecided ones."""
    checked = counts["check"]
    decided = rng.binomial(checked, world.decided)
    passing, is_undecided = rng.binomial(decided, _PASS), checked - decided
    size = min(is_undecided, max(n for name, n in counts.items() if name != "check"))
    right = rng.random(size) < world.rate
    rows = np.arange(size)
    scores = [
        np.where(
            rows < counts[name], np.where(rng.random(size) < np.where(right, tpr, 1 - tnr), 1.0, 0.0), np.nan
        )
        for name, (tpr, tnr) in (("cheap", world.cheap), ("expensive", world.dear))
        if name in counts
    ]
    label = np.where(rows < counts["label"], right, np.nan)
    data = NestedVerdicts(label, np.array(scores).reshape(len(scores), size), rows, np.full(size, np.nan))
    rate = multi_phase_rate(data)
    return None if rate.value is None else (passing + is_undecided * rate.value) / checked, rate
