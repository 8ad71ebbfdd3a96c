"""Columns of few distinct values, stored as numbers of these values."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import BoolArray, CodeArray, IntArray


@dataclass(frozen=True, eq=False)
class Column:
    """A column of few distinct values.

    Attributes:
        values: Distinct values, as text, in order of appearance.
        codes: Index of each row's value in ``values``, shape ``(n,)``; -1 for a row without a value.
    """

    values: list[str]
    codes: CodeArray

    def take(self, rows: npt.NDArray[Any]) -> Column:
        """Return the column for some of the rows."""
        return Column(self.values, self.codes[rows])

    def isin(self, values: Container[str]) -> BoolArray:
        """Return a mask of the rows that have one of these values."""
        matches = np.array([value in values for value in self.values] or [False], dtype=np.bool_)
        return (self.codes >= 0) & matches[self.codes]

    def present(self) -> list[tuple[str, npt.NDArray[np.bool_]]]:
        """Return each value that occurs, with the mask of its rows."""
        counts = np.bincount(self.codes + 1, minlength=1)[1:]
        return [(self.values[code], self.codes == code) for code in np.flatnonzero(counts).tolist()]

    def rows(self) -> dict[str, IntArray]:
        """Return each value that occurs, with the numbers of its rows in order.

        Use this instead of `present` for many values, whose masks would take gigabytes.
        """
        order = np.argsort(self.codes, kind="stable")
        # Index 0 counts the rows without a value, which come first in the order.
        counts = np.bincount(self.codes + 1, minlength=len(self.values) + 1)
        ends = np.cumsum(counts)
        return {
            value: order[end - count : end]
            for value, count, end in zip(self.values, counts[1:].tolist(), ends[1:].tolist(), strict=True)
            if count
        }
