"""Comparison of judges on shared items, or of systems by how well they are judged.

First the pairs, then the results of each judge and the best, then differences of probabilities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from ...records.made_scores import reaches
from ..agreement.diagnosis_results import MAX_GRADES
from ..arrays import BoolArray, FloatArray, IntArray
from ..chance_verdict import chance_verdict, verdict_at_once
from ..intervals.clustered_means import mean_of, mean_over_clusters
from ..intervals.clustered_rates import share_of
from ..intervals.measurement import Settings, measure
from ..sample import Estimator, make_sample
from ..statistic import Statistic, defined, undefined
from ..statistic_catalogue import ESTIMATORS
from ..tables.calibration_table import Table
from .choosing import Choice, at_once, best_by_statistic, best_of_many, simultaneous
from .class_rates import WEIGHTED
from .comparison_results import Areas, Best, ComparedPair, Contender, Costs, ProbabilityDifference
from .difference import PairedRows, TestedDifference, difference, share_difference
from .margin import HIGHER_IS_BETTER, pairs_with_margin
from .pairs import ContenderRows, Items, adjusted, every_pair, pair_of
from .significance import delong, simultaneous_level


class JudgeTerms(NamedTuple):
    """Settings shared by every pair of judges.

    Attributes:
        estimator: Statistic whose difference is estimated; ``accuracy`` is the share of items on which a judge is
            right, also if that does not mean to agree with labels.
        names: Names of items.
        against: The only judge to compare with, or None for all pairs.
        flips: Maximum number of items to list on which a pair differs.
        settings: Interval settings.
        not_worse_by: Margin by which a judge may be worse, or None for no conclusions on a margin.
    """

    estimator: Estimator
    names: list[str]
    against: str | None
    flips: int
    settings: Settings
    not_worse_by: float | None = None


def judged_pair(first: ContenderRows, second: ContenderRows, terms: JudgeTerms) -> ComparedPair:
    """Compare two judges on their common items; p-values are not yet adjusted for other pairs."""
    _, in_first, in_second = np.intersect1d(first.key, second.key, assume_unique=True, return_indices=True)
    cluster = first.cluster[in_first]
    items = Items(first.right[in_first], second.right[in_second], cluster, first.item[in_first], terms.names)
    rows = _common_rows(first, second, in_first, in_second)
    tested = _difference(items, rows, terms)
    return pair_of(first.name, second.name, items, tested, areas=_areas(rows), flips=terms.flips)


def judged_pairs(usable: Mapping[str, ContenderRows], terms: JudgeTerms) -> list[ComparedPair]:
    """Compare every pair of judges, with p-values adjusted for all, and conclusions on a margin."""
    names, level = every_pair(usable, terms.against), terms.settings.level
    pairs = adjusted([judged_pair(usable[a], usable[b], terms) for a, b in names], level)
    if terms.not_worse_by is None:
        return pairs
    differences = [pair.difference for pair in pairs]
    if len(pairs) > 1:
        wider = terms.settings._replace(level=simultaneous_level(level, len(pairs)))
        wider_terms = terms._replace(settings=wider, flips=0)
        # Conclusions on a margin must hold for all pairs at once.
        differences = [judged_pair(usable[a], usable[b], wider_terms).difference for a, b in names]
    return pairs_with_margin(pairs, differences, terms.not_worse_by, against=terms.against, level=level)


def _common_rows(
    first: ContenderRows, second: ContenderRows, in_first: IntArray, in_second: IntArray
) -> PairedRows:
    """Return the common rows that have both labels and both scores."""
    columns = [first.label[in_first], first.score[in_first], second.score[in_second], second.label[in_second]]
    usable = np.isfinite(columns).all(axis=0)
    label, score, second_score, second_label = np.stack(columns)[:, usable]
    return PairedRows(
        label,
        score,
        second_score,
        first.cluster[in_first][usable],
        None if (label == second_label).all() else second_label,
        first.threshold,
        second.threshold,
    )


def _difference(items: Items, rows: PairedRows, terms: JudgeTerms) -> TestedDifference:
    """Estimate the difference in share right, or in another statistic.

    Another statistic uses the rows that have both labels and both scores.
    """
    if not len(items.cluster):
        return TestedDifference(undefined("no common items", n=0, level=terms.settings.level))
    if terms.estimator.name == "accuracy":
        if terms.settings.interval is None:
            return share_difference(items.right_a, items.right_b, items.cluster, terms.settings.level)
        # Against labels that are all 1, "is right" as a score has an accuracy equal to the share right.
        right = items.right_a.astype(np.float64), items.right_b.astype(np.float64)
        rows = PairedRows(np.ones(len(items.cluster)), *right, items.cluster)
    return difference(terms.estimator, rows, terms.settings)


def _areas(rows: PairedRows) -> Areas | None:
    """Return DeLong's test, or None if labels differ or all scores are 0 or 1."""
    passes, second_passes = (reaches(side.label, side.pass_at) for side in rows.sides)
    scores = rows.first, rows.second
    if (passes != second_passes).any() or np.isin(scores, (0.0, 1.0)).all():
        return None
    test = delong(passes, *scores, rows.cluster)
    return None if test is None else Areas(value=test.difference, delong_p=test.p)


class ContenderTerms(NamedTuple):
    """Settings shared by the results of all judges.

    Attributes:
        estimator: The compared statistic.
        settings: Interval settings.
        by_labels: True if a judge is right where it agrees with the label.
        contenders: Number of judges compared.
    """

    estimator: Estimator
    settings: Settings
    by_labels: bool
    contenders: int


def judge_contender(rows: ContenderRows, terms: ContenderTerms, cost: Costs | None) -> Contender:
    """Return a judge's results; with ``terms.by_labels`` they include comparisons with chance."""
    level, right = terms.settings.level, rows.right.astype(np.float64)
    share = share_of(right, rows.cluster, level=level)
    # A wider interval for each judge lets all hold together with the nominal level.
    wider_share = share_of(right, rows.cluster, level=simultaneous_level(level, terms.contenders))
    share_at_once = at_once(wider_share, level, terms.contenders)
    if not terms.by_labels:
        return Contender(
            n=len(right), n_left_out=rows.left_out, share_right=share, costs=cost, simultaneous=share_at_once
        )
    balanced = ESTIMATORS["balanced_accuracy"]
    sample = make_sample(rows.label, rows.score, rows.cluster, pass_at=rows.threshold)
    balanced_alone = measure([balanced], sample, terms.settings)["balanced_accuracy"]
    balanced_at_once = simultaneous(balanced, sample, terms.settings, of=terms.contenders)
    decided_alone = chance_verdict(balanced_alone) is not None
    by_share = terms.estimator.name == "accuracy"
    return Contender(
        n=len(right),
        n_left_out=rows.left_out,
        share_right=share,
        costs=cost,
        balanced_accuracy=balanced_alone,
        not_above_chance=verdict_at_once(balanced_alone, balanced_at_once),
        compared=None
        if by_share
        else measure([terms.estimator], sample, terms.settings)[terms.estimator.name],
        simultaneous=share_at_once
        if by_share
        else simultaneous(terms.estimator, sample, terms.settings, of=terms.contenders),
        chance_interval=balanced_alone if decided_alone else balanced_at_once,
        not_above=_unbeaten_baseline(rows, terms) if terms.estimator.name == WEIGHTED else None,
    )


def _unbeaten_baseline(rows: ContenderRows, terms: ContenderTerms) -> str | None:
    """Return the baseline that a judge is not shown to beat, or None if it beats both."""
    settings = Settings(level=simultaneous_level(terms.settings.level, terms.contenders))
    passes = reaches(rows.score, rows.threshold).astype(np.float64)
    labels = reaches(rows.label, rows.threshold).astype(np.float64)
    for name, verdict in (("always_pass", 1.0), ("always_fail", 0.0)):
        paired = PairedRows(labels, passes, np.full(len(passes), verdict), rows.cluster)
        lead = difference(terms.estimator, paired, settings).estimate
        if lead.low is None or lead.low <= 0.0:
            return name
    return None


def baselines(table: Table, level: float) -> dict[str, Statistic]:
    """Return the share of labelled outputs on which constant judges are right."""
    items = table.take(np.isfinite(table.label)).each_output_once()
    passes = items.right.astype(np.float64)
    return {
        name: share_of(right, items.cluster, level=level)
        for name, right in {"always_pass": passes, "always_fail": 1.0 - passes}.items()
    }


def baselines_compared(table: Table, estimator: Estimator) -> dict[str, Statistic]:
    """Return the compared statistic of constant judges; it has no interval."""
    items = table.take(np.isfinite(table.label)).each_output_once()
    label = items.right.astype(np.float64)
    return {
        name: _constant_judge(estimator, label, verdict)
        for name, verdict in {"always_pass": 1.0, "always_fail": 0.0}.items()
    }


def _constant_judge(estimator: Estimator, label: FloatArray, verdict: float) -> Statistic:
    sample = make_sample(label, np.full(len(label), verdict))
    value = float(estimator.formula(sample.counts, sample.cells)) if len(label) else float("nan")
    if not np.isfinite(value):
        return undefined(estimator.undefined, n=len(label))
    return defined(value, n=len(label), method="no interval: a constant judge")


def best_judge(
    usable: Mapping[str, ContenderRows], numbers: Mapping[str, Contender], terms: ContenderTerms
) -> Best | None:
    """Return the best judge on the common items.

    None without a common item, if the statistic has no best, or if the best is not shown to beat chance.
    """
    # The first of equals is chosen, so those that are shown to beat chance come first.
    names = sorted(usable, key=lambda name: numbers[name].may_guess)
    contenders = [usable[name] for name in names]
    common, rows_of_common = common_items([contender.key for contender in contenders])
    if not len(common):
        return None
    cluster = contenders[0].cluster[rows_of_common[0]]
    choice = _choice(contenders, rows_of_common, cluster, terms)
    if choice is None or numbers[names[choice.best]].may_guess:
        return None
    return Best(name=names[choice.best], n=len(common), apparent=choice.apparent, held_out=choice.held_out)


def common_items(keys: Sequence[IntArray]) -> tuple[IntArray, list[IntArray]]:
    """Return the keys common to all, and their indices in each; every array is ascending."""
    common = keys[0]
    for key in keys[1:]:
        common = np.intersect1d(common, key, assume_unique=True)
    return common, [np.searchsorted(key, common) for key in keys]


def _choice(
    contenders: Sequence[ContenderRows],
    rows_of_common: Sequence[IntArray],
    cluster: IntArray,
    terms: ContenderTerms,
) -> Choice | None:
    if not terms.by_labels or terms.estimator.name == "accuracy":
        right: BoolArray = np.stack(
            [contender.right[rows] for contender, rows in zip(contenders, rows_of_common, strict=True)]
        )
        return best_of_many(right, cluster, level=terms.settings.level)
    # `best_by_statistic` has the counts of passes and fails, and no scores.
    if terms.estimator.family != "table" or terms.estimator.name not in HIGHER_IS_BETTER:
        return None
    quadrant = np.stack(list(_quadrants(contenders, rows_of_common)))
    return best_by_statistic(terms.estimator, quadrant, cluster, terms.settings)


def _quadrants(contenders: Sequence[ContenderRows], rows_of_common: Sequence[IntArray]) -> Iterator[IntArray]:
    """Yield the quadrants of each contender's common items, as `best_by_statistic` takes them."""
    for contender, rows in zip(contenders, rows_of_common, strict=True):
        label_passes = reaches(contender.label[rows], contender.threshold)
        yield 2 * label_passes.astype(np.int64) + reaches(contender.score[rows], contender.threshold)


def with_probabilities(
    pairs: Sequence[ComparedPair], rows: Mapping[str, ContenderRows], names: Sequence[str], level: float
) -> list[ComparedPair]:
    """Add differences of probabilities to pairs of judges whose scores are finer than grades.

    Args:
        pairs: Pairs of judges.
        rows: Rows of each judge.
        names: Names of items.
        level: Nominal coverage.
    """
    finely_scored = {
        name
        for name, judge_rows in rows.items()
        if len(np.unique(judge_rows.score[np.isfinite(judge_rows.score)])) > MAX_GRADES
    }
    return [
        replace(pair, probabilities=_probability_difference(rows[pair.a], rows[pair.b], names, level))
        if pair.n and {pair.a, pair.b} <= finely_scored
        else pair
        for pair in pairs
    ]


def _probability_difference(
    first: ContenderRows, second: ContenderRows, names: Sequence[str], level: float
) -> ProbabilityDifference | None:
    _, in_first, in_second = np.intersect1d(first.key, second.key, assume_unique=True, return_indices=True)
    p, q = first.score[in_first], second.score[in_second]
    is_scored = np.isfinite(p) & np.isfinite(q)
    scored = np.flatnonzero(is_scored)
    if not len(scored):
        return None
    change, cluster = (p - q)[scored], first.cluster[in_first][scored]
    largest = scored[np.argmax(np.abs(change))]
    first_label, second_label = first.label[in_first], second.label[in_second]
    label_passes = reaches(first_label, first.threshold)
    same_label = label_passes == reaches(second_label, second.threshold)
    # If the labels of an item differ, neither judge's loss on it is known.
    labelled = np.isfinite(first_label) & np.isfinite(second_label) & same_label & is_scored
    truth = label_passes.astype(np.float64)
    losses: FloatArray = ((p - truth) ** 2 - (q - truth) ** 2)[labelled]
    labelled_cluster = first.cluster[in_first][labelled]
    return ProbabilityDifference(
        change=mean_of(change, cluster, level=level),
        size=mean_of(np.abs(change), cluster, level=level, least=0.0),
        largest=float(p[largest] - q[largest]),
        largest_item=names[int(first.item[in_first][largest])],
        brier=mean_of(losses, labelled_cluster, level=level),
        brier_p=mean_over_clusters(losses, labelled_cluster).p() if len(losses) else None,
    )
