"""One screen of the runs in a folder: the latest rates, a table of all runs, drift, changes.

`history_text` shows the same in full.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...calibration.statistic import Statistic
from ...evaluation.past_runs.history import ALL_OUTPUTS, CHECKED, History, PastRun
from ..document import CautionLine, Document, Piece
from ..document_parts import FIRST, DocumentTable
from ..items.naming import ShortNames, apart, short_names
from . import number_text
from .history_text import drift_sentences
from .number_text import counted
from .one_screen import clipped, statistic_text
from .safe_text import WIDTH, columns_of

_MAX_RUNS, _MAX_SYSTEMS = 5, 8
"""Most runs (columns) and systems (rows) of the narrow form of the table."""
_SYSTEM_COLUMNS, _RUN_COLUMNS, _HEADING_COLUMNS = 24, 9, 16
"""Columns of the screen for a system's and for a run's name in that form, and for a system's name in a heading."""

_MAX_NAMED = 3
"""Most systems, folders or changes that a line names; more are counted."""


def history_screen(history: History) -> Document:
    """Build the screen of a history."""
    return _screen_pieces(history)


def _screen_pieces(history: History) -> Iterator[Piece]:
    first_run, latest_run = history.runs[0], history.runs[-1]
    names = short_names(name for run in history.runs for name in run.systems)
    part = main_part(history)
    yield _latest_sentence(latest_run, part, names)
    yield (
        f"{counted(len(history.runs), 'run')} from {number_text.moment(first_run.ended)} to {number_text.moment(latest_run.ended)}; "
        f"{'checked outputs' if part == CHECKED else part}."
    )
    if names.shared:
        yield clipped(f"Systems: {names.shared}", WIDTH)
    yield from drift_sentences(history)
    yield ""
    yield from _fitting_table(history, names)
    changes_by_run = [
        (run.name, _first_names([change.what for change in run.changed]))
        for run in history.runs
        if run.changed
    ]
    if changes_by_run:
        yield ""
        yield DocumentTable(("run", "changed"), changes_by_run, left_aligned=FIRST | {1}, indent=0)
    if history.passed_over:
        folders = counted(len(history.passed_over), "folder")
        yield CautionLine(f"{folders} skipped: {_first_names(list(history.passed_over))}")


def _best_first(latest_run: PastRun, part: str) -> dict[str, Statistic]:
    by_system = {
        name: rate for name, rates in latest_run.systems.items() if (rate := rates.get(part)) is not None
    }
    return dict(sorted(by_system.items(), key=lambda entry: -(entry[1].value or 0.0)))


def _latest_sentence(latest_run: PastRun, part: str, names: ShortNames) -> str:
    clauses = [
        f"{names.of(name)} {number_text.statistic(rate)}, n {rate.n:,}"
        for name, rate in _best_first(latest_run, part).items()
    ]
    more = f"; {counted(len(clauses) - _MAX_NAMED, 'more system')}" if len(clauses) > _MAX_NAMED else ""
    return f"Latest run, {latest_run.name}: {'; '.join(clauses[:_MAX_NAMED]) or 'nothing is graded'}{more}."


def main_part(history: History) -> str:
    """Return the part of the outputs to compare runs by.

    It is all outputs if every run has their rate, else the checked ones.
    """
    known_rates = [rates for run in history.runs for rates in run.systems.values() if rates]
    return ALL_OUTPUTS if known_rates and all(ALL_OUTPUTS in rates for rates in known_rates) else CHECKED


def _fitting_table(history: History, names: ShortNames) -> Iterator[Piece]:
    """Yield the widest table that fits: with intervals, of rates, or with systems in rows."""
    for intervals in (True, False):
        table = _table(history, names, intervals=intervals)
        if max(map(columns_of, table.lines())) <= WIDTH:
            yield table
            return
    yield from _systems_in_rows(history, names)


def _table(history: History, names: ShortNames, *, intervals: bool) -> DocumentTable:
    """Return a table of runs in rows, the latest first, and systems in columns."""
    runs = short_names(run.name for run in history.runs)
    part = main_part(history)
    rows = [
        (
            runs.of(run.name),
            *(
                _rate_cell(run.systems.get(system, {}).get(part), intervals=intervals)
                for system in names.short
            ),
        )
        for run in reversed(history.runs)
    ]
    heads = [*names.short.values()] if intervals else apart([*names.short.values()], _HEADING_COLUMNS)
    return DocumentTable(("run", *heads), rows, left_aligned=FIRST, indent=0)


def _systems_in_rows(history: History, names: ShortNames) -> Iterator[Piece]:
    """Yield a table of systems in rows and runs in columns, the best and the latest first."""
    part, runs = main_part(history), short_names(run.name for run in history.runs)
    latest = list(reversed(history.runs))[:_MAX_RUNS]
    # The latest run's systems by rate, then those that only earlier runs have.
    systems = dict.fromkeys([*_best_first(history.runs[-1], part), *names.short])
    shown = list(systems)[:_MAX_SYSTEMS]
    row_names = apart([names.of(system) for system in shown], _SYSTEM_COLUMNS)
    rows = [
        (name, *(_rate_cell(run.systems.get(system, {}).get(part), intervals=False) for run in latest))
        for name, system in zip(row_names, shown, strict=True)
    ]
    heads = [_end_of(runs.of(run.name)) for run in latest]
    yield DocumentTable(("system", *heads), rows, left_aligned=FIRST, indent=0)
    hidden = [
        counted(number, noun)
        for number, noun in (
            (len(systems) - len(shown), "more system"),
            (len(history.runs) - len(latest), "earlier run"),
        )
        if number
    ]
    if hidden:
        yield ", ".join(hidden)


def _end_of(name: str) -> str:
    """Keep the end of a run's name, since names with a date or number differ there."""
    if columns_of(name) <= _RUN_COLUMNS:
        return name
    kept_letters = _RUN_COLUMNS - len("...")
    return f"...{name[-kept_letters:]}"


def _rate_cell(rate: Statistic | None, *, intervals: bool) -> str:
    if rate is None or rate.value is None:
        return "-"
    return statistic_text(rate) if intervals else number_text.decimal(rate.value)


def _first_names(names: list[str]) -> str:
    more = f" and {counted(len(names) - _MAX_NAMED, 'other')}" if len(names) > _MAX_NAMED else ""
    return f"{', '.join(names[:_MAX_NAMED])}{more}"
