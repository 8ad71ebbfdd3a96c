"""Labels added in rounds until the interval leaves a value."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from fiducial.calibration.corrected_rate.betting_intervals import LabelSequence, interval_of_population
from fiducial.calibration.corrected_rate.estimators import LabelledAndJudged, power_tuned

from .few_labels import judged
from .scenario import Scenario, mean, share

_VALUE = 0.8
"""Pass rate that people wait for the interval to leave."""

_OUTPUTS, _ROUND, _MOST = 2_000, 20, 400
"""Judged outputs, labels of a round, and the most labels."""


class _Stops(NamedTuple):
    """Numbers of labels at which an interval first leaves the value, or None if it never does."""

    fixed: int | None
    anytime: int | None


def looks(draws: int) -> Iterator[Scenario]:
    """A true rate of 80 %, where leaving it is wrong, and of 70 and 90 %, where it is right."""
    for rate, wrong in ((_VALUE, True), (0.7, False), (0.9, False)):
        rng = np.random.default_rng(round(100 * rate))
        stops = [_stops(rng, rate) for _ in range(max(1, draws // (1 if wrong else 4)))]
        what = f"true rate {rate:g}, rounds of {_ROUND} up to {_MOST} labels"
        for name, before in (("fixed", "23 %"), ("anytime", "")):
            at = [getattr(stop, name) for stop in stops]
            left = [each is not None for each in at]
            wanted = "at most 5 %" if wrong and name == "anytime" else ""
            yield share(f"{what}: {name} leaves 0.8", before if wrong else "", wanted, left)
            labels = [float(_MOST if each is None else each) for each in at]
            yield mean(f"{what}: labels until {name} leaves 0.8", "", "", labels)


def _stops(rng: np.random.Generator, rate: float) -> _Stops:
    right = rng.random(_OUTPUTS) < rate
    label, score = right.astype(np.float64), judged(rng, right).astype(np.float64)
    row = np.arange(_OUTPUTS)
    stopped: dict[str, int | None] = {"fixed": None, "anytime": None}
    for n, name in product(range(_ROUND, _MOST + 1, _ROUND), stopped):
        if stopped[name] is not None:
            continue
        if name == "fixed":
            data = LabelledAndJudged(label[:n], score[:n], score[n:], row[:n], row[n:])
            found = power_tuned(data).estimate
            low, high = found.low, found.high
        else:
            low, high = interval_of_population(LabelSequence(label[:n], score[:n], score), _OUTPUTS)
        if low is not None and high is not None and not low <= _VALUE <= high:
            stopped[name] = n
    return _Stops(**stopped)
