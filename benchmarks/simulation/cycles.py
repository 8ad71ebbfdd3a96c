"""Judges whose preferences are cyclic, or not; and win rates that people's choices correct."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from scipy.special import expit

from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.preference.choices import Choices
from fiducial.calibration.preference.measure import preferences_of
from fiducial.calibration.preference.ranking_misfit import ranking_misfit

from .scenario import Scenario, share

_NOISE = 0.7
"""Standard deviation over clusters of the log-odds of each pair."""

_ORDER = 0.5
_TIES = 0.1


def cycles(draws: int) -> Iterator[Scenario]:
    """Systems that all meet on every case, two cases a cluster, one choice in ten a tie."""
    for systems, cases in ((3, 24), (3, 100), (5, 100), (8, 100)):
        for turn in (0.0, 0.4, 0.8):
            rng = np.random.default_rng(systems + cases)
            rang: list[bool] = []
            for _ in range(draws):
                found = ranking_misfit(_choices(rng, systems, cases, turn))
                rang += [found is not None and found.found]
            wanted = "at most 6 %" if turn == 0 else "power"
            what = (
                "one ranking: a cycle is reported" if turn == 0 else f"a cycle of {turn:g} log-odds is found"
            )
            yield share(f"{systems} systems, {cases} cases: {what}", "", wanted, rang)


def _choices(rng: np.random.Generator, systems: int, cases: int, turn: float) -> Choices:
    strength = np.linspace(-0.8, 0.8, systems) if turn == 0 else np.zeros(systems)
    pairs = np.array(list(combinations(range(systems), 2)))
    pair = np.tile(np.arange(len(pairs)), cases)
    a, b = pairs[pair].T
    cluster = np.repeat(np.arange(cases), len(pairs)) // 2
    noise = rng.normal(0, _NOISE, (cases // 2 + 1, len(pairs)))[cluster, pair]
    # Each of the first three beats the next; the others are level.
    cycle = turn * np.select(
        [(a == 0) & (b == 1), (a == 1) & (b == 2), (a == 0) & (b == 2)], [1.0, 1.0, -1.0], 0.0
    )
    odds = strength[a] - strength[b] + cycle + noise
    unknown = np.full(len(a), np.nan)
    return Choices(
        [f"s{index}" for index in range(systems)],
        a,
        b,
        _chosen(rng, odds + _ORDER),
        _chosen(rng, _ORDER - odds),
        cluster,
        unknown,
        unknown,
        unknown,
        unknown,
    )


def _chosen(rng: np.random.Generator, odds: FloatArray) -> FloatArray:
    chosen = (rng.random(len(odds)) < expit(odds)).astype(np.float64)
    return np.where(rng.random(len(odds)) < _TIES, 0.5, chosen)


def corrected_wins(draws: int) -> Iterator[Scenario]:
    """Simulate a judge that favours the second system more than people do.

    People choose on a random part.
    """
    for cases, size, people in ((200, 1, 40), (200, 1, 80), (60, 5, 20), (60, 5, 30)):
        rng = np.random.default_rng(people)
        covered: list[bool] = []
        plain: list[bool] = []
        narrower: list[float] = []
        for _ in range(draws):
            cluster = np.repeat(np.arange(cases), size)
            better = rng.normal(0.3, 0.6, cases)[cluster] + rng.normal(0, 0.8, len(cluster))
            person = (rng.random(len(cluster)) < expit(2 * better)).astype(np.float64)
            person = np.where(rng.random(len(cluster)) < _TIES, 0.5, person)
            asked = (
                np.isin(cluster, rng.permutation(cases)[:people])
                if size > 1
                else rng.permutation(len(cluster)) < people
            )
            unknown = np.full(len(cluster), np.nan)
            first = np.zeros(len(cluster), dtype=np.int64)
            choices = Choices(
                ["a", "b"],
                first,
                first + 1,
                _chosen(rng, 2 * better - 0.8 + _ORDER),
                _chosen(rng, _ORDER - 2 * better + 0.8),
                cluster,
                unknown,
                unknown,
                unknown,
                np.where(asked, person, np.nan),
            )
            (match,) = preferences_of("j", choices).matches
            found = match.corrected
            if found is None or found.low is None or found.high is None or match.preferred.low is None:
                continue
            truth = _WIN_RATE
            covered.append(found.low <= truth <= found.high)
            plain.append(match.preferred.low <= truth <= (match.preferred.high or 1.0))
            narrower.append(found.high - found.low)
        case = f"people chose on {people} of {cases} {'clusters of 5' if size > 1 else 'cases'}"
        yield share(f"{case}: corrected win rate covered", "", "93 to 97 %", covered)
        yield share(f"{case}: the judge's own win rate covers it", "", "", plain)


_WIN_RATE = float(
    (1 - _TIES) * expit(2 * np.random.default_rng(0).normal(0.3, 1.0, 4_000_000)).mean() + _TIES / 2
)
