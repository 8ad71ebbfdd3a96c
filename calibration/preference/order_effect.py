"""Bradley-Terry strengths, with an effect of the order in which two outputs are shown.

If a judge favours the output shown first, its verdicts in the two orders disagree, and strengths fitted to
their mean would be too close to each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..statistic import Statistic, undefined
from .bradley_terry import sandwich_statistic, strengths
from .choices import Choices

_MAX_STEPS = 100
"""Maximum number of steps of Newton's method."""
_CONVERGED = 1e-12
"""Size of a step below which the fit has converged."""
_ROUNDING = 1e-12
"""Relative decrease of the likelihood that is taken as rounding."""
_MAX_LOG_ODDS = 15.0
"""Log-odds beyond which the likelihood is taken to have no maximum."""


class OrderedStrengths(NamedTuple):
    """Strengths by system, and the order effect fitted with them.

    Attributes:
        strengths: Strengths, by number of the system.
        order: Log-odds in favour of the output shown first, given equal strengths.
    """

    strengths: list[Statistic]
    order: Statistic


def ordered_strengths(complete: Choices, *, level: float = 0.95) -> OrderedStrengths:
    """Return maximum likelihood strengths with mean 0 and one order effect.

    Standard errors are sandwich errors over clusters.

    The log-odds that the output shown first is chosen are its strength minus the other's, plus the order
    effect. A tie is half a choice of each. If the order decides too much for a finite effect, strengths are
    fitted to the mean of both orders, and the effect is undefined.

    Source: Davidson and Beaver 1977 for a multiplicative order effect; Papke and Wooldridge 1996 for
    fractions.

    Args:
        complete: Comparisons with a verdict in both orders.
        level: Confidence level of the intervals.
    """
    a, b = complete.a, complete.b
    without_order = strengths(complete.systems, a, b, complete.preferred, complete.cluster, level=level)
    n, k = len(a), len(complete.systems)
    unbounded = undefined("the comparisons do not bound it", n=n, level=level)
    if not n or any(statistic.value is None for statistic in without_order):
        return OrderedStrengths(without_order, unbounded)
    fitted = _fit(*_choice_counts(complete))
    if fitted is None:
        return OrderedStrengths(
            without_order, undefined("the order decides too many choices", n=n, level=level)
        )
    beta, inverse = fitted
    a_first_residual: FloatArray = complete.a_first - chance_of(beta[a] - beta[b] + beta[k])
    b_first_residual: FloatArray = complete.b_first - chance_of(beta[b] - beta[a] + beta[k])
    influence = influence_on_strengths(complete, a_first_residual, b_first_residual, inverse)
    counts = np.bincount(np.concatenate([a, b]), minlength=k).tolist()
    # The last parameter is the order effect, to which all comparisons contribute.
    statistics = [
        sandwich_statistic(float(beta[index]), influence[:, index], complete.cluster, n=count, level=level)
        for index, count in enumerate([*counts, n])
    ]
    return OrderedStrengths(statistics[:k], statistics[k])


def fit_of_order(complete: Choices) -> tuple[FloatArray, FloatArray] | None:
    """Return strengths, then the order effect, with the inverse information; None without a fit."""
    without_order = strengths(complete.systems, complete.a, complete.b, complete.preferred, complete.cluster)
    return (
        None
        if any(statistic.value is None for statistic in without_order)
        else _fit(*_choice_counts(complete))
    )


def influence_on_strengths(
    complete: Choices, a_first_residual: FloatArray, b_first_residual: FloatArray, inverse: FloatArray
) -> FloatArray:
    """Return the influence of each comparison on strengths and order effect, ``(n, k + 1)``.

    Residuals are chosen minus expected, with ``a`` and with ``b`` shown first.
    """
    by_strengths = (inverse[:, complete.a] - inverse[:, complete.b]).T
    difference, total = a_first_residual - b_first_residual, a_first_residual + b_first_residual
    return difference[:, None] * by_strengths + total[:, None] * inverse[-1]


def _choice_counts(complete: Choices) -> tuple[FloatArray, FloatArray]:
    """Count how often the first was chosen and how often both were shown, by ordered pair."""
    k = len(complete.systems)
    chosen, shown = np.zeros((k, k)), np.zeros((k, k))
    a, b = complete.a, complete.b
    for first, second, choice in ((a, b, complete.a_first), (b, a, complete.b_first)):
        np.add.at(chosen, (first, second), choice)
        np.add.at(shown, (first, second), 1.0)
    return chosen, shown


def _fit(chosen: FloatArray, shown: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return strengths, then the order effect, with the inverse information; None without a fit.

    The fit is by Newton's method; each step is halved until it does not make the fit worse.

    Args:
        chosen: How often the first was chosen, by first and second system, shape ``(k, k)``.
        shown: How often the two were shown in that order, shape ``(k, k)``.
    """
    k = len(shown)
    beta, likelihood = np.zeros(k + 1), _log_likelihood(np.zeros(k + 1), chosen, shown)
    for _ in range(_MAX_STEPS):
        chance = chance_of(_log_odds(beta))
        residual, weight = chosen - shown * chance, shown * chance * (1.0 - chance)
        gradient = np.append(residual.sum(axis=1) - residual.sum(axis=0), residual.sum())
        inverse = _inverse(weight)
        step = inverse @ gradient
        if float(np.abs(step).max()) < _CONVERGED:
            beta[:k] -= beta[:k].mean()
            return beta, inverse
        least_accepted = likelihood - _ROUNDING * abs(likelihood)
        while (new_likelihood := _log_likelihood(beta + step, chosen, shown)) < least_accepted:
            step = step / 2
        beta, likelihood = beta + step, new_likelihood
        if float(np.abs(beta).max()) > _MAX_LOG_ODDS:
            return None
    return None


def chance_of(log_odds: FloatArray) -> FloatArray:
    """Return the chance with these log-odds."""
    return 1.0 / (1.0 + np.exp(-log_odds))


def _log_odds(beta: FloatArray) -> FloatArray:
    """Return the log-odds that the first system's output is chosen, shape ``(k, k)``."""
    strength = beta[:-1]
    return strength[:, None] - strength[None, :] + beta[-1]


def _inverse(weight: FloatArray) -> FloatArray:
    """Return the pseudo-inverse of the information.

    Its null space, all strengths equal, is filled before inverting and removed afterwards (see
    `bradley_terry`).
    """
    k = len(weight)
    information = np.zeros((k + 1, k + 1))
    information[:k, :k] = np.diag(weight.sum(axis=0) + weight.sum(axis=1)) - weight - weight.T
    information[:k, k] = information[k, :k] = weight.sum(axis=1) - weight.sum(axis=0)
    information[k, k] = weight.sum()
    filling = float(np.trace(information)) / k**2
    information[:k, :k] += filling
    inverse = np.linalg.inv(information).astype(np.float64)
    inverse[:k, :k] -= 1.0 / (filling * k**2)
    return inverse


def _log_likelihood(beta: FloatArray, chosen: FloatArray, shown: FloatArray) -> float:
    log_odds = _log_odds(beta)
    losses = chosen * np.logaddexp(0.0, -log_odds) + (shown - chosen) * np.logaddexp(0.0, log_odds)
    return float(-losses.sum())
