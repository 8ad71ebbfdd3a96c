"""Rates of many small groups, shrunk towards the overall rate.

Empirical Bayes with a beta-binomial model, its prior strength by the method of moments.

Source: Kleinman, Journal of the American Statistical Association 68 (1973), 46-54.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

_DEFAULT_STRENGTH = 10.0
"""Prior strength, in trials, if the spread of the groups' rates cannot be estimated."""

_PRIOR_WEIGHT = 60.0
"""Weight of the default strength, in trials, since few trials estimate the spread badly."""

_MIN_STRENGTH, _MAX_STRENGTH = 4.0, 1e6
"""Limits of the prior strength: some shrinkage always, and a finite one if groups differ no more than by
chance."""


class SuccessCount(NamedTuple):
    """Successes of a number of trials."""

    successes: float
    trials: float


class ShrunkenRates(NamedTuple):
    """Rates of groups, shrunk towards the overall rate.

    Attributes:
        pooled: Overall rate, with half a success and half a failure added.
        strength: Prior strength: number of trials that the pooled rate counts as in each group's rate.
        pooled_variance: Variance of the overall rate if groups are a random sample.
        counts: Successes and trials of each group.
    """

    pooled: float
    strength: float
    pooled_variance: float
    counts: Mapping[str, SuccessCount]

    def rate(self, group: str) -> float:
        """Return a group's rate; for a group without trials, the overall rate."""
        successes, trials = self.counts.get(group, SuccessCount(0.0, 0.0))
        return (successes + self.strength * self.pooled) / (trials + self.strength)

    def weight(self, group: str) -> float:
        """Return the share that a group's own trials have in its rate."""
        trials = self.counts.get(group, SuccessCount(0.0, 0.0)).trials
        return trials / (trials + self.strength)

    def variance(self, group: str) -> float:
        """Return the variance of a group's true rate around its estimate, given the overall rate."""
        trials = self.counts.get(group, SuccessCount(0.0, 0.0)).trials
        rate = self.rate(group)
        return rate * (1 - rate) / (trials + self.strength + 1)


def shrink(groups: Mapping[str, SuccessCount]) -> ShrunkenRates | None:
    """Return the groups' rates, shrunk towards the overall rate; None without trials.

    The fewer trials a group has, the more its rate is shrunk.
    """
    counts = {name: each for name, each in groups.items() if each.trials}
    total = sum(each.trials for each in counts.values())
    if not total:
        return None
    pooled = (sum(each.successes for each in counts.values()) + 0.5) / (total + 1)
    strength = _strength(counts, pooled)
    within, between = strength / (strength + 1), 1 / (strength + 1)
    variance_share = sum(
        (each.trials / total) ** 2 * (within / each.trials + between) for each in counts.values()
    )
    return ShrunkenRates(pooled, strength, pooled * (1 - pooled) * variance_share, counts)


def _strength(groups: Mapping[str, SuccessCount], pooled: float) -> float:
    """Estimate the prior strength by the method of moments, pulled towards the default."""
    several = [each for each in groups.values() if each.trials > 1]
    total = sum(each.trials for each in several)
    chance = pooled * (1 - pooled)
    spread = sum(each.trials * (each.successes / each.trials - pooled) ** 2 for each in several)
    # Expected spread: chance * ((groups - 1) + correlation * max_spread).
    max_spread = (
        total - sum(each.trials**2 for each in several) / total - (len(several) - 1) if several else 0.0
    )
    excess = spread / chance - (len(several) - 1) if several else 0.0
    default = 1 / (_DEFAULT_STRENGTH + 1)
    correlation = (excess + _PRIOR_WEIGHT * default) / (max_spread + _PRIOR_WEIGHT)
    return min(_MAX_STRENGTH, max(_MIN_STRENGTH, 1 / correlation - 1)) if correlation > 0 else _MAX_STRENGTH
