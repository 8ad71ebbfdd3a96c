"""Parts of documents: the base class of blocks, tables, and escaping for HTML and Markdown.

On a page every text is cut to size, invisible characters are spelled out and markup is escaped. In Markdown no markup,
link or mention takes effect.
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

_MARKDOWN_SPECIAL = re.compile(r"[\\`*_\[\]|<>~$&]")
"""Characters with a meaning anywhere in a line of Markdown."""

_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}

_LINKED = re.compile(r"[@#]|:(?=//)|(?<=[wW]{3})(?=\.)")
"""Where GitHub begins a link or notification: mentions, issue numbers, addresses with and without a scheme."""

_LEADING = re.compile(r"\A(\d*)([-+=.)])(?=[-+=\s]|\Z)")
"""Beginnings that make a line a list item or a heading: ``- ``, ``1. ``, ``===``."""


def escaped(text: str) -> str:
    """Escape a text as one line of Markdown without effective markup, links or mentions."""
    line = " ".join(visible(text.strip()).split())
    line = _MARKDOWN_SPECIAL.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), line)
    # An empty comment splits the address or mention, and is not shown.
    line = _LINKED.sub(lambda match: f"{match[0]}<!-- -->", line)
    return _LEADING.sub(r"\1\\\2", line)


MAX_TEXT = 50_000
"""Longest single text on a page, in characters; longer ones are cut."""


def fit(text: str) -> str:
    """Make a text fit for a page: cut its length, and spell out invisible characters."""
    return shortened(text, MAX_TEXT)


NOTHING = Markup()
"""Empty markup."""

_marked: Callable[[str], Markup] = partial(str.__new__, Markup)
"""``Markup(text)`` without its check for an ``__html__`` method, for speed: a page makes a hundred per item."""

_HTML_SPECIAL = re.compile("[&<>\"']")
"""Characters that HTML needs escaped."""


def _as_markup(part: str) -> str:
    """Escape a text for HTML; keep markup as it is.

    A search first makes the usual case fast: most texts need no escaping.
    """
    return part if isinstance(part, Markup) or _HTML_SPECIAL.search(part) is None else escape(part)


def filled(template: LiteralString, *parts: str) -> Markup:
    """Fill each ``%s`` of a template with a part, escaped unless it is markup.

    It is ten times as fast as `Markup.format`. The template must be a literal, so that data never gets in as markup.
    """
    return _marked(template % tuple(map(_as_markup, parts)))


def joined(parts: Iterable[Markup], between: str = "") -> Markup:
    """Join markup with a separator."""
    return _marked(between.join(parts))


class Block(msgspec.Struct, frozen=True):
    """Base class of a document's pieces other than paragraphs, which are plain texts.

    By default a block has no lines and no HTML, and its Markdown is its escaped lines.
    """

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
"""Columns aligned left: only the first, and the first and last (negative numbers count from the end)."""

_RIGHT = Markup(' align="right"')

_MAX_CELL_CHARS = 300
"""Longest text in a cell of a Markdown table."""

CellMark: TypeAlias = Literal["right", "wrong", "doubt"]
"""Colour of a cell on a page."""


class Cell(msgspec.Struct, frozen=True):
    """Table cell with more than a text.

    Attributes:
        text: The text.
        detail: Smaller text after it.
        title: Tooltip on a page.
        figure: Drawing on a page.
        mark: Colour on a page.
        plain: What a terminal shows instead of text and detail, such as a plot in letters; empty for these.
        link: Address that the text leads to on a page.
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
        left_aligned: Numbers of the columns aligned left; -1 is the last.
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
        rows = [
            [_terminal_text(cell) for cell in row]
            for row in (*([self.head] if self.head else ()), *self.rows)
        ]
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
            filled('<th scope="col"%s>%s</th>', self._align(column), heading)
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
        # Columns of plots have no text in Markdown.
        kept_columns = [
            column
            for column, cells in enumerate(zip(head, *self.rows, strict=True))
            if column == 0 or any(map(_has_text, cells))
        ]
        yield _markdown_row([head[column] for column in kept_columns])
        yield f"|{'|'.join(':--' if self._is_left_aligned(column) else '--:' for column in kept_columns)}|"
        yield from (_markdown_row([row[column] for column in kept_columns]) for row in self.rows)

    def _row(self, row: Sequence[str | Cell]) -> Markup:
        return joined(
            filled('<th scope="row">%s</th>', _content(cell))
            if column == 0 and cell != ""  # a screen reader would announce an empty heading
            else filled("<td%s%s>%s</td>", self._align(column), _title_attribute(cell), _content(cell))
            for column, cell in enumerate(row)
        )

    def _align(self, column: int) -> Markup:
        return NOTHING if self._is_left_aligned(column) else _RIGHT

    def _is_left_aligned(self, column: int) -> bool:
        return column in self.left_aligned or column - len(self.head or self.rows[0]) in self.left_aligned


def _terminal_text(cell: str | Cell) -> str:
    return visible(cell if isinstance(cell, str) else cell.plain or _text_and_detail(cell))


def _text_and_detail(cell: str | Cell) -> str:
    return cell if isinstance(cell, str) else " ".join(filter(None, (cell.text, cell.detail)))


def _markdown_row(row: Sequence[str | Cell]) -> str:
    return f"| {' | '.join(escaped(shortened(_text_and_detail(cell), _MAX_CELL_CHARS)) for cell in row)} |"


def _heading(cell: str | Cell) -> str:
    if isinstance(cell, Cell) and cell.title:
        return filled('<abbr title="%s">%s</abbr>', fit(cell.title), fit(cell.text))
    return _content(cell)


def _title_attribute(cell: str | Cell) -> Markup:
    if isinstance(cell, str) or not cell.title:
        return NOTHING
    return filled(' title="%s"', fit(cell.title))


def _content(cell: str | Cell) -> str:
    """Return a cell's content as markup, or as a text that `filled` will escape."""
    if isinstance(cell, str):
        # <bdi> keeps right-to-left text from reordering what stands around it.
        return fit(cell) if cell.isascii() else filled("<bdi>%s</bdi>", fit(cell))
    content = _content(cell.text)
    if cell.link:
        content = filled('<a href="%s">%s</a>', cell.link, content)
    if cell.mark:
        content = filled('<span class="%s">%s</span>', cell.mark, content)
    detail = filled(" <small>%s</small>", fit(cell.detail)) if cell.detail else NOTHING
    return filled("%s%s%s", content, detail, cell.figure) if detail or cell.figure else content


def statistic_pieces(
    statistics: Mapping[str, Statistic], *, head: bool = True, indent: int = 2
) -> Iterator[DocumentTable | str]:
    """Yield a table of the defined statistics, and a line per reason why others are undefined.

    Args:
        statistics: Statistics by name.
        head: Give the table headings.
        indent: Blanks before each line on a terminal.
    """
    rows = [
        (name, *statistic_cells(statistic))
        for name, statistic in statistics.items()
        if statistic.value is not None
    ]
    headings = ("statistic", "value", "interval", "n", "method") if head else ()
    if rows:
        yield DocumentTable(headings, rows, left_aligned=ENDS, indent=indent)
    names_by_reason: dict[str, list[str]] = {}
    for name, statistic in statistics.items():
        if statistic.value is None:
            names_by_reason.setdefault(statistic.undefined or "no value", []).append(name)
    for reason, undefined_names in names_by_reason.items():
        yield f"{' ' * indent}undefined: {', '.join(undefined_names)} ({reason})"
