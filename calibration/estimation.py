"""The true pass rate of each system, from judge scores and the labels that there are."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from ..errors import InputError
from .panel import FEW_CLUSTERS
from .rogan_gladen import rogan_gladen
from .statistic import Statistic, undefined
from .table import Table
from .true_rate import (
    LabelledAndJudged,
    RateInterval,
    label_equivalents,
    labels_only,
    post_stratified,
    prediction_powered,
    tuned_lambda,
)


def estimate(
    table: Table,
    *,
    judge: str | None = None,
    pass_at: float = 0.5,
    interval: RateInterval = "logit",
    level: float = 0.95,
) -> dict[str, Any]:
    """Estimate the mean label of the population that the items are a sample of.

    Rows with a label are the labelled items, rows without one the unlabelled; the labelled must be a random sample of
    the whole. 0/1 labels make it a pass rate.

    Args:
        table: One judge's rows, or several judges' with ``judge``.
        judge: Whose scores to use.
        pass_at: A score passes when it is at least this; for the estimates that need two verdicts.
        interval: ``logit`` is clustered; ``wald`` takes items as independent, as other software does.
        level: Nominal coverage.

    Returns:
        By system, and for ``all``: counts, ``lambda``, ``label_equivalents`` and ``estimates``, ready for JSON.

    Raises:
        InputError: Several judges and none is named, or no such judge.
    """
    table = _of_judge(table, judge)
    rows = {"all": table}
    system = table.columns.get("system")
    if system is not None:
        rows |= {name: table.take(mask) for name, mask in system.present()}
    return {name: _estimates(part, pass_at, interval, level) for name, part in rows.items()}


def _of_judge(table: Table, judge: str | None) -> Table:
    judges = dict(table.judge.present())
    if judge is None and len(judges) > 1:
        raise InputError(f"the table has {len(judges)} judges ({', '.join(judges)}); name one with --judge")
    if judge is not None and judge not in judges:
        raise InputError(f"there is no judge {judge!r}; there are {', '.join(judges)}")
    return table if judge is None else table.take(judges[judge])


def _estimates(table: Table, pass_at: float, interval: RateInterval, level: float) -> dict[str, Any]:
    labelled, judged = np.isfinite(table.label), np.isfinite(table.score)
    both, unlabelled = labelled & judged, judged & ~labelled
    data = LabelledAndJudged(
        table.label[both],
        table.score[both],
        table.score[unlabelled],
        table.cluster[both],
        table.cluster[unlabelled],
    )
    weight = None if data.too_few else tuned_lambda(data)
    estimates = {
        "labels_only": labels_only(
            table.label[labelled], table.cluster[labelled], interval=interval, level=level
        ),
        "ppi": _ppi(data, interval, level),
        "ppi_plus_plus": prediction_powered(data, weight or 0.0, interval=interval, level=level),
        "post_stratified": post_stratified(data, pass_at=pass_at, interval=interval, level=level),
        "rogan_gladen": _rogan_gladen(data, pass_at, level),
    }
    return {
        "n_labelled": int(both.sum()),
        "n_unlabelled": int(unlabelled.sum()),
        "n_missing": int((~judged).sum()),
        "n_clusters": len(np.unique(table.cluster)),
        "target": "population",
        "judge_mean": float(table.score[judged].mean()) if judged.any() else None,
        "lambda": weight,
        "label_equivalents": None if weight is None else label_equivalents(data, weight),
        "estimates": msgspec.to_builtins(estimates),
        "warnings": _warnings(data),
    }


def _ppi(data: LabelledAndJudged, interval: RateInterval, level: float) -> Statistic:
    """PPI as it was published, with a Wald interval; clustered unless asked otherwise."""
    return prediction_powered(data, 1.0, interval=interval, level=level, scale="wald")


def _rogan_gladen(data: LabelledAndJudged, pass_at: float, level: float) -> Statistic:
    if data.too_few:
        return undefined(data.too_few, n=len(data.label), level=level)
    if not np.isin(data.label, (0.0, 1.0)).all():
        return undefined(
            "labels are fractions; sensitivity and specificity need 0 and 1", n=len(data.label), level=level
        )
    right, passed = data.label == 1.0, data.score >= pass_at
    return rogan_gladen(
        float((data.unlabelled >= pass_at).mean()),
        len(data.unlabelled),
        true_positives=int((right & passed).sum()),
        positives=int(right.sum()),
        true_negatives=int((~right & ~passed).sum()),
        negatives=int((~right).sum()),
        level=level,
    )


def _warnings(data: LabelledAndJudged) -> list[str]:
    clusters = len(np.unique(data.label_cluster))
    if data.too_few or clusters >= FEW_CLUSTERS:
        return []
    return [f"only {clusters} clusters have labels; below {FEW_CLUSTERS} an interval may be too short"]
