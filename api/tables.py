"""Calibration tables in whatever form a caller has them: files, run folders, runs, data frames, rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Union, Unpack, cast

from ..calibration.decisions import read_decisions
from ..calibration.tables.files import read_labels
from ..calibration.tables.table import Table
from ..errors import UsageError
from ..evaluation.run_table import read_tables
from ..records import FolderPath, InputPath, memory_file
from ..records.frames import frame_rows, is_frame
from .places import FilePath, input_path
from .run import Run
from .sources import Labels, pieces_of, source

if TYPE_CHECKING:
    import pandas as pd

Rows: TypeAlias = Union[FilePath, Run, "pd.DataFrame", Iterable[Mapping[str, Any]]]
"""A table's file, a run's folder, a run, a data frame, or mappings: rows with ``item_id``, ``judge``, ``score`` and, where known, ``label``."""

Tables: TypeAlias = Rows | Table | Iterable[FilePath | Run]
"""The same, a table that was read, or several files, folders and runs that together are one."""


class TableReading(TypedDict, total=False):
    """How a table is read.

    Attributes:
        labels: Trusted verdicts that become its labels, of items that are named ``case_id|system|trial``.
        columns: Names in it by the names of the contract, where they differ: ``{"label": "gold"}``.
        draws: Files that say with what chance labelled items were drawn, as `plan` makes them, one a round.
        accept_edited: Whether runs are taken whose verdicts were changed by hand since they were written.
    """

    labels: Labels | None
    columns: Mapping[str, str] | None
    draws: Sequence[FilePath]
    accept_edited: bool


def read(
    given: Tables,
    *,
    lexical: bool = False,
    open_only: bool = False,
    outputs: bool = False,
    adjudications: Labels | None = None,
    **reading: Unpack[TableReading],
) -> Table:
    """A calibration table in any form, read as a file is.

    Args:
        given: The table.
        lexical: Whether a baseline that compares words is put beside the judges of runs whose inputs are still there.
        open_only: Take of runs only what no checker decided.
        outputs: Take of runs all outputs, judged or not.
        adjudications: What people decided where judge and label differ, beside what runs keep.
        **reading: How else; see `TableReading`.

    Returns:
        The table.

    Raises:
        InputError: It cannot be used.
        UsageError: It is nothing of the kind, or labels come for a table that was read before.
    """
    labels, columns = reading.get("labels"), reading.get("columns")
    decided = None if adjudications is None else source("adjudications", adjudications)
    if isinstance(given, Table):
        if labels is not None or columns:
            raise UsageError("a table that was read has its labels and columns; give them where it is read")
        if decided is not None:
            return replace(given, decisions=given.decisions + read_decisions(decided))
        return given
    several = given if isinstance(given, _Several) else pieces_of(given, Run)
    sources = [_source(each) for each in several]
    return read_tables(
        sources,
        labels=None if labels is None else source("labels", labels),
        adjudications=decided,
        columns=columns,
        draw=[input_path(each) for each in reading.get("draws", ())],
        open_only=open_only,
        outputs=outputs,
        lexical=lexical,
        checked_again=lexical,
        accept_edited=reading.get("accept_edited", False),
    )


def labels_elsewhere(table: Table, labels: FilePath) -> tuple[int, int]:
    """How many labels of a file are of no item of a table, and how many there are."""
    given = read_labels(input_path(labels))
    return len(given) - sum(item in given for item in table.item.values), len(given)  # noqa: PD011 - no frame


def together(a: Tables, b: Rows | None) -> Tables:
    """Two tables as one."""
    return a if b is None else _Several((a, b))


class _Several(tuple[Any, ...]):
    """Tables that together are one."""

    __slots__ = ()


def _source(given: Any) -> FolderPath | InputPath:
    if isinstance(given, Run):
        return given.kept
    if isinstance(given, (str, os.PathLike)):
        return input_path(cast("FilePath", given))
    if is_frame(given):
        return memory_file("table", frame_rows(given))
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        kind = type(given).__name__  # pyright: ignore[reportUnknownArgumentType]
        raise UsageError(f"table: expected a path, a run, a data frame or rows, got {kind}")
    return memory_file("table", cast("Iterable[Any]", given))
