"""Comparison of judges on shared items, or of systems by how well they are judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...records.made_scores import reaches
from ..arrays import IntArray
from ..intervals.measurement import Settings
from ..sample import Estimator
from ..statistic import undefined
from .comparison_results import Areas, ComparedPair
from .difference import PairedRows, TestedDifference, difference, share_difference
from .margin import pairs_with_margin
from .pairs import ContenderRows, Items, adjusted, every_pair, pair_of
from .significance import delong, simultaneous_level


class JudgeTerms(NamedTuple):
    """Settings shared by every pair of judges.

    Attributes:
        estimator: Statistic whose difference is estimated; ``accuracy`` is the share right, by any meaning of
            right.
        names: Names of items.
        against: Compare only with this judge.
        flips: Number of items on which a pair differs to list.
        settings: Interval settings.
        not_worse_by: Margin by which one may be worse; None to conclude nothing.
    """

    estimator: Estimator
    names: list[str]
    against: str | None
    flips: int
    settings: Settings
    not_worse_by: float | None = None


def judged_pair(first: ContenderRows, second: ContenderRows, terms: JudgeTerms) -> ComparedPair:
    """Compare two contenders on their common items, not yet adjusted for other pairs."""
    _, in_first, in_second = np.intersect1d(first.key, second.key, assume_unique=True, return_indices=True)
    cluster = first.cluster[in_first]
    items = Items(first.right[in_first], second.right[in_second], cluster, first.item[in_first], terms.names)
    rows = _common_rows(first, second, in_first, in_second)
    tested = _difference(items, rows, terms)
    return pair_of(first.name, second.name, items, tested, areas=_areas(rows), flips=terms.flips)


def judged_pairs(usable: Mapping[str, ContenderRows], terms: JudgeTerms) -> list[ComparedPair]:
    """Compare every pair, with p-values adjusted for all, and conclusions on a margin."""
    names, level = every_pair(usable, terms.against), terms.settings.level
    pairs = adjusted([judged_pair(usable[a], usable[b], terms) for a, b in names], level)
    if terms.not_worse_by is None:
        return pairs
    together = [pair.difference for pair in pairs]
    if len(pairs) > 1:
        wider = terms.settings._replace(level=simultaneous_level(level, len(pairs)))
        at_once = terms._replace(settings=wider, flips=0)
        together = [judged_pair(usable[a], usable[b], at_once).difference for a, b in names]
    return pairs_with_margin(pairs, together, terms.not_worse_by, against=terms.against, level=level)


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
        right = items.right_a.astype(np.float64), items.right_b.astype(np.float64)
        rows = PairedRows(np.ones(len(items.cluster)), *right, items.cluster)
    return difference(terms.estimator, rows, terms.settings)


def _areas(rows: PairedRows) -> Areas | None:
    """Return DeLong's test; None unless both scored the same outputs, and not only 0 and 1."""
    right, other = (reaches(side.label, side.pass_at) for side in rows.sides)
    scores = rows.first, rows.second
    if (right != other).any() or np.isin(scores, (0.0, 1.0)).all():
        return None
    test = delong(right, *scores, rows.cluster)
    return None if test is None else Areas(value=test.difference, delong_p=test.p)
