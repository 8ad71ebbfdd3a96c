"""Documents cut to one screen of a terminal: 24 lines of 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ..document import Piece, as_lines
from ..document_table import Cell, DocumentTable
from ..short_names import clipped
from .safe_text import columns_of
from .text_plot import WIDTH

SCREEN = 24
"""Lines of a screen."""

_ENOUGH_ROWS, _FEWEST_ROWS = 8, 3
"""Rows that a table keeps while something behind it can give way, and that the last one keeps."""

_NARROWEST = 12
"""Columns that a text in a table keeps."""


def one_screen(pieces: Iterable[Piece], room: int = SCREEN - 1) -> list[Piece]:
    """Fit a document to a screen.

    Long tables give way first, row by row, then what stands last.

    Args:
        pieces: What is told, the most important first.
        room: Lines for it.
    """
    shown = [fitted_table(piece) if isinstance(piece, DocumentTable) else piece for piece in pieces]
    left = [0] * len(shown)
    while _height(told := _told(shown, left)) > room:
        longest = max(range(len(shown)), key=lambda place: (_rows(shown[place]), place))
        if _rows(shown[longest]) <= _ENOUGH_ROWS:
            longest = len(shown) - 1
        table = shown[longest]
        if not isinstance(table, DocumentTable) or len(table.rows) <= _FEWEST_ROWS:
            if longest == 0:
                break
            shown = _without_last(shown)
            left = left[: len(shown)]
            continue
        # Of one row alone no line is saved: "1 more row" takes its place.
        fewer = 1 if left[longest] else 2
        shown[longest] = replace(table, rows=table.rows[:-fewer])
        left[longest] += fewer
    return told


def _without_last(shown: Sequence[Piece]) -> list[Piece]:
    """Drop the last piece, and the heading that it leaves alone."""
    *kept, dropped = shown
    while len(kept) > 1 and isinstance(last := kept[-1], str):
        if (
            last
            and not last.endswith(":")
            and not (isinstance(dropped, DocumentTable) and last.startswith("  "))
        ):
            break
        kept.pop()
    return kept


def _told(shown: Sequence[Piece], left: Sequence[int]) -> list[Piece]:
    told: list[Piece] = []
    for piece, more in zip(shown, left, strict=True):
        told.append(piece)
        if more and isinstance(piece, DocumentTable):
            told.append(f"{' ' * piece.indent}{more:,} more rows")
    return told


def _rows(piece: Piece) -> int:
    return len(piece.rows) if isinstance(piece, DocumentTable) else 0


def _height(pieces: Sequence[Piece]) -> int:
    return sum(1 for _ in as_lines(pieces, width=WIDTH))


def fitted_table(table: DocumentTable, columns: int = WIDTH) -> DocumentTable:
    """Cut the widest texts of a table where it is wider than a screen, after a word."""
    for _ in range(len(table.head or (table.rows[0] if table.rows else ()))):
        over = max((columns_of(line) for line in table.lines()), default=0) - columns
        widths = {column: _width(table, column) for column in _of_words(table)}
        widest = max(widths, key=lambda column: widths[column], default=None)
        if over <= 0 or widest is None or widths[widest] <= _NARROWEST:
            break
        most = max(_NARROWEST, widths[widest] - over)
        rows = [
            [_clipped(cell, most) if column == widest else cell for column, cell in enumerate(row)]
            for row in table.rows
        ]
        head = [_clipped(cell, most) if column == widest else cell for column, cell in enumerate(table.head)]
        table = replace(table, head=head, rows=rows)
    return table


def _of_words(table: DocumentTable) -> list[int]:
    count = len(table.head or table.rows[0]) if table.head or table.rows else 0
    return sorted({column % count for column in table.words}) if count else []


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
    # A name is one word, of which some must be seen.
    return f"{indent}{shown}" if columns_of(shown) > most // 2 else f"{text[: most - 3]}..."
