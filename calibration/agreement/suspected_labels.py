"""Labels that good judges contradict: where to look first for errors of the checker."""

from __future__ import annotations

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..tables.calibration_table import Table
from .diagnosis_results import SuspectedLabel
from .judge_panel import usable_rows


def suspected_label_errors(table: Table, *, limit: int = 20) -> list[SuspectedLabel]:
    """Items whose label most judges contradict, the most doubtful first.

    In the order of the log-odds that the truth is of the other class: how often labels are of that class, over how often they are of
    this one, and each judge's say, weighed by how seldom it errs: the log-likelihood of its verdict if the label is wrong, over
    that if it is right, by its own true positive and true negative rate (one success and one failure added everywhere). Without the
    classes' rates the many errors of a judge in the larger class would come before the few labels that are wrong. Judges
    copy each other's errors, so this is an order for a person to look in, not a probability.
    """
    table = usable_rows(table)
    if not len(table):
        return []
    right, passed = table.right, table.passed
    evidence = _evidence(table, right, passed)
    against, votes = right != passed, np.bincount(table.item.codes)
    doubt = np.bincount(table.item.codes, weights=evidence)
    contradictions = np.bincount(table.item.codes, weights=against)
    odds = doubt + _prior(table, right)
    # A judge that is no better than chance contradicts nothing; how rare a class is must not hide what good judges say.
    suspects = np.flatnonzero((contradictions * 2 > votes) & (doubt > 0))
    # Equals by id: not by the order of files, nor by how a processor rounds.
    suspected = sorted(
        suspects.tolist(), key=lambda item: (-round(float(odds[item]), 9), table.item.values[item])
    )
    return [
        SuspectedLabel(
            item_id=table.item.values[item],
            label=float(table.label[table.item.codes == item][0]),
            contradicted_by=_judges(table, against & (table.item.codes == item)),
            agreed_by=_judges(table, ~against & (table.item.codes == item)),
            evidence=float(odds[item]),
        )
        for item in suspected[:limit]
    ]


def _prior(table: Table, right: BoolArray) -> FloatArray:
    """Return the log-odds of the class opposite to each item's label, shape ``(items,)``.

    The class rates are those of the items' labels.
    """
    items, first = np.unique(table.item.codes, return_index=True)
    rate = (int(right[first].sum()) + 1) / (len(items) + 2)
    prior = np.zeros(int(table.item.codes.max()) + 1)
    prior[items] = np.where(right[first], -1.0, 1.0) * np.log(rate / (1 - rate))
    return prior


def _judges(table: Table, rows: BoolArray) -> list[str]:
    return [name for name, mine in table.judge.present() if (mine & rows).any()]


def _evidence(table: Table, right: BoolArray, passed: BoolArray) -> FloatArray:
    """Log-likelihood of each row's verdict under the opposite label, less that under the label."""
    evidence = np.zeros(len(table))
    for _, rows in table.judge.present():
        share_right = _smoothed(passed, rows & right)
        share_wrong = _smoothed(passed, rows & ~right)
        for_right = np.where(passed, share_right, 1 - share_right)
        for_wrong = np.where(passed, share_wrong, 1 - share_wrong)
        log_ratio: FloatArray = np.log(for_wrong) - np.log(for_right)
        evidence = np.where(rows, np.where(right, log_ratio, -log_ratio), evidence)
    return evidence


def _smoothed(passed: BoolArray, rows: BoolArray) -> float:
    return (int((passed & rows).sum()) + 1) / (int(rows.sum()) + 2)
