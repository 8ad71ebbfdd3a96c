"""Comparison of systems by pass rate, on decided, undecided and all outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from ..corrected_rate.chosen_labels import chosen_by_score
from ..corrected_rate.estimators import LabelledAndJudged, labels_only, power_tuned
from ..corrected_rate.few_labels import unseen_variance
from ..intervals.closed_forms import wilson_interval
from ..intervals.clustered_rates import share_of
from ..statistic import Statistic, defined, undefined
from .comparison_results import FEWEST_COMPARED, ComparedPair, ComparedStratum, Strata
from .difference import TestedDifference, clustered_difference, share_difference
from .outputs import FEWEST_LABELS, Field, Graded, graded_by, graded_of
from .pairs import Items, adjusted, every_pair, pair_of
from .weighted_parts import WeightedPart, sum_of_parts

LEAST_GRADED = 0.9
"""Share of a system's undecided outputs that must be graded before all its outputs are rated."""


class SystemTerms(NamedTuple):
    """Settings shared by every pair of systems.

    Attributes:
        names: Names of items.
        against: Compare only with this one.
        flips: Number of items on which a pair differs to list.
        level: Nominal coverage.
    """

    names: list[str]
    against: str | None
    flips: int
    level: float


def strata_of(field: Field, terms: SystemTerms) -> Strata:
    """Compare every pair of systems, stratum by stratum.

    An undecided output takes the verdict of one judge, the first of the field's that judged the task.
    """
    whole = graded_of(field)
    decided = {name: each.take(~each.is_undecided) for name, each in whole.items()}
    undecided = _undecided(whole)
    alone = {
        judge: _stratum(_judged_by(field, row), [judge], terms) for row, judge in enumerate(field.judges)
    }
    decided_by = field.decided_by if any(len(each.task) for each in decided.values()) else []
    return Strata(
        decided=_stratum(decided, decided_by, terms),
        open=_stratum(undecided, field.judges, terms, judges=alone if len(alone) > 1 else {}),
        all=_stratum(whole, [*decided_by, *field.judges], terms),
    )


def pooled_rates(field: Field, terms: SystemTerms) -> tuple[ComparedStratum, ComparedStratum]:
    """Return each system's rate on its undecided outputs and on all, without comparing systems."""
    whole = graded_of(field)
    first, second = (_stratum(each, field.judges, terms, paired=False) for each in (_undecided(whole), whole))
    return first, second


def _undecided(whole: Mapping[str, Graded]) -> dict[str, Graded]:
    return {name: each.take(each.is_undecided) for name, each in whole.items()}


def _judged_by(field: Field, row: int) -> dict[str, Graded]:
    """Return the undecided outputs that one judge graded, by system."""
    return {
        name: graded_by(each, np.full(len(each.task), row)).take(
            each.is_undecided & np.isfinite(each.verdicts[row])
        )
        for name, each in field.systems.items()
    }


def _stratum(
    graded: Mapping[str, Graded],
    by: list[str],
    terms: SystemTerms,
    judges: Mapping[str, ComparedStratum] | None = None,
    *,
    paired: bool = True,
) -> ComparedStratum:
    tests = sum(bool(each.labelled.any()) for each in graded.values())
    chosen = {name: p for name, each in graded.items() if (p := _chosen_by_score(each, tests)) is not None}
    correct = {name for name, each in graded.items() if name not in chosen and _correctable(each)}
    if not any(graded[name].is_undecided.any() for name in correct):
        correct.clear()
    listed = every_pair(graded, terms.against) if paired else []
    # Both systems of a pair are corrected, or neither: a judge's rate and a corrected rate cannot be compared.
    pairs = [
        _pair((a, b), (graded[a], graded[b]), correct=correct >= {a, b}, terms=terms, among=len(listed))
        for a, b in listed
    ]
    return ComparedStratum(
        by=by,
        pairs=adjusted(pairs, terms.level),
        rates={
            name: _rate(each, correct=name in correct, level=terms.level) for name, each in graded.items()
        },
        outputs={name: len(each.task) for name, each in graded.items()},
        graded={name: int(each.is_graded.sum()) for name, each in graded.items()},
        labelled={name: int(each.labelled.sum()) for name, each in graded.items()},
        corrected=bool(correct) and len(correct) == len(graded),
        corrected_systems=[name for name in graded if name in correct],
        chosen=chosen,
        judges=judges or {},
    )


def _correctable(graded: Graded) -> bool:
    """Return whether a system has enough labels of undecided outputs, or no such output."""
    return not graded.is_undecided.any() or int(graded.labelled.sum()) >= FEWEST_LABELS


def _chosen_by_score(graded: Graded, tests: int) -> float | None:
    """Return the p of a test that labels are a random sample; None unless it rejects.

    The hypothesis is "labelled undecided outputs are scored like the rest"; ``tests`` is the number of such
    tests.
    """
    return chosen_by_score(_labelled_and_judged(graded), tests=tests) if graded.labelled.any() else None


def _pair(
    names: tuple[str, str], sides: tuple[Graded, Graded], *, correct: bool, terms: SystemTerms, among: int
) -> ComparedPair:
    """Compare two systems on their common tasks in the stratum.

    The pair is not yet adjusted for other pairs.
    """
    _, mine, theirs = np.intersect1d(sides[0].task, sides[1].task, assume_unique=True, return_indices=True)
    first, second = sides[0].take(mine), sides[1].take(theirs)
    both = first.is_graded & second.is_graded
    items = Items(
        first.result[both] == 1.0,
        second.result[both] == 1.0,
        first.cluster[both],
        first.item[both],
        terms.names,
    )
    correct = (
        correct
        and _correctable(first)
        and _correctable(second)
        and bool((first.is_undecided | second.is_undecided).any())
    )
    found = _difference(first, second, items, correct=correct, level=terms.level)
    pair = pair_of(*names, items, found, corrected=correct, flips=terms.flips)
    if found.estimate.value is None:
        return pair
    if among > 1:
        level = 1 - (1 - terms.level) / among
        wider = _difference(first, second, items, correct=correct, level=level).estimate
        pair = replace(pair, simultaneous=replace(wider, level=terms.level))
    if correct or _weighed(first, second, items):
        n = len(items.cluster)
        rates = [_of_parts(each, correct=correct, n=n, level=terms.level) for each in (first, second)]
    else:
        passed = items.right_a, items.right_b
        rates = [share_of(each.astype(np.float64), items.cluster, level=terms.level) for each in passed]
    return replace(pair, rate_a=rates[0], rate_b=rates[1])


def _weighed(first: Graded, second: Graded, items: Items) -> bool:
    """Return whether parts need weights by size, since some of their outputs are ungraded."""
    return (first.mixed or second.mixed) and len(items.cluster) < len(first.task)


def _difference(
    first: Graded, second: Graded, items: Items, *, correct: bool, level: float
) -> TestedDifference:
    if not len(items.cluster):
        return TestedDifference(undefined("no common items", n=0, level=level))
    for each in (first, second):
        too_few = _too_few(each) or (_too_few_labels(each) if correct else None)
        if too_few:
            return TestedDifference(undefined(too_few, n=len(items.cluster), level=level))
    if not (correct or _weighed(first, second, items)):
        return share_difference(items.right_a, items.right_b, items.cluster, level)
    subtracted = [
        part._replace(coefficient=-part.coefficient) for part in _weighted_parts(second, correct=correct)
    ]
    found = sum_of_parts([*_weighted_parts(first, correct=correct), *subtracted])
    return clustered_difference(found, n=len(items.cluster), level=level)


def _too_few(graded: Graded) -> str | None:
    """Return why decided and undecided outputs have no common rate; None if they have one."""
    count = int(graded.is_undecided.sum())
    graded_count = int((graded.is_undecided & graded.is_graded).sum())
    if not graded.mixed or graded_count >= LEAST_GRADED * count:
        return None
    return f"only {graded_count:,} of {count:,} undecided outputs are graded"


def _too_few_labels(graded: Graded) -> str | None:
    """Return why a corrected system is not compared; None if it is."""
    count = int(graded.labelled.sum())
    if count >= FEWEST_COMPARED or count == int(graded.is_undecided.sum()):
        return None
    return f"one of them has {count} label{'' if count == 1 else 's'} of its undecided outputs; a difference takes {FEWEST_COMPARED}"


def _rate(graded: Graded, *, correct: bool, level: float) -> Statistic:
    """Return the pass rate; without correction it is the judge's."""
    is_graded = graded.is_graded
    count = int(is_graded.sum())
    if not count:
        why = (
            "there is no such output"
            if not len(is_graded)
            else f"none of {len(is_graded):,} outputs is graded"
        )
        return undefined(why, n=0, level=level)
    too_few = _too_few(graded)
    if too_few:
        return undefined(too_few, n=count, level=level)
    if correct and graded.is_undecided.all():
        return _corrected(graded, level)
    if not ((correct and graded.mixed) or (graded.mixed and count < len(is_graded))):
        return share_of(graded.result[is_graded], graded.cluster[is_graded], level=level)
    return _of_parts(graded, correct=correct, n=count, level=level)


def _of_parts(graded: Graded, *, correct: bool, n: int, level: float) -> Statistic:
    """Return the pass rate, weighting each part by its number of outputs."""
    found = sum_of_parts(list(_weighted_parts(graded, correct=correct)))
    value = min(1.0, max(0.0, found.value))
    method = "Wilson on the cluster-effective n, parts by their size"
    # A single cluster counts as one trial.
    interval = found.rate_interval(level) or wilson_interval(value, 1.0, level)
    return defined(value, interval, n=n, method=method, level=level)


def _corrected(graded: Graded, level: float) -> Statistic:
    """Correct the rate of a system's undecided part, as a run does."""
    is_graded, labelled = graded.is_graded, graded.labelled
    if labelled.sum() == is_graded.sum():
        return labels_only(graded.label[labelled], graded.cluster[labelled], level=level)
    return power_tuned(_labelled_and_judged(graded), level=level).estimate


def _labelled_and_judged(graded: Graded) -> LabelledAndJudged:
    labelled = graded.labelled
    rest = graded.is_graded & graded.is_undecided & ~labelled
    return LabelledAndJudged(
        graded.label[labelled],
        graded.result[labelled],
        graded.result[rest],
        graded.cluster[labelled],
        graded.cluster[rest],
    )


def _weighted_parts(graded: Graded, *, correct: bool) -> Iterator[WeightedPart]:
    """Yield the means that sum to the rate, one for each part, weighted by its share of outputs.

    Parts are the decided and the undecided outputs.
    """
    share = float(graded.is_undecided.mean())
    if share < 1.0:
        yield WeightedPart(
            graded.result[~graded.is_undecided], graded.cluster[~graded.is_undecided], 1 - share
        )
    if share == 0.0:
        return
    if not correct:
        judged = graded.is_undecided & graded.is_graded
        yield WeightedPart(graded.result[judged], graded.cluster[judged], share)
        return
    data = _labelled_and_judged(graded)
    weight = (power_tuned(data).weight or 0.0) if len(data.unlabelled) else 0.0
    rest = data.label - weight * data.score
    if weight:
        # The weight was fitted to the same labels, which costs one more degree of freedom, like a slope.
        stretch = np.sqrt((len(rest) - 1) / max(1, len(rest) - 2))
        rest = rest.mean() + stretch * (rest - rest.mean())
    unseen = unseen_variance(data, float(rest.var(ddof=1)) / len(rest)) if len(data.unlabelled) else 0.0
    yield WeightedPart(rest, data.label_cluster, share, unseen)
    if weight:
        yield WeightedPart(data.unlabelled, data.unlabelled_cluster, share * weight)
