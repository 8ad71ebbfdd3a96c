"""Over every slice of a table: is a judge's accuracy, true positive and true negative rate the same in each?"""

from __future__ import annotations

import msgspec
import numpy as np

from ..arrays import BoolArray
from ..comparison.multiple_tests import holm
from ..tables.table import Column, Table
from .homogeneity import equal_rates
from .results import EqualRates


def slice_homogeneity(table: Table) -> dict[str, dict[str, dict[str, EqualRates]]]:
    """Test every column that has slices, for every judge.

    Args:
        table: Labels and scores.

    Returns:
        By column, judge and rate; adjusted over all tests of the table.
    """
    table = table.take(np.isfinite(table.label) & np.isfinite(table.score))
    columns = {name: each for name, each in table.columns.items() if len(each.present()) > 1}
    result = {
        name: {judge: _tests(table, column, rows) for judge, rows in table.judge.present()}
        for name, column in columns.items()
    }
    tests = [test for judges in result.values() for rates in judges.values() for test in rates.values()]
    adjusted = iter(holm(np.array([test.p for test in tests if test.p is not None])).tolist())
    return {
        name: {
            judge: {
                rate: test if test.p is None else msgspec.structs.replace(test, holm_p=next(adjusted))
                for rate, test in rates.items()
            }
            for judge, rates in judges.items()
        }
        for name, judges in result.items()
    }


def _tests(table: Table, column: Column, rows: BoolArray) -> dict[str, EqualRates]:
    right, passed = table.right, table.passed
    trials = {"accuracy": rows, "true_positive_rate": rows & right, "true_negative_rate": rows & ~right}
    tests: dict[str, EqualRates] = {}
    for name, trial in trials.items():
        mine = trial & (column.codes >= 0)
        if mine.any():
            tests[name] = equal_rates((right == passed)[mine], column.codes[mine], table.cluster[mine])
    return tests
