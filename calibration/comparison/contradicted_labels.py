"""Systems whose labelled undecided outputs are not a random sample, as tests show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..corrected_rate.chosen_by_columns import contradiction, explaining
from ..label_declarations import LabelsChosenBy, LabelsDeclaredBy
from ..statistic import Statistic
from ..tables.calibration_table import COVARIATE, Table
from ..tables.columns import Column
from .comparison_results import ContradictedLabels

if TYPE_CHECKING:
    from .outputs import Graded

_CONSTANT_COLUMNS = frozenset({"system", "judge"})
"""Columns that do not differ between the outputs of one system and judge."""

_TESTED_DECLARATIONS: tuple[LabelsDeclaredBy | None, ...] = (None, "random", "system", "review")
"""Declarations under which labels of a system are a random sample of its outputs; None is no declaration."""


def contradicted_labels(
    graded: Mapping[str, Graded],
    table: Table | None,
    declared: Mapping[str, LabelsDeclaredBy | None],
    level: float,
) -> dict[str, ContradictedLabels]:
    """Test whether the labels of each system are a random sample, as `estimate` does.

    `contradiction` tests all systems together at 1 %. The result has only systems with contradicted labels.

    Args:
        graded: Outputs by system.
        table: The table of the outputs, whose columns are tested, if any.
        declared: How the labels of a system were chosen, by system.
        level: Nominal coverage of the scenarios.
    """
    tables = {
        name: _rows(system, table)
        for name, system in graded.items()
        if system.labelled.any() and declared.get(name) in _TESTED_DECLARATIONS
    }
    contradicted: dict[str, ContradictedLabels] = {}
    for name, rows in tables.items():
        evidence = contradiction(rows, rows.score, tables=len(tables))
        if evidence.p is not None:
            contradicted[name] = ContradictedLabels(
                p=evidence.p,
                columns=dict(evidence.columns),
                explained_by=explaining(rows, evidence.columns),
                scenarios=_scenarios(rows, level) if graded[name].weight is None else {},
            )
    return contradicted


def _scenarios(part: Table, level: float) -> dict[LabelsChosenBy, Statistic]:
    """Return the rate for each way in which items may have been chosen for labels."""
    from ..corrected_rate.rate_estimates import (  # noqa: PLC0415 - seldom needed
        RateTerms,
        rate_estimates,
        scenarios,
    )

    terms = RateTerms(level=level)
    return scenarios(part, rate_estimates(part, terms), terms) or {}


def _rows(graded: Graded, table: Table | None) -> Table:
    """Return the graded undecided outputs of a system as the rows of one judge."""
    rows = graded.take(graded.is_graded & graded.is_undecided)
    columns: dict[str, Column] = {}
    numbers: dict[str, np.ndarray] = {}
    if table is not None:
        columns = {
            name: column.take(rows.row)
            for name, column in table.columns.items()
            if name not in _CONSTANT_COLUMNS
        }
        numbers = {
            name: values[rows.row] for name, values in table.numbers.items() if name.startswith(COVARIATE)
        }
    judge = Column(["judge"], np.zeros(len(rows.row), dtype=np.int64))
    # The tests need only the numbers of items, not their names.
    items = replace(judge, values=[], codes=rows.item)
    return Table(items, judge, rows.result, rows.label, rows.cluster, columns, numbers)
