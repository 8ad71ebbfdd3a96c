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
    shifted_bounds,
)
from fiducial.calibration.tables.calibration_table import DECIDED

from .scenario import Scenario, share

_SEED = 530_001
"""Seed that no method was tuned on."""


class _World(NamedTuple):
    """Two runs of the same cases, by how they come about.

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
    yield from _judges(draws)
    for number, (name, world) in enumerate(_WORLDS.items()):
        rng = np.random.default_rng([_SEED, number])
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
    rng = np.random.default_rng([_SEED, 100])
    pairs = [_power(rng) for _ in range(draws)]
    yield share("200 flaky cases, 12 points worse: fails", "", "", [gate for gate, _ in pairs])
    yield share("the same by McNemar's exact test at 5 %", "", "", [exact for _, exact in pairs])


class _Judge(NamedTuple):
    """Way in which a judge is bounded.

    Attributes:
        before: Share of good outputs that it misreads before; of bad ones it misreads a third of that.
        after: The same after.
        labels: Number of labels in each run.
        error: Declared bound of what its errors shift, or None without one.
    """

    before: float
    after: float
    labels: int = 0
    error: float | None = None


_JUDGES = {
    "judge errs on 5 % before and 15 % after, 60 labels each": _Judge(0.05, 0.15, 60),
    "judge errs on 5 % before and 15 % after, 30 labels each": _Judge(0.05, 0.15, 30),
    "judge errs on 30 % before and 5 % after, 60 labels each": _Judge(0.30, 0.05, 60),
    "judge errs on 5 % before and 15 % after, no labels": _Judge(0.05, 0.15),
    "the same with a declared error of 0.1": _Judge(0.05, 0.15, error=0.1),
    "the same with a declared error of 0, which is wrong": _Judge(0.05, 0.15, error=0.0),
}


def _judges(draws: int) -> Iterator[Scenario]:
    """Simulate equal systems on which a judge errs differently."""
    for number, (name, judge) in enumerate(_JUDGES.items()):
        rng = np.random.default_rng([_SEED, 200 + number])
        answers = [_judged(rng, judge) for _ in range(max(1, draws // (4 if judge.labels else 1)))]
        wanted = "at most 2.5 %" if judge.error != 0.0 else "not held: it is as declared"
        yield share(f"equal systems, {name}: fails", "", wanted, [answer == "fails" for answer in answers])
        yield share(f"equal systems, {name}: passes", "", wanted, [answer == "passes" for answer in answers])


def _chances(rng: np.random.Generator, world: _World) -> FloatArray:
    groups = world.cases // world.cluster
    shape = (2.8, 1.2) if world.flaky else (0.07, 0.03)
    return np.repeat(rng.beta(*shape, size=groups), world.cluster)


def _run(rng: np.random.Generator, world: _World, chances: FloatArray, ungraded: float = 0.0) -> GatedScores:
    case = np.repeat(np.arange(world.cases), world.trials)
    score = (rng.random(len(case)) < chances[case]).astype(float)
    score[rng.random(len(case)) < ungraded] = np.nan
    return GatedScores(case, case // world.cluster, score, np.ones(len(case), dtype=np.bool_))


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


def _judged(rng: np.random.Generator, judge: _Judge) -> str:
    """Gate two equal systems; a judge misreads good outputs of one more often."""
    n, rows = 400, list[dict[str, Any]]()
    chances, scores = rng.beta(2.8, 1.2, size=n), list[FloatArray]()
    for side, errs in (("before", judge.before), ("after", judge.after)):
        truth = rng.random(n) < chances
        seen = np.where(truth, rng.random(n) >= errs, rng.random(n) < errs / 3)
        scores.append(seen.astype(float))
        drawn = set(rng.choice(n, size=judge.labels, replace=False).tolist())
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
    if not judge.labels:
        settled = np.full(n, judge.error is not None)
        before, after = (GatedScores(np.arange(n), np.arange(n), score, settled) for score in scores)
        bounds = shifted_bounds(drop_bounds(before, after), judge.error or 0.0, ends=(-1.0, 1.0))
        return answer_of(bounds, 0.0)
    table = table_from_rows(rows)
    strata = compare(table, by="system", against="after", labels_chosen_by="random").strata
    assert strata is not None
    pair = strata.all.pairs[0]
    assert pair.a == "after", "the change is after minus before"
    if not pair.corrected:  # labels look chosen by score, so that the judge settles nothing
        return "cannot tell"
    return answer_of(corrected_bounds(pair.difference, 1.0, of=n, ends=(-1.0, 1.0)), 0.0)
