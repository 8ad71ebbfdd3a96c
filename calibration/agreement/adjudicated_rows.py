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
"""Codes of decisions; `UNSEEN` is the code of a row that was not reviewed."""


class AdjudicatedRows(NamedTuple):
    """The rows of a judge that have label and score, each array of shape ``(n,)``.

    Attributes:
        label: Whether the label passes.
        verdict: Whether the judge's verdict passes.
        decided: Code of the settled decision.
        first_two: Codes of the first two people's decisions, shape ``(n, 2)``.
        drawn: Whether it is in the reviewed random sample of its label and verdict.
        weight: One over the number of verdicts on its item.
        cluster: Cluster number.
        category: Category; empty if unknown.
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
    def reviewed_counts(self) -> FloatArray:
        """Counts of adjudications in the random parts, by label, verdict and code, ``(2, 2, 3)``."""
        cell = 3 * (2 * self.label + self.verdict.astype(np.int64)) + self.decided
        counts = np.bincount(cell[self.drawn], weights=self.weight[self.drawn], minlength=12)
        return counts.astype(np.float64).reshape(2, 2, 3)


def rows_of(
    table: Table, decisions: Mapping[str, Sequence[Decision]], category: Mapping[str, str]
) -> AdjudicatedRows:
    """Return the rows of a judge with their adjudications."""
    rows = usable_rows(table)
    codes: list[int] = rows.item.codes.tolist()
    items = [rows.item.values[code] for code in codes]
    settled_codes = {item: CODES[settled(each)] for item, each in decisions.items()}
    decided = np.array([settled_codes.get(item, UNSEEN) for item in items], dtype=np.int64)
    first_two = {
        item: [*(CODES[each.found] for each in of_item[:2]), UNSEEN][:2]
        for item, of_item in decisions.items()
    }
    seeds = sorted({each.seed for of_item in decisions.values() for each in of_item})
    times = np.bincount(rows.item.codes, minlength=len(rows.item.values))
    drawn = np.zeros(len(items), dtype=np.bool_)
    for cell in ((label, verdict) for label in (False, True) for verdict in (False, True)):
        of_cell = np.flatnonzero((rows.right == cell[0]) & (rows.passed == cell[1]))
        drawn[_random_part(of_cell, items, decided, seeds)] = True
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
    of_cell: IntArray, items: Sequence[str], decided: IntArray, seeds: Sequence[int]
) -> IntArray:
    """Return the randomly sampled rows of one label and verdict.

    These are the rows before the first unseen one, in the random order in which they are drawn.

    Other reviewed rows, such as another judge's disagreements, were chosen, and do not represent the rest. If
    all rows were reviewed, all count.
    """
    decided_rows = decided[of_cell] != UNSEEN
    if decided_rows.all() or not decided_rows.any():
        return of_cell[decided_rows]
    parts: list[IntArray] = []
    places: list[int] = of_cell.tolist()
    mine = [items[place] for place in places]
    for seed in seeds:
        order = sorted(range(len(mine)), key=lambda place: drawn_rank(mine[place], seed))
        unseen = np.flatnonzero(~decided_rows[order])
        parts.append(of_cell[order[: int(unseen[0])]])
    return max(parts, key=len)


def sample_of(label: BoolArray, verdict: BoolArray, cluster: IntArray) -> Sample:
    """Labels and verdicts reduced to a sample."""
    return make_sample(label.astype(np.float64), verdict.astype(np.float64), cluster)
