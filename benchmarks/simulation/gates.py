"""Gates over simulated runs: how often equal systems fail, and how often worse ones do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from fiducial.calibration import compare, table_from_rows
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.comparison.significance import mcnemar
from fiducial.calibration.gating.gate_bounds import (
    GatedScores,
    answer_of,
    corrected_bounds,
    drop_bounds,
    rate_bounds,
)
from fiducial.calibration.tables.calibration_table import DECIDED

from .scenario import Scenario, share


class _World(NamedTuple):
    """How two runs of the same cases come about.

    Attributes:
        flaky: Standard deviation of the cases' chances, on the scale of a uniform number: 0 for cases that always end alike.
        ungraded: Share of outputs of the later run without a grade.
    """

    cases: int = 200
    trials: int = 1
    cluster: int = 1
    flaky: bool = True
    ungraded: float = 0.0


_WORLDS = {
    "200 flaky cases": _World(),
    "40 flaky cases": _World(cases=40),
    "200 flaky cases, 4 trials": _World(trials=4),
    "200 flaky cases in clusters of 4": _World(cluster=4),
    "200 flaky cases, 5 % ungraded after": _World(ungraded=0.05),
    "200 cases that nearly always end alike": _World(flaky=False),
}


def gates(draws: int) -> Iterator[Scenario]:
    """Simulate gates on a drop, on a rate, and under judges whose errors differ by system."""
    for number, (name, world) in enumerate(_WORLDS.items()):
        rng = np.random.default_rng([53, number])
        equal = [_drop(rng, world, 0.0) for _ in range(draws)]
        yield share(
            f"{name}, equal: fails a drop of 0", "", "at most 2.5 %", [each == "fails" for each in equal]
        )
        yield share(
            f"{name}, equal: passes a drop of 0", "", "at most 2.5 %", [each == "passes" for each in equal]
        )
        limit = [_rate(rng, world) for _ in range(draws)]
        yield share(
            f"{name}, rate at its limit: fails", "", "at most 2.5 %", [each == "fails" for each in limit]
        )
        yield share(
            f"{name}, rate at its limit: passes", "", "at most 2.5 %", [each == "passes" for each in limit]
        )
    rng = np.random.default_rng([53, 100])
    pairs = [_power(rng) for _ in range(draws)]
    yield share("200 flaky cases, 12 points worse: fails", "", "", [gate for gate, _ in pairs])
    yield share("the same by McNemar's exact test at 5 %", "", "", [exact for _, exact in pairs])
    for labels, wanted in ((60, "at most 2.5 %"), (0, "not held: uncorrected, and so marked")):
        judged = [_judged(rng, labels) for _ in range(max(1, draws // 4))]
        what = f"equal systems, judge errs on 5 % before and 15 % after, {labels} labels each: fails"
        yield share(what, "", wanted, [each == "fails" for each in judged])


def _chances(rng: np.random.Generator, world: _World) -> FloatArray:
    groups = world.cases // world.cluster
    shape = (2.8, 1.2) if world.flaky else (0.07, 0.03)
    return np.repeat(rng.beta(*shape, size=groups), world.cluster)


def _run(rng: np.random.Generator, world: _World, chances: FloatArray, ungraded: float = 0.0) -> GatedScores:
    case = np.repeat(np.arange(world.cases), world.trials)
    score = (rng.random(len(case)) < chances[case]).astype(float)
    score[rng.random(len(case)) < ungraded] = np.nan
    return GatedScores(case, case // world.cluster, score)


def _drop(rng: np.random.Generator, world: _World, worse: float) -> str:
    chances = _chances(rng, world)
    before = _run(rng, world, chances)
    after = _run(rng, world, np.clip(chances - worse, 0.0, 1.0), world.ungraded)
    return answer_of(drop_bounds(before, after), 0.0)


def _rate(rng: np.random.Generator, world: _World) -> str:
    return answer_of(rate_bounds(_run(rng, world, _chances(rng, world), world.ungraded)), 0.7)


def _power(rng: np.random.Generator) -> tuple[bool, bool]:
    world = _World()
    chances = _chances(rng, world)
    before, after = _run(rng, world, chances), _run(rng, world, np.clip(chances - 0.12, 0.0, 1.0))
    first, second = before.score == 1.0, after.score == 1.0
    exact = mcnemar(int((first & ~second).sum()), int((second & ~first).sum())).exact_p
    worse = bool(first.mean() > second.mean())
    return answer_of(drop_bounds(before, after), 0.0) == "fails", exact <= 0.05 and worse


def _judged(rng: np.random.Generator, labels: int) -> str:
    """Gate two equal systems; a judge misreads good outputs of the later one more often."""
    n, rows = 400, list[dict[str, Any]]()
    chances = rng.beta(2.8, 1.2, size=n)
    for side, errs in (("before", 0.05), ("after", 0.15)):
        truth = rng.random(n) < chances
        seen = np.where(truth, rng.random(n) >= errs, rng.random(n) < errs / 3)
        drawn = set(rng.choice(n, size=labels, replace=False).tolist())
        rows += [
            {
                "item_id": f"c{i}|{side}|0",
                "cluster": f"c{i}",
                "system": side,
                "judge": "j",
                "score": float(seen[i]),
                "label": float(truth[i]) if i in drawn else None,
                DECIDED: None,
            }
            for i in range(n)
        ]
    strata = compare(table_from_rows(rows), by="system", against="after").strata
    assert strata is not None
    pair = strata.all.pairs[0]
    assert pair.a == "after", "the change is after minus before"
    return answer_of(corrected_bounds(pair.difference, 1.0, of=n, ends=(-1.0, 1.0)), 0.0)
