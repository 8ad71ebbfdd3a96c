"""Order in which labels came: rounds, and a random order within each.

A round is what was labelled before anybody looked again. Within it any order that does not depend on labels
is a random one: that of a hash of the item.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import IntArray
from ..decisions import drawn_rank
from ..tables.calibration_table import ADDED, ROUND, TRIAL, Table
from .estimation_results import LabelOrder


class OrderedLabels(NamedTuple):
    """Labelled rows in order.

    Attributes:
        source: What says the order, or None if nothing does.
        rows: Numbers of the labelled rows, in that order, shape ``(n,)``.
        rounds: Labels of each round, in order; empty if nothing says the rounds.
    """

    source: LabelOrder | None
    rows: IntArray
    rounds: list[int]


def ordered_labels(table: Table) -> OrderedLabels:
    """Return the labelled rows in the order in which their labels came, by rounds.

    Rounds are those of draws (a column ``label_round``), where labels outside a draw came before; else those
    in which labels were added. If all rows have a label, no order matters.
    """
    labelled = np.flatnonzero(np.isfinite(table.label))
    source = _source(table, labelled)
    number = np.zeros(len(labelled))
    if source in {"draws", "rounds"}:
        number = np.nan_to_num(table.numbers[ROUND if source == "draws" else ADDED][labelled], nan=0.0)
    names = [_name(table, row) for row in labelled.tolist()]
    ranks = [drawn_rank(name, 0) for name in names]
    order = sorted(range(len(labelled)), key=lambda each: (number[each], ranks[each], names[each]))
    counts: list[int] = np.unique(number, return_counts=True)[1].tolist()
    return OrderedLabels(source, labelled[np.array(order, dtype=np.int64)], counts if source else [])


def label_rounds(table: Table) -> list[int]:
    """Return the number of labels of each round, in order; empty if nothing says the rounds."""
    labelled = np.isfinite(table.label)
    source = _source(table, np.flatnonzero(labelled))
    if source not in {"draws", "rounds"}:
        return []
    number = np.nan_to_num(table.numbers[ROUND if source == "draws" else ADDED][labelled], nan=0.0)
    counts: list[int] = np.unique(number, return_counts=True)[1].tolist()
    return counts


def _source(table: Table, labelled: IntArray) -> LabelOrder | None:
    if ROUND in table.numbers:
        return "draws"
    if ADDED in table.numbers and np.isfinite(table.numbers[ADDED][labelled]).any():
        return "rounds"
    return "every_output" if len(labelled) == len(table) else None


def _name(table: Table, row: int) -> str:
    """Return a text that identifies the output of a row."""
    named = (table.value(name, row) for name in ("item_id", "system", TRIAL))
    return "|".join(each for each in named if each is not None)
