"""The panel: every judge of a table against the labels, beside the baselines, and slice by slice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from .arrays import FloatArray
from .bootstrap import DEFAULT_REPLICATES
from .estimator import ESTIMATORS
from .label_audit import audit_counts, corrected_rates
from .measurement import IntervalOption, Settings, measure
from .sample import Sample, make_sample
from .selective import certify
from .slice_homogeneity import slice_homogeneity
from .suspected_labels import suspected_label_errors
from .table import Table

FEW_CLUSTERS = 20
"""With fewer clusters than this, their own spread is known too badly to promise the level."""

FEW_OF_A_CLASS = 30
"""With fewer labels of a class than this, the levels of the intervals were not shown to hold."""


def calibrate(
    table: Table,
    *,
    pass_at: float = 0.5,
    interval: IntervalOption | None = None,
    level: float = 0.95,
    seed: int = 0,
    replicates: int = DEFAULT_REPLICATES,
    slices: bool = True,
    audit: Mapping[str, float] | None = None,
    max_error: float | None = None,
) -> dict[str, Any]:
    """How far each judge of a table agrees with the labels.

    Args:
        table: Labels, scores, clusters.
        pass_at: A value passes, for the 2x2 statistics, when it is at least this.
        interval: See `Settings`; None for the best of each statistic.
        level: Nominal coverage of the intervals.
        seed: The same seed gives the same intervals.
        replicates: Bootstrap replicates.
        slices: Whether to look at each value of ``system`` and of the other columns by itself.
        audit: What a person found for some items, chosen at random, by item: corrects for errors of the labels.
        max_error: Look for a confidence above which a judge's verdicts are wrong at most this often.

    Returns:
        ``judges``, ``baselines``, ``slices``, ``homogeneity``, ``suspected_label_errors`` and ``warnings``, and on
        request ``label_audit`` and ``selective``, ready for JSON; ``docs/calibration.md`` describes them.
    """
    settings = Settings(interval, level, replicates, seed)
    judges = _judges(table, pass_at, settings)
    result: dict[str, Any] = {
        "judges": judges,
        "baselines": _baselines(table, pass_at, settings),
        "slices": _slices(table, pass_at, settings) if slices else {},
        "homogeneity": slice_homogeneity(table, pass_at=pass_at) if slices else {},
        "suspected_label_errors": suspected_label_errors(table, pass_at=pass_at),
        "pass_at": pass_at,
        "level": level,
        "warnings": _warnings(judges),
    }
    if audit is not None:
        result["label_audit"] = _label_audit(table, audit, pass_at, settings)
    if max_error is not None:
        result["selective"] = _selective(table, pass_at, max_error, seed)
    return result


def judge_panel(
    table: Table, *, pass_at: float, settings: Settings, names: tuple[str, ...] = tuple(ESTIMATORS)
) -> dict[str, Any]:
    """One judge against the labels.

    Args:
        table: The rows of one judge.
        pass_at: A value passes when it is at least this.
        settings: How intervals are made.
        names: The statistics to compute.

    Returns:
        Counts, ``statistics`` and ``missing``, ready for JSON.
    """
    labelled = np.isfinite(table.label)
    judged = labelled & np.isfinite(table.score)
    sample = _usable_sample(table, pass_at)
    (tn, fp), (fn, tp) = (
        sample.cells.tables(sample.counts).astype(int).tolist() if sample.n else [[0, 0], [0, 0]]
    )
    statistics = measure([ESTIMATORS[name] for name in names], sample, settings)
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


def _usable_sample(table: Table, pass_at: float) -> Sample:
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
    return {
        "rate": share(absent.astype(float), np.ones(len(absent))),
        "accuracy": {
            "drop": share(verdict, truth, ~absent),
            "count_as_fail": share(np.where(absent, 0.0, verdict), truth),
            "count_as_disagreement": share(np.where(absent, 1.0 - truth, verdict), truth),
        },
    }


def _judges(
    table: Table, pass_at: float, settings: Settings, names: tuple[str, ...] = tuple(ESTIMATORS)
) -> dict[str, Any]:
    return {
        judge: judge_panel(table.take(rows), pass_at=pass_at, settings=settings, names=names)
        for judge, rows in table.judge.present()
    }


def _baselines(table: Table, pass_at: float, settings: Settings) -> dict[str, Any]:
    """What judges that do not look would reach on the labelled items."""
    labelled = table.take(np.isfinite(table.label))
    _, first = np.unique(labelled.key("system"), return_index=True)
    items = labelled.take(np.sort(first))

    def constant(score: float) -> dict[str, Any]:
        blind = Table(
            items.item, items.judge, np.full(len(items), score), items.label, items.cluster, items.columns
        )
        return judge_panel(blind, pass_at=pass_at, settings=settings)

    return {"always_pass": constant(1.0), "always_fail": constant(0.0)}


def _slices(table: Table, pass_at: float, settings: Settings) -> dict[str, Any]:
    return {
        name: {value: _judges(table.take(rows), pass_at, settings) for value, rows in column.present()}
        for name, column in table.columns.items()
        if len(column.present()) > 1
    }


def _label_audit(
    table: Table, truth: Mapping[str, float], pass_at: float, settings: Settings
) -> dict[str, Any]:
    counts = audit_counts(table, truth, pass_at=pass_at)
    rates = {
        judge: corrected_rates(_usable_sample(table.take(rows), pass_at), counts, settings)._asdict()
        for judge, rows in table.judge.present()
    }
    (tn, fp), (fn, tp) = counts.astype(int).tolist()
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn, "judges": msgspec.to_builtins(rates)}


def _selective(table: Table, pass_at: float, max_error: float, seed: int) -> dict[str, Any]:
    """For each judge, the least confidence at which its verdicts can be trusted to the wanted error."""
    result: dict[str, Any] = {}
    for judge, rows in table.judge.present():
        mine = table.take(rows & np.isfinite(table.label) & np.isfinite(table.score))
        passed = mine.score >= pass_at
        # Distance from the threshold, as a share of the way to 0 or 1.
        confidence = np.where(
            passed, (mine.score - pass_at) / max(1 - pass_at, 1e-9), (pass_at - mine.score) / pass_at
        )
        confidence = np.where(passed & (pass_at == 1.0), 1.0, confidence)
        wrong = passed != (mine.label >= pass_at)
        result[judge] = certify(
            confidence, wrong, max_error=max_error, cluster=mine.cluster, seed=seed
        )._asdict()
    return result


def _warnings(judges: dict[str, Any]) -> list[str]:
    lines = [f"{judge}: {line}" for judge, panel in judges.items() for line in _judge_warnings(panel)]
    if not all(panel["binary"] for panel in judges.values()):
        lines.append("ece is biased upwards, and its interval covers less often than it says")
    return lines


def _judge_warnings(panel: dict[str, Any]) -> list[str]:
    n, clusters = panel["n"], panel["n_clusters"]
    if not n:
        return ["no row has both a label and a score, so nothing can be said of it"]
    lines: list[str] = []
    if clusters < FEW_CLUSTERS:
        lines.append(f"only {clusters} clusters; below {FEW_CLUSTERS} an interval may be too short")
    passing = panel["tp"] + panel["fn"]
    few = [
        f"{count} labels {sort}"
        for count, sort in ((passing, "pass"), (n - passing, "fail"))
        if 0 < count < FEW_OF_A_CLASS
    ]
    if few:
        lines.append(f"only {' and '.join(few)}; below {FEW_OF_A_CLASS} what rests on them is rough")
    if panel["n_missing"]:
        lines.append(
            f"{panel['n_missing']} labelled rows have no verdict; the statistics are of the other {n}"
        )
    return lines
