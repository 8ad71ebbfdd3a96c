"""Documents cut to one screen of a terminal: 24 lines of 80 columns.

Shared parts of names are cut once, and no word is broken; rates are plotted in letters, and as strips on a page.
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

_MIN_PLOT, _MAX_PLOT = 11, 21

PlotRow = tuple[str, Statistic | None, tuple[str | Cell, ...]]
"""A name, its main rate, and the cells behind it."""


def plotted_table(
    shared: str, head: Sequence[str], rows: Sequence[PlotRow], *, scale: str = "pass rate"
) -> DocumentTable:
    """Lay out rates with a plot in the remaining width; omit the plot if that is too narrow.

    Names are shortened first, as far as they stay apart.
    """
    rows = _with_shorter_names(shared, head, rows)
    cells = [(name, statistic_text(rate), *behind) for name, rate, behind in rows]
    widths = _widths((shared, *head), cells)
    room = min(_MAX_PLOT, WIDTH - sum(widths) - 2 * len(widths))
    if room < _MIN_PLOT:
        return DocumentTable((shared, *head), cells, indent=0)
    axis = f"0{(scale if len(scale) <= room - 4 else '').center(room - 2)}1"
    drawn = [
        (name, _plot(rate, room), value, *behind)
        for (name, rate, _), (_, value, *behind) in zip(rows, cells, strict=True)
    ]
    return DocumentTable((shared, Cell("", plain=axis), *head), drawn, left_aligned=FIRST | {1}, indent=0)


def _widths(head: Sequence[str], rows: Sequence[Sequence[str | Cell]]) -> list[int]:
    return [max(map(columns_of, map(_text, column))) for column in zip(head, *rows, strict=True)]


def _with_shorter_names(shared: str, head: Sequence[str], rows: Sequence[PlotRow]) -> Sequence[PlotRow]:
    """Shorten the names of rows so that a plot fits beside them, or else the table on a screen."""
    cells = [(name, statistic_text(rate), *behind) for name, rate, behind in rows]
    longest, *others = _widths((shared, *head), cells)
    names = [name for name, _, _ in rows]
    for plot in (_MIN_PLOT + 2, 0):
        room = WIDTH - sum(others) - 2 * len(others) - plot
        if longest <= room:
            return rows
        short = _shorter(names, max(room, _NARROWEST))
        if max(map(columns_of, short)) <= room:
            return [(name, rate, behind) for name, (_, rate, behind) in zip(short, rows, strict=True)]
    return rows


def _shorter(names: Sequence[str], columns: int) -> list[str]:
    """Shorten names; the mark of a footnote stays."""
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
    return Cell(value, f"n {rate.n:,}", plain=f"{value} {rate.n:>3,}")


def _plot(rate: Statistic | None, columns: int) -> Cell:
    """Draw a rate with its interval in letters, and as a strip on a page."""
    if rate is None or rate.value is None:
        return Cell("", plain=f"|{'-' * (columns - 2)}|")
    line = ["|", *"-" * (columns - 2), "|"]
    if rate.low is not None and rate.high is not None:
        for column in range(_column_of(rate.low, columns), _column_of(rate.high, columns) + 1):
            line[column] = "="
    line[_column_of(rate.value, columns)] = "o"
    return Cell("", plain="".join(line), figure=interval_strip(rate.value, rate.low, rate.high))


def _column_of(value: float, columns: int) -> int:
    return round(min(1.0, max(0.0, value)) * (columns - 1))


_LONG = 12
"""Most columns left empty to keep a word whole."""


def clipped(text: str, columns: int) -> str:
    """Cut a text to a width after a word, with ``...`` if something is missing."""
    line = " ".join(text.split())
    if columns_of(line) <= columns:
        return line
    start = ""
    for word in line.split(" "):
        longer = f"{start} {word}".lstrip()
        if columns_of(longer) > columns - 4:
            room = columns - 3 - columns_of(start)
            return (
                f"{start} {cut_to_columns(word, room - 1)}...".lstrip()
                if room > _LONG
                else f"{start.rstrip(',;:')} ..."
            )
        start = longer
    return f"{start.rstrip(',;:')} ..."


_ENOUGH_ROWS, _MIN_ROWS = 8, 3
"""Fewest rows of a table while later parts can be cut, and of the last table."""

_NARROWEST = 12
"""Fewest columns of a text in a table."""


def one_screen(pieces: Iterable[Piece], room: int | None = None) -> list[Piece]:
    """Fit a document to a screen.

    Long tables are cut first, row by row, then the last pieces.

    Args:
        pieces: The document, the most important first.
        room: Number of lines; those of a terminal if not given.
    """
    room = SCREEN - 1 if room is None else room
    shown = [fitted_table(piece) if isinstance(piece, DocumentTable) else piece for piece in pieces]
    cut_rows = [0] * len(shown)
    while _height(document := _with_row_counts(shown, cut_rows)) > room:
        longest = max(range(len(shown)), key=lambda index: (_rows(shown[index]), index))
        if _rows(shown[longest]) <= _ENOUGH_ROWS:
            longest = len(shown) - 1
        table = shown[longest]
        if not isinstance(table, DocumentTable) or len(table.rows) <= _MIN_ROWS:
            if longest == 0:
                break
            shown = _without_last(shown)
            cut_rows = cut_rows[: len(shown)]
            continue
        # Cutting one row saves no line: "1 more row" takes its place.
        fewer = 1 if cut_rows[longest] else 2
        shown[longest] = replace(table, rows=table.rows[:-fewer])
        cut_rows[longest] += fewer
    return document


def _without_last(shown: Sequence[Piece]) -> list[Piece]:
    """Drop the last piece, and a heading left without content."""
    *pieces, dropped = shown
    while len(pieces) > 1 and isinstance(last := pieces[-1], str):
        if (
            last
            and not last.endswith(":")
            and not (isinstance(dropped, DocumentTable) and last.startswith("  "))
        ):
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


def _rows(piece: Piece) -> int:
    return len(piece.rows) if isinstance(piece, DocumentTable) else 0


def _height(pieces: Sequence[Piece]) -> int:
    return sum(1 for _ in as_lines(pieces, width=WIDTH))


def fitted_table(table: DocumentTable, columns: int = WIDTH) -> DocumentTable:
    """Cut the widest texts of a table that is wider than a screen, after a word."""
    for _ in range(len(table.head or (table.rows[0] if table.rows else ()))):
        over = max((columns_of(line) for line in table.lines()), default=0) - columns
        widths = {column: _width(table, column) for column in _left_aligned_columns(table)}
        widest = max(widths, key=lambda column: widths[column], default=None)
        if over <= 0 or widest is None or widths[widest] <= _NARROWEST:
            break
        most = max(_NARROWEST, widths[widest] - over)
        texts = [_text(row[widest]) for row in table.rows]
        cut = _clipped
        if len({_text(_clipped(text, most)) for text in texts}) < len(set(texts)):
            cut = _cut_in_the_middle  # names that begin alike stay apart
        rows = [
            [cut(cell, most) if column == widest else cell for column, cell in enumerate(row)]
            for row in table.rows
        ]
        head = [_clipped(cell, most) if column == widest else cell for column, cell in enumerate(table.head)]
        table = replace(table, head=head, rows=rows)
    return table


def _left_aligned_columns(table: DocumentTable) -> list[int]:
    count = len(table.head or table.rows[0]) if table.head or table.rows else 0
    return sorted({column % count for column in table.left_aligned}) if count else []


def _width(table: DocumentTable, column: int) -> int:
    return max(columns_of(_text(row[column])) for row in (*([table.head] if table.head else ()), *table.rows))


def _text(cell: str | Cell) -> str:
    return cell if isinstance(cell, str) else cell.plain or cell.text


def _clipped(cell: str | Cell, most: int) -> str | Cell:
    text = _text(cell)
    if columns_of(text) <= most:
        return cell
    indent = text[: len(text) - len(text.lstrip())]
    shown = clipped(text, most - len(indent))
    # A name is one word, and part of it must be visible.
    return f"{indent}{shown}" if columns_of(shown) > most // 2 else f"{cut_to_columns(text, most - 3)}..."


def _cut_in_the_middle(cell: str | Cell, most: int) -> str | Cell:
    """Shorten a text, keeping its last words: ``web_searc.../reasons``."""
    text = _text(cell)
    if columns_of(text) <= most:
        return cell
    end = ""
    for word in reversed(name_words(text)):
        if columns_of(word + end) > (most - 3) // 2:
            break
        end = word + end
    return f"{cut_to_columns(text, most - 3 - columns_of(end))}...{end}"
