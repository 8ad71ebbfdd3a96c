"""Rows into a calibration table: each checked as it comes, kept as a few numbers."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError
from ..arrays import FloatArray
from .cells import (
    is_missing,
    is_number,
    is_scalar,
    name_in,
    number_in,
    refuse_compound,
    text_of,
    unit_in,
)
from .columns import Encoder, Numbers
from .table import IDENTITY, Column, Table

_CONTRACT = {*IDENTITY, "score", "label", "cluster"}

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
        self._unseen = set(self._source.values())
        self._item, self._judge, self._cluster = Encoder(), Encoder(), Encoder()
        self._score, self._label = array("d"), array("d")
        self._other: dict[str, Encoder | None] = {}
        self._numbers: dict[str, Numbers] = {}
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
            item, judge = name_in(row, "item_id"), name_in(row, "judge")
            score, label = unit_in(row, "score"), unit_in(row, "label")
            cluster = item if is_missing(row.get("cluster")) else name_in(row, "cluster")
            numbers = {name: number_in(row, name) for name in row if is_number(name)}
            for name in IDENTITY[2:]:
                refuse_compound(row, name)
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
        for name, value in numbers.items():
            self._numbers.setdefault(name, Numbers()).add(value, number)
        self._add_others(row, number)

    def _renamed(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        if not self._source:
            return row
        self._unseen -= row.keys()
        # A column of the contract keeps its own name too: clusters may be the items (`cluster=item_id`).
        given = set(self._source.values()) - _CONTRACT
        renamed = {
            name: value for name, value in row.items() if name not in given and name not in self._source
        }
        return renamed | {name: row[source] for name, source in self._source.items() if source in row}

    def _add_others(self, row: Mapping[str, Any], number: int) -> None:
        for name, value in row.items():
            if name in _NOT_SLICES or name in self._numbers:
                continue
            encoder = self._other.get(name)
            if encoder is None:
                if name in self._other:
                    continue
                encoder = self._other[name] = Encoder()
            limit = None if name in IDENTITY else MAX_SLICES
            if not is_scalar(value) or not encoder.add(text_of(value), number, limit):
                self._other[name] = None

    def build(
        self,
        *,
        labels: Mapping[str, float] | None = None,
        numbers: Mapping[str, Mapping[str, float]] | None = None,
        path: Path | str | None = None,
    ) -> Table:
        """Make the table.

        Args:
            labels: Labels by item, which take the place of those in the rows.
            numbers: Number columns by name and item, which take the place of those in the rows.
            path: Where they are from, for errors.

        Returns:
            The table.

        Raises:
            InputError: There is no row, two rows are about the same, no row has a column that was named, or no label is
                of an item in the table.
        """
        rows = len(self._score)
        if not rows:
            raise InputError("there is no row; expected rows with item_id, judge and score")
        for name, theirs in self._source.items():
            if theirs in self._unseen:
                raise InputError(f"no row has the column {theirs!r}, which was to be the {name}", field=name)
        item = self._item.column(rows)
        label = np.array(self._label)
        if labels is not None:
            given = _by_item(item, labels)
            if not np.isfinite(given).any():
                raise InputError(
                    "no label is of an item in the table; items are case_id|system|trial", path=path
                )
            label = np.where(np.isfinite(given), given, label)
        table = Table(
            item=item,
            judge=self._judge.column(rows),
            score=np.array(self._score),
            label=label,
            cluster=self._cluster.column(rows).codes,
            columns={name: each.column(rows) for name, each in self._other.items() if each is not None},
            numbers={name: each.column(rows) for name, each in self._numbers.items()}
            | {name: _by_item(item, values) for name, values in (numbers or {}).items()},
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


def _by_item(item: Column, values: Mapping[str, float]) -> FloatArray:
    """A value per row from values by item; NaN where there is none."""
    return np.array([values.get(name, math.nan) for name in item.values])[item.codes]
