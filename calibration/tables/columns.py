"""Columns of a calibration table while it is read: a few bytes a row, for any values."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any, TypeVar

import numpy as np

from ..arrays import CodeArray, FloatArray
from .calibration_table import Column
from .cells import cluster_of, name_of, text_of

T = TypeVar("T")

_TEXTS = (name_of, cluster_of, text_of)
"""What leaves a text that is not blank as it is."""

_PLAIN = {str, int, float, bool, type(None)}


def read_cells(values: list[Any], cell: Callable[[Any, str], T], field: str) -> list[T]:
    """Read each value of a column, equal ones once."""
    kinds = set(map(type, values))
    if cell in _TEXTS and kinds == {str} and all(map(str.strip, values)):
        return values
    keys = _keys(values, kinds)
    read = {key: cell(value, field) for key, value in dict(zip(keys, values, strict=True)).items()}
    return list(map(read.__getitem__, keys))


def _keys(values: list[Any], kinds: set[type]) -> list[Any]:
    """Return keys that two values share only if they are the same, type included.

    1, 1.0 and true are equal, but not the same.
    """
    if not kinds <= _PLAIN:
        return list(map(id, values))
    return values if len(kinds) == 1 else list(zip(map(type, values), values, strict=True))


class NameColumn:
    """Column of names, of which there may be as many as rows.

    Each row holds the address of its text, which is kept once.
    """

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}
        self._rows: array[int] = array("Q")

    def extend(self, names: Sequence[str]) -> None:
        """Set the names of the next rows."""
        self._rows.extend(map(id, map(self._kept.setdefault, names, names)))

    def so_far(self) -> list[str]:
        """Return the names of the rows so far."""
        text = dict(zip(map(id, self._kept), self._kept, strict=True))
        return [text[address] for address in self._rows]

    def column(self) -> Column:
        """Return the column; call nothing after it."""
        names = list(self._kept)
        address = np.fromiter(map(id, names), dtype=np.uint64, count=len(names))
        order = np.argsort(address).astype(np.int32)
        codes: CodeArray = order[np.searchsorted(address[order], np.frombuffer(self._rows, dtype=np.uint64))]
        return Column(names, codes)


class Encoder:
    """A column of few values, kept as their numbers; rows that are passed over have none.

    Args:
        limit: How many distinct values there may be, below 128; None for any number.
    """

    def __init__(self, limit: int | None = None) -> None:
        # A new value takes the next number as it is looked up.
        self._number: defaultdict[str | None, int] = defaultdict(count().__next__, {None: -1})
        self._limit = limit
        self._codes = array("i" if limit is None else "b")

    def extend(self, values: Sequence[str | None], start: int = 0) -> bool:
        """Set the values of rows from `start` on.

        Returns False, and sets nothing, when there are too many distinct values.
        """
        codes = list(map(self._number.__getitem__, values))
        if self._limit is not None and len(self._number) - 1 > self._limit:
            return False
        self._skip_to(start)
        self._codes.extend(codes)
        return True

    def column(self, rows: int) -> Column:
        """Return the column of this many rows; call nothing after it."""
        self._skip_to(rows)
        kind = np.int32 if self._limit is None else np.int8
        codes: CodeArray = np.frombuffer(self._codes, dtype=kind)
        return Column([value for value in self._number if value is not None], codes)

    def _skip_to(self, row: int) -> None:
        self._codes.extend([-1] * (row - len(self._codes)))


class Numbers:
    """A column of numbers; rows that are passed over have none."""

    def __init__(self) -> None:
        self._values = array("d")

    def extend(self, values: Iterable[float], start: int = 0) -> None:
        """Set the values of rows from `start` on."""
        self._skip_to(start)
        self._values.extend(values)

    def __len__(self) -> int:
        return len(self._values)

    def column(self, rows: int) -> FloatArray:
        """Return the column of this many rows; call nothing after it."""
        self._skip_to(rows)
        return np.frombuffer(self._values, dtype=np.float64)

    def _skip_to(self, row: int) -> None:
        self._values.extend([math.nan] * (row - len(self._values)))
