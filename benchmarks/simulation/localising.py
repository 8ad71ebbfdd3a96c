"""Judges that name the first wrong step: intervals of hits, and claims to localise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from fiducial.calibration.localisation import NamedSteps, localisation

from .tally import FOUND, Tally, Target

_COVERED = Target("coverage of nominal 95 %", 0.93, 0.97)
_CLAIMED = Target("claims that a judge localises which only guesses", 0.0, 0.05)

_Steps: TypeAlias = npt.NDArray[np.int64]


class _World(NamedTuple):
    """Trajectories with one planted fault each, and clusters of them whose difficulty is alike."""

    rows: int
    size: int
    """Trajectories of one cluster."""
    spread: float
    """Correlation of a judge's hits within clusters."""
    steps: tuple[int, int]
    """Least and most steps; of equal numbers the fault is at a rung of `fault_back`."""


WORLDS = {
    "54 of 32 steps": _World(54, 1, 0.0, (32, 32)),
    "270 of 32 steps": _World(270, 1, 0.0, (32, 32)),
    "200 of 2 to 12 steps": _World(200, 1, 0.0, (2, 12)),
    "300 of 2 to 12 steps, clusters of 3, correlation 0.3": _World(300, 3, 0.3, (2, 12)),
    "600 of 2 to 40 steps, clusters of 6, correlation 0.5": _World(600, 6, 0.5, (2, 40)),
    "12 of 3 to 6 steps": _World(12, 1, 0.0, (3, 6)),
}
_BACK = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32])
_HIT, _NEAR = 0.7, 0.5
"""A judge that errs: the share of exact hits, and of its misses the share that is a neighbouring step."""


class _Drawn(NamedTuple):
    planted: _Steps
    steps: _Steps
    cluster: _Steps


_Judge: TypeAlias = Callable[[np.random.Generator, _World, _Drawn], _Steps]


def _perfect(rng: np.random.Generator, world: _World, drawn: _Drawn) -> _Steps:
    del rng, world
    return drawn.planted


def _off_by_one(rng: np.random.Generator, world: _World, drawn: _Drawn) -> _Steps:
    del rng, world
    return np.where(drawn.planted < drawn.steps, drawn.planted + 1, drawn.planted - 1)


def _erring(rng: np.random.Generator, world: _World, drawn: _Drawn) -> _Steps:
    """Name the step, a neighbour, or none, correlated within clusters."""
    clusters = int(drawn.cluster.max()) + 1
    if world.spread:
        scale = 1 / world.spread - 1
        chance = rng.beta(_HIT * scale, (1 - _HIT) * scale, clusters)[drawn.cluster]
    else:
        chance = np.full(len(drawn.planted), _HIT)
    near = np.where(rng.random(len(chance)) < _NEAR, _off_by_one(rng, world, drawn), 0)
    return np.where(rng.random(len(chance)) < chance, drawn.planted, near)


def _last(rng: np.random.Generator, world: _World, drawn: _Drawn) -> _Steps:
    del rng, world
    return drawn.steps


def _uniform(rng: np.random.Generator, world: _World, drawn: _Drawn) -> _Steps:
    del world
    return rng.integers(1, drawn.steps + 1)


def _either(rng: np.random.Generator, world: _World, drawn: _Drawn) -> _Steps:
    """Name the last step half of the time, else any step."""
    return np.where(rng.random(len(drawn.steps)) < 0.5, drawn.steps, _uniform(rng, world, drawn))


_SEEING: Mapping[str, _Judge] = {"perfect": _perfect, "off by one": _off_by_one, "errs": _erring}
_GUESSING: Mapping[str, _Judge] = {"last step": _last, "uniform": _uniform, "last or uniform": _either}


def localising(draws: int) -> Iterator[Tally]:
    """Simulate coverage of an erring judge's rates, and claims of seeing and guessing judges."""
    covered = Tally("exact and within one, of a judge that errs", _COVERED)
    found = Tally("claims that a judge localises which sees the fault", FOUND)
    false = Tally("claims by sort of fault", _CLAIMED)
    for title, world in WORLDS.items():
        rng = np.random.default_rng(81)
        for _ in range(draws):
            drawn = _draw(rng, world)
            for name, judge in {**_SEEING, **_GUESSING}.items():
                rows = NamedSteps(judge(rng, world, drawn), drawn.planted, drawn.steps, drawn.cluster)
                said = localisation(rows)
                (false if name in _GUESSING else found).add(f"{name}, {title}", said.localises)
                if name == "errs":
                    covered.covers(f"exact, {title}", said.exact, _HIT)
                    covered.covers(f"within one, {title}", said.within_one, _HIT + (1 - _HIT) * _NEAR)
    yield from (covered, found, false)


def _draw(rng: np.random.Generator, world: _World) -> _Drawn:
    least, most = world.steps
    steps = rng.integers(least, most + 1, world.rows)
    cluster = np.repeat(np.arange(world.rows), world.size)[: world.rows]
    if least == most:
        planted = most + 1 - _BACK[np.arange(world.rows) % len(_BACK)]
    else:
        planted = rng.integers(1, steps + 1)
    return _Drawn(planted, steps, cluster)
