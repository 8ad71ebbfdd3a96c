"""Strata: parts of a table that are labelled and estimated separately."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import InputError
from ..arrays import FloatArray
from ..case_weights import weights_of
from ..tables.calibration_table import Table
from ..tables.columns import Column
from .pass_or_fail import given_scores
from .stratified import StratifiedItems

BY_SCORE = "score"
"""Name of strata by the judge's scores."""

STRATUM = "(stratum)"
"""The column that `with_strata` adds."""

_MAX_SCORE_STRATA = 5
"""Maximum number of strata by score; scores with more distinct values are split into this many parts."""


def with_strata(table: Table, by: str) -> Table:
    """Return the table with each judged row's stratum in the column `STRATUM`.

    Strata are the values of the column ``by``. For `BY_SCORE` they are the distinct scores if there are at
    most five, else fifths of the rows by score, with equal scores in one stratum. Rows without a score are in
    no stratum.

    Raises:
        InputError: There is no such column, or a judged row has no value in it.
    """
    judged = np.isfinite(table.score)
    column = _score_strata(given_scores(table)) if by == BY_SCORE else table.columns.get(by)
    if column is None:
        raise InputError(f"the table has no column {by!r} of few values to make strata of; {table.strata()}")
    outside = np.flatnonzero(judged & (column.codes < 0))
    if len(outside):
        item = table.value("item_id", int(outside[0]))
        raise InputError(f"item {item!r} is judged but has no value in the strata's column", field=by)
    strata = Column(column.values, np.where(judged, column.codes, -1))
    return replace(table, columns=dict(table.columns) | {STRATUM: strata})


def stratified_items(table: Table) -> StratifiedItems | None:
    """Return the judged rows of a table with their strata, or None if the table has none."""
    column = table.columns.get(STRATUM)
    if column is None:
        return None
    judged = column.codes >= 0
    present, codes = np.unique(column.codes[judged], return_inverse=True)
    numbers: list[int] = present.tolist()
    names = [column.values[code] for code in numbers]
    weight = weights_of(table)
    return StratifiedItems(
        table.label[judged],
        table.score[judged],
        codes,
        table.cluster[judged],
        names,
        None if weight is None else weight[judged],
    )


def _score_strata(score: FloatArray) -> Column:
    judged = np.isfinite(score)
    values = np.unique(score[judged])
    edges = values[:-1]  # each value is a stratum of its own
    if len(values) > _MAX_SCORE_STRATA:
        # Edges are scores that occur, so that equal scores are in one stratum.
        edges = np.unique(
            np.quantile(
                score[judged], np.arange(1, _MAX_SCORE_STRATA) / _MAX_SCORE_STRATA, method="inverted_cdf"
            )
        )
    parts = np.searchsorted(edges, score[judged])
    codes = np.full(len(score), -1)
    codes[judged] = np.unique(parts, return_inverse=True)[1]
    return Column(
        [_stratum_name(score[codes == code]) for code in range(int(codes.max(initial=-1)) + 1)], codes
    )


def _stratum_name(scores: FloatArray) -> str:
    low, high = scores.min(), scores.max()
    return f"score {low:g}" if low == high else f"score {low:g} to {high:g}"
