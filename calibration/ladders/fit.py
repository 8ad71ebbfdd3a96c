"""Fit of one judge's answers on one ladder: the level at which 80 % are caught."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincc

from ..arrays import FloatArray
from ..comparison.significance import fisher_one_sided
from ..intervals.clustered_means import mean_over_clusters
from ..intervals.clustered_rates import effective_trials, student_ratio
from ..intervals.variance import spread_of_rows
from ..statistic import Statistic, defined
from .curve import CurveFamily, LadderAnswers, Posterior

LEVEL = 0.95
"""Nominal coverage of all intervals of a ladder."""

_QUANTILES = ((1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2)
"""Lower end, median and upper end of a posterior interval."""

FLAT_AT = 0.05
"""Significance level of the two-sided test of level against catches; above it, a curve is called flat."""

DIP_AT = 0.01
"""Familywise significance level of the test for a level caught less often than a harder one (Bonferroni)."""

_CURVE_POINTS = 41
"""Number of points of the reported curve, enough for a smooth line in a figure."""

_MIN_ANSWERS = 5
"""Minimum number of answers at a level that enters a test."""

_FITTED_DEGREES = 3
"""Degrees of freedom of the fit: fewer than its four parameters, because of the prior."""

_MIN_SHARE = 0.02
"""Limit of expected shares caught or missed; below it standardised residuals are far from normal."""

METHOD = "posterior of a logistic curve on the cluster-effective n"
"""Name of the interval method, as reported."""


class Point(NamedTuple):
    """Point of a fitted curve: a position, and the share caught there with its interval."""

    position: float
    share: float
    low: float
    high: float


class LadderFit(NamedTuple):
    """A fitted curve. Positions run from 0, the easiest level, to 1, the hardest.

    Attributes:
        threshold: Position at which 80 % are caught; minus infinity if fewer are caught at the easiest level,
            infinity if more are caught at the hardest.
        low: Lower end of the interval of ``threshold``, which may be infinite.
        high: Upper end of the interval of ``threshold``, which may be infinite.
        beyond: Probability that at least 80 % are caught even at the hardest level.
        drop: Share caught at the easiest level minus the share caught at the hardest.
        trend_p: p-value of no relation between level and being caught, or None if it cannot be computed.
        misfit_p: p-value of "the curve is logistic", or None with too few levels.
        dip: Level with significantly fewer catches than a harder one, or None without such a level.
        answer_weight: Number of independent answers that each answer counts as, at most 1.
        posterior: Posterior distribution of the curve.
    """

    threshold: float
    low: float
    high: float
    beyond: float
    drop: Statistic
    trend_p: float | None
    misfit_p: float | None
    dip: int | None
    answer_weight: float
    posterior: Posterior

    @property
    def flat(self) -> bool:
        """True if level and share caught are not significantly related."""
        return self.trend_p is None or self.trend_p >= FLAT_AT

    def points(self) -> list[Point]:
        """Return points of the curve from the easiest level to the hardest: medians and intervals."""
        return [
            _point(self.posterior, position) for position in np.linspace(0.0, 1.0, _CURVE_POINTS).tolist()
        ]


def fit_ladder(family: CurveFamily, answers: LadderAnswers) -> LadderFit:
    """Fit the curve of one judge on one ladder, by posterior medians and central intervals.

    The likelihood is raised to the power `LadderFit.answer_weight`, since answers in clusters count less.
    """
    # A first fit takes answers as independent; its residuals show how many independent answers they are worth.
    unweighted = family.posterior(answers)
    expected = np.array(
        [float(unweighted.weight @ unweighted.shares(position)) for position in family.positions]
    )
    answer_weight = _answer_weight(answers, expected)
    posterior = family.posterior(answers, answer_weight)
    low, threshold, high = posterior.quantiles(posterior.threshold, _QUANTILES)
    drop_low, drop, drop_high = posterior.quantiles(posterior.shares(0.0) - posterior.shares(1.0), _QUANTILES)
    low, high = _widen_to_levels(
        family.positions[np.unique(answers.level_index)], float(low), float(threshold), float(high)
    )
    return LadderFit(
        threshold=float(threshold),
        low=low,
        high=high,
        beyond=float(posterior.weight[posterior.threshold == np.inf].sum()),
        drop=defined(float(drop), (float(drop_low), float(drop_high)), n=len(answers.caught), method=METHOD),
        trend_p=_trend(family, answers),
        misfit_p=_misfit(answers, expected, answer_weight),
        dip=_dip(answers, len(family.positions), answer_weight),
        answer_weight=answer_weight,
        posterior=posterior,
    )


def _point(posterior: Posterior, position: float) -> Point:
    low, middle, high = posterior.quantiles(posterior.shares(position), _QUANTILES)
    return Point(position, float(middle), float(low), float(high))


def _answer_weight(answers: LadderAnswers, expected: FloatArray) -> float:
    """Return the number of independent answers that each answer counts as, at most 1.

    It is estimated from the correlation of residuals within clusters.
    """
    share = np.clip(expected[answers.level_index], _MIN_SHARE, 1 - _MIN_SHARE)
    residual = (answers.caught - share) / np.sqrt(share * (1 - share))
    spread = spread_of_rows(residual, answers.cluster)
    errors = float(min(answers.caught.sum(), (1 - answers.caught).sum()))
    student = student_ratio(LEVEL, spread.clusters - 1)
    trials = effective_trials(spread, errors, float(residual.var()), student=student)
    return min(1.0, trials / len(residual))


def _trend(family: CurveFamily, answers: LadderAnswers) -> float | None:
    """Return the p-value of "level and being caught have no covariance", over clusters."""
    position = family.positions[answers.level_index]
    products = (position - position.mean()) * (answers.caught - answers.caught.mean())
    if not products.any():
        return None
    return mean_over_clusters(products, answers.cluster).p()


def _widen_to_levels(tested: FloatArray, low: float, threshold: float, high: float) -> tuple[float, float]:
    """Extend an interval to the nearest tested levels.

    Between two levels the curve depends on its assumed form, not on answers.
    """
    if not np.isfinite(threshold):
        return low, high
    below, above = tested[tested <= low], tested[tested >= high]
    return (float(below[-1]) if len(below) else low), (float(above[0]) if len(above) else high)


def _dip(answers: LadderAnswers, levels: int, answer_weight: float) -> int | None:
    """Return the level with significantly fewer catches than a harder one, or None.

    Of several such levels it is the one with the smallest p-value. Each pair of levels is tested by Fisher's exact
    test, with ``answer_weight`` independent answers for each answer, and its p-value is multiplied by the number of
    pairs.
    """
    counts = (answer_weight * np.bincount(answers.level_index, minlength=levels)).astype(int)
    missed = (
        answer_weight * np.bincount(answers.level_index, weights=1.0 - answers.caught, minlength=levels)
    ).astype(int)
    testable = np.flatnonzero(counts >= _MIN_ANSWERS).tolist()
    p_values = {
        (easy, hard): fisher_one_sided(
            int(missed[easy]), int(counts[easy]), int(missed[hard]), int(counts[hard])
        )
        for easy, hard in combinations(testable, 2)
    }
    clearest = min(p_values, key=p_values.__getitem__, default=None)
    return None if clearest is None or p_values[clearest] * len(p_values) > DIP_AT else clearest[0]


def _misfit(answers: LadderAnswers, expected: FloatArray, answer_weight: float) -> float | None:
    """Return the p-value of Pearson's chi-squared test over the levels with enough answers.

    Each answer counts as ``answer_weight`` independent answers.
    """
    counts = np.bincount(answers.level_index, minlength=len(expected))
    caught = np.bincount(answers.level_index, weights=answers.caught, minlength=len(expected))
    testable = counts >= _MIN_ANSWERS
    degrees = int(testable.sum()) - _FITTED_DEGREES
    if degrees < 1:
        return None
    share = np.clip(expected[testable], _MIN_SHARE, 1 - _MIN_SHARE)
    n_answers = counts[testable]
    squares = (caught[testable] - n_answers * share) ** 2 / (n_answers * share * (1 - share))
    return float(gammaincc(degrees / 2, answer_weight * float(squares.sum()) / 2))
