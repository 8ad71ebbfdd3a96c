"""Columns of a calibration table while it is read: a few bytes a row, whatever the values are."""

from __future__ import annotations

import math
from array import array

import numpy as np

from ..arrays import FloatArray
from .table import Column


class Encoder:
    """Turns the values of a column into numbers as they come; rows that are passed over have none."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._codes = array("q")

    def add(self, value: str | None, row: int, limit: int | None = None) -> bool:
        """Set a row's value; False when there are now more distinct values than the limit."""
        if row > len(self._codes):
            self._skip_to(row)
        self._codes.append(-1 if value is None else self._number.setdefault(value, len(self._number)))
        return limit is None or len(self._number) <= limit

    def column(self, rows: int) -> Column:
        """The column so far, of this many rows."""
        self._skip_to(rows)
        return Column(list(self._number), np.array(self._codes, dtype=np.int64))

    def _skip_to(self, row: int) -> None:
        self._codes.extend([-1] * (row - len(self._codes)))


class Numbers:
    """A column of numbers; rows that are passed over have none."""

    def __init__(self) -> None:
        self._values = array("d")

    def add(self, value: float, row: int) -> None:
        """Set a row's value."""
        self._skip_to(row)
        self._values.append(value)

    def column(self, rows: int) -> FloatArray:
        """The column so far, of this many rows."""
        self._skip_to(rows)
        return np.array(self._values)

    def _skip_to(self, row: int) -> None:
        self._values.extend([math.nan] * (row - len(self._values)))
