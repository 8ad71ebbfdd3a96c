"""Parts of a document: tables, blocks, and their markup for terminals, pages and Markdown.

On a page text is cut to size, invisible characters are spelled out and markup is escaped; in Markdown nothing is obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, LiteralString, TypeAlias

import msgspec
from markupsafe import Markup, escape

from ..calibration.statistic import Statistic
from .text.number_text import statistic_cells
from .text.safe_text import columns_of, shortened, visible

_SPECIAL = re.compile(r"[\\`*_\[\]|<>~$&]")
"""Characters with a meaning in Markdown anywhere in a line."""

_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}

_LINKED = re.compile(r"[@#]|:(?=//)|(?<=[wW]{3})(?=\.)")
"""What GitHub turns into links or notifications: mentions, numbers, addresses."""

_LEADING = re.compile(r"\A(\d*)([-+=.)])(?=[-+=\s]|\Z)")
"""Beginnings that make a line a list or a heading."""


def escaped(text: str) -> str:
    """Escape a text for Markdown as one inert line.

    Markup, links, mentions, images and HTML have no effect.
    """
    line = " ".join(visible(text.strip()).split())
    line = _SPECIAL.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), line)
    line = _LINKED.sub(lambda match: f"{match[0]}<!-- -->", line)
    return _LEADING.sub(r"\1\\\2", line)


MAX_TEXT = 50_000
"""Longest single text on a page, in characters."""


def fit(text: str) -> str:
    """Make a text fit for a page: spell out invisible characters and cut excess length."""
    return shortened(text, MAX_TEXT)


NOTHING = Markup()

_marked: Callable[[str], Markup] = partial(str.__new__, Markup)
"""Like ``Markup`` of plain text, without checking that it is plain: a page makes a hundred per item."""

_MEANING = re.compile("[&<>\"']")
"""Characters with a meaning in HTML."""


def _fixed(part: str) -> str:
    """Escape a text for HTML; keep markup as it is.

    Most texts need no escaping, which costs next to nothing.
    """
    return part if isinstance(part, Markup) or _MEANING.search(part) is None else escape(part)


def filled(template: LiteralString, *parts: str) -> Markup:
    """Fill the ``%s`` of our markup with escaped parts; parts that are markup are kept.

    Ten times as fast as `Markup.format`.
    """
    return _marked(template % tuple(map(_fixed, parts)))


def joined(parts: Iterable[Markup], between: str = "") -> Markup:
    """Return the concatenated markup."""
    return _marked(between.join(parts))


class Block(msgspec.Struct, frozen=True):
    """A piece of a document other than a paragraph, which is plain text."""

    def lines(self) -> Iterator[str]:
        """Render for a terminal."""
        yield from ()

    def in_full(self) -> Iterator[str]:
        """Render in full for a terminal."""
        return self.lines()

    def markup(self) -> Markup:
        """Render as HTML; every text is escaped."""
        return Markup()

    def markdown(self) -> Iterator[str]:
        """Yield lines of GitHub Markdown; every text is escaped."""
        return map(escaped, self.lines())


FIRST, ENDS = frozenset({0}), frozenset({0, -1})
"""Columns aligned left: the first; the first and the last."""

_RIGHT = Markup(' align="right"')

_CELL = 300
"""Longest text in a Markdown table, in characters."""

CellMark: TypeAlias = Literal["right", "wrong", "doubt"]


class Cell(msgspec.Struct, frozen=True):
    """Table cell: text, smaller detail, tooltip, and on a page a drawing.

    ``mark`` is its colour on a page, in addition to its words: ``right``, ``wrong`` or ``doubt``;
    ``link`` is its target on a page; ``plain`` replaces it all on a terminal, such as by a plot in letters.
    """

    text: str
    detail: str = ""
    title: str = ""
    figure: Markup = NOTHING
    mark: CellMark | None = None
    plain: str = ""
    link: str = ""


def _has_text(cell: str | Cell) -> bool:
    return bool(cell if isinstance(cell, str) else cell.text or cell.detail)


class DocumentTable(Block, frozen=True):
    """Table whose first column names the rows.

    Other columns are aligned right unless ``left_aligned`` names them.

    Attributes:
        head: Headings of the columns; empty for a table without.
        rows: Cells; all rows have the same number.
        caption: Text above it.
        left_aligned: Columns aligned left; -1 is the last.
        indent: Blanks before each line on a terminal.
    """

    head: Sequence[str | Cell]
    rows: Sequence[Sequence[str | Cell]]
    caption: str = ""
    left_aligned: frozenset[int] = FIRST
    indent: int = 2

    def lines(self) -> Iterator[str]:
        """Render for a terminal, with columns aligned."""
        if self.caption:
            yield self.caption
        rows = [[_plain(cell) for cell in row] for row in (*([self.head] if self.head else ()), *self.rows)]
        widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (
                cell + blanks if self._is_left_aligned(column) else blanks + cell
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
                for blanks in [" " * (width - columns_of(cell))]
            )
            yield f"{' ' * self.indent}{'  '.join(cells)}".rstrip()

    def markup(self) -> Markup:
        """Render as HTML; a wide table scrolls by itself, also by keyboard."""
        if not self.head and not self.rows:
            return NOTHING
        caption = filled("<caption>%s</caption>", fit(self.caption)) if self.caption else NOTHING
        headings = joined(
            filled('<th scope="col"%s>%s</th>', self._side(column), heading)
            if heading
            else Markup("<td></td>")  # a screen reader would announce an empty heading
            for column, heading in enumerate(map(_heading, self.head))
        )
        head = filled("<thead><tr>%s</tr></thead>\n", headings) if self.head else NOTHING
        rows = joined((filled("<tr>%s</tr>", self._row(row)) for row in self.rows), "\n")
        table = '<div class="wide" tabindex="0"><table>%s%s<tbody>\n%s\n</tbody></table></div>'
        return filled(table, caption, head, rows)

    def markdown(self) -> Iterator[str]:
        """Yield a GitHub Markdown table."""
        if not self.head and not self.rows:
            return
        if self.caption:
            yield escaped(self.caption)
            yield ""
        head = self.head or [""] * len(self.rows[0])
        # A plot is drawn of characters, on a terminal alone.
        kept = [
            at
            for at, cells in enumerate(zip(head, *self.rows, strict=True))
            if at == 0 or any(map(_has_text, cells))
        ]
        yield _markdown_row([head[at] for at in kept])
        yield f"|{'|'.join(':--' if self._is_left_aligned(column) else '--:' for column in kept)}|"
        yield from (_markdown_row([row[at] for at in kept]) for row in self.rows)

    def _row(self, row: Sequence[str | Cell]) -> Markup:
        return joined(
            filled('<th scope="row">%s</th>', _content(cell))
            if column == 0 and cell != ""  # a screen reader would announce an empty heading
            else filled("<td%s%s>%s</td>", self._side(column), _title(cell), _content(cell))
            for column, cell in enumerate(row)
        )

    def _side(self, column: int) -> Markup:
        return NOTHING if self._is_left_aligned(column) else _RIGHT

    def _is_left_aligned(self, column: int) -> bool:
        return column in self.left_aligned or column - len(self.head or self.rows[0]) in self.left_aligned


def _plain(cell: str | Cell) -> str:
    """Return a cell for a terminal; invisible characters are spelled out and take columns."""
    return visible(cell if isinstance(cell, str) else cell.plain or _spelled(cell))


def _spelled(cell: str | Cell) -> str:
    return cell if isinstance(cell, str) else " ".join(filter(None, (cell.text, cell.detail)))


def _markdown_row(row: Sequence[str | Cell]) -> str:
    return f"| {' | '.join(escaped(shortened(_spelled(cell), _CELL)) for cell in row)} |"


def _heading(cell: str | Cell) -> str:
    if isinstance(cell, Cell) and cell.title:
        return filled('<abbr title="%s">%s</abbr>', fit(cell.title), fit(cell.text))
    return _content(cell)


def _title(cell: str | Cell) -> Markup:
    if isinstance(cell, str) or not cell.title:
        return NOTHING
    return filled(' title="%s"', fit(cell.title))


def _content(cell: str | Cell) -> str:
    """Return a cell's content as markup, or as text still to be escaped."""
    if isinstance(cell, str):
        return fit(cell) if cell.isascii() else filled("<bdi>%s</bdi>", fit(cell))
    shown = _content(cell.text)
    if cell.link:
        shown = filled('<a href="%s">%s</a>', cell.link, shown)
    if cell.mark:
        shown = filled('<span class="%s">%s</span>', cell.mark, shown)
    detail = filled(" <small>%s</small>", fit(cell.detail)) if cell.detail else NOTHING
    return filled("%s%s%s", shown, detail, cell.figure) if detail or cell.figure else shown


def statistic_pieces(
    statistics: Mapping[str, Statistic], *, head: bool = True, indent: int = 2
) -> Iterator[DocumentTable | str]:
    """Yield a table with a row per defined statistic, and a line per reason for undefined ones."""
    rows = [(name, *statistic_cells(each)) for name, each in statistics.items() if each.value is not None]
    names = ("statistic", "value", "interval", "n", "method") if head else ()
    if rows:
        yield DocumentTable(names, rows, left_aligned=ENDS, indent=indent)
    reasons: dict[str, list[str]] = {}
    for name, each in statistics.items():
        if each.value is None:
            reasons.setdefault(each.undefined or "no value", []).append(name)
    for why, missing in reasons.items():
        yield f"{' ' * indent}undefined: {', '.join(missing)} ({why})"
