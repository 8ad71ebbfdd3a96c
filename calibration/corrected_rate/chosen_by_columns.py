"""Tests of whether scores or columns decided which items have labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, bdtrc, stdtr

from ..arrays import BoolArray, FloatArray, IntArray, clusters_in
from ..tables.calibration_table import COVARIATE, Table
from .chosen_labels import CHOICE_ALARM, chosen_by_score, selection_p
from .estimators import LabelledAndJudged
from .strata import STRATUM

_MAX_VALUES = 20
"""Most values of a column that is tested; more are no few."""

_NOT_TESTED = frozenset({"trial", "repeat", "order", "label_by", "error_type", STRATUM})
"""Columns that say how an item was judged or labelled."""

_OF_COLUMNS = CHOICE_ALARM / 2
"""Significance level of all columns together; the other half is the score's."""


class Contradiction(NamedTuple):
    """Evidence that labelled items are no random sample.

    Attributes:
        score: p-value of "labelled items are scored like the rest", if that is rejected; else None.
        columns: Columns by which labelled items differ from the others, with p-values.
    """

    score: float | None = None
    columns: Mapping[str, float] = {}

    @property
    def p(self) -> float | None:
        """The least p-value, or None if nothing is rejected."""
        p_values = [*([] if self.score is None else [self.score]), *self.columns.values()]
        return min(p_values, default=None)


def contradiction(table: Table, score: FloatArray, *, tables: int = 1) -> Contradiction:
    """Test one judge's rows by their ``(n,)`` scores and by columns, together at 1 %.

    ``tables`` of them are tested at once (Bonferroni).
    """
    labelled, judged = np.isfinite(table.label), np.isfinite(table.score)
    both, rest = labelled & judged, judged & ~labelled
    data = LabelledAndJudged(
        table.label[both], score[both], score[rest], table.cluster[both], table.cluster[rest]
    )
    return Contradiction(
        chosen_by_score(data, tests=tables * tests_of_scores(table)), chosen_by_columns(table, tables=tables)
    )


def tests_of_scores(table: Table) -> int:
    """Return by how much the test of scores is corrected: twice where columns are tested, too."""
    return 2 if any(_is_tested(table, name) for name in [*table.columns, *table.numbers]) else 1


def _is_tested(table: Table, name: str) -> bool:
    """Return whether a column of few values, or of covariates, is tested."""
    if STRATUM in table.columns or name in _NOT_TESTED:
        return False
    return (
        name.startswith(COVARIATE)
        if name in table.numbers
        else 1 < len(table.columns[name].values) <= _MAX_VALUES
    )


def chosen_by_columns(table: Table, *, tables: int = 1) -> dict[str, float]:
    """Return the columns by which labelled items differ from others, with p-values.

    Rows without a value are left out, so that columns that only labelled rows have are not tested. The p-values are
    multiplied by the number of tests and of ``tables``, and by two for the test of scores (Bonferroni). Empty if the
    table has strata.
    """
    judged = np.isfinite(table.score)
    labelled = np.isfinite(table.label)
    if STRATUM in table.columns or not labelled[judged].any() or labelled[judged].all():
        return {}
    least: dict[str, float] = {}
    tests = 0
    for name, column in table.columns.items():
        if not _is_tested(table, name):
            continue
        rows = judged & (column.codes >= 0)
        values = np.flatnonzero(np.bincount(column.codes[rows], minlength=1))
        if not 1 < len(values) <= _MAX_VALUES:
            continue
        codes, chosen, cluster = column.codes[rows], labelled[rows], table.cluster[rows]
        p_values = [p for value in values if (p := _level_p(codes == value, chosen, cluster)) is not None]
        tests += len(p_values)
        if p_values:
            least[name] = min(p_values)
    for name, numbers in table.numbers.items():
        if not name.startswith(COVARIATE):
            continue
        rows = judged & np.isfinite(numbers)
        p = selection_p(numbers[rows], labelled[rows], table.cluster[rows]) if rows.any() else None
        if p is not None:
            tests += 1
            least[name.removeprefix(COVARIATE)] = p
    adjusted = {name: min(1.0, 2 * p * tests * tables) for name, p in least.items()}
    return {name: p for name, p in sorted(adjusted.items(), key=lambda each: each[1]) if p <= CHOICE_ALARM}


def explaining(table: Table, columns: Iterable[str]) -> list[str]:
    """Return those columns within whose values labelled items are scored like others."""
    return [name for name in columns if name in table.columns and _explains(table, name)]


def _explains(table: Table, name: str) -> bool:
    column, judged = table.columns[name], np.isfinite(table.score)
    tested: list[float] = []
    for value in np.unique(column.codes[judged]):
        rows = judged & (column.codes == value)
        labelled = np.isfinite(table.label[rows])
        if not labelled.any():
            return False
        p = selection_p(table.score[rows], labelled, table.cluster[rows])
        tested += [] if p is None else [p]
    return not tested or min(tested) * len(tested) > CHOICE_ALARM


def _level_p(has: BoolArray, labelled: BoolArray, cluster: IntArray) -> float | None:
    """Test whether labelled rows have a value as often as all, two-sided.

    Return the larger p of a random sample of rows, by the binomial distribution, which is wider than the
    hypergeometric one, and of a random sample of clusters. None if all rows are labelled, or none.
    """
    n, count, both = len(has), int(labelled.sum()), int((has & labelled).sum())
    if not 0 < count < n:
        return None
    share = float(has.mean())
    p = min(
        1.0, 2 * min(float(bdtr(both, count, share)), float(bdtrc(both - 1, count, share)) if both else 1.0)
    )
    if p > _OF_COLUMNS or clusters_in(cluster) == n:
        return p
    return max(p, _clustered_p(has.astype(np.float64), labelled, cluster))


def _clustered_p(has: FloatArray, labelled: BoolArray, cluster: IntArray) -> float:
    numbers = np.unique(cluster, return_inverse=True)[1]
    parts = np.bincount(numbers, weights=(labelled - labelled.mean()) * (has - has.mean()))
    spread = float(np.sqrt((parts**2).sum()))
    few = min(clusters_in(cluster[labelled]), clusters_in(cluster[~labelled])) - 1
    if few < 1 or not spread:
        return 1.0
    return float(2 * stdtr(few, -abs(float(parts.sum())) / spread))
