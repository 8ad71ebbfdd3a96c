"""One judge against the labels: its 2x2 table, every statistic, and what becomes of missing verdicts."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from ..arrays import FloatArray
from ..intervals.measurement import Settings, measure
from ..sample import Sample, make_sample
from ..statistics.estimator import ESTIMATORS
from ..tables.table import Table

_WAYS = ("drop", "count_as_fail", "count_as_disagreement")
"""What can become of a missing verdict."""


def judge_panel(table: Table, *, pass_at: float, settings: Settings) -> dict[str, Any]:
    """One judge against the labels.

    Args:
        table: The rows of one judge.
        pass_at: A value passes when it is at least this.
        settings: How intervals are made.

    Returns:
        Counts, ``statistics`` and ``missing``, ready for JSON.
    """
    labelled = np.isfinite(table.label)
    judged = labelled & np.isfinite(table.score)
    sample = usable_sample(table, pass_at)
    (tn, fp), (fn, tp) = (
        sample.cells.tables(sample.counts).astype(int).tolist() if sample.n else [[0, 0], [0, 0]]
    )
    statistics = measure(ESTIMATORS.values(), sample, settings)
    return {
        "n": sample.n,
        "n_missing": int((labelled & ~judged).sum()),
        "n_unlabelled": int((~labelled).sum()),
        "n_clusters": sample.n_clusters,
        "binary": bool(np.isin([sample.cells.label, sample.cells.score], (0.0, 1.0)).all()),
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "tn": tn,
        "statistics": msgspec.to_builtins(statistics),
        "missing": _missing(table.take(labelled), pass_at, settings),
    }


def usable_sample(table: Table, pass_at: float) -> Sample:
    """The rows of a table that have both a label and a score."""
    rows = np.isfinite(table.label) & np.isfinite(table.score)
    return make_sample(table.label[rows], table.score[rows], table.cluster[rows], pass_at=pass_at)


def _missing(labelled: Table, pass_at: float, settings: Settings) -> dict[str, Any]:
    """How often the judge said nothing, and its agreement under three ways to count that."""
    absent = ~np.isfinite(labelled.score)
    passes = labelled.label >= pass_at

    def share(score: FloatArray, label: FloatArray, rows: Any = slice(None)) -> Any:
        sample = make_sample(label[rows], score[rows], labelled.cluster[rows])
        return msgspec.to_builtins(measure([ESTIMATORS["accuracy"]], sample, settings))["accuracy"]

    verdict, truth = (labelled.score >= pass_at).astype(float), passes.astype(float)
    rate, dropped = share(absent.astype(float), np.ones(len(absent))), share(verdict, truth, ~absent)
    if not absent.any():
        return {"rate": rate, "accuracy": dict.fromkeys(_WAYS, dropped)}
    counted = (
        dropped,
        share(np.where(absent, 0.0, verdict), truth),
        share(np.where(absent, 1.0 - truth, verdict), truth),
    )
    return {"rate": rate, "accuracy": dict(zip(_WAYS, counted, strict=True))}
