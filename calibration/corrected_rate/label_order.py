"""Order in which labels came: by rounds, and random within each.

A round is what was labelled between two looks at the estimate. Within it, any order that does not depend on the
labels is as good as random; this one is by a hash of the item.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray
from ..decisions import drawn_rank
from ..tables.calibration_table import ADDED, ROUND, TRIAL, Table
from .estimation_results import LabelOrder


class OrderedLabels(NamedTuple):
    """Labelled rows in order.

    Attributes:
        source: Where the order comes from, or None if it is unknown.
        rows: Numbers of the labelled rows, in that order, shape ``(n,)``.
        rounds: Number of labels of each round, in order; empty if the rounds are unknown.
    """

    source: LabelOrder | None
    rows: IntArray
    rounds: list[int]


def ordered_labels(table: Table) -> OrderedLabels:
    """Return the labelled rows in the order in which their labels came, by rounds.

    Rounds are those of draws (column ``label_round``; labels outside a draw came first), else those in which
    labels were added (column ``label_added``). If all rows have a label, the order does not matter.
    """
    labelled = np.flatnonzero(np.isfinite(table.label))
    source = _source(table, labelled)
    round_number = np.zeros(len(labelled))
    if source in {"draws", "rounds"}:
        round_number = _round_numbers(table, source)[labelled]
    names = [_output_name(table, row) for row in labelled.tolist()]
    ranks = [drawn_rank(name, 0) for name in names]
    order = sorted(range(len(labelled)), key=lambda index: (round_number[index], ranks[index], names[index]))
    counts: list[int] = np.unique(round_number, return_counts=True)[1].tolist()
    return OrderedLabels(source, labelled[np.array(order, dtype=np.int64)], counts if source else [])


def _round_numbers(table: Table, source: LabelOrder | None) -> FloatArray:
    """Return each row's round, shape ``(n,)``; labels outside all rounds came first, in 0."""
    return np.nan_to_num(table.numbers[ROUND if source == "draws" else ADDED], nan=0.0)


def label_rounds(table: Table) -> list[int]:
    """Return the number of labels of each round, in order; empty if the rounds are unknown."""
    labelled = np.isfinite(table.label)
    source = _source(table, np.flatnonzero(labelled))
    if source not in {"draws", "rounds"}:
        return []
    counts: list[int] = np.unique(_round_numbers(table, source)[labelled], return_counts=True)[1].tolist()
    return counts


def _source(table: Table, labelled: IntArray) -> LabelOrder | None:
    if ROUND in table.numbers:
        return "draws"
    if ADDED in table.numbers and np.isfinite(table.numbers[ADDED][labelled]).any():
        return "rounds"
    return "every_output" if len(labelled) == len(table) else None


def _output_name(table: Table, row: int) -> str:
    values = (table.value(column, row) for column in ("item_id", "system", TRIAL))
    return "|".join(value for value in values if value is not None)
