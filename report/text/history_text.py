"""Text for runs over time: table, trend per system, changes, drifted judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...calibration.statistic import Statistic
from ...evaluation.past_runs.history import Drift, HistoryNumbers, PastRun
from ..document import CautionLine, Columns, Details, Figure, Piece, document
from ..document_parts import FIRST, Cell, DocumentTable
from ..figures.forest_plot import PlottedInterval, trend
from . import number_text
from .difference_text import changes
from .number_text import counted, p_value


@document
def history_document(found: HistoryNumbers) -> Iterator[Piece]:
    """Runs over time."""
    first, last = found.runs[0], found.runs[-1]
    runs = counted(len(found.runs), "run")
    yield f"{runs} in {found.folder}, from {number_text.moment(first.ended)} to {number_text.moment(last.ended)}."
    yield from map(drift_sentence, found.drifts)
    if len(found.runs) > 1 and not found.drifts:
        yield "No judge drift on re-judged outputs."
    yield ""
    for system in _names(run.systems for run in found.runs):
        yield from _over_time(system, found.runs, [run.systems.get(system, {}) for run in found.runs])
    alarms = {(each.judge, each.run) for each in found.drifts}
    yield from _over_time(
        "judges against labels", found.runs, [run.accuracy for run in found.runs], alarms=alarms
    )
    for run in found.runs:
        if run.changed:
            yield Details(f"What changed with {run.name}", [changes(run.changed)])
    for name, why in found.passed_over.items():
        yield CautionLine(f"{name} is passed over: {why}")


def drift_sentence(found: Drift) -> str:
    """Say that a judge drifted, with its drop."""
    return (
        f"{found.judge} drifted: in {found.run} it is right less often than in {found.since} on the same outputs, by "
        f"{number_text.decimal(found.drop)} on {counted(found.n, 'label')} (p {p_value(found.p)}, alarm at {p_value(found.level)})."
    )


def _over_time(
    title: str,
    runs: Sequence[PastRun],
    values: Sequence[Mapping[str, Statistic]],
    *,
    alarms: Iterable[tuple[str, str]] = (),
) -> Iterator[Piece]:
    """Yield a table with a row per run and a column per rate, and each rate's trend."""
    columns, marked = _names(values), set(alarms)
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
    yield DocumentTable((title, "ended", *columns), rows, words=FIRST | {1}, indent=0)
    yield ""


def _line(
    caption: str,
    name: str,
    runs: Sequence[PastRun],
    values: Sequence[Mapping[str, Statistic]],
    marked: set[tuple[str, str]],
) -> Figure | None:
    points = [
        (run.name, each.get(name), (name, run.name) in marked) for run, each in zip(runs, values, strict=True)
    ]
    return trend_figure(caption, points)


def trend_figure(caption: str, points: Sequence[tuple[str, Statistic | None, bool]]) -> Figure | None:
    """Draw a rate over time, with runs, values and alarms; None of fewer than two values."""
    if sum(found is not None and found.value is not None for _, found, _ in points) < 2:  # noqa: PLR2004 - a course
        return None
    rows = [PlottedInterval.of(run, found, alarm=alarm) for run, found, alarm in points]
    return Figure(trend(caption, rows), caption=caption)


def rate_cell(found: Statistic | None, *, alarm: bool = False) -> Cell:
    """Return a rate with interval and n; a drifted judge's is marked."""
    if found is None:
        return Cell("-", title="not in this run")
    if found.value is None:
        return Cell("-", title=found.undefined or "no value")
    behind = f"{number_text.interval(found.low, found.high)} n {number_text.count(found.n)}"
    drifted = "drifted: " if alarm else ""
    return Cell(
        f"{drifted}{number_text.decimal(found.value)}", behind.strip(), mark="wrong" if alarm else None
    )


def _names(values: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for each in values for name in each))
