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
"""Maximum number of values of a tested column."""

_NOT_TESTED = frozenset({"trial", "repeat", "order", "label_by", "error_type", STRATUM})
"""Columns that say how an item was judged or labelled, so that labels may depend on them."""

_COLUMNS_ALARM = CHOICE_ALARM / 2
"""Significance level of all columns together; the test of scores has the other half."""


class Contradiction(NamedTuple):
    """Evidence that labelled items are not a random sample.

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
    """Test whether one judge's labelled rows differ from the others, by scores or columns.

    The level is 1 % for all tests together, and for ``tables`` tables tested at once (Bonferroni).

    Args:
        table: One judge's rows.
        score: Their scores, shape ``(n,)``.
        tables: Number of tables tested at once.
    """
    is_labelled, is_judged = np.isfinite(table.label), np.isfinite(table.score)
    labelled, others = is_labelled & is_judged, is_judged & ~is_labelled
    data = LabelledAndJudged(
        table.label[labelled],
        score[labelled],
        score[others],
        table.cluster[labelled],
        table.cluster[others],
    )
    return Contradiction(
        chosen_by_score(data, tests=tables * _score_test_factor(table)),
        chosen_by_columns(table, tables=tables),
    )


def _score_test_factor(table: Table) -> int:
    """Return the Bonferroni factor of the test of scores: 2 if columns are tested, too."""
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
    smallest_p: dict[str, float] = {}
    tests = 0
    for name, column in table.columns.items():
        if not _is_tested(table, name):
            continue
        rows = judged & (column.codes >= 0)
        codes, labelled_rows, cluster = column.codes[rows], labelled[rows], table.cluster[rows]
        values = np.flatnonzero(np.bincount(codes, minlength=1))
        if not 1 < len(values) <= _MAX_VALUES:
            continue
        value_p = [_p_of_value(codes == value, labelled_rows, cluster) for value in values]
        p_values = [p for p in value_p if p is not None]
        tests += len(p_values)
        if p_values:
            smallest_p[name] = min(p_values)
    for name, numbers in table.numbers.items():
        if not name.startswith(COVARIATE):
            continue
        rows = judged & np.isfinite(numbers)
        p = selection_p(numbers[rows], labelled[rows], table.cluster[rows]) if rows.any() else None
        if p is not None:
            tests += 1
            smallest_p[name.removeprefix(COVARIATE)] = p
    adjusted = {name: min(1.0, 2 * p * tests * tables) for name, p in smallest_p.items()}
    sorted_by_p = sorted(adjusted.items(), key=lambda name_and_p: name_and_p[1])
    return {name: p for name, p in sorted_by_p if p <= CHOICE_ALARM}


def explaining(table: Table, columns: Iterable[str]) -> list[str]:
    """Return the columns that explain the choice of labels.

    Within each value of such a column, labelled items are scored like the others.
    """
    return [name for name in columns if name in table.columns and _explains(table, name)]


def _explains(table: Table, name: str) -> bool:
    column, judged = table.columns[name], np.isfinite(table.score)
    p_values: list[float] = []
    for value in np.unique(column.codes[judged]):
        rows = judged & (column.codes == value)
        labelled = np.isfinite(table.label[rows])
        if not labelled.any():
            return False
        p = selection_p(table.score[rows], labelled, table.cluster[rows])
        p_values += [] if p is None else [p]
    return not p_values or min(p_values) * len(p_values) > CHOICE_ALARM


def _p_of_value(has_value: BoolArray, labelled: BoolArray, cluster: IntArray) -> float | None:
    """Return the two-sided p-value of "labelled rows have this value as often as all rows".

    It is the larger of two p-values. One is for a random sample of rows, by the binomial distribution, which is
    wider than the hypergeometric one. The other is for a random sample of clusters. None if all rows are
    labelled, or none.
    """
    n, n_labelled, n_both = len(has_value), int(labelled.sum()), int((has_value & labelled).sum())
    if not 0 < n_labelled < n:
        return None
    share = float(has_value.mean())
    at_most = float(bdtr(n_both, n_labelled, share))
    at_least = float(bdtrc(n_both - 1, n_labelled, share)) if n_both else 1.0
    p = min(1.0, 2 * min(at_most, at_least))
    if p > _COLUMNS_ALARM or clusters_in(cluster) == n:
        return p
    return max(p, _clustered_p(has_value.astype(np.float64), labelled, cluster))


def _clustered_p(has_value: FloatArray, labelled: BoolArray, cluster: IntArray) -> float:
    """Return the p-value of the covariance of "has the value" and "is labelled", over clusters."""
    numbers = np.unique(cluster, return_inverse=True)[1]
    products = (labelled - labelled.mean()) * (has_value - has_value.mean())
    sums = np.bincount(numbers, weights=products)
    error = float(np.sqrt((sums**2).sum()))
    degrees = min(clusters_in(cluster[labelled]), clusters_in(cluster[~labelled])) - 1
    if degrees < 1 or not error:
        return 1.0
    return float(2 * stdtr(degrees, -abs(float(sums.sum())) / error))
