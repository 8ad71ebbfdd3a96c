"""Sample sizes: labels or items for a given precision or power."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import NamedTuple

import numpy as np

from ..intervals.closed_forms import normal_quantile
from ..intervals.variance import influence
from ..sample import QUADRANTS, Sample
from ..statistics.rates import cohen_kappa
from .budget_plan import LEVEL


def labels_for_rate(rate: float, half_width: float, *, share: float = 1.0) -> int:
    """Return the labels for an interval of a rate with this half-width.

    The number is ``z^2 rate (1 - rate) / half_width^2 / share``, rounded up. ``share`` is the share of labelled items
    in the denominator of the rate: the prevalence, for a true positive rate.
    """
    return math.ceil(normal_quantile(LEVEL) ** 2 * rate * (1 - rate) / half_width**2 / share)


def expected_kappa(tpr: float, tnr: float, prevalence: float) -> tuple[float, float]:
    """Return Cohen's kappa of a judge with these rates, and n times its estimate's variance.

    Source: Fleiss, Cohen and Everitt 1969, as the delta method gives it.
    """
    shares = np.array(
        [(1 - prevalence) * tnr, (1 - prevalence) * (1 - tnr), prevalence * (1 - tpr), prevalence * tpr]
    )
    # The influence values depend on shares alone, so any large table with these shares gives them.
    size = 10**6
    sample = Sample(QUADRANTS, np.eye(4), np.rint(shares * size).astype(np.int64))
    values = influence(lambda weights: cohen_kappa(QUADRANTS.tables(weights)), sample)
    return float(cohen_kappa(QUADRANTS.tables(sample.counts))), float(sample.counts @ values**2) * sample.n


def labels_for_kappa(tpr: float, tnr: float, prevalence: float, half_width: float) -> int:
    """Return the labels for an interval of Cohen's kappa with this half-width."""
    return math.ceil((normal_quantile(LEVEL) / half_width) ** 2 * expected_kappa(tpr, tnr, prevalence)[1])


def labels_for_corrected_rate(
    tpr: float, tnr: float, prevalence: float, half_width: float, unlabelled: int
) -> int:
    """Return the labels for a PPI++ interval of the true rate with this half-width.

    The judge scores ``unlabelled`` items, ``N``, in addition to the labelled ones. The result is the smallest ``n``
    for which the variance ``var(Y) (1 - rho^2 N / (N + n)) / n`` is small enough.
    """
    rate = prevalence * tpr + (1 - prevalence) * (1 - tnr)
    label_variance = prevalence * (1 - prevalence)
    covariance = label_variance * (tpr + tnr - 1)
    informative = 0 < rate < 1 and covariance > 0
    rho_squared = covariance**2 / (label_variance * rate * (1 - rate)) if informative else 0.0
    target = (half_width / normal_quantile(LEVEL)) ** 2

    def variance(n: int) -> float:
        return label_variance * (1 - rho_squared * unlabelled / (unlabelled + n)) / n

    # The number that labels alone need is always enough.
    without_judge = math.ceil(label_variance / target)
    return 1 + bisect_left(range(1, without_judge), x=True, key=lambda n: variance(n) <= target)


class ClassLabels(NamedTuple):
    """Numbers of labels by class: of right items, and of wrong items."""

    right: int
    wrong: int


def labels_for_rogan_gladen(
    tpr: float, tnr: float, prevalence: float, half_width: float, unlabelled: int
) -> ClassLabels | None:
    """Return the fewest labels per class for a Rogan-Gladen interval with this half-width.

    Each class gets at least 1. Labels contribute the variance ``(theta^2 Se (1 - Se) / right + (1 - theta)^2 Sp (1 -
    Sp) / wrong) / J^2``, where Se is the judge's true positive rate, Sp its true negative rate, J is Se + Sp - 1, and
    theta is the prevalence. It takes the fewest labels if these are in proportion to the roots of both numerators.
    None if the judge is no better than chance, or no number is enough.

    Source: Neyman 1934; Lee et al. 2025 (arXiv 2511.21140) have it with the judge's rate for theta, and for
    rates near 1.
    """
    youden = tpr + tnr - 1
    rate = prevalence * tpr + (1 - prevalence) * (1 - tnr)
    # Variance that the half-width leaves to the labels, after that of the judge's rate.
    labels_variance = (youden * half_width / normal_quantile(LEVEL)) ** 2 - rate * (1 - rate) / unlabelled
    if youden <= 0 or labels_variance <= 0:
        return None
    # Roots of the numerators above, by class.
    right_root = prevalence * math.sqrt(tpr * (1 - tpr))
    wrong_root = (1 - prevalence) * math.sqrt(tnr * (1 - tnr))
    return ClassLabels(
        max(1, math.ceil(right_root * (right_root + wrong_root) / labels_variance)),
        max(1, math.ceil(wrong_root * (right_root + wrong_root) / labels_variance)),
    )


def items_for_difference(difference: float, discordant: float, *, power: float = 0.8) -> int:
    """Return the items needed to find a difference between two judges with McNemar's test.

    The number is ``[z_a sqrt(psi) + z_b sqrt(psi - d^2)]^2 / d^2``, rounded up.

    Source: Connor 1987.

    Args:
        difference: ``d``, the difference of the two shares right.
        discordant: ``psi``, the share of items on which exactly one of the two is right.
        power: Chance to find the difference.

    Raises:
        ValueError: The difference is 0 or larger than the discordant share.
    """
    if not 0 < abs(difference) <= discordant <= 1:
        raise ValueError("a difference is above 0 and at most the share of items on which the two differ")
    # `normal_quantile` is two-sided, so a one-sided power p needs it at 2 p - 1.
    z_alarm, z_power = normal_quantile(LEVEL), normal_quantile(2 * power - 1)
    spread = z_alarm * math.sqrt(discordant) + z_power * math.sqrt(max(0.0, discordant - difference**2))
    return math.ceil(spread**2 / difference**2)


def design_effect(rows_per_cluster: float, intraclass_correlation: float) -> float:
    """Return the factor by which clusters multiply every size: ``1 + (m - 1) ICC`` (Kish 1965)."""
    return 1 + (rows_per_cluster - 1) * intraclass_correlation
