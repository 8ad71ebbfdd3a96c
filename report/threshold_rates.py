"""A fractional judge at each pass threshold: its rates on labelled outputs, and the corrected rate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from ..calibration.pass_threshold import HALF
from ..calibration.statistic import Statistic
from ..evaluation.store.run_store import RunStore

_MOST = 10
"""Thresholds that are shown; of more scores, as many evenly spread ones."""


class RatesAtThreshold(msgspec.Struct, frozen=True, kw_only=True):
    """A judge whose verdicts pass from one score on.

    Attributes:
        at: That score.
        passes_good: True positive rate on labelled outputs.
        fails_bad: True negative rate on labelled outputs.
        corrected: Pass rate of the undecided outputs that it judged, corrected by its rates on those of them that have a label.
    """

    at: float
    passes_good: Statistic
    fails_bad: Statistic
    corrected: Statistic


class _Row(NamedTuple):
    score: float
    label: float | None
    cluster: str
    undecided: bool


def threshold_rates(
    store: RunStore, judges: Collection[str], cuts: Mapping[str, float]
) -> dict[str, list[RatesAtThreshold]]:
    """Return the rates of some of a run's judges at each threshold; none without labels."""
    if not judges:
        return {}
    from ..evaluation.run_table import run_rows  # noqa: PLC0415 - numpy is slow to import, and most runs have none of these judges

    rows: dict[str, list[_Row]] = defaultdict(list)
    for row in run_rows(store):
        if row["judge"] in judges and row["repeat"] == 0 and row["score"] is not None:
            undecided = row.get("baseline:checker") is None
            rows[row["judge"]].append(_Row(row["score"], row["label"], row["cluster"], undecided))
    return {judge: rates_by_threshold(told, cuts.get(judge, HALF)) for judge, told in rows.items()}


def rates_by_threshold(
    rows: Sequence[tuple[float, float | None, str, bool]], cut: float
) -> list[RatesAtThreshold]:
    """Return the rates at each score that passes some outputs and fails others.

    Args:
        rows: Score, label, cluster, and whether no checker decided the output.
        cut: From which label on an output is good.
    """
    told = [_Row(*row) for row in rows]
    scores = sorted({row.score for row in told} | {cut})[1:]
    if len(scores) > _MOST:
        chosen = {round(place * (len(scores) - 1) / (_MOST - 1)) for place in range(_MOST)}
        scores = [score for place, score in enumerate(scores) if place in chosen or score == cut]
    return [_at(told, score, cut) for score in scores]


def _at(rows: Sequence[_Row], at: float, cut: float) -> RatesAtThreshold:
    from ..calibration.corrected_rate.two_verdicts import rogan_gladen  # noqa: PLC0415 - scipy is slow to import

    good = [row for row in rows if row.label is not None and row.label >= cut]
    bad = [row for row in rows if row.label is not None and row.label < cut]
    rest = [row for row in rows if row.undecided]
    of_rest = [[row for row in each if row.undecided] for each in (good, bad)]
    judged = sum(row.score >= at for row in rest) / len(rest) if rest else 0.0
    return RatesAtThreshold(
        at=at,
        passes_good=_share([row.score >= at for row in good], good),
        fails_bad=_share([row.score < at for row in bad], bad),
        corrected=rogan_gladen(
            judged,
            len(rest),
            true_positives=sum(row.score >= at for row in of_rest[0]),
            positives=len(of_rest[0]),
            true_negatives=sum(row.score < at for row in of_rest[1]),
            negatives=len(of_rest[1]),
        ),
    )


def _share(right: Sequence[bool], rows: Sequence[_Row]) -> Statistic:
    import numpy as np  # noqa: PLC0415 - most reports have no thresholds to choose

    from ..calibration.intervals.clustered_rates import share_of  # noqa: PLC0415 - likewise

    clusters: Any = (
        np.unique([row.cluster for row in rows], return_inverse=True)[1] if rows else np.array([], dtype=int)
    )
    return share_of(np.array(right, dtype=np.float64), clusters)
