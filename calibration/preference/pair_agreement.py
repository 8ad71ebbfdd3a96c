"""Agreement of a judge with people on pairs of outputs, per verdict and by both orders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...records import Outcome
from ..agreement.level_agreement import category_agreement
from ..arrays import BoolArray, FloatArray, IntArray
from ..intervals.clustered_means import mean_of
from ..intervals.clustered_rates import share_of
from ..intervals.measurement import Settings
from ..sample import make_sample
from ..statistic import Statistic, undefined
from .preference_results import ChoiceAgreement

_LEVELS = (0.0, 0.5, 1.0)
_TIE = 0.5


class PairVerdicts(NamedTuple):
    """Choices of a judge beside people's, one number per verdict; each array has shape ``(n,)``.

    Attributes:
        pair: Number of the pair.
        score: 1 if the judge chose output ``a`` of the pair, 0 if ``b``, a tie between.
        people: People's choice, likewise; NaN if there is none.
        a_first: Whether ``a`` was shown first.
        cluster: Cluster number.
    """

    pair: IntArray
    score: FloatArray
    people: FloatArray
    a_first: BoolArray
    cluster: IntArray

    def take(self, rows: BoolArray) -> PairVerdicts:
        """Return the selected verdicts."""
        return PairVerdicts._make(column[rows] for column in self)


def pair_agreement(
    verdicts: PairVerdicts,
    ungraded: Mapping[Outcome, int] | None = None,
    *,
    level: float = 0.95,
    replicates: int | None = None,
) -> ChoiceAgreement:
    """Measure how often a judge chooses as people do.

    Args:
        verdicts: The judge's choices beside people's.
        ungraded: Its verdicts without a choice on pairs that people compared, by outcome.
        level: Nominal coverage.
        replicates: Replicates of the bootstrap, or None for the default.
    """
    labelled = verdicts.take(np.isfinite(verdicts.people))
    judge, people = _kind(labelled.score), _kind(labelled.people)
    tied = (judge == _TIE) | (people == _TIE)
    half = np.where(tied & (judge != people), _TIE, (judge == people).astype(np.float64))
    decided = ~tied
    settings = Settings(level=level) if replicates is None else Settings(level=level, replicates=replicates)
    kappa: Statistic = undefined("no pair has both choices", n=0, level=level)
    table = [[0] * len(_LEVELS) for _ in _LEVELS]
    if len(judge):
        found = category_agreement(make_sample(people, judge, labelled.cluster), _LEVELS, settings)
        kappa, table = found.statistics["cohen_kappa"], found.table
    both = _both_orders(labelled)
    return ChoiceAgreement(
        n=len(judge),
        pairs=len(np.unique(labelled.pair)),
        ungraded=dict(ungraded or {}),
        unlabelled=len(verdicts.score) - len(judge),
        agreement=_share(judge == people, labelled.cluster, level),
        ties_half=mean_of(half, labelled.cluster, level=level, least=0.0),
        decided=_share((judge == people)[decided], labelled.cluster[decided], level),
        kappa=kappa,
        table=table,
        both_orders=len(both.cluster),
        right_in_both=_share((both.one > _TIE) & (both.other > _TIE), both.cluster, level),
        wrong_in_both=_share((both.one < _TIE) & (both.other < _TIE), both.cluster, level),
        flips=_share((both.one - _TIE) * (both.other - _TIE) < 0, both.cluster, level),
        right_on_balance=_share(both.one + both.other > 1.0, both.cluster, level),
    )


class _BothOrders(NamedTuple):
    """Verdicts in either order on pairs that people decided: 1 for the output they chose."""

    one: FloatArray
    other: FloatArray
    cluster: IntArray


def _both_orders(labelled: PairVerdicts) -> _BothOrders:
    """Return the pairs judged in both orders; verdicts in one order count by their mean."""
    decided = labelled.take(_kind(labelled.people) != _TIE)
    right = np.where(_kind(decided.people) == 1.0, decided.score, 1.0 - decided.score)
    pairs, number = np.unique(decided.pair, return_inverse=True)

    def mean(rows: BoolArray) -> FloatArray:
        counts = np.bincount(number[rows], minlength=len(pairs))
        sums = np.bincount(number[rows], weights=right[rows], minlength=len(pairs))
        return np.divide(sums, counts, out=np.full(len(pairs), np.nan), where=counts > 0)

    one, other = _kind(mean(decided.a_first)), _kind(mean(~decided.a_first))
    cluster = np.zeros(len(pairs), dtype=np.int64)
    cluster[number] = decided.cluster
    known = np.isfinite(one) & np.isfinite(other)
    return _BothOrders(one[known], other[known], cluster[known])


def _kind(scores: FloatArray) -> FloatArray:
    """Return the choice that each score is: 1, 0, or 0.5 for a tie; NaN stays."""
    return np.sign(scores - _TIE) / 2 + _TIE


def _share(mask: BoolArray, cluster: IntArray, level: float) -> Statistic:
    return share_of(mask.astype(np.float64), cluster, level=level)
