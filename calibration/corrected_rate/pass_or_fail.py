"""Replace scores by passes and fails, for judges whose threshold the user set.

Without such a threshold fractions are kept, and the estimate is of their mean.
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
    """Return the table with scores and labels as 1 and 0, where the user set a threshold.

    Each judge's scores pass at its own threshold, and labels, which all judges share, at ``label_threshold``. Declared
    probabilities stay: their mean estimates a rate, but the share above a threshold does not.
    """
    has_set_threshold = np.array(
        [table.threshold_of(judge).source == "told" for judge in table.judge.values] or [False]
    )
    if not has_set_threshold.any():
        return table
    rows = has_set_threshold[table.judge.codes] & np.isfinite(table.score) & ~table.is_probability
    label = table.label
    if label_threshold.source == "told":
        label = np.where(np.isfinite(label), reaches(label, label_threshold.at), np.nan)
    with_original = replace(table, numbers={**table.numbers, _GIVEN_SCORE: table.score})
    return with_original.with_scores(np.where(rows, table.passed, table.score), label)


def given_scores(table: Table) -> FloatArray:
    """Return the scores as the judge gave them, which show how items were chosen for labels."""
    return table.numbers.get(_GIVEN_SCORE, table.score)
