"""Calibration tables in any form: files, run folders, runs, data frames and rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union, Unpack, cast

from ..calibration.decisions import read_decisions
from ..calibration.tables.calibration_table import Table
from ..errors import DuplicateRowError, UsageError
from ..evaluation.run_table import read_tables
from ..records import FolderPath, InputPath
from ..records.memory_file import MemoryRows
from ..spelling import command
from ..tables.frames import frame_rows, is_frame, is_plain_frame
from ..tables.layout import TableForm
from .argument_checks import require_declared
from .callers import warn_caller
from .headers import HeaderReading, header_choice
from .label_sources import (
    GivenKind,
    GivenScale,
    LabelFiles,
    grade_scale,
    label_files,
    score_kinds,
    score_scales,
)
from .paths import FilePath, Labels, input_path, pieces_of, rows_file, source
from .run import Run

if TYPE_CHECKING:
    import pandas as pd

Rows: TypeAlias = Union[FilePath, Run, "pd.DataFrame", Iterable[Mapping[str, Any]]]
"""A table's file, a run's folder, a run, a data frame, or mappings: rows with ``item_id``, ``judge``, ``score`` and, if known, ``label``."""

Tables: TypeAlias = Rows | Table | Iterable[FilePath | Run]
"""`Rows`, a table already read, or several files, folders and runs that form one."""


class TableReading(HeaderReading, total=False):
    """Options for reading a table.

    Attributes:
        labels: Trusted verdicts, or a table with ids (and systems) and grades; or several files of one of these forms.
        columns: Fields of columns with unrecognised names, in either order: ``{"label": "gold"}``.
        map: Alias of ``columns``, as in `fiducial.read` and on the command line.
        label_scale: The worst and the best label, as they are written: ``(1, 5)``.
        label_pass_at: The worst label that passes, as it is written; fractions are kept without it.
        score_scale: The worst and the best score, as they are written; a mapping gives those of single judges: ``{"gpt": (1, 5)}``.
        scores_are: What judges' scores are, ``probabilities`` that an output passes or ``grades``; a mapping says it of single judges.
        map_label: Scores of words in labels and scores: ``{"grounded": 1, "timeout": None}``, with None for no grade.
        all_alike: Whether words may make all labels, or all scores of a judge, pass or all fail.
        draws: Files with the chances of labelled items to be drawn, made by `plan`, one per round.
        accept_edited: Whether to accept runs whose verdicts were edited by hand.
    """

    labels: LabelFiles | None
    columns: Mapping[str, str] | None
    map: Mapping[str, str] | None
    label_scale: tuple[float, float] | None
    label_pass_at: float | None
    score_scale: GivenScale | None
    scores_are: GivenKind | None
    map_label: Mapping[str, float | None] | None
    all_alike: bool
    draws: Sequence[FilePath]
    accept_edited: bool


def read_calibration_table(
    table: Tables,
    *,
    lexical: bool = False,
    open_only: bool = False,
    outputs: bool = False,
    apart: bool = False,
    systems_apart: bool = False,
    tags: Sequence[str] = (),
    adjudications: Labels | None = None,
    **reading: Unpack[TableReading],
) -> Table:
    """Read a calibration table in any form, like a file.

    Args:
        table: The table.
        lexical: Whether to add a baseline that compares words to runs whose inputs still exist.
        open_only: Whether to read only undecided outputs of runs.
        outputs: Whether to read all outputs of runs, judged or not.
        apart: Whether each file without a column of judges is of a separate judge, named after the file.
        systems_apart: Whether each file without a column of systems is of a separate system, named after the file.
        tags: Columns that are needed, which may be tags of runs' cases.
        adjudications: People's decisions on who is right where judge and label differ, in addition to those in runs.
        **reading: Further options; see `TableReading`.

    Returns:
        The table.

    Raises:
        InputError: The table cannot be used.
        UsageError: It is not a table, or labels are given for a table already read.
    """
    require_declared(reading, TableReading)
    labels, columns = reading.get("labels"), {**(reading.get("columns") or {}), **(reading.get("map") or {})}
    decision_source = None if adjudications is None else source("adjudications", adjudications)
    if isinstance(table, Table):
        if labels is not None or columns:
            raise UsageError("the table is already read; give labels and columns when you read it")
        table = table.with_score_kinds(score_kinds(reading.get("scores_are")))
        if decision_source is not None:
            return replace(table, decisions=table.decisions + read_decisions(decision_source))
        return table
    form = replace(_table_form(reading, columns, apart=apart), systems_apart=systems_apart, tags=tags)
    pieces = table if isinstance(table, _TableList) else pieces_of(table, Run)
    sources = [_table_source(piece) for piece in pieces]
    try:
        return read_tables(
            sources,
            labels=None if labels is None else label_files(labels, form.labels, columns),
            adjudications=decision_source,
            form=form,
            draw=[input_path(path) for path in reading.get("draws", ())],
            open_only=open_only,
            outputs=outputs,
            lexical=lexical,
            checked_again=lexical,
            accept_edited=reading.get("accept_edited", False),
        )
    except DuplicateRowError as error:
        error.message += _hint_for_two_runs(sources)
        raise


def read_table(table: Tables, **options: Any) -> Table:
    """Read a table as `read_calibration_table` does, and warn of labels that match no item."""
    rows = read_calibration_table(table, **options)
    if not isinstance(table, Table):
        for warning in rows.warnings:
            warn_caller(warning)
    return rows


def _table_form(reading: TableReading, columns: Mapping[str, str], *, apart: bool) -> TableForm:
    """Return how to read columns and grades, as a caller describes them."""
    score_of_word, all_alike = reading.get("map_label"), reading.get("all_alike", False)
    return TableForm(
        columns=columns,
        apart=apart,
        header=header_choice(reading.get("header"), reading.get("column_names")),
        scores=score_scales(reading.get("score_scale"), score_of_word, all_alike=all_alike),
        score_kinds=score_kinds(reading.get("scores_are")),
        labels=grade_scale(
            reading.get("label_scale"), reading.get("label_pass_at"), score_of_word, all_alike=all_alike
        ),
    )


def _hint_for_two_runs(sources: Sequence[FolderPath | InputPath]) -> str:
    """Return the command that compares the sources as runs, if they are two runs."""
    runs = {str(path) for path in sources if isinstance(path, Path) and path.is_dir()}
    if not len(runs) == len(sources) == 2:  # noqa: PLR2004 - it compares two
        return ""
    return f"; `{command('report', *sources)}` compares two runs of one system"


def combined_tables(a: Tables, b: Rows | None) -> Tables:
    """Return two tables as a list that is read as one table, or the only table."""
    return a if b is None else _TableList((a, b))


class _TableList(tuple[Any, ...]):
    """Several tables, read as one."""

    __slots__ = ()


def _table_source(table: Any) -> FolderPath | InputPath:
    if isinstance(table, Run):
        return table.kept
    if isinstance(table, (str, os.PathLike)):
        return input_path(cast("FilePath", table))
    if is_frame(table):
        rows = partial(frame_rows, table)
        return MemoryRows("table", rows) if is_plain_frame(table) else rows_file("table", rows())
    if isinstance(table, Mapping) or not isinstance(table, Iterable):
        kind = type(table).__name__  # pyright: ignore[reportUnknownArgumentType]
        raise UsageError(f"table: expected a path, a run, a data frame or rows, got {kind}")
    return rows_file("table", cast("Iterable[Any]", table))
