"""Scores as passes and fails, for judges whose threshold the user gave.

Without a given threshold fractions are kept, and the estimate is of their mean.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...records.made_scores import reaches
from ..arrays import FloatArray
from ..pass_threshold import PassThreshold
from ..tables.calibration_table import Table

_GIVEN_SCORE = "(given score)"
"""Column of the scores before `pass_or_fail`."""


def pass_or_fail(table: Table, label_threshold: PassThreshold) -> Table:
    """Return the table with 1 and 0 in place of scores and labels where a threshold was given.

    Each judge's scores pass at its own threshold, and labels, which all judges share, at ``label_threshold``. Declared
    probabilities stay: their mean estimates a rate, and the number above a threshold does not.
    """
    is_given = np.array(
        [table.threshold_of(judge).source == "told" for judge in table.judge.values] or [False]
    )
    if not is_given.any():
        return table
    rows = is_given[table.judge.codes] & np.isfinite(table.score) & ~table.is_probability
    label = table.label
    if label_threshold.source == "told":
        label = np.where(np.isfinite(label), reaches(label, label_threshold.at), np.nan)
    given = replace(table, numbers={**table.numbers, _GIVEN_SCORE: table.score})
    return given.with_scores(np.where(rows, table.passed, table.score), label)


def given_scores(table: Table) -> FloatArray:
    """Return the scores as the judge gave them, which show how items were chosen for labels."""
    return table.numbers.get(_GIVEN_SCORE, table.score)
