"""Calibration tables from files, data frames and row sources, with labels and draws.

A row source, such as a run, yields rows itself. Labels and draws may come from separate files.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ...errors import ColumnsError, InputError, UsageError
from ...records import (
    FolderPath,
    InputPath,
    JudgeId,
    MemoryFile,
    ShownNames,
    Verdict,
    name_of_files,
    nearest,
    read_records,
)
from ...records.scale import named_judges
from ...records.score_kinds import ScoreKind
from ...spelling import spelled_scale
from ...tables.column_names import LABEL_FIELDS, TABLE_FIELDS
from ...tables.frames import frame_rows
from ...tables.grades import as_number
from ...tables.json_rows import UnreadRow
from ...tables.label_table import LabelTable
from ...tables.layout import TableForm, names_apart
from ...tables.named_columns import column_named
from ...tables.recognition import layout_of
from ...tables.table_rows import NumberedRow, UnreadRows, read_table_rows
from ...tables.unnamed_ids import require_named_id, require_pairing_id
from ..pass_threshold import PassThreshold
from .builder import NO_ROW, TableBuilder
from .calibration_table import ADDED, DRAWN_FROM, PERSON, PROBABILITY, ROUND, LabelDraw, Table
from .cells import absent, name_of, number_of
from .table_labels import (
    labels_from_verdicts,
    require_known_item,
    with_conflict_warning,
    with_label_table,
    with_unmatched_warning,
)

if TYPE_CHECKING:
    import pandas as pd


_HEAD = 512
"""Number of first rows by which columns are recognised."""

_ID_ROWS = 20_000
"""Number of further rows that are searched for repeated ids, in a column that is not named like ids."""

_FIELDS = {*TABLE_FIELDS, *LABEL_FIELDS}
"""Fields of tables of scores and of tables of labels."""


class RowSource(Protocol):
    """Source of rows: an opened run."""

    @property
    def path(self) -> FolderPath:
        """Path for messages."""
        ...

    @property
    def thresholds(self) -> Mapping[JudgeId, PassThreshold]: ...  # noqa: D102

    @property
    def score_kinds(self) -> Mapping[JudgeId, ScoreKind]: ...  # noqa: D102

    @property
    def labels(self) -> Iterable[Verdict]:
        """Labels that were added to the run, without its checkers' decisions."""
        ...

    def rows(self, names: ShownNames) -> Iterator[Mapping[str, Any]]:
        """Yield the rows, and add the display names of the judges to ``names``."""
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
        sources: Row sources, and files: ``.csv``, ``.parquet``, or else JSON Lines, as files in memory are.
        columns: Field and column names, in either order: ``{"label": "gold"}``. Other columns are recognised
            by their names and values; the table's ``notes`` say how.
        labels: Verdicts as JSON Lines whose graded scores are labels, or a table of labels; they replace the
            labels in the tables.
        draw: JSON Lines with ``item_id`` and ``label_probability``, as ``fiducial plan --next --out`` writes
            them; one file per round, in order. A simple random sample has no probabilities.
        form: Options for columns and grades, or None for the defaults.

    Raises:
        InputError: A file cannot be read or a row cannot be used; names file, line and field.
        MissingExtraError: A Parquet file, and pyarrow is not installed.
    """
    form = form or TableForm()
    form = replace(form, columns={**form.columns, **(columns or {})})
    builder = TableBuilder(scores=form.scores, labels=form.labels)
    run_facts, file_facts = _add_sources(builder, sources, form, labels)
    draw_numbers, draws = _read_draws(draw) if draw else ({}, ())
    numbers: dict[str, Mapping[str, float]] = {**draw_numbers}
    verdict_labels = None
    if labels is not None and not isinstance(labels, LabelTable):
        verdict_labels = labels_from_verdicts(read_records(labels, Verdict))
        numbers |= {f"{PERSON}{name}": grades for name, grades in verdict_labels.people.items()}
        numbers[ADDED] = verdict_labels.rounds
        run_facts.checkers.update(verdict_labels.checkers)
    judges = run_facts.names.judges
    table = builder.build(
        labels=None if verdict_labels is None else verdict_labels.scores,
        numbers=numbers,
        judges=judges,
        path=labels,
    )
    _require_known_scales(form, table)
    thresholds, kinds = run_facts.thresholds, run_facts.score_kinds
    table = replace(
        table,
        thresholds={name: thresholds[judge] for name, judge in judges.items() if judge in thresholds},
        score_kinds={name: kinds[judge] for name, judge in judges.items() if judge in kinds},
        checkers=dict(run_facts.checkers),
        notes=tuple(file_facts.notes),
        warnings=tuple(file_facts.warnings),
        numbered=file_facts.numbered,
        draws=draws,
    ).with_score_kinds(form.score_kinds)
    if isinstance(labels, LabelTable):
        table = with_label_table(table, labels)
    elif verdict_labels is not None:
        table = with_unmatched_warning(table, verdict_labels.scores)
    if draw:
        require_known_item(table.item, numbers[ROUND], "draw", path=draw[0])
    return with_conflict_warning(table)


class _FileFacts(NamedTuple):
    """Notes and warnings about the columns of files.

    Attributes:
        notes: Notes on columns.
        warnings: Warnings of rows without an id.
        numbered: Whether ids are row numbers in a table that has a column of judges.
    """

    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    numbered: bool = False


class _RunFacts(NamedTuple):
    """Facts about the judges and labels of runs.

    Attributes:
        names: Display names of the judges.
        thresholds: Pass threshold by judge.
        score_kinds: Declared kind of scores by judge.
        checkers: Number of labels by checker.
    """

    names: ShownNames
    thresholds: dict[JudgeId, PassThreshold]
    score_kinds: dict[JudgeId, ScoreKind]
    checkers: Counter[str]


def _add_sources(
    builder: TableBuilder,
    sources: Sequence[InputPath | RowSource],
    form: TableForm,
    labels: InputPath | None,
) -> tuple[_RunFacts, _FileFacts]:
    """Add the rows of all sources; return facts about runs, and how columns of files were read."""
    facts, file_facts = _RunFacts(ShownNames(), {}, {}, Counter()), list[_FileFacts]()
    unread = UnreadRows()
    label_columns = labels.columns if isinstance(labels, LabelTable) else frozenset[str]()
    files = [source for source in sources if isinstance(source, (Path, MemoryFile))]
    names = names_apart(files) if len(files) > 1 else {}
    for source in sources:
        rows_before = len(builder)
        if isinstance(source, (Path, MemoryFile)):
            path = source
            facts_of_file = _add_rows(
                builder,
                unread.without(read_table_rows(source, form.columns, form.header), source),
                form,
                path=path,
                judge=names.get(id(source)) if form.apart else None,
                system=names.get(id(source), "") if form.systems_apart else "",
                labelled=labels is not None,
                label_columns=label_columns,
            )
            name = name_of_files([source])
            file_facts.append(
                facts_of_file._replace(notes=[f"{name}: {note}" for note in facts_of_file.notes])
            )
        else:
            path, rows = source.path, ((0, row) for row in source.rows(facts.names))
            facts.thresholds.update(source.thresholds)
            facts.score_kinds.update(source.score_kinds)
            facts.checkers.update(labels_from_verdicts(source.labels).checkers)
            columns = _columns_of_rows(form.columns, (), label_columns)
            builder.extend(rows, path=path, columns=columns, in_units=True)
        if len(builder) == rows_before:
            raise InputError(NO_ROW, path=path)
    return facts, _FileFacts(
        [note for facts_of_file in file_facts for note in facts_of_file.notes],
        [
            *filter(None, [unread.note()]),
            *(warning for facts_of_file in file_facts for warning in facts_of_file.warnings),
        ],
        any(facts_of_file.numbered for facts_of_file in file_facts),
    )


def _require_known_scales(form: TableForm, table: Table) -> None:
    judges = table.judge.values  # noqa: PD011 - a `Column`, not a data frame
    for name in named_judges(form.scores):
        if name not in judges:
            raise UsageError(
                f"{spelled_scale('score_scale', '...', name)}: there is no judge {name!r}{nearest(name, judges)}; judges are {', '.join(judges)}"
            )


def _columns_of_rows(
    columns: Mapping[str, str], present: Collection[str], label_columns: AbstractSet[str]
) -> Mapping[str, str]:
    """Return the columns that a user named, without those that only the table of labels has."""
    row_columns: dict[str, str] = {}
    for first, second in columns.items():
        # Field and column may come in either order; a name that is no field must be the column.
        names = {first, second} - _FIELDS or {first, second}
        if names & set(present) or not any(column_named(label_columns, name) for name in names):
            row_columns[first] = second
    return row_columns


def _add_rows(
    builder: TableBuilder,
    rows: Iterator[NumberedRow],
    form: TableForm,
    *,
    path: object,
    judge: str | None = None,
    system: str = "",
    labelled: bool = False,
    label_columns: AbstractSet[str] = frozenset(),
) -> _FileFacts:
    """Add rows, recognising their columns; return how they were read."""
    head = list(islice(rows, _HEAD))
    if not head:
        return _FileFacts()
    columns = _columns_of_rows(form.columns, {name for _, row in head for name in row}, label_columns)
    try:
        layout = layout_of([row for _, row in head], columns, form=form, judge=judge, labelled=labelled)
        if "system" not in layout.columns and not any("system" in row for _, row in head):
            layout = replace(layout, system=system)
            require_pairing_id(layout, [row for _, row in head])
        if layout.numbered:
            head += islice(rows, _ID_ROWS)
            warning = require_named_id([row for _, row in head], layout)
        else:
            warning = ""
    except ColumnsError as error:
        error.path = path if isinstance(path, Path) else str(path)
        raise
    # Files of one judge each have the same items, so row numbers start at 1 again; in other files they go on.
    start = builder.n_items + 1 if judge is None else 1
    builder.extend(
        layout.rows(chain(head, rows), form.labels, first=start),
        path=path,
        columns=layout.columns,
        score_columns=layout.scores if len(layout.scores) > 1 else (),
        majority=bool(layout.people),
    )
    return _FileFacts(
        [layout.note] if layout.note else [],
        [warning] if warning else [],
        layout.numbered and not layout.scores,
    )


def read_labels(path: InputPath) -> dict[str, float]:
    """Read labels by item (``case_id|system|trial``) from a file of Verdicts.

    A later line replaces an earlier one.
    """
    return labels_from_verdicts(read_records(path, Verdict)).scores


def _read_draws(paths: Sequence[Path]) -> tuple[dict[str, dict[str, float]], tuple[LabelDraw, ...]]:
    """Return each item's draw probability and round, and facts about each file.

    The probability is NaN in a simple random draw.
    """
    draws: list[LabelDraw] = []
    chances: dict[str, float] = {}
    rounds: dict[str, float] = {}
    for number, path in enumerate(paths, start=1):
        file_chances: dict[str, float] = {}
        drawn_from: int | None = None
        for line, row in _rows_of_draw(path):
            try:
                item, probability = _drawn_item(row, file_chances)
            except InputError as error:
                raise InputError(error.message, path=path, line=line, field=error.field) from None
            if item in file_chances or item in chances:
                where = "twice" if item in file_chances else f"in {paths[int(rounds[item]) - 1]} already"
                raise InputError(f"{item!r} was drawn {where}", path=path, line=line, field="item_id")
            file_chances[item] = probability
            number_of_items = as_number(row.get(DRAWN_FROM))
            if number_of_items is not None and number_of_items.is_integer():
                drawn_from = int(number_of_items)
        if not file_chances:
            raise InputError("there is no row; expected rows with item_id and label_probability", path=path)
        has_chances = not math.isnan(next(iter(file_chances.values())))
        draws.append(LabelDraw(str(path), len(file_chances), drawn_from, has_chances))
        chances |= file_chances
        rounds |= dict.fromkeys(file_chances, float(number))
    return {PROBABILITY: chances, ROUND: rounds}, tuple(draws)


def _rows_of_draw(path: Path) -> Iterator[NumberedRow]:
    """Yield the rows of a draw.

    A row that cannot be read is an error, since without it the chances of the others would be wrong.
    """
    for row in read_table_rows(path):
        if isinstance(row, UnreadRow):
            raise row.error(path)
        yield row.number, row.value


def _drawn_item(row: Mapping[str, Any], earlier_chances: Mapping[str, float]) -> tuple[str, float]:
    """Return an item and its draw probability; all rows of a draw have one, or none."""
    if "item_id" not in row:
        raise absent("item_id", row)
    probability = number_of(row.get(PROBABILITY), PROBABILITY)
    if earlier_chances and math.isnan(probability) != math.isnan(next(iter(earlier_chances.values()))):
        raise InputError(
            "give each item of the draw its label_probability, or none for a plain random sample",
            field=PROBABILITY,
        )
    return name_of(row["item_id"], "item_id"), probability


def table_from_rows(rows: Iterator[Mapping[str, Any]] | Sequence[Mapping[str, Any]]) -> Table:
    """Build a table from rows in memory.

    Each row has at least ``item_id``, ``judge`` and ``score``.

    Raises:
        InputError: A row cannot be used; the message names its number, counted from 1.
    """
    builder = TableBuilder()
    _add_rows(builder, enumerate(rows, start=1), TableForm(), path="rows")
    return builder.build()


def table_from_frame(frame: pd.DataFrame, *, columns: Mapping[str, str] | None = None) -> Table:
    """Build a table from a pandas DataFrame with one verdict per row.

    NaN and None are missing. ``columns`` and errors are as for files.
    """
    builder, form = TableBuilder(), TableForm(columns=columns or {})
    _add_rows(builder, enumerate(frame_rows(frame), start=1), form, path="frame")
    return builder.build()
