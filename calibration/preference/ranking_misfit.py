"""Test of whether one strength per system explains the preferences, which may be cyclic."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray, without_gaps
from ..intervals.variance import cluster_sums
from .choices import Choices
from .order_effect import chance_of, fit_of_order, influence_on_strengths
from .preference_results import RankingMisfit

_ALPHA = 0.05
"""Significance level of the test."""

_DRAWS = 1_999
"""Number of random sign patterns; with the observed one there are 2,000."""

_BLOCK = 100
"""Number of sign patterns drawn at once, which bounds memory."""

_MIN_SYSTEMS = 3
"""Minimum number of systems whose preferences can form a cycle."""

_MAX_PAIRS = 1_000
"""Maximum number of pairs of systems that are tested; more take minutes."""


def ranking_misfit(complete: Choices, seed: int = 0) -> RankingMisfit | None:
    """Test the Bradley-Terry model with an order effect against a free rate for each pair.

    The test is by Rao's score statistic. Its null distribution comes from flipping the signs of clusters' influence
    on it, so that comparisons within a cluster may depend on each other. None if strengths fit any preferences, if no
    finite strengths fit, or if there are more than 1,000 pairs.

    Source: Bradley and Terry 1952; Rao 1948; Kline and Santos 2012 for flipped signs of scores.

    Args:
        complete: Comparisons with a verdict in both orders.
        seed: Seed of the signs.
    """
    k = len(complete.systems)
    pairs = len(np.unique(_pair_of(complete)))
    n_compared = len(np.unique(np.concatenate([complete.a, complete.b])))
    # With one pair fewer than systems, strengths fit any preferences.
    is_testable = n_compared >= _MIN_SYSTEMS and n_compared - 1 < pairs <= _MAX_PAIRS
    fitted = fit_of_order(complete) if is_testable else None
    if fitted is None:
        return None
    beta, inverse = fitted
    p = _flipped_p(misfit_scores(complete, beta, inverse), seed)
    # `beta` has the strengths of k systems, then the order effect, in log-odds.
    strengths, order_effect = beta[:k], beta[k]
    log_odds = strengths[:, None] - strengths
    expected = (chance_of(log_odds + order_effect) + chance_of(log_odds - order_effect)) / 2
    return _misfit(complete, expected, p)


def misfit_scores(complete: Choices, beta: FloatArray, inverse: FloatArray) -> FloatArray:
    """Return each cluster's part of the pairs' scores, projected on what strengths cannot fit.

    The shape is ``(clusters, pairs - systems + 1)``. Scores are scaled so that the squares of their sums over
    clusters add up to Rao's statistic. ``beta`` and ``inverse`` are those of `fit_of_order`.
    """
    k = len(complete.systems)
    pairs, pair = np.unique(_pair_of(complete), return_inverse=True)
    # A pair's score is for its system with the smaller number.
    sign = np.where(complete.a < complete.b, 1.0, -1.0)
    log_odds, order_effect = beta[complete.a] - beta[complete.b], beta[k]
    a_first_chance, b_first_chance = chance_of(log_odds + order_effect), chance_of(order_effect - log_odds)
    a_first_residual, b_first_residual = complete.a_first - a_first_chance, complete.b_first - b_first_chance
    a_first_weight, b_first_weight = (
        a_first_chance * (1 - a_first_chance),
        b_first_chance * (1 - b_first_chance),
    )

    def by_pair(values: FloatArray) -> FloatArray:
        return np.bincount(pair, weights=values, minlength=len(pairs)).astype(np.float64)

    # Derivative of each pair's score with respect to the fitted strengths and the order effect.
    by_strength = by_pair(a_first_weight + b_first_weight)
    by_order_effect = by_pair(sign * (a_first_weight - b_first_weight))
    slopes, rows = np.zeros((len(pairs), k + 1)), np.arange(len(pairs))
    # `_pair_of` numbers a pair `smaller * k + larger`.
    smaller, larger = pairs // k, pairs % k
    slopes[rows, smaller], slopes[rows, larger], slopes[:, k] = by_strength, -by_strength, by_order_effect
    number, clusters = without_gaps(complete.cluster)
    sums = np.bincount(
        number * len(pairs) + pair,
        weights=sign * (a_first_residual - b_first_residual),
        minlength=clusters * len(pairs),
    ).reshape(clusters, -1)
    influence = influence_on_strengths(complete, a_first_residual, b_first_residual, inverse)
    sums = sums - np.stack([cluster_sums(column, number) for column in influence.T], axis=1) @ slopes.T
    n_compared = len(np.unique(np.concatenate([complete.a, complete.b])))
    return sums @ _root(np.diag(by_strength) - slopes @ inverse @ slopes.T, len(pairs) - n_compared + 1)


def _pair_of(complete: Choices) -> IntArray:
    return np.minimum(complete.a, complete.b) * len(complete.systems) + np.maximum(complete.a, complete.b)


def _root(information: FloatArray, freedom: int) -> FloatArray:
    """Return a root of the inverse of the pairs' information.

    It is taken in the ``freedom`` directions that fitting the strengths leaves.
    """
    values, vectors = np.linalg.eigh(information)
    largest = slice(len(values) - freedom, None)
    return vectors[:, largest] / np.sqrt(np.maximum(values[largest], np.finfo(np.float64).tiny))


def _flipped_p(scaled: FloatArray, seed: int) -> float:
    """Return the share of random signs of clusters that give at least the observed statistic."""
    # Slightly less, so that rounding does not drop equal statistics.
    observed = float((scaled.sum(axis=0) ** 2).sum()) * (1 - 1e-9)
    rng, as_large = np.random.default_rng(seed), 0
    for start in range(0, _DRAWS, _BLOCK):
        size = min(_BLOCK, _DRAWS - start)
        signs = rng.choice((-1.0, 1.0), size=(size, len(scaled)))
        as_large += int((((signs @ scaled) ** 2).sum(axis=1) >= observed).sum())
    return (as_large + 1) / (_DRAWS + 1)


def _misfit(complete: Choices, expected: FloatArray, p: float) -> RankingMisfit:
    """Return the test's result, with the clearest cycle and the pair that fits worst."""
    systems = complete.systems
    wins, n = np.zeros_like(expected), np.zeros_like(expected)
    a, b = complete.a, complete.b
    for system, opponent, share in ((a, b, complete.preferred), (b, a, 1 - complete.preferred)):
        np.add.at(wins, (system, opponent), share)
        np.add.at(n, (system, opponent), 1.0)
    rate = np.divide(wins, n, out=np.full_like(wins, 0.5), where=n > 0)
    # In standard errors of a rate of n comparisons.
    distance = np.where(n > 0, (rate - expected) * np.sqrt(n / (expected * (1 - expected))), 0.0)
    worst = int(distance.argmax())
    ahead, behind = worst // len(systems), worst % len(systems)
    return RankingMisfit(
        p=p,
        found=p <= _ALPHA,
        cycle=[systems[number] for number in _clearest_cycle(rate - 0.5)],
        a=systems[ahead],
        b=systems[behind],
        observed=float(rate[ahead, behind]),
        expected=float(expected[ahead, behind]),
    )


def _clearest_cycle(margin: FloatArray) -> list[int]:
    """Return three systems that beat each other in a circle; empty if there are none.

    Of several cycles, the one whose smallest margin is largest is returned.
    """
    best, cycle = 0.0, list[int]()
    for first in range(len(margin)):
        # Entry (second, third): the smallest margin of first over second, second over third, third over first.
        smallest = np.minimum(np.minimum(margin[first][:, None], margin), margin[:, first][None, :])
        index = int(smallest.argmax())
        if smallest.flat[index] > best:
            best = float(smallest.flat[index])
            cycle = [first, index // len(margin), index % len(margin)]
    return cycle
