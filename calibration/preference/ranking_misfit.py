"""Test of whether one strength per system explains the preferences, which may be cyclic."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray, without_gaps
from ..intervals.variance import cluster_sums
from .choices import Choices
from .order_effect import chance_of, fit_of_order, influence_on_strengths
from .preference_results import RankingMisfit

_ALPHA = 0.05
_DRAWN = 1_999
_BLOCK = 100
_FEWEST = 3
"""Fewest systems whose preferences can form a cycle."""

_MOST = 1_000
"""Most pairs of systems that are tested; more take minutes."""


def ranking_misfit(complete: Choices, seed: int = 0) -> RankingMisfit | None:
    """Test the Bradley-Terry model with an order effect against a free rate for each pair.

    Uses Rao's score statistic. Its null distribution comes from flipping the signs of clusters' influence on
    it, so that comparisons within a cluster may depend on each other. Return None if strengths fit any
    preferences, if no finite strengths fit, or if there are more than 1,000 pairs.

    Source: Bradley and Terry 1952; Rao 1948; Kline and Santos 2012 for flipped signs of scores.

    Args:
        complete: Comparisons with a verdict in both orders.
        seed: Seed of the signs.
    """
    k = len(complete.systems)
    pairs = len(np.unique(_pair_of(complete)))
    met = len(np.unique(np.concatenate([complete.a, complete.b])))
    tested = met >= _FEWEST and pairs > met - 1 and pairs <= _MOST
    fitted = fit_of_order(complete) if tested else None
    if fitted is None:
        return None
    beta = fitted[0]
    p = _flipped_p(misfit_scores(complete, *fitted), seed)
    odds = beta[:k, None] - beta[:k]
    return _misfit(complete, (chance_of(odds + beta[k]) + chance_of(odds - beta[k])) / 2, p)


def misfit_scores(complete: Choices, beta: FloatArray, inverse: FloatArray) -> FloatArray:
    """Return each cluster's part of the pairs' scores that the strengths leave free.

    The shape is ``(clusters, pairs - systems + 1)``. Scores are scaled so that the squares of their sums over
    clusters add up to Rao's statistic. ``beta`` and ``inverse`` come from `fit_of_order`.
    """
    k = len(complete.systems)
    pairs, pair = np.unique(_pair_of(complete), return_inverse=True)
    toward = np.where(complete.a < complete.b, 1.0, -1.0)
    odds = beta[complete.a] - beta[complete.b]
    first, second = chance_of(odds + beta[k]), chance_of(beta[k] - odds)
    one, other = complete.a_first - first, complete.b_first - second
    weight_one, weight_other = first * (1 - first), second * (1 - second)

    def by_pair(values: FloatArray) -> FloatArray:
        return np.bincount(pair, weights=values, minlength=len(pairs)).astype(np.float64)

    # Derivative of each pair's score with respect to the fitted strengths and the order effect.
    weight, order = by_pair(weight_one + weight_other), by_pair(toward * (weight_one - weight_other))
    slopes, rows = np.zeros((len(pairs), k + 1)), np.arange(len(pairs))
    slopes[rows, pairs // k], slopes[rows, pairs % k], slopes[:, k] = weight, -weight, order
    number, clusters = without_gaps(complete.cluster)
    sums = np.bincount(
        number * len(pairs) + pair, weights=toward * (one - other), minlength=clusters * len(pairs)
    ).reshape(clusters, -1)
    fitted_by = influence_on_strengths(complete, one, other, inverse)
    sums = sums - np.stack([cluster_sums(each, number) for each in fitted_by.T], axis=1) @ slopes.T
    met = len(np.unique(np.concatenate([complete.a, complete.b])))
    return sums @ _root(np.diag(weight) - slopes @ inverse @ slopes.T, len(pairs) - met + 1)


def _pair_of(complete: Choices) -> IntArray:
    return np.minimum(complete.a, complete.b) * len(complete.systems) + np.maximum(complete.a, complete.b)


def _root(information: FloatArray, freedom: int) -> FloatArray:
    """Return a root of the inverse of the pairs' information.

    Fitting the strengths leaves ``freedom`` directions of it.
    """
    values, vectors = np.linalg.eigh(information)
    largest = slice(len(values) - freedom, None)
    return vectors[:, largest] / np.sqrt(np.maximum(values[largest], np.finfo(np.float64).tiny))


def _flipped_p(scaled: FloatArray, seed: int) -> float:
    """Return how often flipped signs of clusters give as large a statistic as the observed one."""
    observed = float((scaled.sum(axis=0) ** 2).sum()) * (1 - 1e-9)
    rng, as_large = np.random.default_rng(seed), 0
    for start in range(0, _DRAWN, _BLOCK):
        size = min(_BLOCK, _DRAWN - start)
        signs = rng.choice((-1.0, 1.0), size=(size, len(scaled)))
        as_large += int((((signs @ scaled) ** 2).sum(axis=1) >= observed).sum())
    return (as_large + 1) / (_DRAWN + 1)


def _misfit(complete: Choices, expected: FloatArray, p: float) -> RankingMisfit:
    """Return the test's result, with the clearest cycle and the pair that fits worst."""
    systems = complete.systems
    wins, met = np.zeros_like(expected), np.zeros_like(expected)
    a, b = complete.a, complete.b
    for one, other, share in ((a, b, complete.preferred), (b, a, 1 - complete.preferred)):
        np.add.at(wins, (one, other), share)
        np.add.at(met, (one, other), 1.0)
    rate = np.divide(wins, met, out=np.full_like(wins, 0.5), where=met > 0)
    distance = np.where(met > 0, (rate - expected) * np.sqrt(met / (expected * (1 - expected))), 0.0)
    worst = int(distance.argmax())
    ahead, behind = worst // len(systems), worst % len(systems)
    return RankingMisfit(
        p=p,
        found=p <= _ALPHA,
        cycle=[systems[each] for each in _cycle(rate - 0.5)],
        a=systems[ahead],
        b=systems[behind],
        observed=float(rate[ahead, behind]),
        expected=float(expected[ahead, behind]),
    )


def _cycle(margin: FloatArray) -> list[int]:
    """Return three systems that beat each other in a circle; empty if there are none.

    Of several cycles, the one whose smallest margin is largest is returned.
    """
    best, cycle = 0.0, list[int]()
    for first in range(len(margin)):
        least = np.minimum(np.minimum(margin[first][:, None], margin), margin[:, first][None, :])
        index = int(least.argmax())
        if least.flat[index] > best:
            best = float(least.flat[index])
            cycle = [first, index // len(margin), index % len(margin)]
    return cycle
