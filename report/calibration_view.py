"""The calibration of a run, laid out for the template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from markupsafe import Markup

from ..calibration.agreement.results import Calibration, JudgeCalibration
from ..calibration.cuts import HALF
from .calibration_sheets import (
    Sheet,
    StatisticView,
    comparison_sheets,
    dawid_skene_sheets,
    people_sheet,
    probability_sheet,
    statistic_view,
    systems_sheet,
)
from .caution_words import sentences
from .figures import confusion
from .text import visible

COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("true_positive_rate", "TPR", "Share of what is right that the judge passes (sensitivity)"),
    ("true_negative_rate", "TNR", "Share of what is wrong that the judge fails (specificity)"),
    ("accuracy", "Accuracy", "Share of items on which judge and label agree"),
    ("cohen_kappa", "Kappa", "Cohen's kappa: agreement beyond chance"),
    ("gwet_ac1", "AC1", "Gwet's AC1: agreement beyond chance, steady when nearly everything passes"),
    ("mcc", "MCC", "Matthews correlation of judge and label"),
    ("bias", "Bias", "The judge's rate minus the true rate"),
)
"""Statistic, heading, explanation."""

MOST_SLICES = 40
"""Values of one column that are shown."""


class CalibrationRow(msgspec.Struct, frozen=True):
    """One judge or baseline: its statistics in words, one a column, its 2x2 table, and its cut, where it is not that of most."""

    name: str
    passes: str
    n: int
    n_missing: int
    n_clusters: int
    cells: list[StatisticView]
    table: Markup


class SliceTable(msgspec.Struct, frozen=True):
    """The judges on each value of one column; ``hidden`` values are not shown."""

    column: str
    rows: list[tuple[str, CalibrationRow]]
    hidden: int


class CalibrationView(msgspec.Struct, frozen=True):
    """What the template shows of a calibration; ``worth`` is each judge's accuracy, to stand beside what it cost."""

    judges: list[CalibrationRow]
    baselines: list[CalibrationRow]
    slices: list[SliceTable]
    warnings: list[str]
    sheets: list[Sheet]
    worth: dict[str, StatisticView]


def calibration_view(found: Calibration) -> CalibrationView:
    """Lay a calibration out.

    Args:
        found: The calibration.

    Returns:
        Rows for judges and baselines, tables for slices, and sheets for what stands beside them.

    """
    return CalibrationView(
        judges=_rows(found.judges),
        baselines=_rows(found.baselines),
        slices=[_slice(column, values) for column, values in found.slices.items()],
        warnings=sentences(found.cautions, found.judges),
        sheets=list(_sheets(found)),
        worth={
            judge: statistic_view(entry.statistics.get("accuracy")) for judge, entry in found.judges.items()
        },
    )


def _sheets(found: Calibration) -> Iterator[Sheet]:
    if found.comparison is not None:
        yield from comparison_sheets(found.comparison)
    if found.people is not None:
        yield people_sheet(found.people)
    for judge, systems in found.systems.items():
        yield systems_sheet(judge, systems)
    for judge, probability in found.probability.items():
        yield probability_sheet(judge, probability)
    yield from dawid_skene_sheets(found.dawid_skene, found.judges)


def _slice(column: str, values: Mapping[str, Mapping[str, JudgeCalibration]]) -> SliceTable:
    shown = list(values.items())[:MOST_SLICES]
    rows = [(visible(value), row) for value, judges in shown for row in _rows(judges)]
    return SliceTable(visible(column), rows, len(values) - len(shown))


def _rows(entries: Mapping[str, JudgeCalibration]) -> list[CalibrationRow]:
    return [_row(name, entry) for name, entry in entries.items()]


def _row(name: str, entry: JudgeCalibration) -> CalibrationRow:
    return CalibrationRow(
        name=visible(name),
        passes="" if entry.pass_at == HALF else f"passes at {entry.pass_at:g}",
        n=entry.n,
        n_missing=entry.n_missing,
        n_clusters=entry.n_clusters,
        cells=[statistic_view(entry.statistics.get(key)) for key, _, _ in COLUMNS],
        table=confusion(entry.tp, entry.fn, entry.fp, entry.tn),
    )
