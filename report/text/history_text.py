"""The runs in a folder in full: rates, trend per system, drifted judges, and changes.

`history_screen` is the short form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...calibration.statistic import Statistic
from ...evaluation.past_runs.history import Drift, History, PastRun
from ..document import CautionLine, Columns, Details, Figure, Piece, document
from ..document_parts import FIRST, Cell, DocumentTable
from ..figures.forest_plot import PlottedInterval, trend
from . import number_text
from .difference_text import changes
from .number_text import counted, p_value
from .safe_text import WIDTH, columns_of


@document
def history_document(history: History) -> Iterator[Piece]:
    """Build the full document of a history."""
    first_run, last_run = history.runs[0], history.runs[-1]
    run_count = counted(len(history.runs), "run")
    yield f"{run_count} in {history.folder}, from {number_text.moment(first_run.ended)} to {number_text.moment(last_run.ended)}."
    yield from drift_sentences(history)
    yield ""
    for system in names_in_order(run.systems for run in history.runs):
        yield from _rates_over_time(
            system, history.runs, [run.systems.get(system, {}) for run in history.runs]
        )
    alarms = {(drift.judge, drift.run) for drift in history.drifts}
    yield from _rates_over_time(
        "judges against labels", history.runs, [run.accuracy for run in history.runs], alarms=alarms
    )
    for run in history.runs:
        if run.changed:
            yield Details(f"What changed with {run.name}", [changes(run.changed)])
    for name, reason in history.passed_over.items():
        yield CautionLine(f"{name} is skipped: {reason}")


def drift_sentences(history: History) -> Iterator[str]:
    """Yield which judges drifted, or on how many outputs none did.

    Nothing is said for a single run, or if no judge graded outputs twice.
    """
    yield from map(_drift_sentence, history.drifts)
    if history.drifts or len(history.runs) == 1 or not history.rejudged:
        return
    counts = [count for count in history.rejudged.values() if count]
    if counts:
        yield f"No judge drift on {counted(sum(counts), 're-judged labelled output')} of {counted(len(counts), 'judge')}."
    else:
        yield "Judge drift is unknown: no judge graded labelled outputs again."


def _drift_sentence(drift: Drift) -> str:
    return (
        f"{drift.judge} drifted: in {drift.run} it is right less often than in {drift.since} on the same outputs, by "
        f"{number_text.decimal(drift.drop)} on {counted(drift.n, 'label')} (p {p_value(drift.p)}, alarm at {p_value(drift.level)})."
    )


def _rates_over_time(
    title: str,
    runs: Sequence[PastRun],
    values: Sequence[Mapping[str, Statistic]],
    *,
    alarms: Iterable[tuple[str, str]] = (),
) -> Iterator[Piece]:
    """Yield each rate's trend as a figure, and a table with a row per run and a column per rate.

    Args:
        title: What the rates are of.
        runs: The runs.
        values: Rates of each run, by name.
        alarms: Name of a rate and of a run, for each rate to mark.
    """
    columns, alarm_set = names_in_order(values), set(alarms)
    if not columns:
        return
    rows = [
        (
            run.name,
            number_text.moment(run.ended),
            *(rate_cell(rates.get(name), alarm=(name, run.name) in alarm_set) for name in columns),
        )
        for run, rates in zip(runs, values, strict=True)
    ]
    trend_figures = [_trend_figure_of(f"{title}: {name}", name, runs, values, alarm_set) for name in columns]
    if figures := [trend for trend in trend_figures if trend is not None]:
        yield Columns(figures)
    yield from _narrow_tables((title, "ended", *columns), rows)
    yield ""


def _narrow_tables(head: Sequence[str], rows: Sequence[tuple[str | Cell, ...]]) -> Iterator[DocumentTable]:
    """Yield one table if its lines fit the screen, else one for each rate."""
    one_table = DocumentTable(head, rows, left_aligned=FIRST | {1}, indent=0)
    if max(map(columns_of, one_table.lines())) <= WIDTH:
        yield one_table
        return
    title, ended, *columns = head
    for column, name in enumerate(columns, start=2):
        cells = [(run, moment, row[column]) for row in rows for run, moment in [row[:2]]]
        yield DocumentTable((f"{title}: {name}", ended, "rate"), cells, left_aligned=FIRST | {1}, indent=0)


def _trend_figure_of(
    caption: str,
    name: str,
    runs: Sequence[PastRun],
    values: Sequence[Mapping[str, Statistic]],
    alarms: set[tuple[str, str]],
) -> Figure | None:
    points = [(rates.get(name), (name, run.name) in alarms) for run, rates in zip(runs, values, strict=True)]
    return trend_figure(caption, runs, points)


def trend_figure(
    caption: str, runs: Sequence[PastRun], points: Sequence[tuple[Statistic | None, bool]]
) -> Figure | None:
    """Draw a rate over time; None if it is defined in fewer than two runs.

    The line breaks where data, judges, labels or their use changed.

    Args:
        caption: Caption of the figure.
        runs: The runs, the oldest first.
        points: The rate in each run, and whether it is an alarm.
    """
    if sum(rate is not None and rate.value is not None for rate, _ in points) < 2:  # noqa: PLR2004 - a line needs two
        return None
    rows = [
        PlottedInterval.of(run.name, rate, alarm=alarm)
        for run, (rate, alarm) in zip(runs, points, strict=True)
    ]
    breaks = {index for index, run in enumerate(runs) if index and run.changed}
    return Figure(trend(caption, rows, breaks=breaks), caption=caption)


def rate_cell(rate: Statistic | None, *, alarm: bool = False) -> Cell:
    """Return a cell with a rate, its interval and n; with ``alarm`` it is marked as drifted."""
    if rate is None:
        return Cell("-", title="not in this run")
    if rate.value is None:
        return Cell("-", title=rate.undefined or "no value")
    interval_and_n = f"{number_text.interval(rate.low, rate.high)}, n {number_text.count(rate.n)}"
    drifted = "drifted: " if alarm else ""
    return Cell(
        f"{drifted}{number_text.decimal(rate.value)}", interval_and_n.strip(), mark="wrong" if alarm else None
    )


def names_in_order(values: Iterable[Iterable[str]]) -> list[str]:
    """Return the distinct names of several mappings, in order of first appearance."""
    return list(dict.fromkeys(name for value in values for name in value))
