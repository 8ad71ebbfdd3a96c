"""Results of each compared judge: the compared statistic, chance, and the best of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...records.made_scores import reaches
from ..arrays import BoolArray, FloatArray, IntArray
from ..chance_verdict import chance_verdict, verdict_at_once
from ..intervals.clustered_rates import share_of
from ..intervals.measurement import Settings, measure
from ..sample import Estimator, make_sample
from ..statistic import Statistic, defined, undefined
from ..statistic_catalogue import ESTIMATORS
from ..tables.calibration_table import Table
from .choosing import Choice, at_once, best_by_statistic, best_of_many, simultaneous
from .class_rates import WEIGHTED
from .comparison_results import Best, Contender, Costs
from .difference import PairedRows, difference
from .margin import HIGHER_IS_BETTER
from .pairs import ContenderRows
from .significance import simultaneous_level


class ContenderTerms(NamedTuple):
    """Settings shared by the results of all judges.

    Attributes:
        estimator: The compared statistic.
        settings: Interval settings.
        agrees: True if being right is to agree with labels.
        of: Number of judges compared.
    """

    estimator: Estimator
    settings: Settings
    agrees: bool
    of: int


def judge_contender(rows: ContenderRows, terms: ContenderTerms, cost: Costs | None) -> Contender:
    """Return a judge's results, against chance too if being right is to agree with labels."""
    level, right = terms.settings.level, rows.right.astype(np.float64)
    together = simultaneous_level(level, terms.of)
    share = share_of(right, rows.cluster, level=level)
    all_shares = at_once(share_of(right, rows.cluster, level=together), level, terms.of)
    if not terms.agrees:
        return Contender(
            n=len(right), n_left_out=rows.left_out, share_right=share, costs=cost, simultaneous=all_shares
        )
    balanced = ESTIMATORS["balanced_accuracy"]
    sample = make_sample(rows.label, rows.score, rows.cluster, pass_at=rows.threshold)
    alone = measure([balanced], sample, terms.settings)["balanced_accuracy"]
    chance = simultaneous(balanced, sample, terms.settings, of=terms.of)
    by_share = terms.estimator.name == "accuracy"
    return Contender(
        n=len(right),
        n_left_out=rows.left_out,
        share_right=share,
        costs=cost,
        balanced_accuracy=alone,
        not_above_chance=verdict_at_once(alone, chance),
        compared=None
        if by_share
        else measure([terms.estimator], sample, terms.settings)[terms.estimator.name],
        simultaneous=all_shares
        if by_share
        else simultaneous(terms.estimator, sample, terms.settings, of=terms.of),
        chance_interval=chance if chance_verdict(alone) is None else alone,
        not_above=_unbeaten(rows, terms) if terms.estimator.name == WEIGHTED else None,
    )


def _unbeaten(rows: ContenderRows, terms: ContenderTerms) -> str | None:
    """Return the baseline that a judge is not shown to beat, or None if it beats both."""
    settings = Settings(level=simultaneous_level(terms.settings.level, terms.of))
    for name, verdict in (("always_pass", 1.0), ("always_fail", 0.0)):
        passes = reaches(rows.score, rows.threshold).astype(np.float64)
        labels = reaches(rows.label, rows.threshold).astype(np.float64)
        paired = PairedRows(labels, passes, np.full(len(passes), verdict), rows.cluster)
        lead = difference(terms.estimator, paired, settings).estimate
        if lead.low is None or lead.low <= 0.0:
            return name
    return None


def baselines(table: Table, level: float) -> dict[str, Statistic]:
    """Return the share of labelled outputs on which judges that do not look are right."""
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
        name: _constant(estimator, label, verdict)
        for name, verdict in {"always_pass": 1.0, "always_fail": 0.0}.items()
    }


def _constant(estimator: Estimator, label: FloatArray, verdict: float) -> Statistic:
    sample = make_sample(label, np.full(len(label), verdict))
    value = float(estimator.formula(sample.counts, sample.cells)) if len(label) else float("nan")
    if not np.isfinite(value):
        return undefined(estimator.undefined, n=len(label))
    return defined(value, n=len(label), method="no interval: a constant judge")


def best_judge(
    usable: Mapping[str, ContenderRows], numbers: Mapping[str, Contender], terms: ContenderTerms
) -> Best | None:
    """Return the best on the common items, or None if it may guess or none is defined.

    Of equals, those that are shown to be better than chance come first.
    """
    names = sorted(usable, key=lambda name: numbers[name].may_guess)
    rows = [usable[name] for name in names]
    common, parts = common_items([row.key for row in rows])
    if not len(common):
        return None
    cluster = rows[0].cluster[parts[0]]
    choice = _choice(rows, parts, cluster, terms)
    if choice is None or numbers[names[choice.best]].may_guess:
        return None
    return Best(name=names[choice.best], n=len(common), apparent=choice.apparent, held_out=choice.held_out)


def common_items(keys: Sequence[IntArray]) -> tuple[IntArray, list[IntArray]]:
    """Return the keys common to all, and their places in each; every ``(n,)`` is ascending."""
    common = keys[0]
    for key in keys[1:]:
        common = np.intersect1d(common, key, assume_unique=True)
    return common, [np.searchsorted(key, common) for key in keys]


def _choice(
    rows: Sequence[ContenderRows], parts: Sequence[IntArray], cluster: IntArray, terms: ContenderTerms
) -> Choice | None:
    if not terms.agrees or terms.estimator.name == "accuracy":
        right: BoolArray = np.stack([each.right[part] for each, part in zip(rows, parts, strict=True)])
        return best_of_many(right, cluster, level=terms.settings.level)
    if terms.estimator.family != "table" or terms.estimator.name not in HIGHER_IS_BETTER:
        return None
    quadrant = np.stack(list(_quadrants(rows, parts)))
    return best_by_statistic(terms.estimator, quadrant, cluster, terms.settings)


def _quadrants(rows: Sequence[ContenderRows], parts: Sequence[IntArray]) -> Iterator[IntArray]:
    for each, part in zip(rows, parts, strict=True):
        label, score = reaches(each.label[part], each.threshold), reaches(each.score[part], each.threshold)
        yield 2 * label.astype(np.int64) + score
