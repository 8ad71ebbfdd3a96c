"""Calibration tables: one row says what one judge says of one item, and, where it is known, what is true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import CodeArray, FloatArray, IntArray

IDENTITY = ("item_id", "judge", "system", "repeat", "order")
"""A row is the only one with its values of these."""

PERSON, BASELINE = "person:", "baseline:"
"""Prefixes of number columns: what one person, or one cheap way to grade, says of the item."""

AMOUNTS = ("calls", "prompt_tokens", "completion_tokens", "cost")
"""Number columns that say what a verdict cost; ``cost`` is in US dollars."""

PROBABILITY = "label_probability"
"""Number column: the chance with which the item was drawn to be labelled."""


ROUND = "label_round"
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
        """The same column for some of the rows."""
        return Column(self.values, self.codes[rows])

    def present(self) -> list[tuple[str, npt.NDArray[np.bool_]]]:
        """Each value that some row has, with the mask of its rows."""
        rows = np.bincount(self.codes + 1, minlength=1)[1:]
        return [(self.values[code], self.codes == code) for code in np.flatnonzero(rows).tolist()]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as columns.

    Attributes:
        item: The item each row is about.
        judge: Whose score it is.
        score: In [0, 1], shape ``(n,)``; NaN where the judge gave no verdict.
        label: In [0, 1], shape ``(n,)``; NaN where the truth is not known.
        cluster: Number of the cluster of each row, shape ``(n,)``.
        columns: ``system``, ``repeat``, ``order`` and every other column that could be a slice.
        numbers: Columns of numbers beside score and label, by name, each of shape ``(n,)``, NaN where a row has none:
            ``person:NAME`` and ``baseline:NAME`` in [0, 1], those of `AMOUNTS`, ``label_probability`` and ``label_round``.
    """

    item: Column
    judge: Column
    score: FloatArray
    label: FloatArray
    cluster: IntArray
    columns: Mapping[str, Column]
    numbers: Mapping[str, FloatArray] = field(default_factory=dict[str, FloatArray])

    def __len__(self) -> int:
        return len(self.score)

    def take(self, rows: npt.NDArray[Any]) -> Table:
        """Some of the rows, by mask or number."""
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
        )

    def slices(self) -> str:
        """In words, for errors: the columns of few values."""
        return f"there are {', '.join(self.columns)}" if self.columns else "there is none"

    def without_slices(self) -> Table:
        """The same rows with nothing but item, judge, score, label and cluster."""
        return replace(self, columns={}, numbers={})

    def with_scores(self, score: FloatArray, label: FloatArray | None = None) -> Table:
        """The same rows with other scores, and perhaps other labels, each of shape ``(n,)``."""
        return replace(self, score=score, label=self.label if label is None else label)

    def with_numbers(self, name: str, by_item: Mapping[str, float]) -> Table:
        """The same rows with a column of numbers, given by item."""
        values = np.array([by_item.get(item, np.nan) for item in self.item.values])
        return replace(self, numbers={**self.numbers, name: values[self.item.codes]})

    def labelled_items(self) -> set[str]:
        """The items that have a label."""
        codes: list[int] = np.unique(self.item.codes[np.isfinite(self.label)]).tolist()
        return {self.item.values[code] for code in codes}

    def opinions(self, prefix: str) -> dict[str, FloatArray]:
        """The number columns whose names begin with ``PERSON`` or ``BASELINE``, by the rest of the name."""
        return {
            name.removeprefix(prefix): numbers
            for name, numbers in self.numbers.items()
            if name.startswith(prefix)
        }

    def each_item_once(self) -> Table:
        """The first row of every item and system, in the order of the table."""
        key = self.key("system")
        if len(self) and np.bincount(key).max() == 1:
            return self
        _, first = np.unique(key, return_index=True)
        return self.take(np.sort(first))

    def value(self, name: str, row: int) -> str | None:
        """What a row has in ``item_id``, ``judge`` or another column; None where it has nothing."""
        column = {"item_id": self.item, "judge": self.judge}.get(name, self.columns.get(name))
        code = -1 if column is None else int(column.codes[row])
        return None if column is None or code < 0 else column.values[code]

    def key(self, *names: str) -> IntArray:
        """A number per row that is equal for rows which agree in ``item`` and these columns, shape ``(n,)``."""
        key = self.item.codes.astype(np.int64)
        for name in names:
            column = self.judge if name == "judge" else self.columns.get(name)
            if column is not None and (column.codes != column.codes[:1]).any():
                _, key = np.unique(key * (len(column.values) + 1) + column.codes + 1, return_inverse=True)
        return key
