"""The calibration of a run, as ``calibrate --json`` writes it, laid out for the template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from markupsafe import Markup

from .calibration_json import CalibrationJson, EntryJson, read_calibration
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
    """One judge or baseline: its statistics in words, one a column, and its 2x2 table."""

    name: str
    n: int
    n_missing: int
    n_clusters: int
    cells: list[StatisticView]
    table: Markup | None


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


def calibration_view(calibration: Mapping[str, Any]) -> CalibrationView:
    """Lay a calibration out.

    Args:
        calibration: As ``calibrate --json`` writes it.

    Returns:
        Rows for judges and baselines, tables for slices, and sheets for what stands beside them.

    Raises:
        InputError: It is not in that form.
    """
    found = read_calibration(calibration)
    return CalibrationView(
        judges=_rows(found.judges),
        baselines=_rows(found.baselines),
        slices=[_slice(column, values) for column, values in found.slices.items()],
        warnings=found.warnings,
        sheets=list(_sheets(found)),
        worth={
            judge: statistic_view(entry.statistics.get("accuracy")) for judge, entry in found.judges.items()
        },
    )


def _sheets(found: CalibrationJson) -> Iterator[Sheet]:
    yield from comparison_sheets(found.comparison)
    if found.people is not None:
        yield people_sheet(found.people)
    for judge, systems in found.systems.items():
        yield systems_sheet(judge, systems)
    for judge, probability in found.probability.items():
        yield probability_sheet(judge, probability)
    yield from dawid_skene_sheets(
        found.dawid_skene, {judge: entry.statistics for judge, entry in found.judges.items()}
    )


def _slice(column: str, values: Mapping[str, Mapping[str, EntryJson]]) -> SliceTable:
    shown = list(values.items())[:MOST_SLICES]
    rows = [(visible(value), row) for value, judges in shown for row in _rows(judges)]
    return SliceTable(visible(column), rows, len(values) - len(shown))


def _rows(entries: Mapping[str, EntryJson]) -> list[CalibrationRow]:
    return [_row(name, entry) for name, entry in entries.items()]


def _row(name: str, entry: EntryJson) -> CalibrationRow:
    return CalibrationRow(
        name=visible(name),
        n=entry.n,
        n_missing=entry.n_missing,
        n_clusters=entry.n_clusters,
        cells=[statistic_view(entry.statistics.get(key)) for key, _, _ in COLUMNS],
        table=_table(entry),
    )


def _table(entry: EntryJson) -> Markup | None:
    if entry.tp is None or entry.fn is None or entry.fp is None or entry.tn is None:
        return None
    return confusion(entry.tp, entry.fn, entry.fp, entry.tn)
