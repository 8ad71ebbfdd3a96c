"""Optional parts of a panel: label audits, thresholds, and agreement on categories.

Thresholds are certified or chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..intervals.measurement import Settings
from ..tables.calibration_table import Table
from ..thresholds.certified_thresholds import cascade_of, certify, confidence_of
from ..thresholds.threshold_choice import choose_threshold
from ..thresholds.threshold_results import CertifiedThreshold, ChosenThreshold, Recalibration, Recalibrator
from .diagnosis_results import AuditMethod
from .judge_panel import by_judge, usable_rows, usable_sample
from .label_audit import label_audit
from .level_agreement import category_agreement


class Requests(NamedTuple):
    """Optional analyses beyond the panel; None for those not requested.

    Attributes:
        audit: What a person found for some items, chosen at random, by item: corrects for errors of the labels.
        audit_by: How it does.
        max_error: Look for a confidence above which a judge's verdicts are wrong at most this often.
        cascade: Judges, in the order in which they are asked, to be certified together at ``max_error``.
        levels: All values that labels and scores can have, ascending, for agreement on categories.
        threshold_for: Look for the threshold on the score that makes this statistic of the 2x2 table largest.
        recalibrate: Map scores to rates in this way.
    """

    audit: Mapping[str, float] | None = None
    audit_by: AuditMethod = "double-sampling"
    max_error: float | None = None
    cascade: Sequence[str] | None = None
    levels: Sequence[float] | None = None
    threshold_for: str | None = None
    recalibrate: Recalibrator | None = None


def answers(table: Table, requests: Requests, *, settings: Settings) -> dict[str, Any]:
    """Answer what is asked, for every judge of a table."""
    audit, audit_by, max_error, cascade, levels, statistic, method = requests
    found: dict[str, Any] = {}
    if audit is not None:
        found["label_audit"] = label_audit(table, audit, settings, audit_by)
    if cascade is not None and max_error is not None:
        found["cascade"] = cascade_of(table, list(cascade), max_error, settings.seed)
    of_each: dict[str, Callable[[Table], Any]] = {}
    if max_error is not None:
        of_each["selective"] = lambda part: _selective(part, max_error, settings.seed)
    if levels is not None:
        of_each["categories"] = lambda part: category_agreement(usable_sample(part), levels, settings)
    if statistic is not None:
        of_each["thresholds"] = lambda part: _threshold(part, statistic)
    if method is not None:
        of_each["recalibration"] = lambda part: _recalibration(part, method, settings.level)
    return found | {name: by_judge(table, of) for name, of in of_each.items()}


def _selective(table: Table, max_error: float, seed: int) -> CertifiedThreshold:
    """Return the lowest confidence at which a judge's verdicts meet the allowed error."""
    rows = usable_rows(table)
    wrong = rows.passed != rows.right
    confidence = confidence_of(rows.score, rows.cut)
    return certify(confidence, wrong, max_error=max_error, cluster=rows.cluster, seed=seed)


def _threshold(table: Table, statistic: str) -> ChosenThreshold:
    rows = usable_rows(table)
    return choose_threshold(rows.right, rows.score, rows.cluster, statistic=statistic)


def _recalibration(table: Table, method: Recalibrator, level: float) -> Recalibration:
    from ..thresholds.recalibration import recalibrate  # noqa: PLC0415 - scipy.optimize is slow to import

    rows = usable_rows(table)
    outcome = rows.right.astype(np.float64)
    return recalibrate(outcome, rows.score, rows.cluster, method=method, level=level)
