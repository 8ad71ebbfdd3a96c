"""Rate of undecided outputs, corrected by a judge's errors on decided ones.

A declared bound limits how much worse the judge is on undecided outputs.
"""

from __future__ import annotations

import numpy as np

from ...errors import InputError
from ...records.made_scores import reaches
from ...spelling import setting
from ..arrays import BoolArray, FloatArray, IntArray
from ..intervals.clustered_rates import effective_trials_of_mean
from ..intervals.variance import spread_of_rows
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import BASELINE, DECIDED, PERSON, Table
from .binary_verdicts import rogan_gladen

_METHOD = "Lang-Reiczigel, ends at the bound"
_CHECKER_SCORE = f"{BASELINE}checker"
"""Column of a checker's scores."""


def decided_rows(table: Table) -> BoolArray:
    """Return a mask of rows of outputs that a checker decided.

    They have a checker's score or, in a table without that column, a label not given by a person.
    """
    if DECIDED in table.numbers:
        return np.isfinite(table.numbers[DECIDED])
    people = [np.isfinite(grades) for grades in table.opinions(PERSON).values()]
    by_person = np.logical_or.reduce(people) if people else np.zeros(len(table), dtype=np.bool_)
    label_author = table.columns.get("label_by")
    # Rows of a run name the author of a label; rows of a file do not.
    labelled = np.isfinite(table.label) if label_author is None else label_author.codes >= 0
    has_checker_score = np.isfinite(table.numbers.get(_CHECKER_SCORE, np.full(len(table), np.nan)))
    return (labelled & ~by_person) | has_checker_score


def rate_if_worse(table: Table, decided: BoolArray, worse: float, pass_at: float, level: float) -> Statistic:
    """Return Rogan and Gladen's rate of the undecided rows, with an interval for a worse judge.

    TPR and TNR on undecided outputs may each be up to ``worse`` lower than on decided ones. The rate is
    monotone in both, so each end of the interval is reached when one of the two is lower by ``worse`` and the
    other is equal. Each share counts with its effective n over clusters.

    Source: Rogan and Gladen 1978; Lang and Reiczigel 2014; Manski 2003 for bounds by an assumption.

    Raises:
        InputError: The bound is not in [0, 1).
    """
    if not 0 <= worse < 1:
        raise InputError(
            f"{setting('open_worse_by', f'{worse:g}')}: expected a number of points from 0 to 1, such as 0.1"
        )
    judged = np.isfinite(table.score)
    truth = np.where(np.isfinite(table.label), table.label, table.numbers.get(DECIDED, table.label))
    has_truth, undecided = judged & decided & np.isfinite(truth), judged & ~decided
    n = int(undecided.sum())
    label_passes, judge_passes = reaches(truth, pass_at), reaches(table.score, pass_at)
    parts = {"right": has_truth & label_passes, "wrong": has_truth & ~label_passes, "undecided": undecided}
    for name, rows in parts.items():
        if not rows.any():
            return undefined(f"no {name} output is judged", n=n, level=level)
    positives, negatives, n_judged = (
        _effective_n(judge_passes[rows], table.cluster[rows], level) for rows in parts.values()
    )

    def rate_with_drops(tpr_drop: float, tnr_drop: float) -> Statistic:
        return rogan_gladen(
            float(judge_passes[undecided].mean()),
            n_judged,
            true_positives=float(judge_passes[parts["right"]].mean()) * positives,
            positives=positives,
            true_negatives=float((~judge_passes[parts["wrong"]]).mean()) * negatives,
            negatives=negatives,
            sensitivity_drop=tpr_drop,
            specificity_drop=tnr_drop,
            level=level,
        )

    equal, stricter, more_lenient = (
        rate_with_drops(*drops) for drops in ((0.0, 0.0), (worse, 0.0), (0.0, worse))
    )
    if equal.value is None:
        return undefined(equal.undefined or "", n=n, level=level)
    # If a judge at the bound is no better than chance, that end of the interval is 0 or 1.
    low = 0.0 if more_lenient.low is None else min(more_lenient.low, equal.low or 0.0)
    high = 1.0 if stricter.high is None else max(stricter.high, equal.high or 0.0)
    return defined(equal.value, (low, high), n=n, method=_METHOD, level=level)


def _effective_n(passed: BoolArray, cluster: IntArray, level: float) -> float:
    values: FloatArray = passed.astype(np.float64)
    return effective_trials_of_mean(float(values.mean()), spread_of_rows(values, cluster), level)
