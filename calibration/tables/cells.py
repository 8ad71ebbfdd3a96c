"""Cells and columns of a calibration table: strict readers, and compact storage."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any, TypeVar

import numpy as np

from ...errors import InputError
from ...records.scale import Scale
from ...tables.column_names import TRIALS_OF_CASE
from ...tables.grades import UnknownGradeError, grade_score, is_missing
from ...tables.table_rows import as_whole
from ..arrays import CodeArray, FloatArray
from .calibration_table import ADDED, AMOUNTS, COVARIATE, PROBABILITY, ROUND
from .columns import Column

_BOOLEANS = {"true": 1.0, "false": 0.0}
"""Booleans, as data frames write them into CSV."""


class UnreadGradeError(InputError):
    """A cell was read as a grade, but is not one."""


def number_of(value: object, field: str) -> float:
    """Read a number within its column's range; NaN if missing.

    The column is one of the number columns (`is_number_field`).
    """
    if field in {ROUND, ADDED, TRIALS_OF_CASE}:
        return _whole_number_of(value, field)
    if field.startswith(COVARIATE):
        return _covariate_of(value, field)
    if field not in AMOUNTS:
        number = unit_of(value, field)
        if number == 0.0 and field == PROBABILITY:
            raise InputError(
                "expected a probability above 0: an item that cannot be drawn has no label", field=field
            )
        return number
    if is_missing(value):
        return math.nan
    number = _float(value)
    if not 0.0 <= number < math.inf:
        raise InputError(f"expected a number of at least 0 or null, got {_short_repr(value)}", field=field)
    return number


def _whole_number_of(value: object, field: str) -> float:
    if is_missing(value):
        return math.nan
    number = _float(value)
    if not (1.0 <= number < math.inf and number.is_integer()):
        raise InputError(f"expected a whole number from 1 on, or null, got {_short_repr(value)}", field=field)
    return number


def _covariate_of(value: object, field: str) -> float:
    if is_missing(value):
        return math.nan
    number = _float(value)
    if not math.isfinite(number):
        raise InputError(f"expected a number or null, got {_short_repr(value)}", field=field)
    return number


def name_of(value: object, field: str) -> str:
    """Read a name: a text or a whole number, even if written as 7.0.

    Raises:
        InputError: The value is anything else. The error names the field, as in the other readers.
    """
    value = as_whole(value)
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise InputError(f"expected a name, got {_short_repr(value)}", field=field)
    return str(value)


def cluster_of(value: object, field: str) -> str | None:
    """Read a cluster name, or None if missing, so that the item is its own cluster."""
    return None if is_missing(value) else name_of(value, field)


def unit_of(value: object, field: str) -> float:
    """Read a number in [0, 1]; NaN if missing."""
    if is_missing(value):
        return math.nan
    number = _float(value)
    if not 0.0 <= number <= 1.0:
        raise InputError(f"expected a number in [0, 1] or null, got {_short_repr(value)}", field=field)
    return number


def grade_of(value: object, field: str, scale: Scale) -> float:
    """Read a grade in [0, 1]; NaN if missing."""
    try:
        score = grade_score(value, scale)
    except UnknownGradeError as error:
        raise UnreadGradeError(
            f"expected a number in [0, 1] or null, got {_short_repr(value)}", field=field
        ) from error
    return math.nan if score is None else score


def text_of(value: object, field: str) -> str | None:
    """Read a slice value as text, or None if missing.

    Raises:
        InputError: The value is a list or an object.
    """
    if is_missing(value):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        raise InputError(f"expected a text or a number, got {_short_repr(value)}", field=field)
    return str(as_whole(value))


def absent(field: str, columns: Iterable[str]) -> InputError:
    """Return the error for rows without a required column; it lists their columns."""
    listed = ", ".join(repr(name) for name in columns)
    there_are = f"the columns are {listed if len(listed) <= 120 else f'{listed[:117]}...'}"  # noqa: PLR2004 - fits on a line
    null = " (null or an empty cell where there is no verdict)" if field == "score" else ""
    return InputError(f"missing{null}; {there_are}", field=field)


def _float(value: Any) -> float:
    """Return the value as a number; anything else is infinity, which no column accepts."""
    if isinstance(value, str) and value.strip().lower() in _BOOLEANS:
        return _BOOLEANS[value.strip().lower()]
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.inf


def _short_repr(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - fits on a line


T = TypeVar("T")

_TEXT_READERS = (name_of, cluster_of, text_of)
"""Readers that return texts unchanged unless they are blank."""

_HASHABLE_TYPES = {str, int, float, bool, type(None)}
"""Types of cells that can be keys; the others are lists and objects."""


def read_cells(values: list[Any], reader: Callable[[Any, str], T], field: str) -> list[T]:
    """Read the values of a column, each distinct value once."""
    types = set(map(type, values))
    if reader in _TEXT_READERS and types == {str} and all(map(str.strip, values)):
        return values
    keys = _keys(values, types)
    read_values = {key: reader(value, field) for key, value in dict(zip(keys, values, strict=True)).items()}
    return list(map(read_values.__getitem__, keys))


def _keys(values: list[Any], types: set[type]) -> list[Any]:
    """Return keys that are equal only for equal values of one type, so not for 1, 1.0 and true."""
    if not types <= _HASHABLE_TYPES:
        # Values such as lists cannot be keys, so each object is read by itself.
        return list(map(id, values))
    return values if len(types) == 1 else list(zip(map(type, values), values, strict=True))


class NameColumn:
    """Column of names; there may be as many of them as rows.

    A row stores the address of its text, and equal texts are stored once.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._rows: array[int] = array("Q")

    @property
    def n_names(self) -> int:
        """Number of distinct names so far."""
        return len(self._texts)

    def extend(self, names: Sequence[str]) -> None:
        """Set the names of the next rows."""
        self._rows.extend(map(id, map(self._texts.setdefault, names, names)))

    def so_far(self) -> list[str]:
        """Return the names of the rows so far."""
        text_at = dict(zip(map(id, self._texts), self._texts, strict=True))
        return [text_at[address] for address in self._rows]

    def column(self) -> Column:
        """Return the column; no other method may be called afterwards."""
        # Addresses are turned into numbers of names, by order of address.
        names = list(self._texts)
        address = np.fromiter(map(id, names), dtype=np.uint64, count=len(names))
        order = np.argsort(address).astype(np.int32)
        codes: CodeArray = order[np.searchsorted(address[order], np.frombuffer(self._rows, dtype=np.uint64))]
        return Column(names, codes)


class Encoder:
    """Column of few distinct values, stored as their numbers; skipped rows have none.

    Args:
        limit: Largest number of distinct values, below 128, or None for no limit.
    """

    def __init__(self, limit: int | None = None) -> None:
        # A new value gets the next number when it is looked up.
        self._number: defaultdict[str | None, int] = defaultdict(count().__next__, {None: -1})
        self._limit = limit
        self._codes = array("i" if limit is None else "b")

    def extend(self, values: Sequence[str | None], start: int = 0) -> bool:
        """Set the values of rows from `start` on.

        Return False, and set nothing, if there are too many distinct values.
        """
        codes = list(map(self._number.__getitem__, values))
        if self._limit is not None and len(self._number) - 1 > self._limit:
            return False
        self._skip_to(start)
        self._codes.extend(codes)
        return True

    def column(self, rows: int) -> Column:
        """Return the column of this many rows; no other method may be called afterwards."""
        self._skip_to(rows)
        kind = np.int32 if self._limit is None else np.int8
        codes: CodeArray = np.frombuffer(self._codes, dtype=kind)
        return Column([value for value in self._number if value is not None], codes)

    def _skip_to(self, row: int) -> None:
        self._codes.extend([-1] * (row - len(self._codes)))


class Numbers:
    """Column of numbers; skipped rows have none."""

    def __init__(self) -> None:
        self._values = array("d")

    def extend(self, values: Iterable[float], start: int = 0) -> None:
        """Set the values of rows from `start` on."""
        self._skip_to(start)
        self._values.extend(values)

    def __len__(self) -> int:
        return len(self._values)

    def column(self, rows: int) -> FloatArray:
        """Return the column of this many rows; no other method may be called afterwards."""
        self._skip_to(rows)
        return np.frombuffer(self._values, dtype=np.float64)

    def _skip_to(self, row: int) -> None:
        self._values.extend([math.nan] * (row - len(self._values)))
