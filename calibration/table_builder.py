"""Rows into a calibration table: each checked as it comes, kept as a few numbers."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from .table import IDENTITY, Column, Table

_NOT_SLICES = {"item_id", "judge", "score", "label", "cluster", "raw", "outcome"}

MAX_SLICES = 32
"""A column with more distinct values than this is not a slice but an id, a text or a measurement."""


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
        self._line = array("q")
        self._path: dict[int, Path | str | None] = {}

    def __len__(self) -> int:
        return len(self._score)

    def add(self, row: Mapping[str, Any], *, path: Path | str | None = None, line: int | None = None) -> None:
        """Check and keep one row.

        Args:
            row: The row, with at least ``item_id``, ``judge`` and ``score``.
            path: Named in errors.
            line: Named in errors.

        Raises:
            InputError: A field is missing, of the wrong type or outside [0, 1].
        """
        row = self._renamed(row)
        try:
            item, judge = _name(row, "item_id"), _name(row, "judge")
            score, label = _unit(row, "score"), _unit(row, "label")
            cluster = item if row.get("cluster") in {None, ""} else _name(row, "cluster")
        except InputError as error:
            field = None if error.field is None else self._source.get(error.field, error.field)
            raise InputError(error.message, path=path, line=line, field=field) from None
        number = len(self._score)
        if not self._path or self._path[max(self._path)] != path:
            self._path[number] = path
        self._line.append(line or 0)
        self._item.add(item, number)
        self._judge.add(judge, number)
        self._cluster.add(cluster, number)
        self._score.append(score)
        self._label.append(label)
        self._add_others(row, number)

    def _renamed(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        if not self._source:
            return row
        given = set(self._source.values())
        renamed = {
            name: value for name, value in row.items() if name not in given and name not in self._source
        }
        return renamed | {name: row[source] for name, source in self._source.items() if source in row}

    def _add_others(self, row: Mapping[str, Any], number: int) -> None:
        for name, value in row.items():
            if name in _NOT_SLICES:
                continue
            encoder = self._other.get(name)
            if encoder is None:
                if name in self._other:
                    continue
                encoder = self._other[name] = _Encoder()
            scalar = isinstance(value, str | int | float | bool) or value is None
            if not scalar or not encoder.add(_text(value), number, None if name in IDENTITY else MAX_SLICES):
                self._other[name] = None

    def build(self, *, labels: Mapping[str, float] | None = None, path: Path | str | None = None) -> Table:
        """Make the table.

        Args:
            labels: Labels by item, which take the place of those in the rows.
            path: Where they are from, for errors.

        Returns:
            The table.

        Raises:
            InputError: There is no row, two rows are about the same, or no label is of an item in the table.
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
        table = Table(
            item=item,
            judge=self._judge.column(rows),
            score=np.array(self._score),
            label=label,
            cluster=self._cluster.column(rows).codes,
            columns={name: each.column(rows) for name, each in self._other.items() if each is not None},
        )
        self._refuse_duplicates(table)
        return table

    def _refuse_duplicates(self, table: Table) -> None:
        key = table.key(*IDENTITY[1:])
        _, first = np.unique(key, return_index=True)
        if len(first) == len(key):
            return
        again = np.ones(len(key), dtype=bool)
        again[first] = False
        row = int(np.flatnonzero(again)[0])
        values = [(name, table.value(name, row)) for name in IDENTITY]
        named = ", ".join(f"{name} {value!r}" for name, value in values if value is not None)
        path = self._path[max(start for start in self._path if start <= row)]
        raise InputError(
            f"a second row of {named}",
            path=path,
            line=self._line[row] or None,
            field=self._source.get("item_id", "item_id"),
        )


class _Encoder:
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
