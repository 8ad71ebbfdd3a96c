"""Calibration tables: one row says what one judge says of one item, and, where it is known, what is true."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from .arrays import FloatArray, IntArray

IDENTITY = ("item_id", "judge", "system", "repeat", "order")
"""A row is the only one with its values of these."""

_NOT_SLICES = {"item_id", "judge", "score", "label", "cluster", "raw", "outcome"}

MAX_SLICES = 32
"""A column with more distinct values than this is not a slice but an id, a text or a measurement."""


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

    def key(self, *names: str) -> IntArray:
        """A number per row that is equal for rows which agree in ``item`` and these columns, shape ``(n,)``."""
        key = self.item.codes
        for name in names:
            column = self.columns.get(name)
            if column is not None:
                _, key = np.unique(key * (len(column.values) + 1) + column.codes + 1, return_inverse=True)
        return key


class TableBuilder:
    """Collects rows, checks them, and makes the table.

    Args:
        columns: Names in the rows by the names of the contract, where they differ: ``{"label": "gold"}``.
    """

    def __init__(self, columns: Mapping[str, str] | None = None) -> None:
        self._source = dict(columns or {})
        self._item, self._judge, self._cluster = _Encoder(), _Encoder(), _Encoder()
        self._score, self._label = array("d"), array("d")
        self._other: dict[str, _Encoder | None] = {}
        self._seen: set[tuple[object, ...]] = set()

    def __len__(self) -> int:
        return len(self._score)

    def add(self, row: Mapping[str, Any], *, path: Path | str | None = None, line: int | None = None) -> None:
        """Check and keep one row.

        Args:
            row: The row, with at least ``item_id``, ``judge`` and ``score``.
            path: Named in errors.
            line: Named in errors.

        Raises:
            InputError: A field is missing, of the wrong type or outside [0, 1], or the row is there already.
        """
        row = self._renamed(row)
        try:
            item, judge = _name(row, "item_id"), _name(row, "judge")
            score, label = _unit(row, "score"), _unit(row, "label")
            cluster = item if row.get("cluster") in {None, ""} else _name(row, "cluster")
            self._refuse_duplicate(row, item, judge)
        except InputError as error:
            field = None if error.field is None else self._source.get(error.field, error.field)
            raise InputError(error.message, path=path, line=line, field=field) from None
        self._item.add(item)
        self._judge.add(judge)
        self._cluster.add(cluster)
        self._score.append(score)
        self._label.append(label)
        self._add_others(row)

    def _renamed(self, row: Mapping[str, Any]) -> dict[str, Any]:
        given = set(self._source.values())
        renamed = {
            name: value for name, value in row.items() if name not in given and name not in self._source
        }
        return renamed | {name: row[source] for name, source in self._source.items() if source in row}

    def _refuse_duplicate(self, row: Mapping[str, Any], item: str, judge: str) -> None:
        key = (item, judge, *(_text(row.get(name)) for name in IDENTITY[2:]))
        if key in self._seen:
            named = ", ".join(
                f"{name} {value!r}" for name, value in zip(IDENTITY, key, strict=True) if value is not None
            )
            raise InputError(f"a second row of {named}", field="item_id")
        self._seen.add(key)

    def _add_others(self, row: Mapping[str, Any]) -> None:
        rows = len(self._score)
        for name, value in row.items():
            if name in _NOT_SLICES or (name in self._other and self._other[name] is None):
                continue
            encoder = self._other.setdefault(name, _Encoder(rows - 1))
            assert encoder is not None
            scalar = isinstance(value, str | int | float | bool) or value is None
            if not scalar or not encoder.add(_text(value), None if name in IDENTITY else MAX_SLICES):
                self._other[name] = None

    def build(self, *, labels: Mapping[str, float] | None = None, path: Path | str | None = None) -> Table:
        """Make the table.

        Args:
            labels: Labels by item, which take the place of those in the rows.
            path: Where they are from, for errors.

        Returns:
            The table.

        Raises:
            InputError: There is no row, or none of the labels is of an item in the table.
        """
        rows = len(self._score)
        if not rows:
            raise InputError("there is no row; expected rows with item_id, judge and score")
        item = self._item.column(rows)
        label = np.array(self._label)
        if labels is not None:
            given = np.array([labels.get(name, math.nan) for name in item.values])
            if not np.isfinite(given).any():
                raise InputError(
                    "no label is of an item in the table; items are case_id|system|trial", path=path
                )
            label = np.where(np.isfinite(given[item.codes]), given[item.codes], label)
        return Table(
            item=item,
            judge=self._judge.column(rows),
            score=np.array(self._score),
            label=label,
            cluster=self._cluster.column(rows).codes,
            columns={name: each.column(rows) for name, each in self._other.items() if each is not None},
        )


class _Encoder:
    """Turns values into numbers as they come; rows before its first one have none."""

    def __init__(self, skipped: int = 0) -> None:
        self._number: dict[str, int] = {}
        self._codes = array("q", [-1]) * skipped

    def add(self, value: str | None, limit: int | None = None) -> bool:
        """Add a row's value; False when there are now more distinct values than the limit."""
        self._codes.append(-1 if value is None else self._number.setdefault(value, len(self._number)))
        return limit is None or len(self._number) <= limit

    def column(self, rows: int) -> Column:
        """The column so far; rows at the end that never gave a value have none."""
        self._codes.extend([-1] * (rows - len(self._codes)))
        return Column(list(self._number), np.array(self._codes, dtype=np.int64))


def _name(row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise InputError(f"expected a name, got {_shown(value)}" if field in row else "missing", field=field)
    return str(value)


def _unit(row: Mapping[str, Any], field: str) -> float:
    if field == "score" and field not in row:
        raise InputError("missing; a verdict that is not there is null", field=field)
    value = row.get(field)
    if value is None or (isinstance(value, str) and not value.strip()):
        return math.nan
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.inf
    if math.isnan(number) and not isinstance(value, str):
        return math.nan  # how data frames say null
    if not 0.0 <= number <= 1.0:
        raise InputError(f"expected a number in [0, 1] or null, got {_shown(value)}", field=field)
    return number


def _text(value: object) -> str | None:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - fits on a line
