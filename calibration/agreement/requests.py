"""What a panel says only when it is asked: label audits, certified and chosen thresholds, agreement on categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ..intervals.measurement import Settings
from ..tables.table import Table
from ..thresholds.cascade import cascade_of, confidence_of
from ..thresholds.recalibration import Recalibrator, recalibrate
from ..thresholds.selective import certify
from ..thresholds.threshold_choice import choose_threshold
from .categories import category_agreement
from .judge_panel import usable_sample
from .label_audit import audit_counts, corrected_rates


class Requests(NamedTuple):
    """What is asked beyond the panel; None for what is not.

    Attributes:
        audit: What a person found for some items, chosen at random, by item: corrects for errors of the labels.
        max_error: Look for a confidence above which a judge's verdicts are wrong at most this often.
        cascade: Judges, in the order in which they are asked, to be certified together at ``max_error``.
        levels: All values that labels and scores can have, ascending, for agreement on categories.
        threshold_for: Look for the threshold on the score that makes this statistic of the 2x2 table largest.
        recalibrate: Map scores to rates in this way.
    """

    audit: Mapping[str, float] | None = None
    max_error: float | None = None
    cascade: Sequence[str] | None = None
    levels: Sequence[float] | None = None
    threshold_for: str | None = None
    recalibrate: Recalibrator | None = None


def answers(table: Table, requests: Requests, *, pass_at: float, settings: Settings) -> dict[str, Any]:
    """Answer what is asked, for every judge of a table.

    Args:
        table: Labels and scores.
        requests: What is asked.
        pass_at: A value passes when it is at least this.
        settings: How intervals are made.

    Returns:
        ``label_audit``, ``selective``, ``cascade``, ``categories``, ``thresholds`` and ``recalibration``, each where it was asked for, ready for JSON.

    Raises:
        InputError: No audited item has a label, or a value is not one of the levels.
    """
    result: dict[str, Any] = {}
    judges = {judge: table.take(rows) for judge, rows in table.judge.present()}
    if requests.audit is not None:
        result["label_audit"] = _label_audit(table, requests.audit, pass_at, settings)
    if requests.max_error is not None:
        result["selective"] = {
            judge: _selective(part, pass_at, requests.max_error, settings.seed)
            for judge, part in judges.items()
        }
    if requests.cascade is not None and requests.max_error is not None:
        result["cascade"] = cascade_of(
            table, list(requests.cascade), pass_at, requests.max_error, settings.seed
        )
    if requests.levels is not None:
        result["categories"] = {
            judge: category_agreement(usable_sample(part, pass_at), requests.levels, settings)
            for judge, part in judges.items()
        }
    if requests.threshold_for is not None:
        result["thresholds"] = {
            judge: _threshold(part, pass_at, requests.threshold_for) for judge, part in judges.items()
        }
    if requests.recalibrate is not None:
        result["recalibration"] = {
            judge: _recalibration(part, pass_at, requests.recalibrate, settings)
            for judge, part in judges.items()
        }
    return result


def _label_audit(
    table: Table, truth: Mapping[str, float], pass_at: float, settings: Settings
) -> dict[str, Any]:
    counts = audit_counts(table, truth, pass_at=pass_at)
    rates = {
        judge: corrected_rates(usable_sample(table.take(rows), pass_at), counts, settings)._asdict()
        for judge, rows in table.judge.present()
    }
    (tn, fp), (fn, tp) = counts.astype(int).tolist()
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn, "judges": msgspec.to_builtins(rates)}


def _selective(table: Table, pass_at: float, max_error: float, seed: int) -> dict[str, Any]:
    """The least confidence at which a judge's verdicts can be trusted to the wanted error."""
    mine = table.take(np.isfinite(table.label) & np.isfinite(table.score))
    passed, confidence = mine.score >= pass_at, confidence_of(mine.score, pass_at)
    wrong = passed != (mine.label >= pass_at)
    return certify(confidence, wrong, max_error=max_error, cluster=mine.cluster, seed=seed)._asdict()


def _threshold(table: Table, pass_at: float, statistic: str) -> dict[str, Any]:
    mine = table.take(np.isfinite(table.label) & np.isfinite(table.score))
    return choose_threshold(
        mine.label, mine.score, mine.cluster, statistic=statistic, pass_at=pass_at
    )._asdict()


def _recalibration(table: Table, pass_at: float, method: Recalibrator, settings: Settings) -> dict[str, Any]:
    mine = table.take(np.isfinite(table.label) & np.isfinite(table.score))
    outcome = (mine.label >= pass_at).astype(np.float64)
    found = recalibrate(outcome, mine.score, mine.cluster, method=method, level=settings.level)
    curve = None if found.curve is None else found.curve._asdict()
    numbers = curve and {name: np.asarray(value).tolist() for name, value in curve.items()}
    return msgspec.to_builtins(found._replace(curve=None)._asdict()) | {"curve": numbers}
