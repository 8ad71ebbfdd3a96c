"""Builder of calibration tables: checks rows as they come, and stores them compactly."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DuplicateRowError, InputError
from ...records import JudgeId
from ...records.scale import UNDECLARED_SCALE, Scale, judge_scale, named_judges
from ...spelling import spelled_pairs
from ...tables.alike_grades import PEOPLE, AlikeGrades
from ...tables.column_errors import duplicate_remedy
from ...tables.column_names import is_number_field
from ...tables.grades import as_number, is_above_one, is_missing
from ...tables.table_rows import NumberedRow
from ...tables.unread_grades import UnreadGrades
from .calibration_table import FAILED, IDENTITY, PERSON, Table
from .cells import (
    Encoder,
    NameColumn,
    Numbers,
    UnreadGradeError,
    absent,
    cluster_of,
    grade_of,
    name_of,
    number_of,
    read_cells,
    text_of,
)
from .table_labels import by_item, require_known_item

_FIELDS = {*IDENTITY, "score", "label", "cluster"}
"""Fields whose cells must be readable; a slice with an unreadable cell is discarded instead."""

_REQUIRED_FIELDS = ("item_id", "judge", "score")

_IGNORED_FIELDS = {"raw", "outcome"}
"""Fields of verdicts that are no slices."""

_CELL_READERS: dict[str, Callable[[Any, str], Any]] = {
    "item_id": name_of,
    "judge": name_of,
    "cluster": cluster_of,
}


NO_ROW = "there is no row; expected rows with item_id, judge and score"
"""Message for a table or file without a row."""

MAX_SLICES = 32
"""Maximum distinct values of a slice column; one with more is an id, text or a measurement."""

_BLOCK = 512
"""Number of rows that are read together, column by column: few enough to stay in the processor's cache."""

_UNIT_SCALES = {"score": UNDECLARED_SCALE, "label": UNDECLARED_SCALE}
"""Scales of scores and labels that are in [0, 1] already."""


class TableBuilder:
    """Collects and checks rows, and builds the table.

    Args:
        columns: Names of columns by field, if they differ: ``{"label": "gold"}``.
        scores: Scales of scores by judge; the name "" stands for all judges that are not named.
        labels: Scale of labels, and of people's grades.
    """

    def __init__(
        self,
        columns: Mapping[str, str] | None = None,
        *,
        scores: Mapping[str, Scale] = {},
        labels: Scale = UNDECLARED_SCALE,
    ) -> None:
        self._declared_columns = dict(columns or {})
        self._column_of_field = self._declared_columns
        self._declared_scales = {"score": judge_scale(scores), "label": labels}
        self._scales_by_judge = {judge: scores[judge] for judge in named_judges(scores)}
        self._scales: Mapping[str, Scale] = self._declared_scales
        self._label_scale = labels
        self._score_columns: Collection[str] = ()
        self._columns_not_yet_found = dict(self._declared_columns)
        self._fields_with_column = set(self._declared_columns)
        self._item, self._judge = NameColumn(), NameColumn()
        self._cluster: NameColumn | None = None
        self._score, self._label = Numbers(), Numbers()
        self._slices: dict[str, Encoder] = {}
        self._discarded = set(_IGNORED_FIELDS)
        self._numbers: dict[str, Numbers] = {}
        self._line = array("q")
        self._path: dict[int, object] = {}
        self._has_run_rows = False
        self._alike_grades = AlikeGrades(*scores.values(), labels)

    def __len__(self) -> int:
        return len(self._score)

    @property
    def n_items(self) -> int:
        """Number of distinct items so far."""
        return self._item.n_names

    def extend(
        self,
        rows: Iterable[NumberedRow],
        *,
        path: object = None,
        columns: Mapping[str, str] | None = None,
        score_columns: Collection[str] = (),
        in_units: bool = False,
        majority: bool = False,
    ) -> None:
        """Check and add rows.

        Args:
            rows: Rows with at least ``item_id``, ``judge`` and ``score``, each with its number in the file, or 0.
            path: File or folder for errors.
            columns: Names of columns of these rows, in place of those of the builder.
            score_columns: Judges that are named after their columns, for errors.
            in_units: Whether scores and labels are in [0, 1], as in a run, whatever the scale of other rows.
            majority: Whether labels are the majority of people's grades, and so in [0, 1].

        Raises:
            InputError: A field is missing, of the wrong type or outside [0, 1].
        """
        self._column_of_field = self._declared_columns if columns is None else dict(columns)
        if columns is not None:
            self._columns_not_yet_found |= {
                field: columns[field] for field in columns.keys() - self._fields_with_column
            }
            self._fields_with_column |= columns.keys()
        self._path[len(self)] = path
        self._has_run_rows |= in_units
        self._scales = _UNIT_SCALES if in_units else self._declared_scales
        self._label_scale = UNDECLARED_SCALE if majority else self._scales["label"]
        self._score_columns = score_columns
        remaining = iter(rows)
        while block := list(islice(remaining, _BLOCK)):
            try:
                cells = self._read([row for _, row in block])
            except InputError:
                # Read row by row, to name the first bad one.
                self._raise_row_error(chain(block, remaining), path)
                raise
            if self._alike_grades.is_watching and not in_units:
                self._note_alike([row for _, row in block], cells, majority=majority)
            self._append(cells)
            self._line.extend(line for line, _ in block)

    def _note_alike(
        self, rows: Sequence[Mapping[str, Any]], cells: Mapping[str, list[Any]], *, majority: bool
    ) -> None:
        """Note the grades of rows as written in the file: those of each judge, and labels."""
        for field, scores in cells.items():
            source = self._column_of_field.get(field, field)
            if field == "score":
                for row, judge, score in zip(rows, cells["judge"], scores, strict=True):
                    self._alike_grades.note(judge, [(row.get(source), score)])
            elif field == "label" and not majority:
                self._alike_grades.note(source, zip((row.get(source) for row in rows), scores, strict=True))
            elif field.startswith(PERSON) and majority:
                self._alike_grades.note(PEOPLE, zip((row.get(source) for row in rows), scores, strict=True))

    def _raise_row_error(self, rows: Iterator[NumberedRow], path: object) -> None:
        """Raise the error of the first row that cannot be read; for grades, list all that cannot."""
        has_scores, score = False, self._column_of_field.get("score", "score")
        for line, row in rows:
            try:
                self._read([row])
                has_scores |= not is_missing(row.get(score))
            except UnreadGradeError as error:
                remaining = chain([(line, row)], rows)
                all_unread = self._unread_error(str(error.field), row, remaining, has_scores=has_scores)
                all_unread.path, all_unread.line = path if isinstance(path, Path) else str(path), line or None
                raise all_unread from None
            except InputError as error:
                field = None if error.field is None else self._column_of_field.get(error.field, error.field)
                raise InputError(error.message, path=path, line=line or None, field=field) from None

    def _unread_error(
        self, field: str, row: Mapping[str, Any], rows: Iterable[NumberedRow], *, has_scores: bool
    ) -> InputError:
        """Return the error for a field with unreadable grades, the first in ``row``."""
        column = self._column_of_field.get(field, field)
        if field != "score":
            scale = self._scale_of(field) or UNDECLARED_SCALE
            return UnreadGrades(rows, column, scale).error("label_scale", field=column)
        judge_column = self._column_of_field.get("judge", "judge")
        judge, scale = row.get(judge_column), self._score_scale(row)
        own_scale_judge = judge if judge in self._score_columns or judge in self._scales_by_judge else None
        if own_scale_judge is not None and not self._scales_by_judge:
            rows = list(rows)
            if shared := self._shared_scale(rows, judge_column, column):
                return shared.error("score_scale", field=str(own_scale_judge))
        judge_rows = (numbered for numbered in rows if numbered[1].get(judge_column) == judge)
        unread = UnreadGrades(judge_rows, column, scale, has_grades=has_scores or len(self) > 0)
        return unread.error("score_scale", own_scale_judge, field=own_scale_judge or column)

    def _shared_scale(
        self, rows: Sequence[NumberedRow], judge_column: str, column: str
    ) -> UnreadGrades | None:
        """Return the grades of all judges, to ask for one scale; None unless all exceed [0, 1]."""
        by_judge = {
            judge: [as_number(row.get(column)) for _, row in rows if row.get(judge_column) == judge]
            for judge in self._score_columns
        }
        if any(
            None in numbers or not any(is_above_one(number or 0.0) for number in numbers)
            for numbers in by_judge.values()
        ):
            return None
        return UnreadGrades(rows, column, self._scales["score"])

    def _score_scale(self, row: Mapping[str, Any]) -> Scale:
        if self._scales is _UNIT_SCALES:
            return UNDECLARED_SCALE
        judge = row.get(self._column_of_field.get("judge", "judge"))
        return self._scales_by_judge.get(str(judge), self._scales["score"])

    def _scale_of(self, field: str) -> Scale | None:
        if field == "label":
            return self._label_scale
        return self._scales.get("label" if field.startswith(PERSON) else field)

    def _cell_reader(self, field: str) -> Callable[[Any, str], Any]:
        scale = self._scale_of(field)
        if scale is not None:
            return partial(grade_of, scale=scale)
        return _CELL_READERS.get(field) or (number_of if is_number_field(field) else text_of)

    def _read(self, rows: list[Mapping[str, Any]]) -> dict[str, list[Any]]:
        """Read the columns of some rows, by field."""
        key_sets = dict.fromkeys(map(tuple, rows))
        for keys in key_sets:
            for field in _REQUIRED_FIELDS:
                if self._column_of_field.get(field, field) not in keys:
                    raise absent(field, keys)
        columns: dict[str, list[Any]] = {}
        for field, source in self._columns_present(dict.fromkeys(chain.from_iterable(key_sets))).items():
            if field == "outcome":
                columns |= _failed_calls([row.get(source) for row in rows])
            if field in self._discarded:
                continue
            if field == "score" and self._scales_by_judge:
                columns[field] = [grade_of(row.get(source), field, self._score_scale(row)) for row in rows]
                continue
            try:
                columns[field] = read_cells(
                    [row.get(source) for row in rows], self._cell_reader(field), field
                )
            except InputError:
                if field in _FIELDS or is_number_field(field):
                    raise
                self._discard_slice(field)
        return columns

    def _columns_present(self, columns: Mapping[str, None]) -> dict[str, str]:
        """Map each column of the table to its column in the rows, in the order of the rows."""
        self._columns_not_yet_found = {
            field: source for field, source in self._columns_not_yet_found.items() if source not in columns
        }
        # A column may serve two fields: with `cluster=item_id` each item is a cluster.
        renamed_away = (set(self._column_of_field.values()) - _FIELDS) | self._column_of_field.keys()
        renamed = {field: source for field, source in self._column_of_field.items() if source in columns}
        return {name: name for name in columns if name not in renamed_away} | renamed

    def _append_clusters(self, items: list[str], clusters: list[str | None] | None) -> None:
        """Append clusters, once some row has one; an item without a cluster is its own."""
        if self._cluster is None:
            if clusters is None:
                return
            self._cluster = NameColumn()
            self._cluster.extend(self._item.so_far())
        pairs = zip(items, clusters or items, strict=True)
        self._cluster.extend([item if cluster is None else cluster for item, cluster in pairs])

    def _append(self, columns: dict[str, list[Any]]) -> None:
        start, items = len(self), columns.pop("item_id")
        self._append_clusters(items, columns.pop("cluster", None))
        self._item.extend(items)
        self._judge.extend(columns.pop("judge"))
        self._score.extend(columns.pop("score"))
        if "label" in columns:
            self._label.extend(columns.pop("label"), start)
        for name, values in columns.items():
            if is_number_field(name):
                self._numbers.setdefault(name, Numbers()).extend(values, start)
                continue
            encoder = self._slices.setdefault(name, Encoder(None if name in IDENTITY else MAX_SLICES))
            if not encoder.extend(values, start):
                self._discard_slice(name)

    def _discard_slice(self, name: str) -> None:
        """Discard a slice column for good: a slice of only some rows would mislead."""
        self._discarded.add(name)
        self._slices.pop(name, None)

    def build(
        self,
        *,
        labels: Mapping[str, float] | None = None,
        numbers: Mapping[str, Mapping[str, float]] | None = None,
        judges: Mapping[str, JudgeId] | None = None,
        path: object = None,
    ) -> Table:
        """Build the table.

        Args:
            labels: Labels by item, which replace those in the rows.
            numbers: Number columns by name and item, which replace those in the rows.
            judges: Identities of the judges by their names in the rows, if known.
            path: File of the labels and numbers, for errors.

        Raises:
            InputError: There is no row, two rows have the same identity, no row has a column that the user named, or
                no label belongs to an item in the table.
        """
        rows = len(self)
        if not rows:
            raise InputError(NO_ROW)
        for field, source in self._columns_not_yet_found.items():
            if not source:
                continue
            raise InputError(
                f"no row has the column {source!r} of {spelled_pairs('map', {field: source})}", field=field
            )
        item = self._item.column()
        label = self._label.column(rows)
        if labels is not None:
            require_known_item(item, labels, "label", path=path)
            given_label = by_item(item, labels)
            label = np.where(np.isfinite(given_label), given_label, label)
        table = Table(
            item=item,
            judge=self._judge.column(),
            score=self._score.column(rows),
            label=label,
            cluster=(item if self._cluster is None else self._cluster.column()).codes.astype(np.int64),
            columns={name: encoder.column(rows) for name, encoder in self._slices.items()},
            numbers={name: values.column(rows) for name, values in self._numbers.items()}
            | {name: by_item(item, values) for name, values in (numbers or {}).items()},
            judges=dict(judges or {}),
        )
        self._require_unique_rows(table)
        self._alike_grades.refuse(self._path[0])
        return table

    def _require_unique_rows(self, table: Table) -> None:
        key = table.key(*IDENTITY[1:])
        if np.bincount(key).max() == 1:
            return
        _, first = np.unique(key, return_index=True)
        is_repeat = np.ones(len(key), dtype=bool)
        is_repeat[first] = False
        row = int(np.flatnonzero(is_repeat)[0])
        values = [(name, table.value(name, row)) for name in IDENTITY]
        identity = ", ".join(f"{name} {value!r}" for name, value in values if value is not None)
        path = self._path[max(start for start in self._path if start <= row)]
        needs_no_remedy = self._has_run_rows or "repeat" in table.columns
        column, has_trial = _numbering_column(table) or "COLUMN", "trial" in table.columns
        remedy = "" if needs_no_remedy else duplicate_remedy(column, has_trial=has_trial)
        raise DuplicateRowError(
            f"a second row of {identity}{remedy}",
            path=path,
            line=self._line[row] or None,
            field=self._column_of_field.get("item_id", "item_id"),
        )


def _failed_calls(outcomes: list[Any]) -> dict[str, list[float]]:
    if "failed" not in outcomes:
        return {}
    return {FAILED: [1.0 if outcome == "failed" else math.nan for outcome in outcomes]}


def _numbering_column(table: Table) -> str:
    """Return the only other column by which all rows differ; empty if no column, or several do."""
    others = [name for name in table.columns if name not in IDENTITY]
    numbering = [name for name in others if np.bincount(table.key(*IDENTITY[1:], name)).max() == 1]
    return numbering[0] if len(numbering) == 1 else ""
