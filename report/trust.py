"""May this judge be trusted, for what? By its rates against the labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from ..calibration.agreement.calibration_results import Calibration, JudgeCalibration
from . import words
from .adjudication_words import adjudicated_by
from .found import Found
from .words import listed

TrustWord: TypeAlias = Literal["as it is", "corrected", "only on some", "not", "unknown"]
"""How far a judge may be trusted: its rates stand as they are; need labels to correct them; stand on some slices; say nothing; nobody knows."""

SURE = 0.9
"""A judge stands as it is when even the lower ends of its true positive and its true negative rate reach this."""

_GOOD = 0.8
"""Balanced accuracy of a good one: an interval from chance to here says nothing of a judge."""

CHANCE = 0.5
"""Balanced accuracy of a judge that does not look."""

_ALARM = 0.05


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """How far a judge may be trusted.

    Attributes:
        judge: Which.
        word: How far.
        why: In a sentence.
        panel: What that rests on.
        adjudicated: How its labels were adjudicated; empty where they were not.
    """

    judge: str
    word: TrustWord
    why: str
    panel: JudgeCalibration
    adjudicated: str = ""


def trust_in(found: Found) -> Iterator[Trust]:
    """How far each judge may be trusted; a baseline, which reads nothing, only where nobody else was asked."""
    panels = found.agreement.judges
    judges = [use for use in found.judges if use.name not in found.baselines]
    for use in judges or found.judges:
        panel = panels.get(use.name, JudgeCalibration())
        word, why = _trusted(use.name, panel, found.agreement)
        decided = adjudicated_by(found.agreement.adjudication, use.name)
        why = "; ".join(filter(None, (why, decided)))
        yield Trust(judge=use.name, word=word, why=why, panel=panel, adjudicated=decided)


def _trusted(name: str, panel: JudgeCalibration, calibration: Calibration) -> tuple[TrustWord, str]:
    right, wrong = panel.tp + panel.fn, panel.fp + panel.tn
    if not right or not wrong:
        return "unknown", f"it has no label of {'either' if not panel.n else 'each'} class to be held against"
    balanced = panel.statistics.get("balanced_accuracy")
    if balanced is not None and (balanced.low is None or balanced.low <= CHANCE):
        told = f"balanced accuracy {words.statistic(balanced)}"
        if balanced.high is None or balanced.high >= _GOOD:
            return "unknown", f"too few labels to tell it from chance, or from a good one: {told}"
        return "not", f"it may be no better than chance: {told}"
    misses = (
        f"it passes {panel.fp:,} of {wrong:,} wrong outputs and fails {panel.fn:,} of {right:,} right ones"
    )
    if _sure(panel):
        return "as it is", misses
    if good := _good_slices(name, calibration):
        return "only on some", f"only on {good}; on all, {misses}"
    return "corrected", f"{misses}: labels have to correct its rates"


def _sure(panel: JudgeCalibration) -> bool:
    found = [panel.statistics.get(name) for name in ("true_positive_rate", "true_negative_rate")]
    return all(each is not None and each.low is not None and each.low >= SURE for each in found)


def _good_slices(name: str, calibration: Calibration) -> str:
    """Values of a column between which the judge differs, on which it stands as it is."""
    for column, judges in calibration.homogeneity.items():
        tests = judges.get(name, {}).values()
        if any(test.holm_p is not None and test.holm_p <= _ALARM for test in tests):
            slices = calibration.slices.get(column, {})
            good = [value for value, panels in slices.items() if name in panels and _sure(panels[name])]
            if good:
                return f"{column} {listed(good)}"
    return ""
