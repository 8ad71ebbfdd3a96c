"""Rates of many small groups, shrunk towards the overall rate.

The method is empirical Bayes with a beta-binomial model.

Kleinman, Journal of the American Statistical Association 68 (1973), 46-54: the spread of groups' rates beyond chance, by moments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

_USUAL_STRENGTH = 10.0
"""Prior trials that the overall rate adds to a group's, if the spread of groups cannot be estimated."""

_WEAKEST = 4.0
_BEFOREHAND = 60.0
"""Trials beyond the first of a group that the usual strength is worth beside those that were seen: fewer tell little of the spread."""

_STRONGEST = 1e6


class SuccessCount(NamedTuple):
    """Successes of a number of trials."""

    successes: float
    trials: float


class ShrunkenRates(NamedTuple):
    """Rates of groups drawn towards the rate of all.

    Attributes:
        pooled: The rate of all, with half a success and half a failure added.
        strength: Trials that the rate of all is worth in a group's own.
        pooled_variance: Variance of the rate of all, groups being a sample.
        own: Trials and successes of each group.
    """

    pooled: float
    strength: float
    pooled_variance: float
    own: Mapping[str, SuccessCount]

    def rate(self, group: str) -> float:
        """Return a group's rate; of a group without trials, that of all."""
        successes, trials = self.own.get(group, SuccessCount(0.0, 0.0))
        return (successes + self.strength * self.pooled) / (trials + self.strength)

    def weight(self, group: str) -> float:
        """Return the share that a group's own trials have in its rate."""
        trials = self.own.get(group, SuccessCount(0.0, 0.0)).trials
        return trials / (trials + self.strength)

    def variance(self, group: str) -> float:
        """Return the variance of a group's true rate around its estimate, given the overall rate."""
        trials = self.own.get(group, SuccessCount(0.0, 0.0)).trials
        rate = self.rate(group)
        return rate * (1 - rate) / (trials + self.strength + 1)


def shrink(groups: Mapping[str, SuccessCount]) -> ShrunkenRates | None:
    """Return the groups' rates, shrunk towards the overall rate; None without trials.

    The fewer trials a group has, the more its rate is shrunk.
    """
    tried = {name: each for name, each in groups.items() if each.trials}
    total = sum(each.trials for each in tried.values())
    if not total:
        return None
    pooled = (sum(each.successes for each in tried.values()) + 0.5) / (total + 1)
    strength = _strength(tried, pooled)
    within, between = strength / (strength + 1), 1 / (strength + 1)
    spread = sum((each.trials / total) ** 2 * (within / each.trials + between) for each in tried.values())
    return ShrunkenRates(pooled, strength, pooled * (1 - pooled) * spread, tried)


def _strength(groups: Mapping[str, SuccessCount], pooled: float) -> float:
    """Return the strength from which the groups' rates differ as much as they do beyond chance."""
    several = [each for each in groups.values() if each.trials > 1]
    total = sum(each.trials for each in several)
    chance = pooled * (1 - pooled)
    spread = sum(each.trials * (each.successes / each.trials - pooled) ** 2 for each in several)
    # Expected spread: chance * ((groups - 1) + correlation * room).
    room = total - sum(each.trials**2 for each in several) / total - (len(several) - 1) if several else 0.0
    beyond = spread / chance - (len(several) - 1) if several else 0.0
    usual = 1 / (_USUAL_STRENGTH + 1)
    correlation = (beyond + _BEFOREHAND * usual) / (room + _BEFOREHAND)
    return min(_STRONGEST, max(_WEAKEST, 1 / correlation - 1)) if correlation > 0 else _STRONGEST
