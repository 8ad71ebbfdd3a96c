"""Words and tables as plain pieces, and as aligned lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from ..calibration.statistic import Statistic

_LEAST_P = 1e-4


class Grid(NamedTuple):
    """A table.

    Attributes:
        rows: Cells, as many in each; the first row is the head where there is one.
        indent: Before each line on a terminal.
    """

    rows: list[tuple[str, ...]]
    indent: str = "  "


Piece: TypeAlias = str | Grid
"""A paragraph of one line, or a table."""

_HEAD = ("statistic", "value", "interval", "on", "method")


def lines_of(pieces: Iterable[Piece]) -> list[str]:
    """Pieces as lines without line ends."""
    return [
        line
        for piece in pieces
        for line in ([piece] if isinstance(piece, str) else aligned(piece.rows, indent=piece.indent))
    ]


def aligned(rows: list[tuple[str, ...]], *, indent: str = "  ") -> list[str]:
    """Rows of cells as lines: the first and the last column to the left, the others to the right."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    last = len(widths) - 1
    return [
        indent
        + "  ".join(
            cell.ljust(width) if column in {0, last} else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def number(value: float | None) -> str:
    """A number as tables print it; what rounds to nothing has no sign, what is not known is a dash."""
    if value is None:
        return "-"
    text = f"{value:.3f}"
    return text.removeprefix("-") if text == "-0.000" else text


def counted(count: int, what: str) -> str:
    """A count with its noun, in the plural unless it is 1: ``1 cluster``, ``2 clusters``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def p_value(value: float | None) -> str:
    """A p-value as tables print it; a small one is never 0."""
    if value is None:
        return "-"
    return "<0.0001" if value < _LEAST_P else f"{value:.4f}"


def statistic_cells(found: Statistic) -> tuple[str, str, str, str]:
    """Value, interval, denominator, and method or the reason why there is no value."""
    on = f"{found.n:,}"
    if found.value is None:
        return "-", "", on, f"undefined: {found.undefined}"
    interval = "" if found.low is None else f"[{number(found.low)}, {number(found.high)}]"
    return number(found.value), interval, on, found.method or ""


def statistic_grid(statistics: Mapping[str, Statistic], *, head: bool = True, indent: str = "  ") -> Grid:
    """One row a statistic, under a head that says what the columns are."""
    rows: list[tuple[str, ...]] = [(name, *statistic_cells(each)) for name, each in statistics.items()]
    return Grid([_HEAD, *rows] if head else rows, indent)
