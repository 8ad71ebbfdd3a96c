"""Calibration tables: one row says what one judge says of one item, and, where it is known, what is true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .arrays import FloatArray, IntArray

IDENTITY = ("item_id", "judge", "system", "repeat", "order")
"""A row is the only one with its values of these."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column of few distinct values.

    Attributes:
        values: The distinct values, as text, in order of appearance.
        codes: Which of them each row has, shape ``(n,)``; -1 where it has none.
    """

    values: list[str]
    codes: IntArray

    def take(self, rows: npt.NDArray[Any]) -> Column:
        """The same column for some of the rows."""
        return Column(self.values, self.codes[rows])

    def present(self) -> list[tuple[str, npt.NDArray[np.bool_]]]:
        """Each value that some row has, with the mask of its rows."""
        return [
            (self.values[code], self.codes == code) for code in np.unique(self.codes).tolist() if code >= 0
        ]


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
    """

    item: Column
    judge: Column
    score: FloatArray
    label: FloatArray
    cluster: IntArray
    columns: Mapping[str, Column]

    def __len__(self) -> int:
        return len(self.score)

    def take(self, rows: npt.NDArray[Any]) -> Table:
        """Some of the rows, by mask or number."""
        return Table(
            self.item.take(rows),
            self.judge.take(rows),
            self.score[rows],
            self.label[rows],
            self.cluster[rows],
            {name: column.take(rows) for name, column in self.columns.items()},
        )

    def value(self, name: str, row: int) -> str | None:
        """What a row has in ``item_id``, ``judge`` or another column; None where it has nothing."""
        column = {"item_id": self.item, "judge": self.judge}.get(name, self.columns.get(name))
        code = -1 if column is None else int(column.codes[row])
        return None if column is None or code < 0 else column.values[code]

    def key(self, *names: str) -> IntArray:
        """A number per row that is equal for rows which agree in ``item`` and these columns, shape ``(n,)``."""
        key = self.item.codes
        for name in names:
            column = self.judge if name == "judge" else self.columns.get(name)
            if column is not None:
                _, key = np.unique(key * (len(column.values) + 1) + column.codes + 1, return_inverse=True)
        return key
