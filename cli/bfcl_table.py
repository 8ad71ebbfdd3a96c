"""The summary that ``fiducial bfcl score`` prints."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ..evaluation.bfcl import SUMMARIES, SystemScore, missing_categories, rate
from ..report.text import visible

if TYPE_CHECKING:
    from rich.table import Table

_HEADINGS = ("category", "valid", "of", "accuracy", "95% interval")


def print_scores(systems: Sequence[SystemScore]) -> None:
    """Print the scores of every system: a table on a terminal, plain columns elsewhere.

    Args:
        systems: What was scored.
    """
    for system in systems:
        title = visible(f"{system.name} ({_how_read(system)})")
        rows = _rows(system)
        if sys.stdout.isatty():
            from rich.console import Console  # noqa: PLC0415 - only a terminal needs it

            Console().print(_table(title, rows))
        else:
            click.echo(f"\n{title}")
            for row in [_HEADINGS, *rows]:
                name, valid, total, accuracy, interval = row
                click.echo(f"  {name:<26} {valid:>6} {total:>6} {accuracy:>9}  {interval}".rstrip())
        for note in _notes(system):
            click.echo(f"  * {note}")


def _how_read(system: SystemScore) -> str:
    read = {"fc": "as native calls", "prompt": "as text"}
    counts = ", ".join(f"{count:,} {read[mode]}" for mode, count in sorted(system.modes.items()))
    return f"answers read: {counts}; names {system.names}"


def _notes(system: SystemScore) -> Iterator[str]:
    missing = missing_categories(system)
    if missing:
        yield f"counts as 0, having no results: {', '.join(missing)}"
    undecided = [name for name, score in system.scores.items() if score.undecided]
    if undecided:
        yield f"counts with its lower bound, having undecided answers: {', '.join(undecided)}"


def _rows(system: SystemScore) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name, score in system.scores.items():
        statistic = rate(score)
        interval = "" if statistic.low is None else f"[{statistic.low:.1%}, {statistic.high:.1%}]"
        if score.undecided:
            low, high = score.bounds
            interval += f" {score.undecided:,} undecided, so {low:.1%} to {high:.1%} of {score.count:,}"
        accuracy = "undecided" if statistic.value is None else f"{statistic.value:.2%}"
        rows.append((name, f"{score.tally.correct:,}", f"{score.tally.total:,}", accuracy, interval.strip()))
    summary = system.summary
    for name in SUMMARIES:
        accuracy = getattr(summary, name)
        mark = "" if accuracy.available else "*"
        rows.append(
            (f"= {name.replace('_', ' ')}", "", f"{accuracy.count:,}", f"{accuracy.value:.2%}{mark}", "")
        )
    return rows


def _table(title: str, rows: list[tuple[str, ...]]) -> Table:
    from rich.table import Table  # noqa: PLC0415 - only a terminal needs it
    from rich.text import Text  # noqa: PLC0415

    table = Table(*_HEADINGS, title=Text(title))
    for column in table.columns[1:4]:
        column.justify = "right"
    for row in rows:
        # Text, not markup: a system's name may hold brackets.
        table.add_row(*(Text(cell) for cell in row))
    return table
