"""pass^k and pass@k over trials graded by an erring judge, uncorrected and corrected."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

import numpy as np

from fiducial.calibration.repeated_trials import Trials, judge_errors, trial_rate
from fiducial.calibration.trial_rates import RATES

from .tally import FOUND, Tally, Target

_COVERED = Target("coverage of nominal 95 %", 0.93, 0.98)
_KS = (1, 2, 4, 8)


class _World(NamedTuple):
    """Cases whose chances to pass follow a beta distribution, and a judge."""

    cases: int
    trials: int
    a: float
    b: float
    tpr: float
    fpr: float
    labels: int


WORLDS = {
    "100 cases, 8 trials, TPR 0.95, TNR 0.9, 200 labels": _World(100, 8, 3, 1, 0.95, 0.1, 200),
    "50 cases, 8 trials, TPR 0.95, TNR 0.9, 200 labels": _World(50, 8, 2, 2, 0.95, 0.1, 200),
    "200 cases, 8 trials, TPR 0.9, TNR 0.8, 300 labels": _World(200, 8, 6, 1, 0.9, 0.2, 300),
    "100 uneven cases, 8 trials, TPR 0.95, TNR 0.9, 100 labels": _World(100, 8, 0.5, 0.5, 0.95, 0.1, 100),
}


def trials(draws: int) -> Iterator[Tally]:
    """Coverage of both rates: verdicts as they are (naive), and corrected."""
    naive = Tally("pass^k and pass@k by a judge's verdicts as they are", FOUND)
    corrected = Tally("pass^k and pass@k corrected with labels", _COVERED)
    for title, world in WORLDS.items():
        rng = np.random.default_rng(80)
        for _ in range(draws):
            drawn = _draw(rng, world)
            errors = judge_errors(drawn)
            for rate in RATES:
                for k in _KS:
                    name = f"{rate.replace('k', str(k))}, {title}"
                    truth = _truth(world, rate, k)
                    naive.covers(name, trial_rate(rate, k, drawn), truth)
                    if errors is not None:
                        corrected.covers(name, trial_rate(rate, k, drawn, errors), truth)
    yield from (naive, corrected)


def _draw(rng: np.random.Generator, world: _World) -> Trials:
    n = world.cases * world.trials
    case = np.repeat(np.arange(world.cases), world.trials)
    truth = rng.random(n) < rng.beta(world.a, world.b, world.cases)[case]
    said = rng.random(n) < np.where(truth, world.tpr, world.fpr)
    label = np.full(n, np.nan)
    known = rng.choice(n, world.labels, replace=False)
    label[known] = truth[known]
    return Trials(case, case, said.astype(float), np.full(n, True), label)


def _truth(world: _World, rate: str, k: int) -> float:
    """Return the k-th moment of the beta distribution, or one minus its complement's."""
    a, b = (world.a, world.b) if rate == "pass^k" else (world.b, world.a)
    moment = prod((a + j) / (a + b + j) for j in range(k))
    return moment if rate == "pass^k" else 1 - moment
