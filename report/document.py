"""What is to be read, before anybody knows where: pieces that a terminal, a page and a notebook each show in their way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Literal, LiteralString, TypeAlias

import msgspec
from markupsafe import Markup, escape

from ..calibration.statistic import Statistic
from .text import shortened, visible
from .words import statistic_cells

FIRST, ENDS = frozenset({0}), frozenset({0, -1})
"""Which columns of a table hold words, and stand to the left: the first; the first and the last."""


class Block(msgspec.Struct, frozen=True):
    """A piece of a document that is more than a paragraph, which is a plain text."""

    def lines(self) -> Iterator[str]:
        """It on a terminal."""
        yield from ()

    def in_full(self) -> Iterator[str]:
        """It on a terminal, for who wants to read all of it."""
        return self.lines()

    def markup(self) -> Markup:
        """It on a page; every text is escaped."""
        return Markup()

    def markdown(self) -> Iterator[str]:
        """It in GitHub's Markdown, a line each; every text is escaped."""
        return map(escaped, self.lines())


MOST_TEXT = 50_000
"""Characters of any one text on a page."""


def fit(text: str) -> str:
    """A text, fit for a page: what is invisible is spelled out, and what is endless cut."""
    return shortened(text, MOST_TEXT)


_MEANING = re.compile("[&<>\"']")
"""What means something to HTML."""


def _fixed(part: str) -> str:
    """A text with nothing in it that HTML obeys, and what is markup already as it is; most texts are plain, which costs next to nothing."""
    return part if isinstance(part, Markup) or _MEANING.search(part) is None else escape(part)


def filled(template: LiteralString, *parts: str) -> Markup:
    """Markup of ours with parts in the places of ``%s``, escaped but for what is markup already; ten times as fast as `Markup.format`."""
    return Markup(template % tuple(map(_fixed, parts)))  # noqa: S704 - a template is written in the code, never data


def _joined(parts: Iterable[Markup], between: str = "") -> Markup:
    """Markup one after another."""
    return Markup(between.join(parts))  # noqa: S704 - of markup


Piece: TypeAlias = Block | str
"""A block, or a paragraph: a text, of which a terminal keeps the blanks in front. An empty one is an empty line there, and nothing elsewhere."""

Document: TypeAlias = Iterable[Piece]


def as_lines(document: Document, *, full: bool = False, width: int | None = None) -> Iterator[str]:
    """A document for a terminal.

    Args:
        document: Its pieces.
        full: Whether cautions are unfolded.
        width: Columns that paragraphs and cautions are broken to; None leaves each on its line.

    Yields:
        Lines of plain text, nothing in them that a terminal obeys.
    """
    for piece in document:
        lines = [piece] if isinstance(piece, str) else piece.in_full() if full else piece.lines()
        for line in lines:
            # A line break is a name's, and must not make one line look like two.
            shown = visible(line.replace("\n", "\\n"))
            broken = width is not None and len(shown) > width and isinstance(piece, str | Caution)
            yield from _broken(shown, width) if broken else [shown]


def _broken(line: str, width: int | None) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return wrap(line, width or 80, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def as_html(document: Document) -> Markup:
    """A document for a page or a notebook; every text is escaped.

    Args:
        document: Its pieces.

    Returns:
        Markup that needs no style of its own to be legible.
    """
    shown = (_paragraph(piece) if isinstance(piece, str) else piece.markup() for piece in document)
    return _joined(filter(None, shown), "\n")


_SPECIAL = re.compile(r"[\\`*_\[\]|<>~$&]")
"""What means something to Markdown wherever it stands."""

_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}

_LINKED = re.compile(r"[@#]|:(?=//)|(?<=[wW]{3})(?=\.)")
"""What GitHub makes links of, or tells people by: mentions, numbers, addresses."""

_LEADING = re.compile(r"\A(\d*)([-+=.)])(?=[-+=\s]|\Z)")
"""What makes a line a list or a heading."""

_CELL = 300
"""Characters of a text in a Markdown table."""


def escaped(text: str) -> str:
    """A text for Markdown: one line, in which nothing is obeyed: no markup, no link, no mention, no image, no HTML."""
    line = " ".join(visible(text.strip()).split())
    line = _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), line)
    line = _LINKED.sub(lambda found: f"{found[0]}<!-- -->", line)
    return _LEADING.sub(r"\1\\\2", line)


def as_markdown(document: Document) -> Iterator[str]:
    """A document in GitHub's Markdown, as a summary of a pull request shows it.

    Args:
        document: Its pieces.

    Yields:
        Lines; figures are left out, since what they show stands in tables.
    """
    for piece in document:
        lines = [escaped(piece)] if isinstance(piece, str) else list(piece.markdown())
        if any(lines):
            yield from lines
            yield ""


def _paragraph(text: str) -> Markup:
    return filled("<p>%s</p>", fit(text.strip())) if text.strip() else Markup()


class Heading(Block, frozen=True):
    """A heading; of level 1 there is one a document."""

    text: str
    level: int = 2

    def lines(self) -> Iterator[str]:
        """It on a terminal."""
        yield from (self.text, "") if self.level == 1 else (self.text,)

    def markup(self) -> Markup:
        """It on a page."""
        return Markup("<h{0}>{1}</h{0}>").format(self.level, fit(self.text))

    def markdown(self) -> Iterator[str]:
        """It as a heading; a summary has none of level 1."""
        yield f"{'#' * (self.level + 1)} {escaped(self.text)}"


class Caution(Block, frozen=True):
    """What a reader must know to read a number: a line, and, where the line is not all of it, the whole."""

    text: str
    whole: str = ""
    indent: int = 0

    def lines(self) -> Iterator[str]:
        """Its line."""
        yield f"{' ' * self.indent}note: {self.text}"

    def in_full(self) -> Iterator[str]:
        """All of it."""
        yield f"{' ' * self.indent}note: {self.whole or self.text}"

    def markup(self) -> Markup:
        """It on a page, folded to its line."""
        if self.whole:
            return _folded("note", self.text, [self.whole])
        return Markup('<p class="note">{}</p>').format(fit(self.text))

    def markdown(self) -> Iterator[str]:
        """Its line, set apart."""
        yield f"> {escaped(self.text)}"


class Command(Block, frozen=True):
    """What to type; never broken."""

    text: str

    def lines(self) -> Iterator[str]:
        """It on a terminal, a line of its own."""
        yield f"  {self.text}"

    def markup(self) -> Markup:
        """It on a page."""
        return Markup("<p><code>{}</code></p>").format(fit(self.text))

    def markdown(self) -> Iterator[str]:
        """It as code, which nothing in it can end."""
        yield f"<code>{escaped(self.text)}</code>"


class Details(Block, frozen=True):
    """What only some want to read: folded away on a page, and left out on a terminal."""

    title: str
    pieces: Sequence[Piece]

    def markup(self) -> Markup:
        """It on a page, folded to its title."""
        return _folded("slice", self.title, self.pieces)

    def markdown(self) -> Iterator[str]:
        """It folded to its title."""
        yield f"<details><summary>{escaped(self.title)}</summary>"
        yield ""
        yield from as_markdown(self.pieces)
        yield "</details>"


Role: TypeAlias = Literal["text", "user", "agent", "result", "cited"]


class Verbatim(Block, frozen=True):
    """A text as it came, under a title: lines are kept, nothing in it is obeyed.

    Attributes:
        title: What it is.
        text: It, cut to a size already.
        hidden: How many of its characters were cut.
        role: How it is set apart on a page, beside its title: whose words it is, or that it is referred to.
    """

    title: str
    text: str
    hidden: int = 0
    role: Role = "text"

    def lines(self) -> Iterator[str]:
        """It on a terminal, each line for itself."""
        yield f"{self.title}:"
        yield from (f"  {line}" for line in self.text.splitlines())
        if self.hidden:
            yield f"  {self._cut}"

    def markup(self) -> Markup:
        """It on a page."""
        cut = filled('<p class="cut">%s</p>', self._cut) if self.hidden else Markup()
        block = '<section class="block %s"><h4>%s</h4><pre dir="auto">%s</pre>%s</section>'
        return filled(block, self.role, fit(self.title), fit(self.text), cut)

    @property
    def _cut(self) -> str:
        return f"{self.hidden:,} more characters are not shown here; the records hold them."


class Columns(Block, frozen=True):
    """What stands side by side on a page that is wide enough."""

    pieces: Sequence[Piece]

    def lines(self) -> Iterator[str]:
        """It on a terminal, one below the other."""
        return as_lines(self.pieces)

    def markup(self) -> Markup:
        """It on a page."""
        return Markup('<div class="columns">{}</div>').format(as_html(self.pieces))

    def markdown(self) -> Iterator[str]:
        """It one below the other."""
        return as_markdown(self.pieces)


def _folded(kind: str, title: str, pieces: Document) -> Markup:
    return filled('<details class="%s"><summary>%s</summary>%s</details>', kind, fit(title), as_html(pieces))


class Figure(Block, frozen=True):
    """A drawing that says in itself what it shows; on a terminal its words, or nothing where a table beside it says the same.

    Attributes:
        svg: With title and description, see `figures.drawing.svg`.
        words: What it shows, for a terminal.
        caption: Above it.
        numbers: What is drawn, as a table, folded away beneath; None where one stands beside it.
    """

    svg: Markup
    words: str = ""
    caption: str = ""
    numbers: Table | None = None

    def lines(self) -> Iterator[str]:
        """What it shows."""
        if self.words:
            yield self.words

    def markup(self) -> Markup:
        """It on a page."""
        caption = Markup("<figcaption>{}</figcaption>").format(fit(self.caption)) if self.caption else ""
        behind = "" if self.numbers is None else _folded("behind", "Numbers", [self.numbers])
        return Markup('<figure class="card">{}{}{}</figure>').format(caption, self.svg, behind)

    def markdown(self) -> Iterator[str]:
        """Its numbers, where they stand nowhere else."""
        return iter(()) if self.numbers is None else self.numbers.markdown()


Mark: TypeAlias = Literal["right", "wrong", "doubt"]


class Cell(msgspec.Struct, frozen=True):
    """A cell: what it says, in small what stands behind it, what explains it to who points at it, and on a page a drawing of it.

    ``mark`` is how it is coloured on a page, beside the words that say it: ``right``, ``wrong`` or ``doubt``.
    """

    text: str
    behind: str = ""
    title: str = ""
    figure: Markup = Markup()
    mark: Mark | None = None


class Table(Block, frozen=True):
    """A table; the first column names the rows, cells of the others stand to the right unless ``words`` names their column.

    Attributes:
        head: Headings of the columns; empty for a table without.
        rows: Cells, as many in each.
        caption: Above it.
        words: Columns that stand to the left; -1 is the last.
        indent: Blanks before it on a terminal.
    """

    head: Sequence[str | Cell]
    rows: Sequence[Sequence[str | Cell]]
    caption: str = ""
    words: frozenset[int] = FIRST
    indent: int = 2

    def lines(self) -> Iterator[str]:
        """It on a terminal, its columns aligned."""
        if self.caption:
            yield self.caption
        rows = [[_plain(cell) for cell in row] for row in (*([self.head] if self.head else ()), *self.rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (
                cell.ljust(width) if self._of_words(column) else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            yield f"{' ' * self.indent}{'  '.join(cells)}".rstrip()

    def markup(self) -> Markup:
        """It on a page; a wide one scrolls by itself, by keys as well."""
        if not self.head and not self.rows:
            return Markup()
        caption = filled("<caption>%s</caption>", fit(self.caption)) if self.caption else Markup()
        headings = _joined(
            filled('<th scope="col"%s>%s</th>', self._side(column), _heading(cell))
            for column, cell in enumerate(self.head)
        )
        head = filled("<thead><tr>%s</tr></thead>\n", headings) if self.head else Markup()
        rows = _joined((filled("<tr>%s</tr>", self._row(row)) for row in self.rows), "\n")
        table = '<div class="wide" tabindex="0"><table>%s%s<tbody>\n%s\n</tbody></table></div>'
        return filled(table, caption, head, rows)

    def markdown(self) -> Iterator[str]:
        """It as a table of GitHub's."""
        if not self.head and not self.rows:
            return
        if self.caption:
            yield escaped(self.caption)
            yield ""
        head = self.head or [""] * len(self.rows[0])
        yield _markdown_row(head)
        yield f"|{'|'.join(':--' if self._of_words(column) else '--:' for column in range(len(head)))}|"
        yield from map(_markdown_row, self.rows)

    def _row(self, row: Sequence[str | Cell]) -> Markup:
        return _joined(
            filled('<th scope="row">%s</th>', _content(cell))
            if column == 0
            else filled("<td%s%s>%s</td>", self._side(column), _title(cell), _content(cell))
            for column, cell in enumerate(row)
        )

    def _side(self, column: int) -> Markup:
        return Markup() if self._of_words(column) else Markup(' align="right"')

    def _of_words(self, column: int) -> bool:
        return column in self.words or column - len(self.head or self.rows[0]) in self.words


def _plain(cell: str | Cell) -> str:
    return cell if isinstance(cell, str) else " ".join(filter(None, (cell.text, cell.behind)))


def _markdown_row(row: Sequence[str | Cell]) -> str:
    return f"| {' | '.join(escaped(shortened(_plain(cell), _CELL)) for cell in row)} |"


def _heading(cell: str | Cell) -> Markup:
    if isinstance(cell, Cell) and cell.title:
        return filled('<abbr title="%s">%s</abbr>', fit(cell.title), fit(cell.text))
    return _content(cell)


def _title(cell: str | Cell) -> Markup:
    if isinstance(cell, str) or not cell.title:
        return Markup()
    return filled(' title="%s"', fit(cell.title))


def _content(cell: str | Cell) -> Markup:
    if isinstance(cell, str):
        return filled("%s" if cell.isascii() else "<bdi>%s</bdi>", fit(cell))
    shown = _content(cell.text)
    if cell.mark:
        shown = filled('<span class="%s">%s</span>', cell.mark, shown)
    behind = filled(" <small>%s</small>", fit(cell.behind)) if cell.behind else Markup()
    return filled("%s%s%s", shown, behind, cell.figure) if behind or cell.figure else shown


def statistic_pieces(
    statistics: Mapping[str, Statistic], *, head: bool = True, indent: int = 2
) -> Iterator[Piece]:
    """One row a statistic, and below them a line for each reason why others are undefined.

    Args:
        statistics: By name.
        head: Whether the columns have headings.
        indent: Blanks before it on a terminal.

    Yields:
        The table, where one has a value, and the lines.
    """
    rows = [(name, *statistic_cells(each)) for name, each in statistics.items() if each.value is not None]
    names = ("statistic", "value", "interval", "on", "method") if head else ()
    if rows:
        yield Table(names, rows, words=ENDS, indent=indent)
    reasons: dict[str, list[str]] = {}
    for name, each in statistics.items():
        if each.value is None:
            reasons.setdefault(each.undefined or "no value", []).append(name)
    for why, missing in reasons.items():
        yield f"{' ' * indent}undefined: {', '.join(missing)} ({why})"
