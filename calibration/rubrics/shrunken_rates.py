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
"""Limits of the prior strength: there is always some shrinkage, and it is finite if groups differ only by chance."""


class SuccessCount(NamedTuple):
    """Number of successes in a number of trials."""

    successes: float = 0.0
    trials: float = 0.0

    def plus(self, trials: float, rate: float) -> SuccessCount:
        """Return the count with more trials, of which this share are successes."""
        return SuccessCount(self.successes + trials * rate, self.trials + trials)


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
        successes, trials = self.counts.get(group, SuccessCount())
        return (successes + self.strength * self.pooled) / (trials + self.strength)

    def weight(self, group: str) -> float:
        """Return the share that a group's own trials have in its rate."""
        trials = self.counts.get(group, SuccessCount()).trials
        return trials / (trials + self.strength)

    def variance(self, group: str) -> float:
        """Return the variance of a group's true rate around its estimate, given the overall rate."""
        trials = self.counts.get(group, SuccessCount()).trials
        rate = self.rate(group)
        return rate * (1 - rate) / (trials + self.strength + 1)

    def variance_of_sum(self, slopes: Mapping[str, float]) -> float:
        """Return the variance of the sum of the groups' rates, each times its slope.

        Errors of the rates of single groups are independent; the error of the overall rate is shared.
        """
        independent = sum(slope**2 * self.variance(group) for group, slope in slopes.items())
        shared = sum(slope * (1 - self.weight(group)) for group, slope in slopes.items())
        return independent + shared**2 * self.pooled_variance


class JudgeRates(NamedTuple):
    """Rates of a judge by group, such as a criterion.

    Attributes:
        positive: True positive rates.
        negative: True negative rates.
    """

    positive: ShrunkenRates
    negative: ShrunkenRates

    def of(self, group: str) -> tuple[float, float]:
        """Return a group's TPR and TNR."""
        return self.positive.rate(group), self.negative.rate(group)

    def informedness(self, group: str) -> float:
        """Return Youden's J, TPR + TNR - 1: 1 for perfect verdicts, 0 for uninformative ones."""
        return sum(self.of(group)) - 1

    def truth(self, group: str, score: float) -> float:
        """Return an unbiased estimate of the label of a verdict with this score."""
        false_alarms = 1 - self.negative.rate(group)
        return (score - false_alarms) / self.informedness(group)

    def chance(self, group: str, *, met: bool) -> float:
        """Return the posterior probability of the label "met", with a prior of one half."""
        tpr, fpr = self.positive.rate(group), 1 - self.negative.rate(group)
        chance_if_met, chance_if_unmet = (tpr, fpr) if met else (1 - tpr, 1 - fpr)
        total = chance_if_met + chance_if_unmet
        return chance_if_met / total if total else 0.5


def shrink(groups: Mapping[str, SuccessCount]) -> ShrunkenRates | None:
    """Return the groups' rates, shrunk towards the overall rate, or None without trials.

    The fewer trials a group has, the more its rate is shrunk.
    """
    counts = {name: count for name, count in groups.items() if count.trials}
    total = sum(count.trials for count in counts.values())
    if not total:
        return None
    pooled = (sum(count.successes for count in counts.values()) + 0.5) / (total + 1)
    strength = _strength(counts, pooled)
    # In a beta-binomial model the correlation within groups is 1 / (strength + 1).
    within, between = strength / (strength + 1), 1 / (strength + 1)
    variance_share = sum(
        (count.trials / total) ** 2 * (within / count.trials + between) for count in counts.values()
    )
    return ShrunkenRates(pooled, strength, pooled * (1 - pooled) * variance_share, counts)


def _strength(groups: Mapping[str, SuccessCount], pooled: float) -> float:
    """Estimate the prior strength by the method of moments, shrunk towards the default."""
    with_several_trials = [count for count in groups.values() if count.trials > 1]
    total = sum(count.trials for count in with_several_trials)
    row_variance = pooled * (1 - pooled)
    spread = sum(
        count.trials * (count.successes / count.trials - pooled) ** 2 for count in with_several_trials
    )
    # The expected spread is row_variance * ((groups - 1) + correlation * max_spread); solve for the correlation.
    max_spread = (
        total - sum(count.trials**2 for count in with_several_trials) / total - (len(with_several_trials) - 1)
        if with_several_trials
        else 0.0
    )
    excess = spread / row_variance - (len(with_several_trials) - 1) if with_several_trials else 0.0
    default_correlation = 1 / (_DEFAULT_STRENGTH + 1)
    correlation = (excess + _PRIOR_WEIGHT * default_correlation) / (max_spread + _PRIOR_WEIGHT)
    return min(_MAX_STRENGTH, max(_MIN_STRENGTH, 1 / correlation - 1)) if correlation > 0 else _MAX_STRENGTH
