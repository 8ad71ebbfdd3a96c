"""Weight each output by 1 / trials of its case, so that every case counts once.

If all cases have equally many trials, weights are None, and formulas take rows as unweighted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..tables.column_names import TRIALS_OF_CASE
from .arrays import BoolArray, FloatArray, IntArray, first_known
from .tables.calibration_table import TRIAL, Table
from .tables.table_labels import split_item


def case_weights(trials: FloatArray | IntArray) -> FloatArray | None:
    """Return weights from the number of trials of each output's case, or None if all are equal."""
    if not len(trials) or (trials == trials[0]).all():
        return None
    return 1.0 / trials


def with_case_weights(table: Table) -> Table:
    """Return the table with its column `TRIALS_OF_CASE` set.

    The column is left out if all cases have equally many trials.
    """
    trials = trials_by_row(table)
    numbers = {name: values for name, values in table.numbers.items() if name != TRIALS_OF_CASE}
    if trials is not None and case_weights(trials) is not None:
        numbers[TRIALS_OF_CASE] = trials
    # With equal names the column is there as before, or missing as before.
    return table if numbers.keys() == table.numbers.keys() else replace(table, numbers=numbers)


def weights_of(table: Table) -> FloatArray | None:
    """Return row weights from the column that `with_case_weights` sets, or None without it."""
    trials = table.numbers.get(TRIALS_OF_CASE)
    return None if trials is None else case_weights(trials)


def weights_of_rows(table: Table, rows: BoolArray) -> FloatArray | None:
    """Return the weights of some rows, or None if all rows of the table have weight 1."""
    weight = weights_of(table)
    return None if weight is None else weight[rows]


def cases_of(table: Table) -> int | None:
    """Return the number of cases if rows are weighted, else None."""
    weight = weights_of(table)
    return None if weight is None else len(np.unique(_case_and_system(table)))


def first_verdicts(table: Table) -> Table:
    """Return one row for each output of one judge, with its first grade and its first label.

    Repeats of a question are further verdicts on one output, whose label counts once.
    """
    key = table.output_key()
    if not len(table) or np.bincount(key).max() == 1:
        return table
    label = first_known(table.label, key, int(key.max()) + 1)[key]
    # By output; graded rows come first, then the original order.
    order = np.lexsort((np.arange(len(key)), np.isnan(table.score), key))
    is_first_of_output = np.diff(key[order], prepend=-1) != 0
    first = order[is_first_of_output]
    return table.with_scores(table.score, label).take(np.sort(first))


def trials_by_row(table: Table) -> FloatArray | None:
    """Return the number of outputs of each row's case and system, ungraded ones included.

    None if the table names no trials: with ids like ``case|system|trial``, or a column ``trial``. Tables of runs
    include the number, since rows of outputs that a checker decided may be missing.
    """
    trials = table.numbers.get(TRIALS_OF_CASE)
    if trials is not None and np.isfinite(trials).all():
        return trials
    if TRIAL not in table.columns and not any("|" in item for item in table.item.values):
        return None
    case = np.unique(_case_and_system(table), return_inverse=True)[1]
    _, first_row_of_output = np.unique(table.output_key(), return_index=True)
    outputs_per_case = np.bincount(case[first_row_of_output], minlength=int(case.max(initial=-1)) + 1)
    return outputs_per_case[case].astype(np.float64)


def _case_and_system(table: Table) -> IntArray:
    """Return a number per row, equal for rows of the same case and system."""
    cases: dict[str, int] = {}
    case_of_item = np.array(
        [cases.setdefault(split_item(item).id, len(cases)) for item in table.item.values], dtype=np.int64
    )
    case = case_of_item[table.item.codes]
    system = table.columns.get("system")
    if system is not None:
        # A system's code of -1 means that the row has no system.
        case = case * (len(system.values) + 1) + system.codes + 1
    return case
