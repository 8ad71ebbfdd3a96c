"""A judge's rows with their adjudications, and which of them are a random sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import BoolArray, FloatArray, IntArray
from ..decisions import Decision, LabelDecision, drawn_rank, majority_decision
from ..sample import Sample, make_sample
from ..tables.calibration_table import Table
from .judge_panel import usable_rows

ALL = "all"
"""Name of all rows among the categories."""

WRONG, RIGHT, UNDECIDABLE, UNSEEN = range(4)
CODES: dict[LabelDecision, int] = {"wrong": WRONG, "right": RIGHT, "undecidable": UNDECIDABLE}
"""Codes of decisions; `UNSEEN` is the code of a row that was not reviewed."""


class AdjudicatedRows(NamedTuple):
    """Rows of a judge with label and score; each array has shape ``(n,)`` unless noted.

    Attributes:
        label: Whether the label passes.
        verdict: Whether the judge's verdict passes.
        decided: Code of the majority decision.
        first_two: Codes of the first two people's decisions, shape ``(n, 2)``.
        drawn: Whether the row is in the reviewed random sample of its label and verdict.
        weight: One over the number of verdicts on the item, so that every item counts once.
        cluster: Cluster number.
        category: Category of the item; empty if unknown.
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
        """Labels corrected by the decisions."""
        return np.where(self.decided < UNDECIDABLE, self.decided == RIGHT, self.label)

    @property
    def undecidable(self) -> BoolArray:
        """Mask of the rows whose majority decision is undecidable."""
        return self.decided == UNDECIDABLE

    @property
    def sample(self) -> Sample:
        """Sample with the original labels."""
        return sample_of(self.label, self.verdict, self.cluster)

    @property
    def reviewed_counts(self) -> FloatArray:
        """Counts of adjudications in the random parts, by label, verdict and code, ``(2, 2, 3)``."""
        # One number for label (0, 1), verdict (0, 1) and code (0 to 2).
        cell = 3 * (2 * self.label + self.verdict.astype(np.int64)) + self.decided
        counts = np.bincount(cell[self.drawn], weights=self.weight[self.drawn], minlength=12)
        return counts.astype(np.float64).reshape(2, 2, 3)


def rows_of(
    table: Table, decisions: Mapping[str, Sequence[Decision]], category: Mapping[str, str]
) -> AdjudicatedRows:
    """Return the rows of a judge with their adjudications.

    Args:
        table: Rows of one judge.
        decisions: Decisions by item.
        category: Category by item.
    """
    rows = usable_rows(table)
    codes: list[int] = rows.item.codes.tolist()
    items = [rows.item.values[code] for code in codes]
    settled_codes = {item: CODES[majority_decision(of_item)] for item, of_item in decisions.items()}
    decided = np.array([settled_codes.get(item, UNSEEN) for item in items], dtype=np.int64)
    pairs = {item: _first_two(of_item) for item, of_item in decisions.items()}
    first_two = np.array([pairs.get(item, (UNSEEN, UNSEEN)) for item in items], dtype=np.int64)
    seeds = sorted({decision.seed for of_item in decisions.values() for decision in of_item})
    verdicts_per_item = np.bincount(rows.item.codes, minlength=len(rows.item.values))
    right, passed = rows.right, rows.passed
    drawn = np.zeros(len(items), dtype=np.bool_)
    for label, verdict in product((False, True), repeat=2):
        cell = np.flatnonzero((right == label) & (passed == verdict))
        drawn[_random_part(cell, items, decided, seeds)] = True
    return AdjudicatedRows(
        label=right,
        verdict=passed,
        decided=decided,
        first_two=first_two.reshape(-1, 2),
        drawn=drawn,
        weight=1 / verdicts_per_item[rows.item.codes],
        cluster=rows.cluster,
        category=np.array([category.get(item, "") for item in items], dtype=np.str_),
    )


def _first_two(decisions: Sequence[Decision]) -> tuple[int, int]:
    first, second, *_ = [*(CODES[decision.found] for decision in decisions), UNSEEN, UNSEEN]
    return first, second


def _random_part(cell: IntArray, items: Sequence[str], decided: IntArray, seeds: Sequence[int]) -> IntArray:
    """Return the randomly sampled rows among those of one label and verdict.

    These are the rows before the first one not reviewed, in the random order in which rows are drawn for review.
    Other reviewed rows, such as another judge's disagreements, were chosen, and do not represent the rest. If all
    rows were reviewed, all count.
    """
    reviewed = decided[cell] != UNSEEN
    if reviewed.all() or not reviewed.any():
        return cell[reviewed]
    samples: list[IntArray] = []
    rows: list[int] = cell.tolist()
    for seed in seeds:
        ranks = [drawn_rank(items[row], seed) for row in rows]
        order = sorted(range(len(rows)), key=ranks.__getitem__)
        first_unseen = int(np.flatnonzero(~reviewed[order])[0])
        samples.append(cell[order[:first_unseen]])
    # Each seed has a random order of its own; the longest sample tells most.
    return max(samples, key=len)


def sample_of(label: BoolArray, verdict: BoolArray, cluster: IntArray) -> Sample:
    """Return a sample of labels and verdicts."""
    return make_sample(label.astype(np.float64), verdict.astype(np.float64), cluster)
