"""Page of the runs in a folder: trends of rates, then the latest runs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..calibration.statistic import Statistic
from ..evaluation.past_runs.history import CHECKED, History, PastRun
from .document import CautionLine, Columns, Details, Figure, Piece
from .document_parts import DocumentTable
from .page import ResultPage
from .text import number_text
from .text.difference_text import changes
from .text.history_screen import history_screen, main_part
from .text.history_text import names_in_order, rate_cell, trend_figure
from .text.number_text import counted, whole_list

_MAX_FIGURES, _MAX_RUNS = 6, 6
"""Most systems with a figure at the top, and most runs side by side in a table."""


def history_page(history: History) -> ResultPage:
    """Return the page of the runs in a folder."""
    return ResultPage(
        title=f"Runs in {history.folder}",
        about=counted(len(history.runs), "run"),
        answer=history_screen(history),
        figures=list(_main_trends(history)),
        sections={
            "Parts": list(_part_pieces(history)),
            "Judges": list(_judge_pieces(history)),
            "Changes": list(_change_pieces(history)),
        },
    )


def _main_trends(history: History) -> Iterator[Figure]:
    """Yield the trend of each system's main rate, the best of the latest run first."""
    part, latest = main_part(history), history.runs[-1].systems

    def best_first(system: str) -> float:
        rate = latest.get(system, {}).get(part)
        return 1.0 if rate is None or rate.value is None else -rate.value

    systems = sorted(names_in_order(run.systems for run in history.runs), key=best_first)
    for system in systems[:_MAX_FIGURES]:
        points = [(run.systems.get(system, {}).get(part), False) for run in history.runs]
        caption = f"{system}, {'checked outputs' if part == CHECKED else part}"
        if figure := trend_figure(caption, history.runs, points):
            yield figure


def _part_pieces(history: History) -> Iterator[Piece]:
    for system in names_in_order(run.systems for run in history.runs):
        values = [run.systems.get(system, {}) for run in history.runs]
        yield from _latest_runs_table(system, history.runs, values)
        others = [name for name in names_in_order(values) if name != main_part(history)]
        trends = [
            trend_figure(f"{system}, {name}", history.runs, [(value.get(name), False) for value in values])
            for name in others
        ]
        if drawn := [figure for figure in trends if figure is not None]:
            yield Details(f"{system}: trends of these rates", [Columns(drawn)])


def _judge_pieces(history: History) -> Iterator[Piece]:
    alarms = {(drift.judge, drift.run) for drift in history.drifts}
    trends = [
        trend_figure(
            judge,
            history.runs,
            [(run.accuracy.get(judge), (judge, run.name) in alarms) for run in history.runs],
        )
        for judge in names_in_order(run.accuracy for run in history.runs)
    ]
    if drawn := [figure for figure in trends if figure is not None]:
        yield Columns(drawn)
    yield from _latest_runs_table(
        "accuracy against labels", history.runs, [run.accuracy for run in history.runs], alarms
    )


def _latest_runs_table(
    title: str,
    runs: Sequence[PastRun],
    values: Sequence[Mapping[str, Statistic]],
    alarms: set[tuple[str, str]] | None = None,
) -> Iterator[Piece]:
    """Yield a table with a row per rate and a column per run, the latest run first.

    Args:
        title: What the rates are of.
        runs: All runs, the oldest first.
        values: Rates of each run, by name.
        alarms: Name of a rate and of a run, for each rate to mark.
    """
    latest = list(zip(runs, values, strict=True))[: -_MAX_RUNS - 1 : -1]  # the last runs, reversed
    rows = [
        (
            name,
            *(rate_cell(rates.get(name), alarm=(name, run.name) in (alarms or ())) for run, rates in latest),
        )
        for name in names_in_order(values)
    ]
    if rows:
        yield DocumentTable((title, *(run.name for run, _ in latest)), rows)
    if rows and (earlier := len(runs) - len(latest)):
        yield f"{counted(earlier, 'earlier run')} not shown; {whole_list()} has all."


def _change_pieces(history: History) -> Iterator[Piece]:
    for run in reversed(history.runs):
        if run.changed:
            title = f"{run.name}, {number_text.moment(run.ended)}: {counted(len(run.changed), 'change')}"
            yield Details(title, [changes(run.changed)])
    for name, why in history.passed_over.items():
        yield CautionLine(f"{name} is skipped: {why}")
