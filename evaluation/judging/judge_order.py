"""Judges in the order in which their verdicts count where several judged one output."""

from __future__ import annotations

from collections.abc import Iterable

from ...calibration.agreement.calibration_results import CalibrationNumbers, JudgeCalibration
from ...judges.catalogue import OF_TRANSCRIPTS
from ...records import JudgeId
from ..store.manifest import KnownJudge

_RATES = ("true_positive_rate", "true_negative_rate")


def judge_order(known: Iterable[KnownJudge], calibration: CalibrationNumbers | None) -> list[JudgeId]:
    """Order judges by fit to the kind of case, then by calibrated lower bound, then as given."""
    panels = {} if calibration is None else calibration.judges
    ranked = sorted(known, key=lambda judge: (_fit(judge), _errors(panels.get(judge.by))))
    return [judge.id for judge in ranked]


def _fit(judge: KnownJudge) -> int:
    """Return a judge's fit: 0 for certain kinds of case, 1 with others' transcripts, 2 for any."""
    return 2 if judge.kinds is None else int(judge.id.name in OF_TRANSCRIPTS)


def _errors(panel: JudgeCalibration | None) -> list[float]:
    """Return the worst-case errors of both rates, larger first; 2 for an unknown rate."""
    found = [None if panel is None else panel.statistics.get(name) for name in _RATES]
    ends = [2.0 if each is None or each.low is None else 1.0 - each.low for each in found]
    return sorted(ends, reverse=True)
