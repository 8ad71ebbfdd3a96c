"""Weights of outputs where each case has weight 1: 1 over the number of trials of the case.

Only where cases have unequal numbers of trials do these weights matter; else there are none (None), and all
formulas are those of rows that count alike.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .arrays import FloatArray, IntArray, first_known
from .tables.calibration_table import OF_CASE, TRIAL, Table
from .tables.table_labels import split_item


def case_weights(trials: FloatArray | IntArray) -> FloatArray | None:
    """Return each output's weight by its case's number of trials, or None if all are equal."""
    if not len(trials) or (trials == trials[0]).all():
        return None
    return 1.0 / trials


def with_case_weights(table: Table) -> Table:
    """Return the rows with the numbers of trials of their cases, if these differ."""
    trials = trials_by_row(table)
    numbers = {name: each for name, each in table.numbers.items() if name != OF_CASE}
    if trials is not None and case_weights(trials) is not None:
        numbers[OF_CASE] = trials
    return table if numbers.keys() == table.numbers.keys() else replace(table, numbers=numbers)


def weights_of(table: Table) -> FloatArray | None:
    """Return the weights of rows `with_case_weights`, or None if all weigh the same."""
    trials = table.numbers.get(OF_CASE)
    return None if trials is None else case_weights(trials)


def cases_of(table: Table) -> int | None:
    """Return the number of cases with unequal numbers of trials, or None if these are equal."""
    weight = weights_of(table)
    return None if weight is None else len(np.unique(_case_of_rows(table)))


def first_verdicts(table: Table) -> Table:
    """Return one row of each output of one judge: its first grade, and its first label.

    Repeats of a question are further verdicts on one output, whose label counts once.
    """
    key = table.output_key()
    if not len(table) or np.bincount(key).max() == 1:
        return table
    label = first_known(table.label, key, int(key.max()) + 1)[key]
    order = np.lexsort((np.arange(len(key)), np.isnan(table.score), key))
    first = order[np.flatnonzero(np.diff(key[order], prepend=-1))]
    return table.with_scores(table.score, label).take(np.sort(first))


def trials_by_row(table: Table) -> FloatArray | None:
    """Return the number of outputs of each row's case and system, ungraded ones included.

    None if every case has one. Cases are those of ids like ``case|system|trial``, or items with a column
    ``trial``. A run's rows bring the number, since outputs that a checker decided may be left out.
    """
    known = table.numbers.get(OF_CASE)
    if known is not None and np.isfinite(known).all():
        return known
    if TRIAL not in table.columns and not any("|" in item for item in table.item.values):
        return None
    case = _case_of_rows(table)
    _, first = np.unique(table.output_key(), return_index=True)
    number = np.unique(case, return_inverse=True)[1]
    return np.bincount(number[first], minlength=int(number.max(initial=-1)) + 1)[number].astype(np.float64)


def _case_of_rows(table: Table) -> IntArray:
    """Return a number per row, equal for rows about the same case and system."""
    cases: dict[str, int] = {}
    case_of_item = np.array(
        [cases.setdefault(split_item(item).id, len(cases)) for item in table.item.values], dtype=np.int64
    )
    case = case_of_item[table.item.codes]
    system = table.columns.get("system")
    if system is not None:
        case = case * (len(system.values) + 1) + system.codes + 1
    return case
