"""Contestants of a comparison: the judges or systems of a table, each with its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ..arrays import BoolArray, FloatArray, IntArray
from ..pass_threshold import HALF
from ..tables.calibration_table import Column, Table
from .comparison_results import By, Right


class Contestant(NamedTuple):
    """One judge or system in a comparison, with a number per row of its part of the table.

    Attributes:
        name: Its name.
        key: Equal for rows of different contenders that are about the same item; ascending.
        label: The truth; NaN where it is not known.
        score: The judge's score.
        right: Whether it is right.
        cluster: Cluster number.
        item: Item number.
        left_out: How many of its rows are not here, for want of the score or label that is needed.
        cut: From which score or label on one passes.
    """

    name: str
    key: IntArray
    label: FloatArray
    score: FloatArray
    right: BoolArray
    cluster: IntArray
    item: IntArray
    left_out: int
    cut: float


def contestants_of(table: Table, by: By, right: Right) -> list[Contestant]:
    """Return the judges or systems of a table, in order of appearance, with usable rows.

    Those without usable rows are included.

    Raises:
        InputError: One has several rows for an item.
    """
    if by == "judge":
        column, key = table.judge, table.key("system", "repeat", "order")
    else:
        column = table.columns["system"]
        key = without_system(table, column).key("judge", "repeat", "order")
    passes: dict[str, BoolArray] = {"score": table.passed, "label": table.right}
    is_right: BoolArray = passes["score"] == passes["label"] if right == "agrees" else passes[right]
    needed = {"agrees": (table.score, table.label), "score": (table.score,), "label": (table.label,)}[right]
    usable: BoolArray = np.logical_and.reduce([np.isfinite(each) for each in needed])
    result: list[Contestant] = []
    cut_of_row = table.cut
    for name, rows in column.rows().items():
        mine = rows[usable[rows]]
        keys, first = np.unique(key[mine], return_index=True)
        if len(keys) < len(mine):
            raise InputError(
                f"{by} {name!r} has several rows for one item; name the repeats in the column repeat"
            )
        mine, left_out = mine[first], len(rows) - len(mine)
        judged, cluster, item = is_right[mine], table.cluster[mine], table.item.codes[mine]
        cuts: list[float] = np.unique(cut_of_row[mine]).tolist()
        label, score, cut = table.label[mine], table.score[mine], cuts[0] if cuts else HALF
        if len(cuts) > 1:
            part, cut = table.take(mine).in_one_cut()
            label, score = part.label, part.score
        result.append(Contestant(name, keys, label, score, judged, cluster, item, left_out, cut))
    return result


def without_system(table: Table, system: Column) -> Table:
    """Return the table with system names removed from its items, so that items match.

    ``case|system|trial`` loses the system.
    """
    names: dict[str, int] = {}
    codes: list[int] = []
    items: list[int] = table.item.codes.tolist()
    systems: list[int] = system.codes.tolist()
    for item, code in zip(items, systems, strict=True):
        name = _task(table.item.values[item], system.values[code] if code >= 0 else "")
        codes.append(names.setdefault(name, len(names)))
    return replace(table, item=Column(list(names), np.array(codes, dtype=np.int64)))


def _task(item: str, system: str) -> str:
    case, between, trial = item.rpartition(f"|{system}|")
    return f"{case}|{trial}" if between and trial.isdigit() else item
