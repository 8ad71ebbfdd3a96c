"""Calibration tables: one judge's score of one item a row, with the label if known."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...records import JudgeId
from ...records.column_names import (
    AMOUNT_FIELDS,
    CHECKER_SCORE,
    LABEL_PROBABILITY,
    LABEL_ROUND,
    OF_BASELINE,
    OF_COVARIATE,
    OF_PERSON,
)
from ..arrays import BoolArray, CodeArray, FloatArray, IntArray
from ..decisions import Decisions
from ..pass_threshold import HALF, GivenPassAt, PassThreshold, pass_at_of

IDENTITY = ("item_id", "judge", "system", "trial", "repeat", "order")
"""A row is the only one with its values of these."""

PERSON, BASELINE = OF_PERSON, OF_BASELINE
"""Prefixes of number columns: what one person, or one cheap way to grade, says of the item."""

COVARIATE = OF_COVARIATE
"""Prefix of number columns by which labels may have been chosen, such as a length."""

AMOUNTS = AMOUNT_FIELDS
"""Number columns that say what a verdict cost; ``cost`` is in US dollars."""

DECIDED, DECIDED_BY = CHECKER_SCORE, "checker"
"""Number column: a checker's decision on the item, none if undecided; and the column of its name."""

PROBABILITY = LABEL_PROBABILITY
"""Number column: the chance with which the item was drawn to be labelled."""


ROUND = LABEL_ROUND
"""Number column: the round of drawing in which it was, from 1 on."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column of few distinct values.

    Attributes:
        values: The distinct values, as text, in order of appearance.
        codes: Which of them each row has, shape ``(n,)``; -1 where it has none.
    """

    values: list[str]
    codes: CodeArray

    def take(self, rows: npt.NDArray[Any]) -> Column:
        """Return the column for some of the rows."""
        return Column(self.values, self.codes[rows])

    def isin(self, values: Container[str]) -> BoolArray:
        """Return a mask of the rows that have one of these values."""
        among = np.array([value in values for value in self.values], dtype=np.bool_)
        return (
            (self.codes >= 0) & among[self.codes] if len(among) else np.zeros(len(self.codes), dtype=np.bool_)
        )

    def present(self) -> list[tuple[str, npt.NDArray[np.bool_]]]:
        """Return each value that occurs, with the mask of its rows."""
        rows = np.bincount(self.codes + 1, minlength=1)[1:]
        return [(self.values[code], self.codes == code) for code in np.flatnonzero(rows).tolist()]

    def rows(self) -> dict[str, IntArray]:
        """Return each value that occurs, with the numbers of its rows in order.

        Masks of `present` take values times rows; with thousands of values these are gigabytes.
        """
        order = np.argsort(self.codes, kind="stable")
        count = np.bincount(self.codes + 1, minlength=len(self.values) + 1)
        ends = np.cumsum(count)
        return {
            value: order[end - size : end]
            for value, size, end in zip(self.values, count[1:].tolist(), ends[1:].tolist(), strict=True)
            if size
        }


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as columns.

    Attributes:
        item: The item each row is about.
        judge: Author of the score.
        score: In [0, 1], shape ``(n,)``; NaN where the judge gave no verdict.
        label: In [0, 1], shape ``(n,)``; NaN where it is unknown.
        cluster: Number of the cluster of each row, shape ``(n,)``.
        columns: ``system``, ``repeat``, ``order`` and every other column that could be a slice.
        numbers: Columns of numbers beside score and label, by name, each of shape ``(n,)``, NaN where a row
            has none: ``person:NAME`` and ``baseline:NAME`` in [0, 1], those of `AMOUNTS`, ``checker_score``,
            ``label_probability`` and ``label_round``.
        judges: Judges by name, for rows from a run folder; in other tables a judge is only a name.
        thresholds: Pass threshold of each judge; 0.5 for those not named.
        decisions: What people decided of items that were put before them a second time.
        checkers: Of the labels that were given as verdicts, those that call themselves a checker's: its name,
            and how many items.
        preferred: Judges by whose verdict an output goes that several judged, the first of them first; others
            follow.
        notes: How columns were recognised that do not have their names of the contract.
    """

    item: Column
    judge: Column
    score: FloatArray
    label: FloatArray
    cluster: IntArray
    columns: Mapping[str, Column]
    numbers: Mapping[str, FloatArray] = field(default_factory=dict[str, FloatArray])
    judges: Mapping[str, JudgeId] = field(default_factory=dict[str, JudgeId])
    thresholds: Mapping[str, PassThreshold] = field(default_factory=dict[str, PassThreshold])
    decisions: Decisions = field(default_factory=Decisions)
    checkers: Mapping[str, int] = field(default_factory=dict[str, int])
    preferred: Sequence[str] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.score)

    def take(self, rows: npt.NDArray[Any]) -> Table:
        """Return some of the rows, by mask or number."""
        if rows.dtype == np.bool_:
            if rows.all():
                return self
            rows = np.flatnonzero(rows)
        return Table(
            self.item.take(rows),
            self.judge.take(rows),
            self.score[rows],
            self.label[rows],
            self.cluster[rows],
            {name: column.take(rows) for name, column in self.columns.items()},
            {name: numbers[rows] for name, numbers in self.numbers.items()},
            self.judges,
            self.thresholds,
            self.decisions,
            self.checkers,
            self.preferred,
            self.notes,
        )

    def model_of(self, judge: str) -> str:
        """Return a judge's model; empty if unknown.

        Rows of files do not say who a judge is: there it is what a column ``model`` says in all its rows, or
        else what stands behind the name, as ``judge@model``.
        """
        if judge in self.judges:
            return self.judges[judge].model
        models = self.columns.get("model")
        if models is None or judge not in self.judge.values:
            return judge.partition("@")[2]
        named = np.unique(models.codes[self.judge.codes == self.judge.values.index(judge)])
        return models.values[int(named[0])] if len(named) == 1 and named[0] >= 0 else ""

    def with_pass_at(self, given: GivenPassAt) -> Table:
        """Return the rows with a caller's thresholds, which override the table's.

        Raises:
            UsageError: A threshold is not in (0, 1], or its judge is not in the table.
        """
        overrides = pass_at_of(given)
        names = list(self.judge.rows())
        overrides.require_known_judges(names)
        return replace(
            self, thresholds={name: overrides.of([name], self.threshold_of(name)) for name in names}
        )

    def threshold_of(self, judge: str) -> PassThreshold:
        """Return a judge's pass threshold."""
        return self.thresholds.get(judge, PassThreshold())

    @property
    def threshold(self) -> FloatArray:
        """Pass threshold of each row's judge, shape ``(n,)``."""
        return np.array([self.threshold_of(judge).at for judge in self.judge.values] or [HALF])[
            self.judge.codes
        ]

    @property
    def passed(self) -> BoolArray:
        """Mask of the rows whose score passes their judge's threshold, shape ``(n,)``.

        A missing score does not pass.
        """
        return self.score >= self.threshold

    @property
    def right(self) -> BoolArray:
        """Mask of the rows whose label passes their judge's threshold, shape ``(n,)``.

        A missing label does not pass.

        Label and score of a row have one scale, so one threshold serves both. For labels of 0 and 1 any
        threshold gives the same.
        """
        return self.label >= self.threshold

    @property
    def common_threshold(self) -> float | None:
        """Threshold that all judges share; None if they differ."""
        thresholds = {self.threshold_of(judge).at for judge in self.judge.rows()}
        return thresholds.pop() if len(thresholds) == 1 else None

    def at_one_threshold(self) -> tuple[Table, float]:
        """Return the rows and their common threshold.

        If rows have different thresholds, values become 1 for a pass and 0 for a fail.
        """
        thresholds = np.unique(self.threshold)
        if len(thresholds) <= 1:
            return self, float(thresholds[0]) if len(thresholds) else HALF
        score = np.where(np.isfinite(self.score), self.passed, np.nan)
        return self.with_scores(score, np.where(np.isfinite(self.label), self.right, np.nan)), HALF

    def slices(self) -> str:
        """Describe the slice columns, for errors."""
        return f"it has {', '.join(self.columns)}" if self.columns else "it has none"

    def without_slices(self) -> Table:
        """Return the rows with only item, judge, score, label and cluster."""
        return replace(self, columns={}, numbers={})

    def with_scores(self, score: FloatArray, label: FloatArray | None = None) -> Table:
        """Return the rows with other scores, and optionally other labels, each of shape ``(n,)``."""
        return replace(self, score=score, label=self.label if label is None else label)

    def with_numbers(self, name: str, by_item: Mapping[str, float]) -> Table:
        """Return the rows with an added column of numbers, given by item."""
        values = np.array([by_item.get(item, np.nan) for item in self.item.values])
        return replace(self, numbers={**self.numbers, name: values[self.item.codes]})

    def labelled_items(self) -> set[str]:
        """Return the items that have a label."""
        codes: list[int] = np.unique(self.item.codes[np.isfinite(self.label)]).tolist()
        return {self.item.values[code] for code in codes}

    def opinions(self, prefix: str) -> dict[str, FloatArray]:
        """Return the number columns with a prefix, by the rest of the name.

        The prefix is ``PERSON`` or ``BASELINE``.
        """
        return {
            name.removeprefix(prefix): numbers
            for name, numbers in self.numbers.items()
            if name.startswith(prefix)
        }

    def each_item_once(self) -> Table:
        """Return the first row of every item and system, in table order."""
        key = self.key("system")
        if len(self) and np.bincount(key).max() == 1:
            return self
        _, first = np.unique(key, return_index=True)
        return self.take(np.sort(first))

    def value(self, name: str, row: int) -> str | None:
        """Return a row's value in ``item_id``, ``judge`` or another column; None if it has none."""
        column = {"item_id": self.item, "judge": self.judge}.get(name, self.columns.get(name))
        code = -1 if column is None else int(column.codes[row])
        return None if column is None or code < 0 else column.values[code]

    def key(self, *names: str) -> IntArray:
        """Return a number per row, equal for rows that agree in ``item`` and these columns.

        The numbers have shape ``(n,)``.
        """
        key = self.item.codes.astype(np.int64)
        for name in names:
            column = self.judge if name == "judge" else self.columns.get(name)
            if column is not None and (column.codes != column.codes[:1]).any():
                _, key = np.unique(key * (len(column.values) + 1) + column.codes + 1, return_inverse=True)
        return key
