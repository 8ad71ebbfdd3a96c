"""Judges in the order in which their verdicts count where several judged one output."""

from __future__ import annotations

from collections.abc import Iterable

from ...calibration.agreement.calibration_results import Calibration, JudgeCalibration
from ...judges.catalogue import OF_TRANSCRIPTS
from ...records import JudgeId
from ..store.manifest import KnownJudge

_RATES = ("true_positive_rate", "true_negative_rate")


def judge_order(known: Iterable[KnownJudge], calibration: Calibration | None) -> list[JudgeId]:
    """Order judges: those made for the kind of case, then by calibrated lower bound, then as named."""
    panels = {} if calibration is None else calibration.judges
    ranked = sorted(known, key=lambda judge: (_fit(judge), _errors(panels.get(judge.by))))
    return [judge.id for judge in ranked]


def _fit(judge: KnownJudge) -> int:
    """Return 0 for a judge of certain kinds, 1 for one that takes transcripts of others too, 2 for one of any kind."""
    return 2 if judge.kinds is None else int(judge.id.name in OF_TRANSCRIPTS)


def _errors(panel: JudgeCalibration | None) -> list[float]:
    """Return what the worse and the better of both rates may lack at worst; 2 where one is unknown."""
    found = [None if panel is None else panel.statistics.get(name) for name in _RATES]
    ends = [2.0 if each is None or each.low is None else 1.0 - each.low for each in found]
    return sorted(ends, reverse=True)
