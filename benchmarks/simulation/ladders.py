"""Judges whose share caught falls at a planted level, asked like real ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.ladders import (
    CAUGHT,
    CurveFamily,
    LadderAnswers,
    LadderFit,
    fit_ladder,
    next_levels,
)


class Planted(NamedTuple):
    """A judge on one ladder.

    Attributes:
        threshold: Where it catches 80 %, from 0, the easiest level, to 1.
        slope: Of its logistic curve over the whole ladder; 0 for a flat judge, which catches ``top`` everywhere.
        top: Share caught of what is easy.
        floor: Share caught without being seen.
        spread: Standard deviation of the threshold between clusters.
    """

    threshold: float
    slope: float
    top: float = 0.98
    floor: float = 0.05
    spread: float = 0.0

    def shares(self, places: FloatArray, shift: FloatArray | float = 0.0) -> FloatArray:
        """Return the share that it catches, for clusters whose threshold is shifted."""
        if not self.slope:
            return np.full(np.shape(places + shift), self.top)
        odds = (CAUGHT - self.floor) / (self.top - CAUGHT)
        middle = self.threshold + math.log(odds) / self.slope
        return self.floor + (self.top - self.floor) / (1 + np.exp(self.slope * (places - middle - shift)))


Design: TypeAlias = Callable[[CurveFamily, LadderAnswers, int], Sequence[int]]
"""Function that chooses the levels of the next questions, given answers and a count."""


def asked(  # noqa: PLR0917 - a judge, how it is asked, and chance
    family: CurveFamily,
    judge: Planted,
    chance: np.random.Generator,
    calls: int,
    per_round: int,
    design: Design = next_levels,
) -> LadderFit:
    """Ask a judge in rounds, and fit its curve.

    As in an audit, the k-th question at a level is of cluster k.
    """
    shifts = chance.normal(0.0, judge.spread, calls) if judge.spread else np.zeros(calls)
    answers = LadderAnswers(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64))
    while (left := calls - len(answers.level_index)) > 0:
        rung = np.array(design(family, answers, min(per_round, left)), dtype=np.int64)
        cluster = _numbered(answers.level_index, rung)
        share = judge.shares(family.positions[rung], shifts[cluster])
        caught = (chance.random(len(rung)) < share).astype(np.float64)
        answers = LadderAnswers(
            np.concatenate([answers.level_index, rung]),
            np.concatenate([answers.caught, caught]),
            np.concatenate([answers.cluster, cluster]),
        )
    return fit_ladder(family, answers)


def evenly(family: CurveFamily, answers: LadderAnswers, count: int) -> list[int]:
    """Choose all levels in turn."""
    levels, before = len(family.positions), len(answers.level_index)
    return [(before + number) % levels for number in range(count)]


def up_and_down(family: CurveFamily, answers: LadderAnswers, count: int) -> list[int]:
    """Choose levels one by one: easier after a miss, harder after one of four catches.

    Durham and Flournoy 1994.
    """
    if not len(answers.level_index):
        return [0] * count
    level = int(answers.level_index[-1])
    if not answers.caught[-1]:
        return [max(0, level - 1)] * count
    harder = (len(answers.level_index) * 2_654_435_761 >> 16) % 4 == 0
    return [min(len(family.positions) - 1, level + harder)] * count


def _numbered(before: IntArray, rung: IntArray) -> IntArray:
    """Number questions within their level, from 0."""
    seen = np.bincount(before, minlength=int(rung.max()) + 1)
    found = np.zeros(len(rung), dtype=np.int64)
    for place, level in enumerate(rung.tolist()):
        found[place] = seen[level]
        seen[level] += 1
    return found


def falling(threshold: float, fall: float, **others: float) -> Planted:
    """Return a judge whose share falls from 80 to 20 % over this part of the ladder."""
    judge = Planted(threshold, 1.0, **others)
    shares = [(share - judge.floor) / (judge.top - judge.floor) for share in (CAUGHT, 1.0 - CAUGHT)]
    high, low = (math.log(share / (1.0 - share)) for share in shares)
    return judge._replace(slope=(high - low) / fall)


def true_threshold(judge: Planted) -> float:
    """Return the position at which 80 % are caught on average over clusters."""
    if not judge.spread:
        return judge.threshold
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    low, high = -1.0, 2.0
    for _ in range(60):
        middle = (low + high) / 2
        share = float(weights @ judge.shares(np.full(41, middle), nodes * judge.spread) / weights.sum())
        low, high = (middle, high) if share > CAUGHT else (low, middle)
    return low
