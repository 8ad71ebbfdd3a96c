"""Text for runs over time: table, trend per system, changes, drifted judges."""

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
    """Show runs over time."""
    first, last = history.runs[0], history.runs[-1]
    runs = counted(len(history.runs), "run")
    yield f"{runs} in {history.folder}, from {number_text.moment(first.ended)} to {number_text.moment(last.ended)}."
    yield from drift_sentences(history)
    yield ""
    for system in names_in_order(run.systems for run in history.runs):
        yield from _over_time(system, history.runs, [run.systems.get(system, {}) for run in history.runs])
    alarms = {(drift.judge, drift.run) for drift in history.drifts}
    yield from _over_time(
        "judges against labels", history.runs, [run.accuracy for run in history.runs], alarms=alarms
    )
    for run in history.runs:
        if run.changed:
            yield Details(f"What changed with {run.name}", [changes(run.changed)])
    for name, why in history.passed_over.items():
        yield CautionLine(f"{name} is skipped: {why}")


def drift_sentences(history: History) -> Iterator[str]:
    """Say which judges drifted, or on how many outputs none did; nothing without judges."""
    yield from map(_drift_sentence, history.drifts)
    if history.drifts or len(history.runs) == 1 or not history.rejudged:
        return
    counts = [count for count in history.rejudged.values() if count]
    if counts:
        yield f"No judge drift on {counted(sum(counts), 're-judged labelled output')} of {counted(len(counts), 'judge')}."
    else:
        yield "Judge drift is unknown: no judge graded labelled outputs again."


def _drift_sentence(drift: Drift) -> str:
    """Say that a judge drifted, with its drop."""
    return (
        f"{drift.judge} drifted: in {drift.run} it is right less often than in {drift.since} on the same outputs, by "
        f"{number_text.decimal(drift.drop)} on {counted(drift.n, 'label')} (p {p_value(drift.p)}, alarm at {p_value(drift.level)})."
    )


def _over_time(
    title: str,
    runs: Sequence[PastRun],
    values: Sequence[Mapping[str, Statistic]],
    *,
    alarms: Iterable[tuple[str, str]] = (),
) -> Iterator[Piece]:
    """Yield a table with a row per run and a column per rate, and each rate's trend."""
    columns, marked = names_in_order(values), set(alarms)
    if not columns:
        return
    rows = [
        (
            run.name,
            number_text.moment(run.ended),
            *(rate_cell(each.get(name), alarm=(name, run.name) in marked) for name in columns),
        )
        for run, each in zip(runs, values, strict=True)
    ]
    lines = [_line(f"{title}: {name}", name, runs, values, marked) for name in columns]
    if drawn := [line for line in lines if line is not None]:
        yield Columns(drawn)
    yield from _narrow_tables((title, "ended", *columns), rows)
    yield ""


def _narrow_tables(head: Sequence[str], rows: Sequence[tuple[str | Cell, ...]]) -> Iterator[DocumentTable]:
    """Yield one table if its lines fit, else one for each rate."""
    whole = DocumentTable(head, rows, left_aligned=FIRST | {1}, indent=0)
    if max(map(columns_of, whole.lines())) <= WIDTH:
        yield whole
        return
    first, ended, *columns = head
    for number, name in enumerate(columns, start=2):
        cells = [(run, moment, row[number]) for row in rows for run, moment in [row[:2]]]
        yield DocumentTable((f"{first}: {name}", ended, "rate"), cells, left_aligned=FIRST | {1}, indent=0)


def _line(
    caption: str,
    name: str,
    runs: Sequence[PastRun],
    values: Sequence[Mapping[str, Statistic]],
    marked: set[tuple[str, str]],
) -> Figure | None:
    points = [(each.get(name), (name, run.name) in marked) for run, each in zip(runs, values, strict=True)]
    return trend_figure(caption, runs, points)


def trend_figure(
    caption: str, runs: Sequence[PastRun], points: Sequence[tuple[Statistic | None, bool]]
) -> Figure | None:
    """Draw a rate over time, with values and alarms, or None if fewer than two are defined.

    The line breaks where data, judges, labels or their use changed.
    """
    if sum(rate is not None and rate.value is not None for rate, _ in points) < 2:  # noqa: PLR2004 - a line needs two
        return None
    rows = [
        PlottedInterval.of(run.name, rate, alarm=alarm)
        for run, (rate, alarm) in zip(runs, points, strict=True)
    ]
    breaks = {number for number, run in enumerate(runs) if number and run.changed}
    return Figure(trend(caption, rows, breaks=breaks), caption=caption)


def rate_cell(rate: Statistic | None, *, alarm: bool = False) -> Cell:
    """Return a rate with interval and n; a drifted judge's is marked."""
    if rate is None:
        return Cell("-", title="not in this run")
    if rate.value is None:
        return Cell("-", title=rate.undefined or "no value")
    behind = f"{number_text.interval(rate.low, rate.high)}, n {number_text.count(rate.n)}"
    drifted = "drifted: " if alarm else ""
    return Cell(
        f"{drifted}{number_text.decimal(rate.value)}", behind.strip(), mark="wrong" if alarm else None
    )


def names_in_order(values: Iterable[Iterable[str]]) -> list[str]:
    """Return the distinct names of several mappings, in order of first appearance."""
    return list(dict.fromkeys(name for value in values for name in value))
