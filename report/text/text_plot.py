"""Tables whose rates are plotted in letters, for a terminal, and as strips on a page."""

from __future__ import annotations

from collections.abc import Sequence

from ...calibration.statistic import Statistic
from ..document_table import FIRST, Cell, DocumentTable
from ..figures.forest_plot import interval_strip
from . import number_text
from .safe_text import columns_of

WIDTH = 80
"""Columns of a screen."""

_LEAST_PLOT, _MOST_PLOT = 11, 21

PlotRow = tuple[str, Statistic | None, tuple[str | Cell, ...]]
"""A name, its main rate, and the cells behind it."""


def plotted_table(
    shared: str, head: Sequence[str], rows: Sequence[PlotRow], *, scale: str = "pass rate"
) -> DocumentTable:
    """Lay out rates with a plot in the remaining width; omit the plot if that is too narrow."""
    cells = [(name, statistic_text(rate), *behind) for name, rate, behind in rows]
    widths = [
        max(columns_of(each if isinstance(each, str) else each.text) for each in column)
        for column in zip((shared, *head), *cells, strict=True)
    ]
    room = min(_MOST_PLOT, WIDTH - sum(widths) - 2 * len(widths))
    if room < max(_LEAST_PLOT, len(scale) + 2):
        return DocumentTable((shared, *head), cells, indent=0)
    axis = f"0{scale.center(room - 2)}1"
    drawn = [
        (name, _plot(rate, room), value, *behind)
        for (name, rate, _), (_, value, *behind) in zip(rows, cells, strict=True)
    ]
    return DocumentTable((shared, Cell("", plain=axis), *head), drawn, words=FIRST | {1}, indent=0)


def statistic_text(rate: Statistic | None) -> str:
    """Format a statistic with its interval; a dash if there is none."""
    if rate is None or rate.value is None:
        return "-"
    return number_text.with_interval(rate.value, rate.low, rate.high)


def _plot(rate: Statistic | None, columns: int) -> Cell:
    """Draw a rate with its interval in letters, and as a strip on a page."""
    if rate is None or rate.value is None:
        return Cell("", plain=f"|{'-' * (columns - 2)}|")
    line = ["|", *"-" * (columns - 2), "|"]
    if rate.low is not None and rate.high is not None:
        for place in range(_at(rate.low, columns), _at(rate.high, columns) + 1):
            line[place] = "="
    line[_at(rate.value, columns)] = "o"
    return Cell("", plain="".join(line), figure=interval_strip(rate.value, rate.low, rate.high))


def _at(value: float, columns: int) -> int:
    return round(min(1.0, max(0.0, value)) * (columns - 1))
