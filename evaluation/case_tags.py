"""Tags of a run's cases as columns of its calibration table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ..calibration.tables.builder import MAX_SLICES
from ..calibration.tables.calibration_table import Table
from ..calibration.tables.columns import Column
from ..calibration.tables.table_labels import split_item
from ..errors import RunFolderError
from ..records import Case, read_records
from ..records.case_index import case_files
from .store.run_store import RunStore

ANY_TAG = ""
"""Wanted name for which all tags are added, since no column has it."""


def with_tags(table: Table, stores: Sequence[RunStore], wanted: Iterable[str]) -> Table:
    """Add the tags of runs' cases as columns, if a wanted column is not there yet.

    Tags with more than `MAX_SLICES` values are not added, nor those of runs whose inputs are gone.
    """
    if not stores or all(name in table.columns for name in wanted):
        return table
    tags: dict[str, dict[str, str]] = {}
    for store in stores:
        for case in _cases_of(store):
            for name, value in case.tags.items():
                tags.setdefault(name, {})[case.id] = (
                    str(value).lower() if isinstance(value, bool) else str(value)
                )
    cases = [split_item(item).id for item in table.item.values]
    added = {
        name: column
        for name, of_case in tags.items()
        if name not in table.columns and (column := _column(table, cases, of_case)) is not None
    }
    return replace(table, columns={**table.columns, **added})


def _cases_of(store: RunStore) -> Iterable[Case]:
    try:
        files = case_files(store.inputs.cases)
    except RunFolderError:
        return []
    return (case for path in files for case in read_records(path, Case))


def _column(table: Table, cases: Sequence[str], of_case: dict[str, str]) -> Column | None:
    """Return the values of a tag by row, or None if they are too many."""
    values = list(dict.fromkeys(of_case[case] for case in cases if case in of_case))
    if not 0 < len(values) <= MAX_SLICES:
        return None
    number = {value: code for code, value in enumerate(values)}
    codes = np.array([number[of_case[case]] if case in of_case else -1 for case in cases])
    return Column(values, codes[table.item.codes])
