"""Columns by which a run's labels are tested: tags of cases, and lengths of outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeAlias

import msgspec
import numpy as np

from ..calibration.label_declarations import RANDOM_SAMPLES
from ..calibration.tables.calibration_table import COVARIATE, DECIDED, Table
from ..errors import RunFolderError
from ..records import InputPath, ItemKey, decode_record, read_lines
from .case_tags import ANY_TAG, with_tags
from .store.run_store import RunStore

LENGTH = "output_length"
"""Covariate: logarithm of the length of an output's text and calls."""


ItemOf: TypeAlias = Callable[[RunStore, ItemKey], str]
"""Name of a run's output in a table; one that the table lacks for an output that is not in it."""


def _as_in_the_run(_: RunStore, key: ItemKey) -> str:
    return str(key)


def with_tested_columns(
    table: Table,
    stores: Sequence[RunStore],
    wanted: Collection[str] = (),
    *,
    item_of: ItemOf = _as_in_the_run,
) -> Table:
    """Add tags and lengths if labels are declared a random sample, or these columns are wanted."""
    if table.labels_chosen_by in RANDOM_SAMPLES or ANY_TAG in wanted:
        return _with_lengths(with_tags(table, stores, [ANY_TAG]), stores, item_of)
    return _with_lengths(table, stores, item_of) if LENGTH in wanted else table


def _with_lengths(table: Table, stores: Sequence[RunStore], item_of: ItemOf) -> Table:
    """Add the lengths of undecided outputs if some have a label, and some have none."""
    name, decided = f"{COVARIATE}{LENGTH}", table.numbers.get(DECIDED)
    undecided = np.ones(len(table), dtype=np.bool_) if decided is None else np.isnan(decided)
    labelled = np.isfinite(table.label[undecided])
    if not labelled.any() or labelled.all() or name in table.numbers or LENGTH in table.columns:
        return table
    codes: list[int] = np.unique(table.item.codes[undecided]).tolist()
    items = {table.item.values[code] for code in codes}
    lengths: dict[str, float] = {}
    for store, path in ((run_store, path) for run_store in stores for path in _outputs_of(run_store)):
        for key, length in _lengths_in(path):
            if (item := item_of(store, key)) in items:
                lengths.setdefault(item, math.log1p(length))
    return table.with_numbers(name, lengths) if lengths else table


def _outputs_of(store: RunStore) -> Sequence[InputPath]:
    """Return the files of outputs; none if they are gone or have changed."""
    try:
        return store.inputs.outputs
    except RunFolderError:
        return ()


class _Sized(msgspec.Struct, frozen=True):
    """Parts of an output: calls and turns as they are written."""

    case_id: str
    system: str
    trial: int = 0
    text: str | None = None
    tool_calls: msgspec.Raw = msgspec.Raw(b"null")
    turns: msgspec.Raw = msgspec.Raw(b"null")


def _lengths_in(path: InputPath) -> Iterator[tuple[ItemKey, int]]:
    """Yield the length of each output that has a text or calls."""
    for line, _, raw in read_lines(path):
        output = decode_record(raw, _Sized, path=path, line=line)
        parts = [len(bytes(part)) for part in (output.tool_calls, output.turns) if bytes(part) != b"null"]
        if output.text is not None or parts:
            yield ItemKey(output.case_id, output.system, output.trial), len(output.text or "") + sum(parts)
