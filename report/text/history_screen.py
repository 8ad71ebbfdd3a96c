"""One screen of runs over time: the latest rates, every run, drift, and what changed."""

from __future__ import annotations

from collections.abc import Iterator

from ...calibration.statistic import Statistic
from ...evaluation.past_runs.history import ALL_OUTPUTS, CHECKED, HistoryNumbers, PastRun
from ..document import CautionLine, Document, Piece
from ..document_parts import FIRST, DocumentTable
from ..items.naming import short_names
from . import number_text
from .history_text import drift_sentences
from .number_text import counted
from .one_screen import clipped, statistic_text
from .safe_text import WIDTH, columns_of

_MOST_NAMED = 3
"""Most systems, folders or changes that a line names; more are counted."""


def history_screen(history: HistoryNumbers) -> Document:
    """Show the rates of the latest run, the earlier runs, and what changed between them."""
    return _pieces(history)


def _pieces(history: HistoryNumbers) -> Iterator[Piece]:
    first, last = history.runs[0], history.runs[-1]
    systems = list(dict.fromkeys(name for run in history.runs for name in run.systems))
    part = main_part(history)
    yield _answer(last, part)
    yield (
        f"{counted(len(history.runs), 'run')} from {number_text.moment(first.ended)} to {number_text.moment(last.ended)}; "
        f"{'checked outputs' if part == CHECKED else part}."
    )
    yield from drift_sentences(history)
    yield ""
    table = _table(history, systems, intervals=True)
    yield (
        table if max(map(columns_of, table.lines())) <= WIDTH else _table(history, systems, intervals=False)
    )
    changed = [
        (run.name, _first_names([each.what for each in run.changed])) for run in history.runs if run.changed
    ]
    if changed:
        yield ""
        yield DocumentTable(("run", "changed"), changed, left_aligned=FIRST | {1}, indent=0)
    if history.passed_over:
        skipped = counted(len(history.passed_over), "folder")
        yield CautionLine(f"{skipped} skipped: {_first_names(list(history.passed_over))}")


def _answer(last: PastRun, part: str) -> str:
    by_system = {name: rate for name, rates in last.systems.items() if (rate := rates.get(part)) is not None}
    clauses = [
        f"{name} {number_text.statistic(rate)}, n {rate.n:,}"
        for name, rate in sorted(by_system.items(), key=lambda each: -(each[1].value or 0.0))
    ]
    more = f"; {counted(len(clauses) - _MOST_NAMED, 'more system')}" if len(clauses) > _MOST_NAMED else ""
    return f"Latest run, {last.name}: {'; '.join(clauses[:_MOST_NAMED]) or 'nothing is graded'}{more}."


def main_part(history: HistoryNumbers) -> str:
    """Return the part to compare: all outputs if every run has their rate, else checked ones."""
    known = [rates for run in history.runs for rates in run.systems.values() if rates]
    return ALL_OUTPUTS if known and all(ALL_OUTPUTS in rates for rates in known) else CHECKED


def _table(history: HistoryNumbers, systems: list[str], *, intervals: bool) -> DocumentTable:
    """Return a table of runs in rows, the latest first, and systems in columns."""
    names = short_names(systems)
    runs = short_names(run.name for run in history.runs)
    part = main_part(history)
    rows = [
        (
            runs.of(run.name),
            *(_cell(run.systems.get(each, {}).get(part), intervals=intervals) for each in systems),
        )
        for run in reversed(history.runs)
    ]
    heads = [names.of(each) if intervals else clipped(names.of(each), 16) for each in systems]
    return DocumentTable(("run", *heads), rows, left_aligned=FIRST, indent=0)


def _cell(rate: Statistic | None, *, intervals: bool) -> str:
    if rate is None or rate.value is None:
        return "-"
    return statistic_text(rate) if intervals else number_text.decimal(rate.value)


def _first_names(names: list[str]) -> str:
    more = f" and {counted(len(names) - _MOST_NAMED, 'other')}" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"
