"""Bounds of rates, of pass^k and of drops if ungraded outputs may be passes or failures.

Every case has weight 1, whatever its number of trials.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from ..arrays import BoolArray, FloatArray, IntArray
from ..comparison.difference import clustered_difference, share_difference
from ..comparison.significance import simultaneous_level
from ..intervals.closed_forms import clopper_pearson_interval, normal_quantile
from ..intervals.clustered_means import mean_over_clusters
from ..intervals.clustered_rates import share_of
from ..repeated_trials import Trials, trial_rate
from ..statistic import Interval, Statistic, defined
from .gate_results import GateAnswer, GateBounds, clears

LEVEL, APPROXIMATE = 0.95, 0.96
"""Nominal coverage of exact and of approximate intervals, so that each end errs in at most 2.5 %.

Intervals of independent passes and fails are exact. Intervals over clusters, trials, fractions and labels are
approximate: their ends err in up to 2.9 % where 2.5 % is nominal.
"""


class GatedRow(NamedTuple):
    """An output as a gate counts it.

    Attributes:
        case: Id of the case.
        cluster: Id of its cluster.
        score: Score from 0 to 1, or None if there is none.
        settled: False for the verdict of a judge whose error rate is unknown.
    """

    case: str
    cluster: str
    score: float | None
    settled: bool = True

    @property
    def is_open(self) -> bool:
        """True if the output may be a failure or a pass."""
        return self.score is None or not self.settled


class GatedScores(NamedTuple):
    """Outputs of one system, each array of shape ``(n,)``.

    Attributes:
        case: Number of the case, ascending from 0.
        cluster: Cluster number; equal for all outputs of a case.
        score: Score from 0 to 1; NaN for an output without a grade.
        settled: Whether the score counts at both ends of a number; False for verdicts of a judge whose error rate is
            unknown, which may be failures or passes.
    """

    case: IntArray
    cluster: IntArray
    score: FloatArray
    settled: BoolArray

    @property
    def graded(self) -> BoolArray:
        """Mask of the outputs with a grade."""
        return ~np.isnan(self.score)

    def filled(self, score: float) -> FloatArray:
        """Return the scores, with ``score`` in place of those that are missing or not settled."""
        return np.where(self.graded & self.settled, self.score, score)

    def by_case(self, scores: FloatArray) -> FloatArray:
        """Return the mean of ``(n,)`` scores in each case."""
        return np.bincount(self.case, weights=scores) / np.bincount(self.case)

    @property
    def clusters(self) -> IntArray:
        """Cluster of each case."""
        return self.cluster[np.unique(self.case, return_index=True)[1]]

    def take(self, rows: BoolArray) -> GatedScores:
        """Return the selected outputs, with the cases that have one numbered without gaps."""
        case = np.unique(self.case[rows], return_inverse=True)[1]
        return GatedScores(case, self.cluster[rows], self.score[rows], self.settled[rows])

    @property
    def graded_share(self) -> FloatArray:
        """Share of the outputs with a grade in each case."""
        return self.by_case(self.graded.astype(np.float64))


def gated_scores(outputs: Iterable[GatedRow]) -> GatedScores:
    """Return outputs as arrays ordered by case."""
    rows = sorted(outputs, key=lambda row: row.case)
    case = np.unique([row.case for row in rows], return_inverse=True)[1] if rows else np.zeros(0)
    cluster = np.unique([row.cluster for row in rows], return_inverse=True)[1] if rows else np.zeros(0)
    score = np.array([math.nan if row.score is None else row.score for row in rows], dtype=np.float64)
    settled = np.array([row.settled for row in rows], dtype=np.bool_)
    return GatedScores(case.astype(np.int64), cluster.astype(np.int64), score, settled)


def rate_bounds(scores: GatedScores, *, conditions: int = 1) -> GateBounds:
    """Bound the mean score of a system.

    Only the upper end is corrected for several conditions: a gate that passes needs every condition to pass, but
    one that fails by chance is enough to fail it.

    Args:
        scores: Outputs of the system, including missing ones.
        conditions: Number of conditions; the gate fails if one of them fails.
    """
    graded = scores.take(scores.graded)
    if not len(graded.score):
        return GateBounds(value=None, low=None, high=None, n=0, of=len(scores.clusters))
    clusters = scores.clusters
    worst = _mean_of_cases(scores.by_case(scores.filled(0.0)), clusters)
    best = _mean_of_cases(scores.by_case(scores.filled(1.0)), clusters, conditions)
    return _bounds(_graded_mean(scores, graded), worst, best, n=len(graded.clusters), of=len(clusters))


def _graded_mean(scores: GatedScores, graded: GatedScores) -> Statistic:
    """Return the mean of graded outputs, each with weight 1 / outputs of its case, as in a run."""
    share = scores.graded_share
    means, weight = graded.by_case(graded.score), share[share > 0]
    if (weight == weight[0]).all():
        return _mean_of_cases(means, graded.clusters)
    return share_of(means, graded.clusters, weight, level=APPROXIMATE)


def _mean_of_cases(scores: FloatArray, cluster: IntArray, conditions: int = 1) -> Statistic:
    """Return a mean over cases; for independent cases that pass or fail the interval is exact.

    Wilson's interval covers 95 % on average over rates, but one of its ends errs in up to 4 %, and a gate goes by one
    end.
    """
    if len(np.unique(cluster)) < len(cluster) or not np.isin(scores, (0.0, 1.0)).all():
        return share_of(scores, cluster, level=simultaneous_level(APPROXIMATE, conditions))
    passed, n, level = int(scores.sum()), len(scores), simultaneous_level(LEVEL, conditions)
    ends = clopper_pearson_interval(passed, n, level)
    return defined(passed / n, ends, n=n, method="Clopper-Pearson", level=level)


def trial_bounds(scores: GatedScores, k: int, *, conditions: int = 1) -> GateBounds:
    """Bound pass^k: the chance that k trials of a case all pass.

    A case with fewer than k trials gets ungraded ones, since it would be dropped otherwise.
    """
    graded = scores.take(scores.graded)
    if not len(graded.score):
        return GateBounds(value=None, low=None, high=None, n=0, of=len(scores.clusters))
    with_k_trials = _with_trials(scores, k)
    worst = _trial_rate(with_k_trials, with_k_trials.filled(0.0), k)
    best = _trial_rate(with_k_trials, with_k_trials.filled(1.0), k, conditions)
    graded_alone = _trial_rate(graded, graded.score, k)
    return _bounds(graded_alone, worst, best, n=len(graded.clusters), of=len(scores.clusters))


def _with_trials(scores: GatedScores, k: int) -> GatedScores:
    """Return outputs with ungraded ones added, so that each case has at least k."""
    counts = np.bincount(scores.case)
    missing_trials = np.maximum(k - counts, 0)
    if not missing_trials.any():
        return scores
    n_added = int(missing_trials.sum())
    return GatedScores(
        np.concatenate([scores.case, np.repeat(np.arange(len(counts)), missing_trials)]),
        np.concatenate([scores.cluster, np.repeat(scores.clusters, missing_trials)]),
        np.concatenate([scores.score, np.full(n_added, math.nan)]),
        np.concatenate([scores.settled, np.ones(n_added, dtype=np.bool_)]),
    )


def _trial_rate(scores: GatedScores, passed: FloatArray, k: int, conditions: int = 1) -> Statistic:
    judged = np.zeros(len(passed), dtype=np.bool_)
    rows = Trials(scores.case, scores.cluster, passed, judged, np.full(len(passed), np.nan))
    return trial_rate("pass^k", k, rows, level=simultaneous_level(APPROXIMATE, conditions))


def drop_bounds(before: GatedScores, after: GatedScores, *, conditions: int = 1) -> GateBounds:
    """Bound the change of the mean score over the same cases: after minus before.

    Both have the same cases under the same numbers. At worst, ungraded outputs are passes before and failures
    after; at best, the other way round.
    """
    graded_in_both = (before.graded_share > 0) & (after.graded_share > 0)
    if not graded_in_both.any():
        return GateBounds(value=None, low=None, high=None, n=0, of=len(before.clusters))
    worst = _difference(after, 0.0, before, 1.0)
    best = _difference(after, 1.0, before, 0.0, conditions)
    graded_alone = _difference(
        _graded_in(after, graded_in_both), 0.0, _graded_in(before, graded_in_both), 0.0
    )
    return _bounds(graded_alone, worst, best, n=int(graded_in_both.sum()), of=len(graded_in_both))


def _graded_in(scores: GatedScores, cases: BoolArray) -> GatedScores:
    graded = scores.take(cases[scores.case] & scores.graded)
    return graded._replace(settled=np.ones(len(graded.score), dtype=np.bool_))


def _difference(
    after: GatedScores,
    ungraded_after: float,
    before: GatedScores,
    ungraded_before: float,
    conditions: int = 1,
) -> Statistic:
    first = after.by_case(after.filled(ungraded_after))
    second = before.by_case(before.filled(ungraded_before))
    clusters = after.clusters
    independent = len(np.unique(clusters)) == len(clusters)
    if independent and np.isin(first, (0.0, 1.0)).all() and np.isin(second, (0.0, 1.0)).all():
        level = simultaneous_level(LEVEL, conditions)
        return share_difference(first == 1.0, second == 1.0, clusters, level).estimate
    combination = mean_over_clusters(first - second, clusters)
    level = simultaneous_level(APPROXIMATE, conditions)
    return clustered_difference(combination, n=len(first), level=level).estimate


def _bounds(graded_alone: Statistic, worst: Statistic, best: Statistic, *, n: int, of: int) -> GateBounds:
    return GateBounds(
        value=graded_alone.value,
        low=worst.low,
        high=best.high,
        least=worst.value,
        most=best.value,
        certain_low=graded_alone.low,
        certain_high=graded_alone.high,
        n=n,
        of=of,
        level=worst.level,
        high_level=best.level,
    )


def corrected_bounds(
    corrected: Statistic, graded_share: float, *, of: int, ends: Interval = (0.0, 1.0), conditions: int = 1
) -> GateBounds:
    """Bound a number corrected with labels; ungraded outputs may be at either end.

    Args:
        corrected: The number on graded outputs.
        graded_share: Share of graded outputs.
        of: Number of cases.
        ends: Smallest and largest possible value.
        conditions: Number of conditions; the gate fails if one of them fails.
    """
    value, low, high = corrected.value, corrected.low, corrected.high
    if value is None or low is None or high is None:
        return GateBounds(value=value, low=None, high=None, n=corrected.n, of=of)
    high_level = simultaneous_level(APPROXIMATE, conditions)
    # The interval is widened from its own level to that of the gate, as for a normal distribution.
    own_quantile = normal_quantile(corrected.level)
    low = value - (value - low) * normal_quantile(APPROXIMATE) / own_quantile
    high = value + (high - value) * normal_quantile(high_level) / own_quantile
    worst, best = ends
    return GateBounds(
        value=value,
        low=max(worst, low) * graded_share + worst * (1 - graded_share),
        high=min(best, high) * graded_share + best * (1 - graded_share),
        least=value * graded_share + worst * (1 - graded_share),
        most=value * graded_share + best * (1 - graded_share),
        certain_low=low,
        certain_high=high,
        n=corrected.n,
        of=of,
        level=APPROXIMATE,
        high_level=high_level,
    )


def shifted_bounds(bounds: GateBounds, error: float, *, ends: Interval = (0.0, 1.0)) -> GateBounds:
    """Return bounds that are valid if errors of judges shift the number by at most ``error``."""
    if bounds.low is None or bounds.high is None:
        return bounds
    worst, best = ends
    return replace(
        bounds,
        low=max(worst, bounds.low - error),
        high=min(best, bounds.high + error),
        least=None if bounds.least is None else bounds.least - error,
        most=None if bounds.most is None else bounds.most + error,
    )


def answer_of(bounds: GateBounds, limit: float) -> GateAnswer:
    """Return whether a number passes a limit by its lower end, or fails by its upper end."""
    if bounds.value is None or bounds.low is None or bounds.high is None:
        return "cannot tell"
    if clears(bounds.low, limit):
        return "passes"
    return "cannot tell" if clears(bounds.high, limit) else "fails"


def combined_answer(answers: Iterable[GateAnswer]) -> GateAnswer:
    """Return the answer of all conditions.

    It is ``fails`` if one fails, and ``passes`` if there are conditions and all pass.
    """
    distinct_answers = set(answers)
    if "fails" in distinct_answers:
        return "fails"
    return "passes" if distinct_answers == {"passes"} else "cannot tell"


def more_cases(bounds: GateBounds, limit: float) -> int | None:
    """Return how many more cases would give an answer, or None if no number would.

    The value, and the shares of ungraded outputs, are taken to stay as they are.
    """
    value, low, high = bounds.value, bounds.certain_low, bounds.certain_high
    if value is None or low is None or high is None or bounds.least is None or bounds.most is None:
        return None
    # What is ungraded or not settled stays so, however many cases there are.
    above = value >= limit
    gap = (bounds.least - limit) if above else (limit - bounds.most)
    half_width = (value - low) if above else (high - value)
    if gap <= _MIN_GAP:
        return None
    if bounds.low is not None and bounds.high is not None:
        # Ungraded outputs counted as failures or passes widen the interval, too.
        half_width = max(half_width, (bounds.least - bounds.low) if above else (bounds.high - bounds.most))
    # Half-widths shrink with the root of the number of cases; an answer needs one no wider than the gap.
    return max(1, math.ceil(bounds.n * (half_width / gap) ** 2) - bounds.n)


_MIN_GAP = 1e-9
"""Gap to the limit below which no number of cases can tell."""
