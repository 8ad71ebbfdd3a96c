"""Bradley-Terry strengths against scipy's minimiser and planted ones, and infinite ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from each_row import each_row
from lazily import Lazily
from scipy.special import expit

from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.preference.bradley_terry import (
    _inverse,  # pyright: ignore[reportPrivateUsage] - what every error rests on
    strengths,
)

minimize = Lazily("scipy.optimize").minimize

NAMES = ["a", "b", "c", "d"]
PLANTED = np.array([0.9, 0.2, -0.3, -0.8])


class Games(NamedTuple):
    a: IntArray
    b: IntArray
    preferred: FloatArray
    cluster: IntArray


def played(seed: int, clusters: int = 60, within: float = 0.5) -> Games:
    """Draw games of all pairs of four systems in clusters that shift the log-odds.

    Each is played in two orders, so that halves occur.
    """
    rng = np.random.default_rng(seed)
    pairs = np.array([(i, j) for i in range(4) for j in range(i)])
    a, b = np.tile(pairs, (clusters, 1)).T
    cluster = np.repeat(np.arange(clusters), len(pairs))
    moved = rng.normal(0, within, (clusters, 4))
    strength = PLANTED + moved[cluster]
    odds = strength[np.arange(len(a)), a] - strength[np.arange(len(a)), b]
    chance = expit(odds)
    return Games(a, b, (rng.random((2, len(a))) < chance).mean(axis=0), cluster)


def by_scipy(games: Games) -> FloatArray:
    def loss(free: FloatArray) -> float:
        beta = np.concatenate([[0.0], free])
        odds = beta[games.a] - beta[games.b]
        each = games.preferred * np.logaddexp(0, -odds) + (1 - games.preferred) * np.logaddexp(0, odds)
        return float(each.sum())

    found = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    beta = np.concatenate([[0.0], found.x])
    return beta - beta.mean()


@each_row("seed", range(5))
def test_strengths_are_those_of_an_independent_maximum(seed: int):
    games = played(seed)
    ours = [strength.value for strength in strengths(NAMES, *games)]
    assert ours == pytest.approx(by_scipy(games), abs=1e-6)
    assert sum(filter(None, ours)) == pytest.approx(0, abs=1e-9)


def test_of_two_systems_the_difference_is_the_log_odds_of_the_win_rate():
    preferred = np.array([1.0, 1.0, 0.5, 0.0, 1.0])
    zero, one = np.zeros(5, dtype=np.int64), np.ones(5, dtype=np.int64)
    a, b = strengths(["a", "b"], zero, one, preferred, np.arange(5))
    assert a.value is not None
    assert b.value is not None
    assert a.value - b.value == pytest.approx(np.log(0.7 / 0.3), abs=1e-9)


def test_the_error_is_the_sandwich_by_hand():
    games = played(1)
    found = strengths(NAMES, *games)
    beta = np.array([statistic.value for statistic in found])
    design = np.eye(4)[games.a] - np.eye(4)[games.b]
    chance = expit(design @ beta)
    information = design.T @ (design * (chance * (1 - chance))[:, None])
    bread = np.linalg.pinv(information, rcond=1e-9)  # one eigenvalue is 0 but for rounding
    scores = design * (games.preferred - chance)[:, None]
    sums = np.stack([scores[games.cluster == index].sum(axis=0) for index in range(60)])
    # A sum of squares has a root on every processor; the diagonal of a product of matrices may be below 0 by rounding.
    error = np.sqrt(60 / 59 * ((sums @ bread) ** 2).sum(axis=0))
    half = [
        (statistic.high - statistic.low) / 2
        for statistic in found
        if statistic.high is not None and statistic.low is not None
    ]
    assert half == pytest.approx(error * 2.0009953, rel=1e-6)  # Student's quantile at 59 degrees of freedom


def test_planted_strengths_are_in_nearly_all_intervals():
    within = total = 0
    for seed in range(150):
        # No spread between clusters, so that what is planted is what is estimated.
        for each, planted in zip(strengths(NAMES, *played(seed, within=0.0)), PLANTED, strict=True):
            assert each.low is not None
            assert each.high is not None
            total += 1
            within += each.low <= planted <= each.high
    assert 0.92 <= within / total <= 0.98


def test_who_wins_everything_has_no_finite_strength_and_is_named():
    a, b = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 1])
    found = strengths(["top", "x", "y"], a, b, np.array([1.0, 1.0, 1.0, 1.0]), np.arange(4))
    assert {statistic.undefined for statistic in found} == {
        "no finite strength: top won every comparison with the others"
    }
    assert [statistic.value for statistic in found] == [None] * 3


def test_systems_that_never_meet_are_told_apart():
    a, b = np.array([0, 0, 2, 2]), np.array([1, 1, 3, 3])
    found = strengths(NAMES, a, b, np.array([1.0, 0.0, 1.0, 0.0]), np.arange(4))
    assert found[0].undefined == "never compared with each other, not even through others: a, b | c, d"


def test_a_single_half_win_bounds_a_strength():
    a, b = np.zeros(3, dtype=np.int64), np.ones(3, dtype=np.int64)
    found = strengths(["a", "b"], a, b, np.array([1.0, 1.0, 0.5]), np.arange(3))
    assert found[0].value == pytest.approx(np.log(5) / 2)


def test_one_cluster_and_no_spread_give_no_interval():
    a, b = np.zeros(4, dtype=np.int64), np.ones(4, dtype=np.int64)
    alone = strengths(["a", "b"], a, b, np.array([1.0, 0.0, 1.0, 1.0]), np.zeros(4, dtype=np.int64))
    assert (alone[0].low, alone[0].method) == (None, "no interval from a single cluster")
    tied = strengths(["a", "b"], a, b, np.full(4, 0.5), np.arange(4))
    assert (tied[0].value, tied[0].low) == (0.0, None)
    assert tied[0].method == "no interval: all comparisons are alike"


def test_the_inverse_of_the_information_is_the_pseudo_inverse() -> None:
    met = np.array([[0, 3, 1, 0], [3, 0, 2, 5], [1, 2, 0, 1], [0, 5, 1, 0]], dtype=np.float64)
    information = np.diag(met.sum(axis=1)) - met
    assert _inverse(information) == pytest.approx(np.linalg.pinv(information, rcond=1e-10), abs=1e-12)


def test_many_systems_without_a_finite_strength_are_counted() -> None:
    names = [f"s{number}" for number in range(9)]
    # Four won everything against the other five, among whom everybody beat somebody.
    top, rest = range(4), range(4, 9)
    won = [(i, j) for i in top for j in rest] + [(i, (i + 1) % 4) for i in top]
    won += [(i, 4 + (i - 3) % 5) for i in rest]
    a, b = np.array(won).T
    found = strengths(names, a, b, np.ones(len(won)), np.arange(len(won)))
    assert [statistic.undefined for statistic in found] == [
        "no finite strength: s0, s1, s2 and 1 more won every comparison with the others"
    ] * 9
