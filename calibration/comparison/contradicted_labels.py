"""Systems whose labels are contradicted: labelled undecided outputs unlike the others."""

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

_NOT_OF_OUTPUTS = frozenset({"system", "judge"})
"""Columns that do not differ between the outputs of one system and judge."""

_TESTED: tuple[LabelsDeclaredBy | None, ...] = (None, "random", "system", "review")
"""Declarations by which labels of a system are a random sample of its outputs, and none."""


def contradicted_labels(
    graded: Mapping[str, Graded],
    table: Table | None,
    declared: Mapping[str, LabelsDeclaredBy | None],
    level: float,
) -> dict[str, ContradictedLabels]:
    """Test the labels of each system as `estimate` does, all systems together at 1 %."""
    parts = {
        name: _rows(each, table)
        for name, each in graded.items()
        if each.labelled.any() and declared.get(name) in _TESTED
    }
    found: dict[str, ContradictedLabels] = {}
    for name, part in parts.items():
        tested = contradiction(part, part.score, tables=len(parts))
        if tested.p is not None:
            found[name] = ContradictedLabels(
                p=tested.p,
                columns=dict(tested.columns),
                explained_by=explaining(part, tested.columns),
                scenarios=_scenarios(part, level) if graded[name].weight is None else {},
            )
    return found


def _scenarios(part: Table, level: float) -> dict[LabelsChosenBy, Statistic]:
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
            if name not in _NOT_OF_OUTPUTS
        }
        numbers = {
            name: values[rows.row] for name, values in table.numbers.items() if name.startswith(COVARIATE)
        }
    one = Column(["judge"], np.zeros(len(rows.row), dtype=np.int64))
    items = replace(one, values=[], codes=rows.item)
    return Table(items, one, rows.result, rows.label, rows.cluster, columns, numbers)
