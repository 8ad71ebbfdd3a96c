"""Tasks that systems share. A task is one trial of a case."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import IntArray
from ..tables.calibration_table import TRIAL, Table
from ..tables.columns import Column


class Tasks(NamedTuple):
    """Task of each row of a table, each array of shape ``(n,)``; equal numbers are equal tasks.

    Attributes:
        task: Number of the case and trial.
        case: Number of the case.
    """

    task: IntArray
    case: IntArray


def tasks_of(table: Table) -> Tasks:
    """Return the tasks of a table with a column ``system``.

    An item is a case, or ``case|system|trial``. With a column ``trial``, the trials of a case and system are
    numbered in the order of this column's values, so that systems share tasks whatever their trials are called.
    """
    system = table.columns["system"]
    item, case = _items_and_cases(table, system)
    trial = table.columns.get(TRIAL)
    if trial is None or not len(table) or (trial.codes == trial.codes[0]).all():
        return Tasks(item, case)
    # Pairs of numbers are combined to one; a code of -1 means no value.
    item_and_system = item * (len(system.values) + 1) + system.codes + 1
    trial_number = _ranks(item_and_system, trial.codes.astype(np.int64) + 1)
    item_and_trial = item * (int(trial_number.max()) + 1) + trial_number
    return Tasks(np.unique(item_and_trial, return_inverse=True)[1], case)


def clusters_of_cases(table: Table, tasks: Tasks) -> IntArray:
    """Return the cluster of each row's case, shape ``(n,)``: that of the first row of the case.

    The rows' own clusters would not do: if items name the system and trial, and each item is its own cluster,
    systems share no cluster.
    """
    _, first, case = np.unique(tasks.case, return_index=True, return_inverse=True)
    return table.cluster[first][case]


def _item_and_case(item: str, system: str) -> tuple[str, str]:
    """Return an item of the form ``case|system|trial`` as ``case|trial``, and its case.

    Any other item is a case of its own.
    """
    case, separator, trial = item.rpartition(f"|{system}|")
    return (f"{case}|{trial}", case) if separator and trial.isdecimal() else (item, item)


def _items_and_cases(table: Table, system: Column) -> tuple[IntArray, IntArray]:
    """Return numbers of each row's item, without its system, and of its case, shape ``(n,)``."""
    items: dict[str, int] = {}
    cases: dict[str, int] = {}
    numbers: list[tuple[int, int]] = []
    item_codes: list[int] = table.item.codes.tolist()
    system_codes: list[int] = system.codes.tolist()
    for item_code, system_code in zip(item_codes, system_codes, strict=True):
        name = system.values[system_code] if system_code >= 0 else ""
        item, case = _item_and_case(table.item.values[item_code], name)
        numbers.append((items.setdefault(item, len(items)), cases.setdefault(case, len(cases))))
    columns = np.array(numbers, dtype=np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _ranks(group: IntArray, value: IntArray) -> IntArray:
    """Return the rank of each row's value among the distinct values of its group, from 0."""
    n_values = int(value.max()) + 1
    # Distinct pairs of group and value are sorted by group, then value.
    pairs, pair_of_row = np.unique(group * n_values + value, return_inverse=True)
    groups = pairs // n_values
    # So a pair's rank is its distance from the first pair of its group.
    first_of_group = np.searchsorted(groups, groups)
    return (np.arange(len(pairs)) - first_of_group)[pair_of_row]
