"""Fit one judge's answers on one ladder: the level at which 80 % are caught, with interval."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincc

from ..arrays import FloatArray
from ..comparison.significance import fisher_more
from ..intervals.clustered_means import mean_over_clusters
from ..intervals.clustered_rates import effective_trials, student_ratio
from ..intervals.variance import spread_of_rows
from ..statistic import Statistic, defined
from .curve import CurveFamily, LadderAnswers, Likely

LEVEL = 0.95
_TAILS = ((1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2)
FLAT_AT = 0.05
"""Level of the test that a curve falls; a curve that fails it is called flat."""

DIP_AT = 0.01
"""Of all tests together that a level is caught less often than a harder one."""

_DRAWN = 41
_FEWEST = 5
_CURVE = 3
_LEAST = 0.02
METHOD = "posterior of a logistic curve on the cluster-effective n"


class Point(NamedTuple):
    """One point of a fitted curve: its place, the share caught there, and the interval of that."""

    place: float
    share: float
    low: float
    high: float


class LadderFit(NamedTuple):
    """A fitted curve. Places run from 0, the easiest level, to 1, the hardest.

    Attributes:
        threshold: Where 80 % are caught; minus infinity if less of the easiest is caught, infinity if more of the hardest is.
        low: Lower end of its interval, infinite in the same cases.
        high: Upper end.
        beyond: How probable it is that 80 % and more are caught of the hardest level.
        drop: Share caught of the easiest minus share caught of the hardest.
        trend_p: p-value of no relation between level and being caught; None if it cannot be computed.
        misfit_p: p-value of a logistic curve; None with too few levels.
        dip: Level caught less often than a harder one, beyond chance; None without one.
        worth: How many independent answers each is worth.
        likely: The curves that are left likely.
    """

    threshold: float
    low: float
    high: float
    beyond: float
    drop: Statistic
    trend_p: float | None
    misfit_p: float | None
    dip: int | None
    worth: float
    likely: Likely

    @property
    def flat(self) -> bool:
        """True if no fall was found."""
        return self.trend_p is None or self.trend_p >= FLAT_AT

    def points(self) -> list[Point]:
        """Return the curve from the easiest level to the hardest: medians and intervals."""
        return [_point(self.likely, place) for place in np.linspace(0.0, 1.0, _DRAWN).tolist()]


def fit_ladder(family: CurveFamily, answers: LadderAnswers) -> LadderFit:
    """Fit the curve of one judge on one ladder: medians and central intervals of the posterior.

    Its likelihood is raised to the power of what an answer in clusters is worth.
    """
    first = family.likely(answers)
    expected = np.array([float(first.weight @ first.shares(place)) for place in family.places])
    worth = _worth(answers, expected)
    likely = family.likely(answers, worth)
    low, threshold, high = likely.quantiles(likely.threshold, _TAILS)
    drop_low, drop, drop_high = likely.quantiles(likely.shares(0.0) - likely.shares(1.0), _TAILS)
    low, high = _at_least_a_gap(
        family.places[np.unique(answers.rung)], float(low), float(threshold), float(high)
    )
    return LadderFit(
        threshold=float(threshold),
        low=low,
        high=high,
        beyond=float(likely.weight[likely.threshold == np.inf].sum()),
        drop=defined(float(drop), (float(drop_low), float(drop_high)), n=len(answers.caught), method=METHOD),
        trend_p=_trend(family, answers),
        misfit_p=_misfit(answers, expected, worth),
        dip=_dip(answers, len(family.places), worth),
        worth=worth,
        likely=likely,
    )


def _point(likely: Likely, place: float) -> Point:
    low, middle, high = likely.quantiles(likely.shares(place), _TAILS)
    return Point(place, float(middle), float(low), float(high))


def _worth(answers: LadderAnswers, expected: FloatArray) -> float:
    """Return how many independent answers each answer is worth.

    The estimate uses the correlation of residuals within clusters.
    """
    share = np.clip(expected[answers.rung], _LEAST, 1 - _LEAST)
    residual = (answers.caught - share) / np.sqrt(share * (1 - share))
    spread = spread_of_rows(residual, answers.cluster)
    errors = float(min(answers.caught.sum(), (1 - answers.caught).sum()))
    student = student_ratio(LEVEL, spread.clusters - 1)
    trials = effective_trials(spread, errors, float(residual.var()), student=student)
    return min(1.0, trials / len(residual))


def _trend(family: CurveFamily, answers: LadderAnswers) -> float | None:
    place = family.places[answers.rung]
    together = (place - place.mean()) * (answers.caught - answers.caught.mean())
    if not together.any():
        return None
    return mean_over_clusters(together, answers.cluster).p()


def _at_least_a_gap(levels: FloatArray, low: float, threshold: float, high: float) -> tuple[float, float]:
    """Return an interval that holds the gaps between levels asked about that it touches.

    A judge may fall anywhere between two levels: a curve says more of that place than answers do.
    """
    if not np.isfinite(threshold):
        return low, high
    below, above = levels[levels <= low], levels[levels >= high]
    return (float(below[-1]) if len(below) else low), (float(above[0]) if len(above) else high)


def _dip(answers: LadderAnswers, levels: int, worth: float) -> int | None:
    """Return the level caught less often than a harder one; None if all may be chance.

    Of several such levels it is the one with the smallest p-value.

    Fisher's exact test of each pair of levels, each answer counting as ``worth`` independent ones; times the number of pairs.
    """
    counts = (worth * np.bincount(answers.rung, minlength=levels)).astype(int)
    missed = (worth * np.bincount(answers.rung, weights=1.0 - answers.caught, minlength=levels)).astype(int)
    often = np.flatnonzero(counts >= _FEWEST).tolist()
    found = {
        (easy, hard): fisher_more(int(missed[easy]), int(counts[easy]), int(missed[hard]), int(counts[hard]))
        for easy, hard in combinations(often, 2)
    }
    least = min(found, key=found.__getitem__, default=None)
    return None if least is None or found[least] * len(found) > DIP_AT else least[0]


def _misfit(answers: LadderAnswers, expected: FloatArray, worth: float) -> float | None:
    """Return the p of Pearson's chi-square over the levels that were asked about often.

    Each answer counts as ``worth`` independent ones.
    """
    counts = np.bincount(answers.rung, minlength=len(expected))
    caught = np.bincount(answers.rung, weights=answers.caught, minlength=len(expected))
    often = counts >= _FEWEST
    degrees = int(often.sum()) - _CURVE
    if degrees < 1:
        return None
    share = np.clip(expected[often], _LEAST, 1 - _LEAST)
    squares = (caught[often] - counts[often] * share) ** 2 / (counts[often] * share * (1 - share))
    return float(gammaincc(degrees / 2, worth * float(squares.sum()) / 2))
