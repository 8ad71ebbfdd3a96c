"""Panel of every judge against the labels, with baselines, slices and cautions."""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec
import numpy as np

from ..cautions import (
    FEW_CLUSTERS,
    FEW_FOR_A_SHARE,
    FEW_OF_A_CLASS,
    AgreementCaution,
    Caution,
    labels_of_checkers,
)
from ..intervals.bootstrap import DEFAULT_REPLICATES
from ..intervals.measurement import IntervalOption, Settings
from ..pass_threshold import GivenPassAt
from ..tables.calibration_table import PROBABILITY, Table
from ..thresholds.threshold_choice import better_cut
from ..thresholds.threshold_results import BetterThreshold
from .adjudication import adjudicate
from .baselines import baselines_of, people_among_themselves
from .calibration_results import CalibrationNumbers, JudgeCalibration
from .dawid_skene import judges_alone
from .judge_panel import by_judge, judge_panel, usable_rows
from .probability_scores import probability_scores
from .requests import Requests, answers
from .slice_homogeneity import slice_homogeneity
from .suspected_labels import suspected_label_errors
from .system_agreement import systems_by_judge


def calibrate(
    table: Table,
    *,
    pass_at: GivenPassAt = None,
    interval: IntervalOption | None = None,
    level: float = 0.95,
    seed: int = 0,
    replicates: int = DEFAULT_REPLICATES,
    slices: bool = True,
    requests: Requests | None = None,
) -> CalibrationNumbers:
    """Measure the agreement of each judge of a table with the labels.

    ``docs/statistics.md`` describes the parts.

    Args:
        table: Labels, scores, clusters.
        pass_at: From which score on verdicts pass, for the 2x2 statistics, and labels beside them: for all judges, or by judge; None for the
            cuts that judges declare, and 0.5 for others.
        interval: See `Settings`; None for the best of each statistic.
        level: Nominal coverage of the intervals.
        seed: The same seed gives the same intervals.
        replicates: Bootstrap replicates.
        slices: Whether to look at each value of ``system`` and of the other columns by itself.
        requests: What else to look for.
    """
    settings = Settings(interval, level, replicates, seed)
    table = table.cut_at(pass_at)
    judges, cuts = _judges(table, settings), by_judge(table, lambda part: _better_cut(part, level))
    found = CalibrationNumbers(
        judges=judges,
        baselines=baselines_of(table, settings),
        slices=_slices(table, settings) if slices else {},
        homogeneity=slice_homogeneity(table) if slices else {},
        suspected_label_errors=suspected_label_errors(table),
        dawid_skene=judges_alone(table),
        pass_at=table.common_cut,
        level=level,
        cautions=cautions(judges, table, cuts),
        people=people_among_themselves(table, settings),
        systems=by_judge(table, lambda part: systems_by_judge(part, settings=settings)),
        better_cuts=cuts,
        probability=by_judge(table, lambda part: probability_scores(part, settings=settings)),
        adjudication=adjudicate(table, table.decisions, settings) if table.decisions.by_item else None,
    )
    more = answers(table, requests or Requests(), settings=settings)
    return msgspec.structs.replace(found, **more)


def _better_cut(table: Table, level: float) -> BetterThreshold | None:
    """Return the gain of another threshold for a judge, on its rows with label and score."""
    table, cut = usable_rows(table).in_one_cut()
    return better_cut(table.right, table.score, table.cluster, cut, level=level) if len(table) else None


def _judges(table: Table, settings: Settings) -> dict[str, JudgeCalibration]:
    return {
        judge: judge_panel(table.take(rows), settings=settings, source=table.cut_of(judge).source)
        for judge, rows in table.judge.present()
    }


def _slices(table: Table, settings: Settings) -> dict[str, dict[str, dict[str, JudgeCalibration]]]:
    bare = table.without_slices()
    return {
        name: {value: _judges(bare.take(rows), settings) for value, rows in parts}
        for name, column in table.columns.items()
        if len(parts := column.present()) > 1
    }


def cautions(
    judges: Mapping[str, JudgeCalibration], table: Table, cuts: Mapping[str, BetterThreshold] | None = None
) -> list[Caution]:
    """Return the cautions for judge panels computed from a table, one of each kind that applies.

    The gains from better thresholds are among them.
    """
    said = {name: panel for name, panel in judges.items() if panel.n}
    numbers: dict[AgreementCaution, dict[str, float]] = {
        "nothing_said": {name: 0 for name, panel in judges.items() if not panel.n},
        "few_clusters": {
            name: math.floor(panel.effective_clusters)
            for name, panel in said.items()
            if panel.effective_clusters < FEW_CLUSTERS
        },
        "few_of_a_class": {name: few for name, panel in said.items() if (few := _smaller_class(panel))},
        "few_rows": {name: panel.n for name, panel in said.items() if panel.n < FEW_FOR_A_SHARE},
        "another_cut": {name: cut.better_at for name, cut in (cuts or {}).items() if cut.clear},
        "missing_verdicts": {name: panel.n_missing for name, panel in said.items() if panel.n_missing},
    }
    found = [Caution(kind, about) for kind, about in numbers.items() if about]
    if not all(panel.binary for panel in judges.values()):
        found.append(Caution("ece_biased"))
    chance = table.numbers.get(PROBABILITY)
    labelled = np.isfinite(table.label)
    if chance is not None and len(np.unique(chance[labelled & np.isfinite(chance)])) > 1:
        found.append(Caution("drawn_unevenly"))
    return found + labels_of_checkers(table.checkers)


def _smaller_class(panel: JudgeCalibration) -> int:
    """Labels of the smaller class that there is; 0 where both are large enough."""
    classes = (panel.tp + panel.fn, panel.fp + panel.tn)
    return min((count for count in classes if 0 < count < FEW_OF_A_CLASS), default=0)
