"""Fit documents to one screen of a terminal, 24 lines of 80 columns.

`one_screen` cuts a document to the height, `fitted_table` a table to the width, and `clipped` a text; no word is broken
if that can be avoided. `plotted_table` draws rates in letters, which a page shows as strips.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ...calibration.statistic import Statistic
from ..document import Piece, as_lines
from ..document_parts import FIRST, Cell, DocumentTable
from ..figures.forest_plot import interval_strip
from ..items.naming import apart, name_words
from . import number_text
from .safe_text import SCREEN, WIDTH, columns_of, cut_to_columns

_MIN_PLOT_COLUMNS, _MAX_PLOT_COLUMNS = 11, 21
"""Narrowest and widest plot."""

PlotRow = tuple[str, Statistic | None, tuple[str | Cell, ...]]
"""A row with a plot: its name, the rate to plot, and the cells after the rate."""


def plotted_table(
    name_heading: str, head: Sequence[str], rows: Sequence[PlotRow], *, scale: str = "pass rate"
) -> DocumentTable:
    """Return a table of rates with a plot in the remaining width, if that is wide enough.

    Names are shortened first, as far as they stay different.

    Args:
        name_heading: Heading of the names.
        head: Headings of the rate and of the cells after it.
        rows: The rows.
        scale: Name of the plot's axis, left out if it does not fit.
    """
    rows = _with_shorter_names(name_heading, head, rows)
    cells = [(name, statistic_text(rate), *other_cells) for name, rate, other_cells in rows]
    widths = _widths((name_heading, *head), cells)
    # Two blanks stand between columns, the plot's included.
    room = min(_MAX_PLOT_COLUMNS, WIDTH - sum(widths) - 2 * len(widths))
    if room < _MIN_PLOT_COLUMNS:
        return DocumentTable((name_heading, *head), cells, indent=0)
    # The ends are 0 and 1; the name of the axis leaves a blank on each side.
    axis = f"0{(scale if len(scale) <= room - 4 else '').center(room - 2)}1"
    rows_with_plots = [
        (name, _plot_cell(rate, room), value, *other_cells)
        for (name, rate, _), (_, value, *other_cells) in zip(rows, cells, strict=True)
    ]
    names_and_plots = FIRST | {1}  # columns
    return DocumentTable(
        (name_heading, Cell("", plain=axis), *head), rows_with_plots, left_aligned=names_and_plots, indent=0
    )


def _widths(head: Sequence[str], rows: Sequence[Sequence[str | Cell]]) -> list[int]:
    return [max(map(columns_of, map(_text, column))) for column in zip(head, *rows, strict=True)]


def _with_shorter_names(name_heading: str, head: Sequence[str], rows: Sequence[PlotRow]) -> Sequence[PlotRow]:
    """Shorten names so that a plot fits; if it cannot, so that at least the table fits."""
    cells = [(name, statistic_text(rate), *other_cells) for name, rate, other_cells in rows]
    name_width, *other_widths = _widths((name_heading, *head), cells)
    names = [name for name, _, _ in rows]
    for plot_columns in (_MIN_PLOT_COLUMNS + 2, 0):  # with the two blanks before the plot
        room = WIDTH - sum(other_widths) - 2 * len(other_widths) - plot_columns
        if name_width <= room:
            return rows
        short = _shortened_names(names, max(room, _MIN_TEXT_COLUMNS))
        if max(map(columns_of, short)) <= room:
            return [
                (name, rate, other_cells) for name, (_, rate, other_cells) in zip(short, rows, strict=True)
            ]
    return rows


def _shortened_names(names: Sequence[str], columns: int) -> list[str]:
    """Shorten names to a width; a footnote's asterisk at the end stays."""
    marks = ["*" if name.endswith("*") else "" for name in names]
    short = apart([name.removesuffix("*") for name in names], columns - max(map(len, marks)))
    return [f"{name}{mark}" for name, mark in zip(short, marks, strict=True)]


def statistic_text(rate: Statistic | None) -> str:
    """Format a statistic with its interval; a dash if there is none."""
    if rate is None or rate.value is None:
        return "-"
    return number_text.with_interval(rate.value, rate.low, rate.high)


def rate_and_n(rate: Statistic | None) -> Cell:
    """Return a rate with its n; a dash if there is none."""
    if rate is None or rate.value is None:
        return Cell("-")
    value = number_text.decimal(rate.value)
    # Three digits wide, so that values of n up to 999 are aligned to the right.
    return Cell(value, f"n {rate.n:,}", plain=f"{value} {rate.n:>3,}")


def _plot_cell(rate: Statistic | None, columns: int) -> Cell:
    """Return a cell that draws a rate and its interval: ``|--==o=--|``, on a page as a strip."""
    if rate is None or rate.value is None:
        return Cell("", plain=f"|{'-' * (columns - 2)}|")
    line = ["|", *"-" * (columns - 2), "|"]
    if rate.low is not None and rate.high is not None:
        for column in range(_column_of(rate.low, columns), _column_of(rate.high, columns) + 1):
            line[column] = "="
    line[_column_of(rate.value, columns)] = "o"
    return Cell("", plain="".join(line), figure=interval_strip(rate.value, rate.low, rate.high))


def _column_of(value: float, columns: int) -> int:
    """Return the column of a value in a plot whose axis runs from 0 to 1."""
    return round(min(1.0, max(0.0, value)) * (columns - 1))


_MAX_EMPTY_COLUMNS = 12
"""Most columns left empty to keep a word whole; a longer gap is filled with part of the word."""


def clipped(text: str, columns: int) -> str:
    """Cut a text to one line of a width, after a word, and mark the cut with ``...``."""
    line = " ".join(text.split())
    if columns_of(line) <= columns:
        return line
    whole_words = ""
    for word in line.split(" "):
        longer = f"{whole_words} {word}".lstrip()
        if columns_of(longer) > columns - len(" ..."):
            room = columns - len("...") - columns_of(whole_words)
            return (
                f"{whole_words} {cut_to_columns(word, room - 1)}...".lstrip()
                if room > _MAX_EMPTY_COLUMNS
                else f"{whole_words.rstrip(',;:')} ..."
            )
        whole_words = longer
    return f"{whole_words.rstrip(',;:')} ..."


_ENOUGH_ROWS = 8
"""Rows that a table keeps while the last piece can still be cut."""

_MIN_ROWS = 3
"""A table with at most this many rows is dropped, not cut."""

_MIN_TEXT_COLUMNS = 12
"""Narrowest column of texts in a table."""


def one_screen(pieces: Iterable[Piece], room: int | None = None) -> list[Piece]:
    """Fit a document to the height of a screen.

    The longest table loses rows until all tables are short; then pieces are dropped from the end.

    Args:
        pieces: The document, the most important first.
        room: Number of lines; those of a terminal if not given.
    """
    # The last line is left to the terminal's prompt.
    room = SCREEN - 1 if room is None else room
    shown = [fitted_table(piece) if isinstance(piece, DocumentTable) else piece for piece in pieces]
    cut_rows = [0] * len(shown)
    while _height(document := _with_row_counts(shown, cut_rows)) > room:
        row_counts = [_row_count(piece) for piece in shown]
        # The last of the longest tables, or the last piece once all tables are short.
        place = max(range(len(shown)), key=lambda index: (row_counts[index], index))
        if row_counts[place] <= _ENOUGH_ROWS:
            place = len(shown) - 1
        table = shown[place]
        if not isinstance(table, DocumentTable) or len(table.rows) <= _MIN_ROWS:
            if place == 0:
                break
            shown = _without_last(shown)
            cut_rows = cut_rows[: len(shown)]
            continue
        # Cutting one row saves no line: "1 more row" takes its place.
        fewer = 1 if cut_rows[place] else 2
        shown[place] = replace(table, rows=table.rows[:-fewer])
        cut_rows[place] += fewer
    return document


def _without_last(shown: Sequence[Piece]) -> list[Piece]:
    """Drop the last piece, and the heading and empty lines before it that would be left alone."""
    *pieces, last_piece = shown
    while len(pieces) > 1 and isinstance(previous := pieces[-1], str):
        # An indented line above a table belongs to it.
        belongs_to_table = isinstance(last_piece, DocumentTable) and previous.startswith("  ")
        is_heading = previous.endswith(":")
        if previous and not is_heading and not belongs_to_table:
            break
        pieces.pop()
    return pieces


def _with_row_counts(shown: Sequence[Piece], cut_rows: Sequence[int]) -> list[Piece]:
    pieces: list[Piece] = []
    for piece, more in zip(shown, cut_rows, strict=True):
        pieces.append(piece)
        if more and isinstance(piece, DocumentTable):
            pieces.append(f"{' ' * piece.indent}{more:,} more rows")
    return pieces


def _row_count(piece: Piece) -> int:
    return len(piece.rows) if isinstance(piece, DocumentTable) else 0


def _height(pieces: Sequence[Piece]) -> int:
    return sum(1 for _ in as_lines(pieces, width=WIDTH))


def fitted_table(table: DocumentTable, columns: int = WIDTH) -> DocumentTable:
    """Cut the texts of a table's widest left-aligned columns until it fits; numbers stay whole."""
    for _ in range(len(table.head or (table.rows[0] if table.rows else ()))):  # at most once per column
        excess = max((columns_of(line) for line in table.lines()), default=0) - columns
        widths = {column: _width(table, column) for column in _left_aligned_columns(table)}
        widest = max(widths, key=lambda column: widths[column], default=None)
        if excess <= 0 or widest is None or widths[widest] <= _MIN_TEXT_COLUMNS:
            break
        columns_left = max(_MIN_TEXT_COLUMNS, widths[widest] - excess)
        texts = [_text(row[widest]) for row in table.rows]
        shorten = _clipped
        if len({_text(_clipped(text, columns_left)) for text in texts}) < len(set(texts)):
            shorten = _cut_in_the_middle  # else different names would look the same
        rows = [
            [shorten(cell, columns_left) if column == widest else cell for column, cell in enumerate(row)]
            for row in table.rows
        ]
        head = [
            _clipped(cell, columns_left) if column == widest else cell
            for column, cell in enumerate(table.head)
        ]
        table = replace(table, head=head, rows=rows)
    return table


def _left_aligned_columns(table: DocumentTable) -> list[int]:
    count = len(table.head or table.rows[0]) if table.head or table.rows else 0
    # Negative numbers count from the last column.
    return sorted({column % count for column in table.left_aligned}) if count else []


def _width(table: DocumentTable, column: int) -> int:
    return max(columns_of(_text(row[column])) for row in (*([table.head] if table.head else ()), *table.rows))


def _text(cell: str | Cell) -> str:
    return cell if isinstance(cell, str) else cell.plain or cell.text


def _clipped(cell: str | Cell, columns: int) -> str | Cell:
    """Cut a cell to a width with `clipped`; its indentation stays."""
    text = _text(cell)
    if columns_of(text) <= columns:
        return cell
    indent = text[: len(text) - len(text.lstrip())]
    shown = clipped(text, columns - len(indent))
    # A name is one word, and part of it must be visible.
    return (
        f"{indent}{shown}" if columns_of(shown) > columns // 2 else f"{cut_to_columns(text, columns - 3)}..."
    )


def _cut_in_the_middle(cell: str | Cell, columns: int) -> str | Cell:
    """Cut a text in its middle, keeping its last words: ``web_searc.../reasons``."""
    text = _text(cell)
    if columns_of(text) <= columns:
        return cell
    end = ""
    for word in reversed(name_words(text)):
        if columns_of(word + end) > (columns - len("...")) // 2:
            break
        end = word + end
    return f"{cut_to_columns(text, columns - len('...') - columns_of(end))}...{end}"
