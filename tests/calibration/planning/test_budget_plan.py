"""Purchases for a budget: the optimum, the promise, and what cannot be bought."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fiducial.calibration import table_from_rows
from fiducial.calibration.corrected_rate.multi_phase import NestedVerdicts, multi_phase_rate
from fiducial.calibration.planning.budget_plan import BudgetPlan, PhaseName, Pilot, plan_budget
from fiducial.calibration.planning.pilots import assumed_pilot, measured_costs, measured_pilot
from fiducial.errors import InputError, UsageError

COSTS: dict[PhaseName, float] = {"check": 1e-4, "cheap": 0.002, "expensive": 0.05, "label": 2.0}
JUDGES = {"cheap": (0.85, 0.8), "expensive": (0.95, 0.93)}
PILOT = assumed_pilot(0.6, JUDGES, decided=0.5, decided_rate=0.7)


def counts(plan: BudgetPlan) -> dict[PhaseName, int]:
    return {phase.name: phase.outputs for phase in plan.phases}


def variance(bought: dict[PhaseName, float], pilot: Pilot) -> float:
    """Of the rate of all outputs, by the law of total variance, phase by phase."""
    p, left = pilot, 1 - pilot.decided
    known = p.decided * p.decided_rate + left * p.open_rate
    checked = p.decided * p.decided_rate + left * p.open_rate**2 - known**2
    within = left**2 * p.open_rate * (1 - p.open_rate)
    cheap, both = p.explained["cheap"], p.explained["cheap+expensive"]
    parts: dict[PhaseName, float] = {"cheap": cheap, "expensive": both - cheap, "label": 1 - both}
    return checked / bought["check"] + sum(within * part / bought[name] for name, part in parts.items())


def test_two_phases_are_as_in_the_textbook() -> None:
    pilot = assumed_pilot(0.5, {"cheap": (0.9, 0.9)})
    plan = plan_budget(1_000, {"check": 1e-12, "cheap": 0.01, "label": 1.0}, pilot)
    squared = 0.8**2  # the correlation of two 0/1 variables that agree in nine of ten, half of each
    bought = counts(plan)
    assert bought["cheap"] / bought["label"] == pytest.approx(
        math.sqrt(squared / (1 - squared) * 100), rel=0.01
    )
    cost = (math.sqrt(0.25 * squared * 0.01) + math.sqrt(0.25 * (1 - squared))) ** 2 / 1_000
    assert plan.half_width == pytest.approx(1.959964 * math.sqrt(cost), rel=1e-3)


def test_no_other_use_of_the_money_is_narrower() -> None:
    plan = plan_budget(400, COSTS, PILOT)
    rng, least = np.random.default_rng(0), (plan.half_width / 1.959964) ** 2
    assert variance({phase.name: phase.outputs for phase in plan.phases}, PILOT) == pytest.approx(
        least, rel=1e-2
    )
    for _ in range(2_000):
        shares = rng.dirichlet((1, 2, 3, 8))
        bought: dict[PhaseName, float] = {
            name: 400 * share / COSTS[name] for name, share in zip(COSTS, shares, strict=True)
        }
        if bought["check"] / 2 >= bought["cheap"] >= bought["expensive"] >= bought["label"]:
            assert variance(bought, PILOT) >= least * (1 - 1e-6)


def test_a_phase_is_never_larger_than_the_one_before_and_the_budget_is_kept() -> None:
    for dear in (1e-3, 0.1, 5.0):
        plan = plan_budget(500, {**COSTS, "expensive": dear}, PILOT, outputs=20_000)
        bought = [phase.outputs * (0.5 if phase.name == "check" else 1) for phase in plan.phases]
        assert bought == sorted(bought, reverse=True)
        assert max(bought) <= 10_000
        assert 490 <= plan.spent <= 500
        assert sum(phase.variance for phase in plan.phases) == pytest.approx(1.0)


def test_a_judge_that_says_nothing_is_not_bought() -> None:
    pilot = assumed_pilot(0.6, {"cheap": (0.5, 0.5), "expensive": (0.9, 0.9)})
    plan = plan_budget(500, COSTS, pilot)
    assert [phase.name for phase in plan.phases] == ["check", "expensive", "label"]
    useless = assumed_pilot(0.6, {"cheap": (0.5, 0.5)})
    plan = plan_budget(500, {name: COSTS[name] for name in ("check", "cheap", "label")}, useless)
    assert [phase.name for phase in plan.phases] == ["check", "label"]
    assert plan.half_width == plan.half_widths["labels alone"]


def test_labels_alone_are_as_narrow_for_what_they_are_said_to_cost() -> None:
    plan = plan_budget(400, COSTS, PILOT)
    assert plan.labels_alone_cost is not None
    alone = plan_budget(plan.labels_alone_cost, {"check": COSTS["check"], "label": COSTS["label"]}, PILOT)
    assert alone.half_width == pytest.approx(plan.half_width, rel=1e-3)
    assert plan_budget(400, COSTS, PILOT, outputs=600).labels_alone_cost is not None


def test_more_money_and_fewer_clusters_give_narrower_intervals() -> None:
    widths = [plan_budget(budget, COSTS, PILOT).half_width for budget in (100, 200, 400, 800)]
    assert widths == sorted(widths, reverse=True)
    assert plan_budget(100, COSTS, PILOT, effect=4.0).half_width == pytest.approx(2 * widths[0])


def test_the_open_part_has_its_own_half_width() -> None:
    plan = plan_budget(400, {**COSTS, "check": 1e-9}, PILOT)
    assert plan.open_half_width == pytest.approx(plan.half_width / 0.5, rel=1e-3)


def test_what_cannot_be_planned_is_said() -> None:
    with pytest.raises(UsageError, match="does not pay for 30 labels"):
        plan_budget(20, COSTS, PILOT)
    with pytest.raises(UsageError, match="say how many there are"):
        plan_budget(200, {**COSTS, "check": 0.0}, PILOT)
    with pytest.raises(UsageError, match="nothing is left to judge"):
        plan_budget(200, COSTS, assumed_pilot(0.5, JUDGES, decided=1.0))


def judged(rng: np.random.Generator, n: int, rate: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    right = rng.random(n) < rate
    said = {
        name: np.where(rng.random(n) < np.where(right, tpr, 1 - tnr), 1.0, 0.0)
        for name, (tpr, tnr) in JUDGES.items()
    }
    return right.astype(np.float64), said


def test_a_pilot_that_is_told_is_what_a_large_one_shows() -> None:
    label, said = judged(np.random.default_rng(1), 400_000, 0.6)
    for names, explained in PILOT.explained.items():
        design = np.vstack([np.ones(len(label)), *(said[name] for name in names.split("+"))]).T
        fit = design @ np.linalg.lstsq(design, label, rcond=None)[0]
        assert 1 - (label - fit).var() / label.var() == pytest.approx(explained, abs=5e-3)


def test_a_pilot_is_read_from_a_table_with_what_verdicts_cost() -> None:
    label, said = judged(np.random.default_rng(2), 4_000, 0.6)
    rows = [
        {
            "item_id": str(n),
            "judge": name,
            "score": score[n],
            "label": label[n] if n < 1_500 else None,
            "checker_score": 1.0 if n >= 3_000 else None,
            "cost": 0.002 if name == "cheap" else 0.05,
        }
        for name, score in said.items()
        for n in range(4_000)
    ]
    table, judges = table_from_rows(rows), {"cheap": "cheap", "expensive": "expensive"}
    pilot = measured_pilot(table, judges)
    assert (pilot.decided, pilot.decided_rate, pilot.n) == (0.25, 1.0, 1_500)
    assert pilot.open_rate == pytest.approx(0.6, abs=0.04)
    for names, explained in PILOT.explained.items():
        assert pilot.explained[names] == pytest.approx(explained, abs=0.05)
    assert measured_costs(table, judges) == pytest.approx({"cheap": 0.002, "expensive": 0.05})
    with pytest.raises(InputError, match="there is no judge 'other'"):
        measured_pilot(table, {"cheap": "other"})
    few = table_from_rows([row for row in rows if row["label"] is None or int(str(row["item_id"])) < 20])
    with pytest.raises(InputError, match="a pilot takes 30 labels"):
        measured_pilot(few, judges)


def test_nested_samples_of_the_planned_sizes_are_as_precise_as_promised() -> None:
    plan = plan_budget(300, {**COSTS, "check": 1e-9}, assumed_pilot(0.6, JUDGES))
    bought, rng = counts(plan), np.random.default_rng(3)
    values, widths = list[float](), list[float]()
    for _ in range(200):
        label, said = judged(rng, bought["cheap"], 0.6)
        dear, labelled = (np.arange(len(label)) < bought[name] for name in ("expensive", "label"))
        scores = np.array([said["cheap"], np.where(dear, said["expensive"], np.nan)])
        data = NestedVerdicts(
            np.where(labelled, label, np.nan), scores, np.arange(len(label)), label * np.nan
        )
        rate = multi_phase_rate(data)
        if rate.value is None or rate.low is None or rate.high is None:
            continue
        values.append(rate.value)
        widths.append((rate.high - rate.low) / 2)
    assert len(values) > 190
    assert np.mean(widths) == pytest.approx(plan.open_half_width, rel=0.03)
    assert 1.96 * np.std(values) == pytest.approx(plan.half_width, rel=0.12)
