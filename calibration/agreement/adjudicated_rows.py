"""Put a judge's rows beside their adjudications.

Marks the adjudicated rows that are a random sample of their label and verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import BoolArray, FloatArray, IntArray
from ..decisions import Decision, LabelDecision, drawn_rank, settled
from ..sample import Sample, make_sample
from ..tables.calibration_table import Table
from .judge_panel import usable_rows

ALL = "all"
"""Name of the whole among categories."""

WRONG, RIGHT, UNDECIDABLE, UNSEEN = range(4)
CODES: dict[LabelDecision, int] = {"wrong": WRONG, "right": RIGHT, "undecidable": UNDECIDABLE}
"""Decisions by code; the last means that the row was not reviewed."""


class AdjudicatedRows(NamedTuple):
    """The rows of a judge that have label and score, each array of shape ``(n,)``.

    Attributes:
        label: Whether the label passes.
        verdict: Whether the judge does.
        decided: What was decided, by code.
        first_two: What the first two people decided, by code, shape ``(n, 2)``.
        drawn: Whether it belongs to the random part of its label and verdict that was looked at.
        weight: One over how often its item was judged.
        cluster: Its number.
        category: Its category; empty if unknown.
    """

    label: BoolArray
    verdict: BoolArray
    decided: IntArray
    first_two: IntArray
    drawn: BoolArray
    weight: FloatArray
    cluster: IntArray
    category: npt.NDArray[np.str_]

    def take(self, name: str) -> AdjudicatedRows:
        """Return the rows of one category, or all rows for ``ALL``."""
        if name == ALL:
            return self
        return AdjudicatedRows._make(column[self.category == name] for column in self)

    @property
    def truth(self) -> BoolArray:
        """The labels as decisions have corrected them."""
        return np.where(self.decided < UNDECIDABLE, self.decided == RIGHT, self.label)

    @property
    def undecidable(self) -> BoolArray:
        """Mask of the rows that were adjudicated and cannot be decided."""
        return self.decided == UNDECIDABLE

    @property
    def sample(self) -> Sample:
        """Sample with the labels as given."""
        return sample_of(self.label, self.verdict, self.cluster)

    @property
    def looked_at(self) -> FloatArray:
        """Counts of adjudications in the random parts, by label, verdict and code, ``(2, 2, 3)``."""
        place = 3 * (2 * self.label + self.verdict.astype(np.int64)) + self.decided
        counts = np.bincount(place[self.drawn], weights=self.weight[self.drawn], minlength=12)
        return counts.astype(np.float64).reshape(2, 2, 3)


def rows_of(
    table: Table, decisions: Mapping[str, Sequence[Decision]], category: Mapping[str, str]
) -> AdjudicatedRows:
    """Put what was decided beside the rows of a judge."""
    rows = usable_rows(table)
    codes: list[int] = rows.item.codes.tolist()
    items = [rows.item.values[code] for code in codes]
    found = {item: CODES[settled(said)] for item, said in decisions.items()}
    decided = np.array([found.get(item, UNSEEN) for item in items], dtype=np.int64)
    first_two = {
        item: [*(CODES[each.found] for each in said[:2]), UNSEEN][:2] for item, said in decisions.items()
    }
    orders = sorted({each.seed for said in decisions.values() for each in said})
    times = np.bincount(rows.item.codes, minlength=len(rows.item.values))
    drawn = np.zeros(len(items), dtype=np.bool_)
    for cell in ((label, verdict) for label in (False, True) for verdict in (False, True)):
        of_cell = np.flatnonzero((rows.right == cell[0]) & (rows.passed == cell[1]))
        drawn[_random_part(of_cell, items, decided, orders)] = True
    return AdjudicatedRows(
        label=rows.right,
        verdict=rows.passed,
        decided=decided,
        first_two=np.array([first_two.get(item, [UNSEEN, UNSEEN]) for item in items], dtype=np.int64).reshape(
            -1, 2
        ),
        drawn=drawn,
        weight=1 / times[rows.item.codes],
        cluster=rows.cluster,
        category=np.array([category.get(item, "") for item in items], dtype=np.str_),
    )


def _random_part(
    of_cell: IntArray, items: Sequence[str], decided: IntArray, orders: Sequence[int]
) -> IntArray:
    """Return the randomly sampled rows of one label and verdict.

    These are the rows before the first unseen one, in the random order in which they are drawn.

    Whatever else was looked at (another judge's disagreements, say) was chosen, and would not stand for the rest. All rows are their own sample.
    """
    decided_rows = decided[of_cell] != UNSEEN
    if decided_rows.all() or not decided_rows.any():
        return of_cell[decided_rows]
    parts: list[IntArray] = []
    places: list[int] = of_cell.tolist()
    mine = [items[place] for place in places]
    for seed in orders:
        order = sorted(range(len(mine)), key=lambda place: drawn_rank(mine[place], seed))
        unseen = np.flatnonzero(~decided_rows[order])
        parts.append(of_cell[order[: int(unseen[0])]])
    return max(parts, key=len)


def sample_of(label: BoolArray, verdict: BoolArray, cluster: IntArray) -> Sample:
    """Labels and verdicts reduced to a sample."""
    return make_sample(label.astype(np.float64), verdict.astype(np.float64), cluster)
