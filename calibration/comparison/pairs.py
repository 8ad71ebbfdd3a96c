"""Contenders of a comparison, pairs of them, and p-values adjusted over all pairs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from ...errors import InputError
from ..arrays import BoolArray, FloatArray, IntArray
from ..intervals.clustered_rates import averaged_effect, default_effect, informative_errors, observed_effect
from ..tables.calibration_table import TRIAL, Table
from ..tables.columns import Column
from .comparison_results import Areas, By, ComparedPair, Flip, Right
from .difference import TestedDifference
from .shared_tasks import clusters_of_cases, tasks_of
from .significance import adjust_known, benjamini_hochberg, benjamini_yekutieli, mcnemar


class ContenderRows(NamedTuple):
    """Usable rows of one judge or system in a comparison, each array of shape ``(n,)``.

    Attributes:
        name: Name of the judge or system.
        key: Number that is equal for rows of different contenders on the same item; ascending.
        label: Trusted value; NaN if unknown.
        score: The judge's score.
        right: Whether the row is right.
        cluster: Cluster number.
        item: Item number.
        left_out: Number of rows left out, without a required score or label.
        threshold: Pass threshold of scores and labels.
    """

    name: str
    key: IntArray
    label: FloatArray
    score: FloatArray
    right: BoolArray
    cluster: IntArray
    item: IntArray
    left_out: int
    threshold: float


def contender_rows(table: Table, by: By, right: Right) -> list[ContenderRows]:
    """Return the usable rows, possibly none, of each judge or system in order of appearance.

    Raises:
        InputError: A judge or system has several rows for an item.
    """
    if by == "judge":
        column, key = table.judge, table.key("system", TRIAL, "repeat", "order")
    else:
        column, table, key = table.columns["system"], *_by_task(table)
    passes: dict[str, BoolArray] = {"score": table.passed, "label": table.right}
    is_right: BoolArray = passes["score"] == passes["label"] if right == "agrees" else passes[right]
    needed = {"agrees": (table.score, table.label), "score": (table.score,), "label": (table.label,)}[right]
    usable: BoolArray = np.logical_and.reduce([np.isfinite(array) for array in needed])
    contenders: list[ContenderRows] = []
    for name, rows in column.rows().items():
        usable_rows = rows[usable[rows]]
        keys, first = np.unique(key[usable_rows], return_index=True)
        if len(keys) < len(usable_rows):
            raise InputError(
                f"{by} {name!r} has several rows for one item; name the repeats in the column repeat"
            )
        ordered = usable_rows[first]
        contender_table, threshold = table.take(ordered).at_one_threshold()
        contenders.append(
            ContenderRows(
                name=name,
                key=keys,
                label=contender_table.label,
                score=contender_table.score,
                right=is_right[ordered],
                cluster=contender_table.cluster,
                item=contender_table.item.codes,
                left_out=len(rows) - len(ordered),
                threshold=threshold,
            )
        )
    return contenders


def _by_task(table: Table) -> tuple[Table, IntArray]:
    """Return a table with the clusters of its cases, and a key that is equal for rows on a task."""
    tasks = tasks_of(table)
    with_tasks = dataclasses.replace(table, item=Column(table.item.values, tasks.task))
    clustered = dataclasses.replace(table, cluster=clusters_of_cases(table, tasks))
    return clustered, with_tasks.key("judge", "repeat", "order")


class Items(NamedTuple):
    """Common items of two contenders, each array of shape ``(n,)``.

    Attributes:
        right_a: Whether the first is right.
        right_b: Whether the second is right.
        cluster: Cluster number.
        item: Item number, in ``names``.
        names: Names of items.
    """

    right_a: BoolArray
    right_b: BoolArray
    cluster: IntArray
    item: IntArray
    names: Sequence[str]


def every_pair(names: Iterable[str], against: str | None) -> list[tuple[str, str]]:
    """Return every pair of names, or the pairs of one name with each of the others."""
    names = list(names)
    if against is None:
        return list(combinations(names, 2))
    return [(against, name) for name in names if name != against] if against in names else []


def pair_of(
    a: str,
    b: str,
    items: Items,
    difference: TestedDifference,
    *,
    corrected: bool = False,
    areas: Areas | None = None,
    flips: int = 0,
) -> ComparedPair:
    """Build a pair; its p-values are not yet adjusted for other pairs."""
    a_only, b_only = items.right_a & ~items.right_b, items.right_b & ~items.right_a
    # Without a common item nothing was tested; a p-value of 1 would also count in Holm's correction.
    test = mcnemar(int(a_only.sum()), int(b_only.sum())) if len(a_only) else None
    sizes = np.unique(items.cluster, return_counts=True)[1]
    effective_size = float((sizes**2).sum()) / len(a_only) if len(a_only) else 1.0
    flipped = np.flatnonzero(a_only | b_only)[:flips]
    return ComparedPair(
        a=a,
        b=b,
        n=len(a_only),
        n_clusters=len(sizes),
        effective_clusters=float(sizes.sum() ** 2 / (sizes**2).sum()) if len(sizes) else 0.0,
        both_right=int((items.right_a & items.right_b).sum()),
        a_only_right=int(a_only.sum()),
        b_only_right=int(b_only.sum()),
        both_wrong=int((~items.right_a & ~items.right_b).sum()),
        exact_p=None if test is None else test.exact_p,
        midp=None if test is None else test.midp,
        holm_p=None,
        bh_p=None,
        by_p=None,
        clustered_p=difference.p if difference.over_clusters else None,
        clustered_holm_p=None,
        difference=difference.estimate,
        p=difference.p,
        adjusted_p=None,
        better=None,
        smallest_visible=difference.smallest_visible,
        corrected=corrected,
        icc=_icc(items.right_a.astype(np.float64) - items.right_b, items.cluster, effective_size),
        auroc_difference=areas,
        flips=[
            Flip(item_id=items.names[int(items.item[row])], right=a if a_only[row] else b) for row in flipped
        ],
    )


def _icc(gaps: FloatArray, cluster: IntArray, size: float) -> float:
    """Return the correlation of differences within clusters of this effective size."""
    if size <= 1.0:
        return 0.0
    residual = gaps - gaps.mean()
    informative = informative_errors(float(np.count_nonzero(gaps)), size)
    effect = averaged_effect(observed_effect(residual, cluster), default_effect(size), informative)
    return min(1.0, (effect - 1) / (size - 1))


def adjusted(pairs: Sequence[ComparedPair], level: float) -> list[ComparedPair]:
    """Adjust the p-values of several pairs, and name the better one of each pair.

    Neither is better if the adjusted p-value is above ``1 - level``.
    """
    columns = {
        "holm_p": adjust_known([pair.midp for pair in pairs]),
        "bh_p": adjust_known([pair.midp for pair in pairs], benjamini_hochberg),
        "by_p": adjust_known([pair.midp for pair in pairs], benjamini_yekutieli),
        "clustered_holm_p": adjust_known([pair.clustered_p for pair in pairs]),
        "adjusted_p": adjust_known([pair.p for pair in pairs]),
    }
    areas = adjust_known([pair.auroc_difference and pair.auroc_difference.delong_p for pair in pairs])
    result: list[ComparedPair] = []
    for number, pair in enumerate(pairs):
        pair_p_values = {name: column[number] for name, column in columns.items()}
        p, value = pair_p_values["adjusted_p"], pair.difference.value
        better = None
        if p is not None and value is not None and p <= 1 - level:
            better = pair.a if value > 0 else pair.b
        area = pair.auroc_difference and replace(pair.auroc_difference, delong_holm_p=areas[number])
        result.append(replace(pair, **pair_p_values, better=better, auroc_difference=area))
    return result
