"""Warnings of labels that match no item, or contradict each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from .calibration_table import IDENTITY, Table


def with_unmatched_warning(table: Table, labels: Mapping[str, float]) -> Table:
    """Add a warning of labels that match no item, if there are any."""
    unmatched = labels.keys() - set(table.item.values)
    if not unmatched:
        return table
    warning = unmatched_warning(len(unmatched), len(labels), min(unmatched))
    return replace(table, warnings=(*table.warnings, warning))


def unmatched_warning(elsewhere: int, total: int, first: str) -> str:
    """Return the warning of labels that match no item."""
    return f"{elsewhere:,} of {total:,} labels match no item here, {first!r} for one"


def with_conflict_warning(table: Table) -> Table:
    """Add a warning of items whose rows have different labels, if there are any.

    Rows of another system, trial, repeat or order may have another label.
    """
    key = table.key(*IDENTITY[2:])
    known = np.flatnonzero(np.isfinite(table.label))
    first = np.empty(int(key.max()) + 1)
    first[key[known[::-1]]] = table.label[known[::-1]]
    differs = known[table.label[known] != first[key[known]]]
    if not len(differs):
        return table
    n, name = len(np.unique(key[differs])), table.value("item_id", int(differs[0]))
    subject = "1 item has rows" if n == 1 else f"{n:,} items have rows"
    warning = f"{subject} with different labels, {name!r} for one; each row counts with its own"
    return replace(table, warnings=(*table.warnings, warning))
