"""Calibration tables from files, data frames and row sources, with labels and draws.

A row source, such as a run, gives rows itself; labels and draws may be given separately.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ...errors import ColumnsError, InputError
from ...records import (
    FolderPath,
    InputPath,
    JudgeId,
    MemoryFile,
    ShownNames,
    Verdict,
    name_of_files,
    read_records,
)
from ...records.column_names import LABEL_FIELDS, TABLE_FIELDS, column_named
from ...records.frames import frame_rows
from ...records.label_table import LabelTable
from ...records.standing_labels import is_tie
from ...records.table_rows import NumberedRow, file_rows, json_rows
from ..pass_threshold import PassThreshold
from .builder import NO_ROW, TableBuilder, refuse_strangers
from .calibration_table import PERSON, PROBABILITY, ROUND, Table
from .cells import absent, name_of, number_of
from .layout import TableForm
from .recognition import layout_of
from .table_labels import unmatched_note, with_label_table

if TYPE_CHECKING:
    import pandas as pd


_LOOKED_AT = 512
"""Rows by which columns are recognised."""

_FIELDS = {*TABLE_FIELDS, *LABEL_FIELDS}


class RowSource(Protocol):
    """Source of rows: an opened run."""

    @property
    def path(self) -> FolderPath:
        """Named in messages."""
        ...

    @property
    def thresholds(self) -> Mapping[JudgeId, PassThreshold]:
        """Pass threshold of each of its judges."""
        ...

    @property
    def labels(self) -> Iterable[Verdict]:
        """The labels that it was given, beside what its checkers decided."""
        ...

    def rows(self, names: ShownNames) -> Iterator[Mapping[str, Any]]:
        """Yield the rows; ``names`` learns the display names of its judges."""
        ...


def read_table(
    sources: Sequence[InputPath | RowSource],
    *,
    columns: Mapping[str, str] | None = None,
    labels: InputPath | None = None,
    draw: Sequence[Path] = (),
    form: TableForm | None = None,
) -> Table:
    """Read one table from one or more files.

    Runs are opened by `fiducial.evaluation.run_table.read_tables`.

    Args:
        sources: ``.csv``, ``.parquet``, or what gives rows itself; everything else, and what is in memory, is
            read as JSON Lines.
        columns: Names of the contract and columns of the files, in either order: ``{"label": "gold"}``.
            Columns that are not named are found by their names and what is in them; the table's ``notes`` say
            how.
        labels: Verdicts as JSON Lines whose graded scores are labels, or a table of labels; they take the
            place of labels in the tables.
        draw: JSON Lines with ``item_id`` and ``label_probability``, as ``fiducial plan --next --out`` writes
            them; a file for each round, in their order. A plain random sample has no chances.
        form: Options for columns and grades; None for the defaults.

    Raises:
        InputError: A file cannot be read or a row cannot be used; names file, line and field.
        MissingExtraError: A Parquet file, and pyarrow is not installed.
    """
    form, notes = form or TableForm(), list[str]()
    named_columns = {**form.columns, **(columns or {})}
    elsewhere = labels.columns if isinstance(labels, LabelTable) else frozenset[str]()
    builder, names = TableBuilder(scores=form.scores, labels=form.labels), ShownNames()
    several = sum(isinstance(source, (Path, MemoryFile)) for source in sources) > 1
    checkers: Counter[str] = Counter()
    thresholds: dict[JudgeId, PassThreshold] = {}
    for source in sources:
        before = len(builder)
        if isinstance(source, (Path, MemoryFile)):
            path = source
            alone = PurePath(source.name).stem if form.apart and several else None
            note = _add_rows(
                builder,
                file_rows(source),
                named_columns,
                form,
                path=path,
                judge=alone,
                labelled=labels is not None,
                elsewhere=elsewhere,
            )
            notes += [f"{name_of_files([source])}: {note}"] if note else []
        else:
            path, rows = source.path, ((0, row) for row in source.rows(names))
            thresholds |= source.thresholds
            checkers.update(given_labels(source.labels).checkers)
            builder.extend(rows, path=path, columns=_named_here(named_columns, (), elsewhere), in_units=True)
        if len(builder) == before:
            raise InputError(NO_ROW, path=path)
    numbers: dict[str, Mapping[str, float]] = {}
    if draw:
        numbers |= _read_draws(draw)
    loose = isinstance(labels, LabelTable)
    labels_by_item = None if labels is None or loose else given_labels(read_records(labels, Verdict))
    if labels_by_item is not None:
        numbers |= {f"{PERSON}{name}": said for name, said in labels_by_item.people.items()}
        checkers.update(labels_by_item.checkers)
    table = builder.build(
        labels=None if labels_by_item is None else labels_by_item.scores,
        numbers=numbers,
        judges=names.judges,
        path=labels,
    )
    by_name = {name: thresholds[judge] for name, judge in names.judges.items() if judge in thresholds}
    table = replace(table, thresholds=by_name, checkers=dict(checkers), notes=tuple(notes))
    if isinstance(labels, LabelTable):
        table = with_label_table(table, labels)
    elif labels_by_item is not None:
        unmatched = labels_by_item.scores.keys() - set(table.item.values)
        if unmatched:
            note = unmatched_note(len(unmatched), len(labels_by_item.scores), min(unmatched))
            table = replace(table, notes=(*table.notes, note))
    if draw:
        refuse_strangers(table.item, numbers[ROUND], "draw", path=draw[0])
    return table


def _named_here(
    columns: Mapping[str, str], there: Collection[str], elsewhere: AbstractSet[str]
) -> Mapping[str, str]:
    """Return the named columns without those that only the table of labels has."""
    here: dict[str, str] = {}
    for left, right in columns.items():
        theirs = {left, right} - _FIELDS or {left, right}
        if theirs & set(there) or not any(column_named(elsewhere, name) for name in theirs):
            here[left] = right
    return here


def _add_rows(
    builder: TableBuilder,
    rows: Iterator[NumberedRow],
    columns: Mapping[str, str],
    form: TableForm,
    *,
    path: object,
    judge: str | None = None,
    labelled: bool = False,
    elsewhere: AbstractSet[str] = frozenset(),
) -> str:
    """Add rows by what their columns are; return what was found of these."""
    first = list(islice(rows, _LOOKED_AT))
    if not first:
        return ""
    columns = _named_here(columns, {name for _, row in first for name in row}, elsewhere)
    try:
        layout = layout_of([row for _, row in first], columns, form=form, judge=judge, labelled=labelled)
    except ColumnsError as error:
        error.path = path if isinstance(path, Path) else str(path)
        raise
    # Files of one judge each are about the same items; other files go on counting.
    start = builder.n_items + 1 if judge is None else 1
    builder.extend(
        layout.rows(chain(first, rows), form.labels, first=start), path=path, columns=layout.columns
    )
    return layout.note


def read_labels(path: InputPath) -> dict[str, float]:
    """Read labels by item (``case_id|system|trial``) from a file of Verdicts.

    A later line replaces an earlier one.
    """
    return given_labels(read_records(path, Verdict)).scores


class GivenLabels(NamedTuple):
    """Labels that were given as verdicts, by item; of several the last.

    Attributes:
        scores: What is true.
        people: What each person says, by name.
        checkers: Items whose label calls itself a checker's, by its name.
    """

    scores: dict[str, float]
    people: dict[str, dict[str, float]]
    checkers: dict[str, int]


def given_labels(verdicts: Iterable[Verdict]) -> GivenLabels:
    """Return the labels in verdicts, with who gave them."""
    scores: dict[str, float] = {}
    people: defaultdict[str, dict[str, float]] = defaultdict(dict)
    checkers: dict[str, str] = {}
    for verdict in verdicts:
        item = str(verdict.key)
        if is_tie(verdict):
            scores.pop(item, None)
            checkers.pop(item, None)
        if verdict.score is None:
            continue
        scores[item] = verdict.score
        checkers.pop(item, None)
        if verdict.source == "human":
            people[verdict.by][item] = verdict.score
        elif verdict.source == "checker":
            checkers[item] = verdict.by
    return GivenLabels(scores, people, dict(Counter(checkers.values())))


def _read_draws(paths: Sequence[Path]) -> dict[str, dict[str, float]]:
    """Return each item's draw probability and round.

    The probability is NaN in a plain draw.
    """
    chance: dict[str, float] = {}
    drawn_in: dict[str, float] = {}
    for number, path in enumerate(paths, start=1):
        drawn: dict[str, float] = {}
        for line, row in json_rows(path):
            try:
                item, probability = _drawn_item(row, drawn)
            except InputError as error:
                raise InputError(error.message, path=path, line=line, field=error.field) from None
            if item in drawn or item in chance:
                where = "twice" if item in drawn else f"in {paths[int(drawn_in[item]) - 1]} already"
                raise InputError(f"{item!r} was drawn {where}", path=path, line=line, field="item_id")
            drawn[item] = probability
        if not drawn:
            raise InputError("there is no row; expected rows with item_id and label_probability", path=path)
        chance |= drawn
        drawn_in |= dict.fromkeys(drawn, float(number))
    return {PROBABILITY: chance, ROUND: drawn_in}


def _drawn_item(row: Mapping[str, Any], before: Mapping[str, float]) -> tuple[str, float]:
    """Return an item and its draw probability, which all rows of a draw have, or none."""
    if "item_id" not in row:
        raise absent("item_id", row)
    probability = number_of(row.get(PROBABILITY), PROBABILITY)
    if before and math.isnan(probability) != math.isnan(next(iter(before.values()))):
        raise InputError(
            "give each item of the draw its label_probability, or none for a plain random sample",
            field=PROBABILITY,
        )
    return name_of(row["item_id"], "item_id"), probability


def table_from_rows(rows: Iterator[Mapping[str, Any]] | Sequence[Mapping[str, Any]]) -> Table:
    """Build a table from rows in memory.

    Each row has at least ``item_id``, ``judge`` and ``score``.

    Raises:
        InputError: A row cannot be used; it names the row's number, from 1, in place of a file's line.
    """
    builder = TableBuilder()
    _add_rows(builder, enumerate(rows, start=1), {}, TableForm(), path="rows")
    return builder.build()


def table_from_frame(frame: pd.DataFrame, *, columns: Mapping[str, str] | None = None) -> Table:
    """Build a table from a pandas DataFrame with a row a verdict.

    NaN and None are missing. ``columns`` and errors are as for files.
    """
    builder = TableBuilder()
    _add_rows(builder, enumerate(frame_rows(frame), start=1), columns or {}, TableForm(), path="frame")
    return builder.build()
