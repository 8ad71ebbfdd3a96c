"""Documents cut to one screen of a terminal: 24 lines of 80 columns.

Shared parts of names are cut once, and no word is broken; rates are plotted in letters, and as strips on a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ...calibration.statistic import Statistic
from ..document import Piece, as_lines
from ..document_parts import FIRST, Cell, DocumentTable
from ..figures.forest_plot import interval_strip
from . import number_text
from .safe_text import SCREEN, WIDTH, columns_of, cut_to_columns

_LEAST_PLOT, _MOST_PLOT = 11, 21

PlotRow = tuple[str, Statistic | None, tuple[str | Cell, ...]]
"""A name, its main rate, and the cells behind it."""


def plotted_table(
    shared: str, head: Sequence[str], rows: Sequence[PlotRow], *, scale: str = "pass rate"
) -> DocumentTable:
    """Lay out rates with a plot in the remaining width; omit the plot if that is too narrow."""
    cells = [(name, statistic_text(rate), *behind) for name, rate, behind in rows]
    widths = [
        max(columns_of(each if isinstance(each, str) else each.plain or each.text) for each in column)
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
    return DocumentTable((shared, Cell("", plain=axis), *head), drawn, left_aligned=FIRST | {1}, indent=0)


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


NAME = 24
"""Longest name in a table, in columns."""

_WORD = re.compile(r"[^-_/.:@| ]+|[-_/.:@| ]")


_BETWEEN_NAMES = frozenset("/:@| ")
"""Separators of whole names, such as a model's from its provider's."""

_LONG = 12
"""Most columns left empty to keep a word whole."""


class ShortNames(NamedTuple):
    """Names without their shared part.

    Attributes:
        short: Short name by name.
        shared: The part that was cut, with ``...`` in place of the differences; empty if none was.
    """

    short: dict[str, str]
    shared: str

    def of(self, name: str) -> str:
        """Return the short name, or the name itself if it has none."""
        return self.short.get(name, name)


def short_names(names: Iterable[str], *, columns: int = NAME) -> ShortNames:
    """Cut the words that all names share if one is too long, then shorten each to a width.

    Shared words are cut at the beginning or the end.
    """
    whole = list(dict.fromkeys(names))
    words = [_WORD.findall(name) for name in whole]
    before = after = 0
    if len(whole) > 1 and any(columns_of(name) > columns for name in whole):
        least = min(map(len, words)) - 1
        before = _shared(words, least)
        after = _shared([each[before:][::-1] for each in words], least - before)
        before, after = _named(words, *_at_separator(words[0], before, after))
    cut = ["".join(each[before : len(each) - after]) for each in words]
    shown = [fitted(name, columns) for name in cut]
    if len(set(shown)) < len(shown):
        shown = cut
    first = words[0] if words else []
    ends = "".join(first[:before]), "".join(first[len(first) - after :])
    return ShortNames(dict(zip(whole, shown, strict=True)), "...".join(ends) if any(ends) else "")


def pair_name(a: str, b: str) -> str:
    """Join two names with their common beginning once: ``rubric/reasons - direct``."""
    words = _WORD.findall(a), _WORD.findall(b)
    before, _ = _at_separator(words[0], _shared(words, min(map(len, words)) - 1), 0)
    return f"{a} - {''.join(words[1][before:])}"


def _shared(words: Sequence[Sequence[str]], most: int) -> int:
    """Count the words with which all names begin, at most so many."""
    count = 0
    while count < most and len({each[count] for each in words}) == 1:
        count += 1
    return count


def _at_separator(words: Sequence[str], before: int, after: int) -> tuple[int, int]:
    """Cut only whole groups of words: the cut part ends or begins with a separator."""
    while before and words[before - 1].isalnum():
        before -= 1
    while after and words[len(words) - after].isalnum():
        after -= 1
    return before, after


def _named(words: Sequence[Sequence[str]], before: int, after: int) -> tuple[int, int]:
    """Cut less if only a number would be left of a name: no version without its model."""

    def is_bare() -> bool:
        rests = ("".join(each[before : len(each) - after]) for each in words)
        return not all(any(map(str.isalpha, rest)) for rest in rests)

    if not is_bare():
        return before, after
    first = words[0]
    while before and is_bare():
        before -= 1
        while before and first[before - 1] not in _BETWEEN_NAMES:
            before -= 1
    while after and first[len(first) - after] not in _BETWEEN_NAMES:
        after -= 1
    return before, after


def fitted(name: str, columns: int) -> str:
    """Shorten a name to a width by omitting words in its middle; keep single long words."""
    if columns_of(name) <= columns:
        return name
    words = _WORD.findall(name)
    first, last = [words[0]], [words[-1]] if len(words) > 1 else []
    omitted = words[1:-1]
    while omitted:
        room = columns - 3 - columns_of("".join([*first, *last]))
        if columns_of(omitted[-1]) <= room and len("".join(last)) <= len("".join(first)):
            last.insert(0, omitted.pop())
        elif columns_of(omitted[0]) <= room:
            first.append(omitted.pop(0))
        elif columns_of(omitted[-1]) <= room:
            last.insert(0, omitted.pop())
        else:
            break
    shown = "".join([*first, "...", *last])
    return shown if omitted and columns_of(shown) < columns_of(name) else name


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


_ENOUGH_ROWS, _FEWEST_ROWS = 8, 3
"""Fewest rows of a table while later parts can be cut, and of the last table."""

_NARROWEST = 12
"""Fewest columns of a text in a table."""


def one_screen(pieces: Iterable[Piece], room: int = SCREEN - 1) -> list[Piece]:
    """Fit a document to a screen.

    Long tables are cut first, row by row, then the last pieces.

    Args:
        pieces: The document, the most important first.
        room: Number of lines.
    """
    shown = [fitted_table(piece) if isinstance(piece, DocumentTable) else piece for piece in pieces]
    cut_rows = [0] * len(shown)
    while _height(document := _with_row_counts(shown, cut_rows)) > room:
        longest = max(range(len(shown)), key=lambda index: (_rows(shown[index]), index))
        if _rows(shown[longest]) <= _ENOUGH_ROWS:
            longest = len(shown) - 1
        table = shown[longest]
        if not isinstance(table, DocumentTable) or len(table.rows) <= _FEWEST_ROWS:
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
    for word in reversed(_WORD.findall(text)):
        if columns_of(word + end) > (most - 3) // 2:
            break
        end = word + end
    return f"{cut_to_columns(text, most - 3 - columns_of(end))}...{end}"
