"""The panel: every judge of a table against the labels, beside the baselines, and slice by slice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..intervals.bootstrap import DEFAULT_REPLICATES
from ..intervals.measurement import IntervalOption, Settings
from ..tables.table import Table
from .baselines import baselines_of, people_among_themselves
from .cautions import cautions
from .judge_panel import judge_panel
from .judges_alone import judges_alone
from .probability_scores import probability_scores
from .requests import Requests, answers
from .slice_homogeneity import slice_homogeneity
from .suspected_labels import suspected_label_errors
from .system_agreement import systems_by_judge


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
        "warnings": cautions(judges, table),
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
    bare = table.without_slices()
    return {
        name: {value: _judges(bare.take(rows), pass_at, settings) for value, rows in parts}
        for name, column in table.columns.items()
        if len(parts := column.present()) > 1
    }
