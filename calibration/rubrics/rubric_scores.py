"""Scores by rubrics: HealthBench's means, corrected for a judge's errors on criteria.

The score is the mean over items of points over points possible; the mean is clipped to [0, 1] (Arora et al. 2025).
With labels, each verdict is corrected by the judge's rates on its criterion (Rogan and Gladen 1978), which are
shrunk towards those of all criteria (`shrunken_rates`).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...records.made_scores import reaches
from ...records.rubric_points import Points, clipped, points_of
from ..arrays import cluster_numbers
from ..intervals.closed_forms import t_quantile
from ..intervals.clustered_means import Combination, mean_over_clusters, paired_shift
from ..intervals.clustered_rates import share_of
from ..statistic import Statistic, defined, undefined
from .rubric_results import (
    CriterionAgreement,
    ItemScore,
    JudgesOnCriteria,
    RubricOfJudge,
    RubricOfSystem,
    TagMean,
)
from .shrunken_rates import JudgeRates, SuccessCount, shrink

_HALF = 0.5
"""Degree from which on a criterion counts as met."""

_MIN_INFORMEDNESS = 0.05
"""Minimum informedness (Youden's J: TPR + TNR - 1) for a correction, which divides by it."""


class JudgedCriterion(NamedTuple):
    """One criterion of an item.

    Attributes:
        key: Identity of the criterion across items.
        points: Points of the criterion, below 0 for a penalty.
        tags: Tags of the criterion.
        met: Degree to which it is met by the judge, in [0, 1], or None if ungraded.
        label: Degree to which it is met by a trusted label, or None without a label.
    """

    key: str
    points: float
    tags: tuple[str, ...] = ()
    met: float | None = None
    label: float | None = None


class JudgedRubric(NamedTuple):
    """One output with the verdicts on its criteria.

    Attributes:
        item: ``case_id|system|trial``.
        system: Name of the system.
        cluster: Cluster of the case.
        criteria: Criteria of the output; empty if none was judged.
    """

    item: str
    system: str
    cluster: str
    criteria: tuple[JudgedCriterion, ...]


def rubric_of_judge(
    judge: str, items: Sequence[JudgedRubric], names: Callable[[str], str] = str, *, level: float = 0.95
) -> RubricOfJudge:
    """Return a judge's scores by system and tag, and its errors if there are labels.

    Args:
        judge: Name of the judge.
        items: Outputs with their judged criteria.
        names: Function from a criterion's key to its text.
        level: Confidence level of the intervals.
    """
    labelled = [
        (criterion, item.cluster)
        for item in items
        for criterion in item.criteria
        if criterion.label is not None and criterion.met is not None
    ]
    rates = _rates(criterion for criterion, _ in labelled)
    counts = Counter(criterion.key for criterion, _ in labelled)
    tags = dict.fromkeys(tag for criterion, _ in labelled for tag in criterion.tags)
    return RubricOfJudge(
        judge=judge,
        systems=[
            _system(system, [item for item in items if item.system == system], rates, level)
            for system in dict.fromkeys(item.system for item in items)
        ],
        agreement=_agreement("all criteria", labelled, level) if labelled else None,
        criteria=[
            _agreement(
                names(key),
                [(criterion, cluster) for criterion, cluster in labelled if criterion.key == key],
                level,
                rates and rates.of(key),
            )
            for key, _ in counts.most_common()
        ],
        tags=[
            _agreement(
                tag, [(criterion, cluster) for criterion, cluster in labelled if tag in criterion.tags], level
            )
            for tag in tags
        ],
    )


def judges_on_criteria(
    judges: Mapping[str, Sequence[JudgedRubric]], *, level: float = 0.95
) -> list[JudgesOnCriteria]:
    """Compare every two judges on the labelled criteria that both judged."""
    agreement = {name: _agreement_by_criterion(items) for name, items in judges.items()}
    pairs = (_pair(a, b, agreement[a], agreement[b], level) for a, b in combinations(judges, 2))
    return [pair for pair in pairs if pair.n]


class _CriterionOfItem(NamedTuple):
    """One criterion of one output: its item and cluster, its position, and its key."""

    item: str
    cluster: str
    position: int
    key: str


def _agreement_by_criterion(items: Sequence[JudgedRubric]) -> dict[_CriterionOfItem, float]:
    """Return 1 where the judge agrees with the label of a criterion, else 0."""
    return {
        _CriterionOfItem(item.item, item.cluster, position, criterion.key): float(
            reaches(criterion.met, _HALF) == reaches(criterion.label, _HALF)
        )
        for item in items
        for position, criterion in enumerate(item.criteria)
        if criterion.met is not None and criterion.label is not None
    }


def _pair(
    a: str,
    b: str,
    agreement_a: Mapping[_CriterionOfItem, float],
    agreement_b: Mapping[_CriterionOfItem, float],
    level: float,
) -> JudgesOnCriteria:
    common = [criterion for criterion in agreement_a if criterion in agreement_b]
    differences = np.array([agreement_a[criterion] - agreement_b[criterion] for criterion in common])
    shift = paired_shift(differences, cluster_numbers(criterion.cluster for criterion in common), level=level)
    return JudgesOnCriteria(
        a=a,
        b=b,
        n=len(common),
        a_only_right=int((differences > 0).sum()),
        b_only_right=int((differences < 0).sum()),
        difference=shift.difference,
        p=shift.p,
    )


def _met_degree(criterion: JudgedCriterion) -> float:
    assert criterion.met is not None
    return criterion.met


def _rates(labelled: Iterable[JudgedCriterion]) -> JudgeRates | None:
    """Return a judge's rates by criterion, or None without labels of both kinds."""
    positive_counts: defaultdict[str, SuccessCount] = defaultdict(SuccessCount)
    negative_counts: defaultdict[str, SuccessCount] = defaultdict(SuccessCount)
    for criterion in labelled:
        assert criterion.label is not None
        positive_counts[criterion.key] = positive_counts[criterion.key].plus(
            criterion.label, _met_degree(criterion)
        )
        negative_counts[criterion.key] = negative_counts[criterion.key].plus(
            1 - criterion.label, 1 - _met_degree(criterion)
        )
    tpr, tnr = shrink(positive_counts), shrink(negative_counts)
    return None if tpr is None or tnr is None else JudgeRates(tpr, tnr)


def _agreement(
    name: str,
    labelled: Sequence[tuple[JudgedCriterion, str]],
    level: float,
    shrunken: tuple[float, float] | None = None,
) -> CriterionAgreement:
    def rate(*, met: bool) -> Statistic:
        rows = [
            (criterion, cluster)
            for criterion, cluster in labelled
            if reaches(criterion.label or 0.0, _HALF) == met
        ]
        right = np.array([float(reaches(_met_degree(criterion), _HALF) == met) for criterion, _ in rows])
        return share_of(right, cluster_numbers(cluster for _, cluster in rows), level=level)

    return CriterionAgreement(
        name=name,
        labelled=len(labelled),
        true_positive_rate=rate(met=True),
        true_negative_rate=rate(met=False),
        shrunken=shrunken,
    )


def _system(
    system: str, items: Sequence[JudgedRubric], rates: JudgeRates | None, level: float
) -> RubricOfSystem:
    tags = dict.fromkeys(tag for item in items for criterion in item.criteria for tag in criterion.tags)
    return RubricOfSystem(
        system=system,
        means=[_mean(tag, items, rates, level) for tag in (None, *tags)],
        items=[_item(item, rates) for item in items],
    )


def _with_tag(item: JudgedRubric, tag: str | None) -> JudgedRubric:
    if tag is None:
        return item
    return item._replace(criteria=tuple(criterion for criterion in item.criteria if tag in criterion.tags))


def _points(item: JudgedRubric) -> Points:
    return points_of((criterion.points, criterion.met) for criterion in item.criteria)


def _mean(tag: str | None, items: Sequence[JudgedRubric], rates: JudgeRates | None, level: float) -> TagMean:
    """Return the mean score of a system over the criteria of a tag, or over all criteria."""
    tagged = [_with_tag(item, tag) for item in items]
    scored = [item for item in tagged if _points(item).possible]
    # Tags of items without any judged criterion are unknown, so these count only in the mean of all criteria.
    not_judged = 0 if tag is not None else sum(not item.criteria for item in items)
    graded = [item for item in scored if all(criterion.met is not None for criterion in item.criteria)]
    ungraded = len(scored) - len(graded) + not_judged
    shares = [_points(item).shares for item in scored] + [(0.0, 1.0)] * not_judged
    return TagMean(
        tag=tag,
        score=_clipped_mean([_points(item).shares[0] for item in graded], graded, level),
        items=len(shares),
        ungraded=ungraded,
        bounds=_bounds(shares) if ungraded else None,
        corrected=None if rates is None else _corrected(graded, rates, level),
    )


def _bounds(shares: Sequence[tuple[float, float]]) -> tuple[float, float]:
    low, high = (clipped(float(np.mean(ends))) for ends in zip(*shares, strict=True))
    return low, high


def _clipped_mean(values: Sequence[float], items: Sequence[JudgedRubric], level: float) -> Statistic:
    if not values:
        return undefined("no item is graded in full", n=0, level=level)
    mean = mean_over_clusters(np.array(values), cluster_numbers(item.cluster for item in items))
    return _clipped_statistic(mean, len(values), level, "cluster-t, clipped to [0, 1]")


def _clipped_statistic(
    combination: Combination, n: int, level: float, method: str, variance: float = 0.0
) -> Statistic:
    """Return a clipped mean with its interval; ``variance`` is added to that of the mean."""
    value = clipped(combination.value)
    if not math.isfinite(combination.error):
        return defined(value, n=n, method=f"{method}: no interval from a single cluster", level=level)
    error = math.sqrt(combination.error**2 + variance)
    if not error or not math.isfinite(combination.degrees):
        return defined(value, n=n, method=f"{method}: no interval without a spread", level=level)
    half_width = t_quantile(level, combination.degrees) * error
    ends = clipped(combination.value - half_width), clipped(combination.value + half_width)
    return defined(value, ends, n=n, method=method, level=level)


def _corrected(items: Sequence[JudgedRubric], rates: JudgeRates, level: float) -> Statistic:
    """Return the mean, correcting each verdict with its criterion's error rates.

    The interval includes the uncertainty of these rates.
    """
    informedness = [rates.informedness(criterion.key) for item in items for criterion in item.criteria]
    if not informedness:
        return undefined("no item is graded in full", n=0, level=level)
    if min(informedness) < _MIN_INFORMEDNESS:
        why = "true positive and negative rate of a criterion add up to 1: its verdicts are uninformative"
        return undefined(why, n=len(items), level=level)
    values = [
        sum(
            criterion.points * rates.truth(criterion.key, _met_degree(criterion))
            for criterion in item.criteria
        )
        / _points(item).possible
        for item in items
    ]
    mean = mean_over_clusters(np.array(values), cluster_numbers(item.cluster for item in items))
    method = "Rogan-Gladen by criterion, cluster-t, rates shrunken"
    return _clipped_statistic(mean, len(items), level, method, _variance_of_rates(items, rates))


def _variance_of_rates(items: Sequence[JudgedRubric], rates: JudgeRates) -> float:
    """Return the variance of the mean from the errors of the rates, by the delta method."""
    slopes: dict[str, tuple[float, float]] = {}
    for item in items:
        share = 1 / (_points(item).possible * len(items))
        for criterion in item.criteria:
            truth, informedness = (
                rates.truth(criterion.key, _met_degree(criterion)),
                rates.informedness(criterion.key),
            )
            positive, negative = slopes.get(criterion.key, (0.0, 0.0))
            # Derivatives of `JudgeRates.truth` by TPR and by TNR, times the criterion's share of the mean.
            slopes[criterion.key] = (
                positive - share * criterion.points * truth / informedness,
                negative + share * criterion.points * (1 - truth) / informedness,
            )
    tpr_slopes = {key: tpr_slope for key, (tpr_slope, _) in slopes.items()}
    tnr_slopes = {key: tnr_slope for key, (_, tnr_slope) in slopes.items()}
    return rates.positive.variance_of_sum(tpr_slopes) + rates.negative.variance_of_sum(tnr_slopes)


def _item(item: JudgedRubric, rates: JudgeRates | None) -> ItemScore:
    """Return an item's score, and its expectation given the judge's error rates."""
    points = _points(item)
    if not item.criteria or not points.possible:
        return ItemScore(item=item.item, score=None)
    low, high = points.shares
    if any(criterion.met is None for criterion in item.criteria):
        return ItemScore(item=item.item, score=None, bounds=(low, high))
    if rates is None:
        return ItemScore(item=item.item, score=low)
    if min(rates.informedness(criterion.key) for criterion in item.criteria) < _MIN_INFORMEDNESS:
        return ItemScore(item=item.item, score=low)
    points_and_chances = [
        (criterion.points, rates.chance(criterion.key, met=reaches(_met_degree(criterion), _HALF)))
        for criterion in item.criteria
    ]
    expected = sum(value * chance for value, chance in points_and_chances) / points.possible
    # Criteria are taken as independent given the judge's verdicts.
    variance = sum(value**2 * chance * (1 - chance) for value, chance in points_and_chances)
    variance /= points.possible**2
    return ItemScore(item=item.item, score=low, expected=expected, deviation=math.sqrt(variance))
