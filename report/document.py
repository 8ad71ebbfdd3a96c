"""What is to be read, before anybody knows where: blocks that a terminal, a page and a notebook each show in their way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec
from markupsafe import Markup, escape

from .text import visible


class Block(msgspec.Struct, frozen=True):
    """A piece of a document."""


class Heading(Block, frozen=True):
    """A heading; of level 1 there is one a document."""

    text: str
    level: int = 2


class Paragraph(Block, frozen=True):
    """A sentence or several."""

    text: str


class Caution(Block, frozen=True):
    """What a reader must know to read a number: a line, and, where the line is not all of it, the whole."""

    text: str
    whole: str = ""


class Cell(Block, frozen=True):
    """A cell: what it says, and in small what stands behind it."""

    text: str
    behind: str = ""


class Table(Block, frozen=True):
    """A table; the first column names the rows, cells of the others stand to the right unless ``words`` names their column."""

    head: tuple[str, ...]
    rows: Sequence[tuple[str | Cell, ...]]
    caption: str = ""
    words: frozenset[int] = frozenset({0})


class Figure(Block, frozen=True):
    """A drawing, and in words what it shows: for a terminal, and for who does not see it."""

    svg: Markup
    words: str


Document: TypeAlias = Sequence[Block]


def as_lines(document: Document) -> Iterator[str]:
    """A document for a terminal.

    Args:
        document: The blocks.

    Yields:
        Lines of plain text, nothing in them that a terminal obeys.
    """
    for block in document:
        yield from (visible(line) for line in _lines(block))


def _lines(block: Block) -> Iterator[str]:
    if isinstance(block, Heading):
        yield from (block.text, "") if block.level == 1 else (block.text,)
    elif isinstance(block, Paragraph):
        yield block.text
    elif isinstance(block, Caution):
        yield f"note: {block.whole or block.text}"
    elif isinstance(block, Figure):
        yield block.words
    elif isinstance(block, Table):
        yield from _table_lines(block)


def _table_lines(table: Table) -> Iterator[str]:
    if table.caption:
        yield table.caption
    rows = [table.head, *([_plain(cell) for cell in row] for row in table.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.head))]
    for row in rows:
        cells = (
            cell.ljust(width) if column in table.words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield f"  {'  '.join(cells)}".rstrip()


def _plain(cell: str | Cell) -> str:
    # A line break is a name's, and must not make one row look like two.
    text = cell if isinstance(cell, str) else " ".join(filter(None, (cell.text, cell.behind)))
    return text.replace("\n", "\\n")


def as_html(document: Document) -> Markup:
    """A document for a page or a notebook; every text is escaped.

    Args:
        document: The blocks.

    Returns:
        Markup that needs no style of its own to be legible.
    """
    return Markup("\n").join(map(_markup, document))


def _markup(block: Block) -> Markup:
    if isinstance(block, Heading):
        return Markup("<h{0}>{1}</h{0}>").format(block.level, visible(block.text))
    if isinstance(block, Paragraph):
        return Markup("<p>{}</p>").format(visible(block.text))
    if isinstance(block, Caution):
        if not block.whole:
            return Markup('<p class="note">{}</p>').format(visible(block.text))
        shown = (visible(block.text), visible(block.whole))
        return Markup('<details class="note"><summary>{}</summary><p>{}</p></details>').format(*shown)
    if isinstance(block, Figure):
        return Markup('<figure role="img" aria-label="{}">{}</figure>').format(
            visible(block.words), block.svg
        )
    return _table_markup(block) if isinstance(block, Table) else Markup()


def _table_markup(table: Table) -> Markup:
    caption = Markup("<caption>{}</caption>").format(visible(table.caption)) if table.caption else Markup()
    head = Markup().join(
        Markup('<th scope="col"{}>{}</th>').format(_side(table, column), visible(name))
        for column, name in enumerate(table.head)
    )
    rows = Markup("\n").join(Markup("<tr>{}</tr>").format(_row(table, row)) for row in table.rows)
    return Markup("<table>{}<thead><tr>{}</tr></thead>\n<tbody>\n{}\n</tbody></table>").format(
        caption, head, rows
    )


def _row(table: Table, row: tuple[str | Cell, ...]) -> Markup:
    return Markup().join(
        Markup('<th scope="row">{}</th>').format(_content(cell))
        if column == 0
        else Markup("<td{}>{}</td>").format(_side(table, column), _content(cell))
        for column, cell in enumerate(row)
    )


def _side(table: Table, column: int) -> Markup:
    return Markup() if column in table.words else Markup(' class="number" style="text-align: right"')


def _content(cell: str | Cell) -> Markup:
    if isinstance(cell, str):
        return escape(visible(cell))
    behind = Markup(" <small>{}</small>").format(visible(cell.behind)) if cell.behind else Markup()
    return escape(visible(cell.text)) + behind
