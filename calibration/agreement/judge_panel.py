"""One judge against the labels: 2x2 table, statistics, and treatment of missing verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..arrays import FloatArray
from ..intervals.measurement import Settings, measure
from ..pass_threshold import ThresholdSource
from ..sample import Sample, make_sample
from ..statistic import Statistic
from ..statistic_catalogue import ESTIMATORS, own_estimators
from ..tables.calibration_table import Table
from .calibration_results import AccuracyWithMissing, JudgeCalibration, MissingVerdicts

_Found = TypeVar("_Found")


def judge_panel(table: Table, *, settings: Settings, source: ThresholdSource = "default") -> JudgeCalibration:
    """Compare one judge with the labels."""
    table, pass_at = table.in_one_cut()
    labelled = np.isfinite(table.label)
    judged = labelled & np.isfinite(table.score)
    sample = usable_sample(table)
    (tn, fp), (fn, tp) = (
        sample.cells.tables(sample.counts).astype(int).tolist() if sample.n else [[0, 0], [0, 0]]
    )
    return JudgeCalibration(
        pass_at=pass_at,
        pass_at_source=source,
        n=sample.n,
        n_missing=int((labelled & ~judged).sum()),
        n_unlabelled=int((~labelled).sum()),
        n_clusters=sample.n_clusters,
        effective_clusters=sample.effective_clusters,
        binary=bool(np.isin([sample.cells.label, sample.cells.score], (0.0, 1.0)).all()),
        tp=tp,
        fp=fp,
        fn=fn,
        tn=tn,
        statistics=measure([*ESTIMATORS.values(), *own_estimators()], sample, settings),
        missing=_missing(table.take(labelled), settings),
    )


def by_judge(table: Table, of: Callable[[Table], _Found | None]) -> dict[str, _Found]:
    """Apply a function to each judge's rows, keeping the results that are not None."""
    found = {judge: of(table.take(rows)) for judge, rows in table.judge.present()}
    return {judge: each for judge, each in found.items() if each is not None}


def usable_rows(table: Table) -> Table:
    """Return the rows of a table that have both a label and a score."""
    return table.take(np.isfinite(table.label) & np.isfinite(table.score))


def usable_sample(table: Table) -> Sample:
    """Return a sample of the rows of a table that have both a label and a score."""
    rows, pass_at = usable_rows(table).in_one_cut()
    return make_sample(rows.label, rows.score, rows.cluster, pass_at=pass_at)


def _missing(labelled: Table, settings: Settings) -> MissingVerdicts:
    """Return the rate of missing verdicts, and agreement under three ways to count them."""
    absent = ~np.isfinite(labelled.score)

    def share(score: FloatArray, label: FloatArray, rows: Any = slice(None)) -> Statistic:
        sample = make_sample(label[rows], score[rows], labelled.cluster[rows])
        return measure([ESTIMATORS["accuracy"]], sample, settings)["accuracy"]

    verdict, truth = labelled.passed.astype(float), labelled.right.astype(float)
    rate, dropped = share(absent.astype(float), np.ones(len(absent))), share(verdict, truth, ~absent)
    if not absent.any():
        return MissingVerdicts(rate, AccuracyWithMissing(dropped, dropped, dropped))
    as_fail = share(np.where(absent, 0.0, verdict), truth)
    as_wrong = share(np.where(absent, 1.0 - truth, verdict), truth)
    return MissingVerdicts(rate, AccuracyWithMissing(dropped, as_fail, as_wrong))
