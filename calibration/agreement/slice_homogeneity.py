"""Over every slice of a table: is a judge's accuracy, true positive and true negative rate the same in each?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import BoolArray
from ..comparison.multiple_tests import holm
from ..tables.table import Column, Table
from .homogeneity import equal_rates


def slice_homogeneity(table: Table, *, pass_at: float = 0.5) -> dict[str, dict[str, dict[str, Any]]]:
    """Test every column that has slices, for every judge.

    Args:
        table: Labels and scores.
        pass_at: A value passes when it is at least this.

    Returns:
        By column, judge and rate: ``p``, ``holm_p`` (over all tests of the table), ``groups``, ``undefined``.
    """
    table = table.take(np.isfinite(table.label) & np.isfinite(table.score))
    columns = {name: each for name, each in table.columns.items() if len(each.present()) > 1}
    result = {
        name: {judge: _tests(table, column, rows, pass_at) for judge, rows in table.judge.present()}
        for name, column in columns.items()
    }
    tests = [test for judges in result.values() for rates in judges.values() for test in rates.values()]
    known = [test for test in tests if test["p"] is not None]
    for test, p in zip(known, holm(np.array([test["p"] for test in known])).tolist(), strict=True):
        test["holm_p"] = p
    return result


def _tests(table: Table, column: Column, rows: BoolArray, pass_at: float) -> dict[str, dict[str, Any]]:
    right, passed = table.label >= pass_at, table.score >= pass_at
    trials = {"accuracy": rows, "true_positive_rate": rows & right, "true_negative_rate": rows & ~right}
    tests: dict[str, dict[str, Any]] = {}
    for name, trial in trials.items():
        mine = trial & (column.codes >= 0)
        if mine.any():
            test = equal_rates((right == passed)[mine], column.codes[mine], table.cluster[mine])
            tests[name] = test._asdict() | {"holm_p": None}
    return tests
