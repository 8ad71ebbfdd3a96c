"""Columns that a run adds to its calibration table: tags of cases, and lengths of outputs.

If labels are declared a random sample, these columns tell whether labelled outputs are like the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import msgspec
import numpy as np

from ..calibration.label_declarations import RANDOM_SAMPLES
from ..calibration.tables.builder import MAX_SLICES
from ..calibration.tables.calibration_table import COVARIATE, DECIDED, Table
from ..calibration.tables.columns import Column
from ..calibration.tables.table_labels import split_item
from ..errors import RunFolderError
from ..records import Case, InputPath, ItemKey, decode_record, read_lines, read_records
from ..records.case_index import case_files
from .store.run_store import RunStore

LENGTH = "output_length"
"""Covariate: logarithm of the length of an output's text and calls."""

ANY_TAG = ""
"""Wanted name that asks for all tags: no column has it, so it is always missing."""


ItemOf: TypeAlias = Callable[[RunStore, ItemKey], str]
"""Returns the name that a run's output has in a table, or one that the table lacks."""


def _own_name(_: RunStore, key: ItemKey) -> str:
    return str(key)


def with_tags(table: Table, stores: Sequence[RunStore], wanted: Iterable[str]) -> Table:
    """Add the tags of runs' cases as columns, if a wanted column is missing.

    Tags with more than `MAX_SLICES` values are not added, nor tags of runs whose inputs are gone.
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
    case_ids = [split_item(item).id for item in table.item.values]
    added = {
        name: column
        for name, tag_of_case in tags.items()
        if name not in table.columns and (column := _column(table, case_ids, tag_of_case)) is not None
    }
    return replace(table, columns={**table.columns, **added})


def _cases_of(store: RunStore) -> Iterable[Case]:
    try:
        files = case_files(store.inputs.cases)
    except RunFolderError:
        return []
    return (case for path in files for case in read_records(path, Case))


def _column(table: Table, case_ids: Sequence[str], tag_of_case: dict[str, str]) -> Column | None:
    """Return the values of a tag by row, or None if there are none, or too many."""
    values = list(dict.fromkeys(tag_of_case[case_id] for case_id in case_ids if case_id in tag_of_case))
    if not 0 < len(values) <= MAX_SLICES:
        return None
    code_of_value = {value: code for code, value in enumerate(values)}
    codes = np.array(
        [code_of_value[tag_of_case[case_id]] if case_id in tag_of_case else -1 for case_id in case_ids]
    )
    return Column(values, codes[table.item.codes])


def with_tested_columns(
    table: Table,
    stores: Sequence[RunStore],
    wanted: Collection[str] = (),
    *,
    item_of: ItemOf = _own_name,
) -> Table:
    """Add tags and lengths if labels are declared a random sample, or these columns are wanted."""
    if table.labels_chosen_by in RANDOM_SAMPLES or ANY_TAG in wanted:
        return _with_lengths(with_tags(table, stores, [ANY_TAG]), stores, item_of)
    return _with_lengths(table, stores, item_of) if LENGTH in wanted else table


def _with_lengths(table: Table, stores: Sequence[RunStore], item_of: ItemOf) -> Table:
    """Add the lengths of undecided outputs, unless all or none of these have a label."""
    name, decided = f"{COVARIATE}{LENGTH}", table.numbers.get(DECIDED)
    # In a table without decisions all rows count as undecided.
    undecided = np.ones(len(table), dtype=np.bool_) if decided is None else np.isnan(decided)
    labelled = np.isfinite(table.label[undecided])
    if not labelled.any() or labelled.all() or name in table.numbers or LENGTH in table.columns:
        return table
    codes: list[int] = np.unique(table.item.codes[undecided]).tolist()
    items = {table.item.values[code] for code in codes}
    lengths: dict[str, float] = {}
    for store, path in ((run_store, path) for run_store in stores for path in _output_files_of(run_store)):
        for key, length in _lengths_in(path):
            if (item := item_of(store, key)) in items:
                lengths.setdefault(item, math.log1p(length))
    return table.with_numbers(name, lengths) if lengths else table


def _output_files_of(store: RunStore) -> Sequence[InputPath]:
    """Return the files of outputs; none if they are gone or have changed."""
    try:
        return store.inputs.outputs
    except RunFolderError:
        return ()


class _OutputLengths(msgspec.Struct, frozen=True):
    """Parts of an output whose lengths count: calls and turns stay unparsed."""

    case_id: str
    system: str
    trial: int = 0
    text: str | None = None
    tool_calls: msgspec.Raw = msgspec.Raw(b"null")
    turns: msgspec.Raw = msgspec.Raw(b"null")


def _lengths_in(path: InputPath) -> Iterator[tuple[ItemKey, int]]:
    """Yield the length of each output that has a text or calls."""
    for line, _, raw in read_lines(path):
        output = decode_record(raw, _OutputLengths, path=path, line=line)
        parts = [len(bytes(part)) for part in (output.tool_calls, output.turns) if bytes(part) != b"null"]
        if output.text is not None or parts:
            yield ItemKey(output.case_id, output.system, output.trial), len(output.text or "") + sum(parts)
