"""The panel: every judge of a table against the labels, beside the baselines, and slice by slice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..intervals.bootstrap import DEFAULT_REPLICATES
from ..intervals.measurement import IntervalOption, Settings
from ..tables.table import PROBABILITY, Table
from .baselines import baselines_of, people_among_themselves
from .judge_panel import judge_panel
from .judges_alone import judges_alone
from .probability_scores import probability_scores
from .requests import Requests, answers
from .slice_homogeneity import slice_homogeneity
from .suspected_labels import suspected_label_errors
from .system_agreement import systems_by_judge

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
    requests: Requests | None = None,
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
        requests: What else to look for.

    Returns:
        ``judges``, ``baselines``, ``slices``, ``homogeneity``, ``suspected_label_errors``, ``dawid_skene`` and
        ``warnings``; ``people`` where several looked at the same items; ``systems`` where there are two or more; ``probability`` where scores lie between 0 and 1;
        and on request ``label_audit``, ``selective``, ``cascade``, ``categories``,
        ``thresholds`` and ``recalibration``, ready for JSON; ``docs/calibration.md`` describes them.
    """
    settings = Settings(interval, level, replicates, seed)
    judges = _judges(table, pass_at, settings)
    result: dict[str, Any] = {
        "judges": judges,
        "baselines": baselines_of(table, pass_at, settings),
        "slices": _slices(table, pass_at, settings) if slices else {},
        "homogeneity": slice_homogeneity(table, pass_at=pass_at) if slices else {},
        "suspected_label_errors": suspected_label_errors(table, pass_at=pass_at),
        "dawid_skene": judges_alone(table, pass_at=pass_at),
        "pass_at": pass_at,
        "level": level,
        "warnings": [*_warnings(judges), *_drawn_unevenly(table)],
    }
    people = people_among_themselves(table, settings)
    if people is not None:
        result["people"] = people
    for name, of in (("systems", systems_by_judge), ("probability", probability_scores)):
        found = _by_judge(table, of, pass_at, settings)
        if found:
            result[name] = found
    return result | answers(table, requests or Requests(), pass_at=pass_at, settings=settings)


def _by_judge(
    table: Table, of: Callable[..., dict[str, Any] | None], pass_at: float, settings: Settings
) -> dict[str, Any]:
    """What a function says of each judge, of those of which it says something."""
    found = {
        judge: of(table.take(rows), pass_at=pass_at, settings=settings)
        for judge, rows in table.judge.present()
    }
    return {judge: each for judge, each in found.items() if each is not None}


def _judges(table: Table, pass_at: float, settings: Settings) -> dict[str, Any]:
    return {
        judge: judge_panel(table.take(rows), pass_at=pass_at, settings=settings)
        for judge, rows in table.judge.present()
    }


def _slices(table: Table, pass_at: float, settings: Settings) -> dict[str, Any]:
    return {
        name: {value: _judges(table.take(rows), pass_at, settings) for value, rows in column.present()}
        for name, column in table.columns.items()
        if len(column.present()) > 1
    }


def _warnings(judges: dict[str, Any]) -> list[str]:
    lines = [f"{judge}: {line}" for judge, panel in judges.items() for line in _judge_warnings(panel)]
    if not all(panel["binary"] for panel in judges.values()):
        lines.append("ece is biased upwards: believe its interval, which allows for that, before its value")
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


def _drawn_unevenly(table: Table) -> list[str]:
    chance = table.numbers.get(PROBABILITY)
    labelled = np.isfinite(table.label)
    if chance is None or not len(np.unique(chance[labelled & np.isfinite(chance)])) > 1:
        return []
    why = "labels were drawn with unequal chances, which nothing here weighs"
    return [
        f"{why}: this is the agreement on the labelled items, not on all; `fiducial estimate` weighs them"
    ]
