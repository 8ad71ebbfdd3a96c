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
"""Values of a choice: output ``b``, a tie, output ``a``."""

_TIE = 0.5
"""Value of a tie."""


class PairVerdicts(NamedTuple):
    """Choices of a judge with people's choices, by verdict; each array has shape ``(n,)``.

    Attributes:
        pair: Number of the pair.
        score: 1 if the judge chose output ``a`` of the pair, 0 if ``b``, a number between for a tie.
        people: 1 if people chose output ``a``, 0 if ``b``, a number between for a tie; NaN without a choice.
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
        verdicts: Choices of the judge with people's choices.
        ungraded: Number of its verdicts without a choice on pairs that people compared, by outcome.
        level: Nominal coverage.
        replicates: Replicates of the bootstrap, or None for the default.
    """
    labelled = verdicts.take(np.isfinite(verdicts.people))
    judge, people = _choice(labelled.score), _choice(labelled.people)
    is_tie = (judge == _TIE) | (people == _TIE)
    # A tie against a choice counts half.
    with_half_ties = np.where(is_tie & (judge != people), 0.5, (judge == people).astype(np.float64))
    decided = ~is_tie
    settings = Settings(level=level) if replicates is None else Settings(level=level, replicates=replicates)
    kappa: Statistic = undefined("no pair has both choices", n=0, level=level)
    table = [[0] * len(_LEVELS) for _ in _LEVELS]
    if len(judge):
        by_choice = category_agreement(make_sample(people, judge, labelled.cluster), _LEVELS, settings)
        kappa, table = by_choice.statistics["cohen_kappa"], by_choice.table
    both = _both_orders(labelled)
    return ChoiceAgreement(
        n=len(judge),
        pairs=len(np.unique(labelled.pair)),
        ungraded=dict(ungraded or {}),
        unlabelled=len(verdicts.score) - len(judge),
        agreement=_share(judge == people, labelled.cluster, level),
        ties_half=mean_of(with_half_ties, labelled.cluster, level=level, least=0.0),
        decided=_share((judge == people)[decided], labelled.cluster[decided], level),
        kappa=kappa,
        table=table,
        both_orders=len(both.cluster),
        right_in_both=_share((both.a_first > _TIE) & (both.b_first > _TIE), both.cluster, level),
        wrong_in_both=_share((both.a_first < _TIE) & (both.b_first < _TIE), both.cluster, level),
        flips=_share((both.a_first - _TIE) * (both.b_first - _TIE) < 0, both.cluster, level),
        right_on_balance=_share(both.a_first + both.b_first > 1.0, both.cluster, level),
    )


class _BothOrders(NamedTuple):
    """Verdicts in both orders on pairs that people decided.

    Attributes:
        a_first: Verdict with ``a`` shown first: 1 for the output that people chose, 0 for the other, 0.5 for a tie.
        b_first: Verdict with ``b`` shown first, with the same values.
        cluster: Cluster number.
    """

    a_first: FloatArray
    b_first: FloatArray
    cluster: IntArray


def _both_orders(labelled: PairVerdicts) -> _BothOrders:
    """Return the pairs judged in both orders; several verdicts in one order count by their mean."""
    decided = labelled.take(_choice(labelled.people) != _TIE)
    right = np.where(_choice(decided.people) == 1.0, decided.score, 1.0 - decided.score)
    pairs, number = np.unique(decided.pair, return_inverse=True)

    def mean(rows: BoolArray) -> FloatArray:
        counts = np.bincount(number[rows], minlength=len(pairs))
        sums = np.bincount(number[rows], weights=right[rows], minlength=len(pairs))
        return np.divide(sums, counts, out=np.full(len(pairs), np.nan), where=counts > 0)

    a_first, b_first = _choice(mean(decided.a_first)), _choice(mean(~decided.a_first))
    cluster = np.zeros(len(pairs), dtype=np.int64)
    cluster[number] = decided.cluster
    in_both = np.isfinite(a_first) & np.isfinite(b_first)
    return _BothOrders(a_first[in_both], b_first[in_both], cluster[in_both])


def _choice(scores: FloatArray) -> FloatArray:
    """Return the choice that each score means: 1, 0, or 0.5 for a tie; NaN stays NaN."""
    return np.sign(scores - _TIE) / 2 + _TIE


def _share(mask: BoolArray, cluster: IntArray, level: float) -> Statistic:
    return share_of(mask.astype(np.float64), cluster, level=level)
