"""Documents independent of their medium: pieces for terminal, page, notebook and Markdown.

Every result is shown as a document, a sequence of pieces. `as_lines`, `as_html` and `as_markdown` render one;
`document_parts` has tables, the base class of blocks, and escaping.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeAlias

from markupsafe import Markup

from ..errors import as_named
from .document_parts import NOTHING, Block, escaped, filled, fit, joined
from .text.safe_text import columns_of, visible

if TYPE_CHECKING:
    from .document_parts import DocumentTable

Piece: TypeAlias = Block | str
"""A block, or a paragraph as text.

A terminal keeps leading blanks of paragraphs, and prints an empty one as an empty line; elsewhere an empty one is dropped.
"""

Document: TypeAlias = Iterable[Piece]

P = ParamSpec("P")


def document(pieces: Callable[P, Iterator[Piece]]) -> Callable[P, Sequence[Piece]]:
    """Decorate a generator of pieces to return a list, which can be read more than once."""

    @wraps(pieces)
    def collected(*args: P.args, **kwargs: P.kwargs) -> Sequence[Piece]:
        return list(pieces(*args, **kwargs))

    return collected


def as_lines(document: Document, *, full: bool = False, width: int | None = None) -> Iterator[str]:
    """Yield the lines of a document for a terminal, free of control sequences.

    Args:
        document: The document.
        full: Unfold cautions.
        width: Columns to wrap paragraphs and cautions to; by default they are not wrapped.
    """
    for piece in document:
        lines = [piece] if isinstance(piece, str) else piece.in_full() if full else piece.lines()
        for line in lines:
            # A line break in a name is spelled out, so that one line does not look like two.
            visible_line = as_named(visible(line.replace("\n", "\\n")))
            yield from (
                _wrapped(visible_line, width)
                if width is not None and isinstance(piece, str | CautionLine)
                else [visible_line]
            )


_COMMAND_START = "  fiducial "
"""Beginning of a line with a command to type, which is not wrapped, to be copied whole."""


def _wrapped(line: str, width: int) -> Sequence[str]:
    """Wrap a line at blanks by terminal columns, since East Asian letters take two.

    `textwrap` counts letters. Further lines are indented by two more blanks than the first.
    """
    if columns_of(line) <= width or line.startswith(_COMMAND_START):
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    first_word, *words = _words(line)
    lines = [first_word]
    for word in words:
        longer = f"{lines[-1]} {word}"
        if lines[-1].strip() and columns_of(longer) > width:
            lines.append(indent + word)
        else:
            lines[-1] = longer
    return lines


def _words(line: str) -> list[str]:
    """Split a line at blanks; a command in backticks stays one word, to be copied whole."""
    words: list[str] = []
    in_backticks = False
    for word in line.split(" "):
        if in_backticks:
            words[-1] += f" {word}"
        else:
            words.append(word)
        in_backticks ^= word.count("`") % 2 == 1
    return words if not in_backticks else line.split(" ")  # a backtick without a second one encloses nothing


def as_html(document: Document) -> Markup:
    """Render a document for a page or notebook.

    Every text is escaped, and the result is legible without a style sheet.
    """
    markups = (_paragraph(piece) if isinstance(piece, str) else piece.markup() for piece in document)
    return joined(filter(None, markups), "\n")


def as_markdown(document: Document) -> Iterator[str]:
    """Yield the lines of a document in GitHub Markdown, for a pull request summary.

    Figures are left out, since tables have their numbers.
    """
    for piece in document:
        lines = [escaped(piece)] if isinstance(piece, str) else list(piece.markdown())
        if any(lines):
            yield from lines
            yield ""


def _paragraph(text: str) -> Markup:
    return filled("<p>%s</p>", fit(text.strip())) if text.strip() else NOTHING


class CautionLine(Block, frozen=True):
    """Caution on how to read a number, a line that may unfold to a longer text.

    Attributes:
        text: The line.
        whole: The longer text; empty if it is the same.
        indent: Blanks before it on a terminal.
    """

    text: str
    whole: str = ""
    indent: int = 0

    def lines(self) -> Iterator[str]:
        """Render for a terminal, folded to one line."""
        yield f"{' ' * self.indent}note: {self.text}"

    def in_full(self) -> Iterator[str]:
        """Render for a terminal, unfolded."""
        yield f"{' ' * self.indent}note: {self.whole or self.text}"

    def markup(self) -> Markup:
        """Render as HTML, folded to one line."""
        if self.whole and self.whole != self.text:
            return _folded("note", self.text, [self.whole])
        return Markup('<p class="note">{}</p>').format(fit(self.text))

    def markdown(self) -> Iterator[str]:
        """Yield Markdown, set apart as a quotation."""
        yield f"> {escaped(self.text)}"


class CommandLine(Block, frozen=True):
    """Command to type, on a line of its own that is never wrapped."""

    text: str

    def lines(self) -> Iterator[str]:
        """Render for a terminal, on a line of its own."""
        yield f"  {self.text}"

    def markup(self) -> Markup:
        """Render as HTML."""
        return Markup("<p><code>{}</code></p>").format(fit(self.text))

    def markdown(self) -> Iterator[str]:
        """Yield a Markdown code block that no content can close."""
        yield f"<code>{escaped(self.text)}</code>"


class Details(Block, frozen=True):
    """Details that a reader may skip: folded on a page, left out on a terminal.

    Attributes:
        title: Title, shown while folded.
        pieces: The details.
        is_open: Whether a page shows them unfolded at first.
    """

    title: str
    pieces: Sequence[Piece]
    is_open: bool = False

    def markup(self) -> Markup:
        """Render as HTML, folded to the title unless it is open from the start."""
        return _folded("slice", self.title, self.pieces, is_open=self.is_open)

    def markdown(self) -> Iterator[str]:
        """Yield Markdown, folded to the title."""
        yield f"<details><summary>{escaped(self.title)}</summary>"
        yield ""
        yield from as_markdown(self.pieces)
        yield "</details>"


TextRole: TypeAlias = Literal["text", "user", "agent", "result", "cited"]
"""Who wrote a verbatim text, or that it is a cited reference; it sets the style on a page."""


class Verbatim(Block, frozen=True):
    """Text of the data under a title: lines are kept, and no markup in it takes effect.

    Attributes:
        title: Its title.
        text: The text, already cut to size.
        hidden: Number of characters that were cut.
        role: Style on a page: who wrote the text, or that it is a reference.
    """

    title: str
    text: str
    hidden: int = 0
    role: TextRole = "text"

    def lines(self) -> Iterator[str]:
        """Render for a terminal, line by line."""
        yield f"{self.title}:"
        yield from (f"  {line}" for line in self.text.splitlines())
        if self.hidden:
            yield f"  {self._cut_note}"

    def markup(self) -> Markup:
        """Render as HTML."""
        cut = filled('<p class="cut">%s</p>', self._cut_note) if self.hidden else NOTHING
        block = '<section class="block %s"><h4>%s</h4><pre dir="auto">%s</pre>%s</section>'
        return filled(block, self.role, fit(self.title), fit(self.text), cut)

    @property
    def _cut_note(self) -> str:
        return f"{self.hidden:,} more characters are not shown here; the records hold them."


class Picture(Block, frozen=True):
    """Image on a page, whose Content-Security-Policy lets it load only ``data:`` addresses.

    Attributes:
        title: Text in its place, on a terminal too.
        address: A ``data:`` address of an image; see `items.pictures`.
    """

    title: str
    address: str

    def lines(self) -> Iterator[str]:
        """Render for a terminal: its title."""
        yield self.title

    def markup(self) -> Markup:
        """Render as HTML."""
        return filled('<p><img alt="%s" src="%s"></p>', fit(self.title), self.address)


class Card(Block, frozen=True):
    """Titled box of pieces.

    Attributes:
        title: Its title.
        pieces: Its content.
        about: Smaller text below the title.
    """

    title: str
    pieces: Sequence[Piece]
    about: str = ""

    def lines(self) -> Iterator[str]:
        """Render for a terminal: the title, then the pieces, indented."""
        yield f"  {self.title}{self.about and f' ({self.about})'}"
        yield from (f"    {line}" for line in as_lines(self.pieces))

    def markup(self) -> Markup:
        """Render as HTML."""
        about = filled("<small>%s</small>", fit(self.about)) if self.about else NOTHING
        box = '<section class="card"><h3>%s%s</h3>%s</section>'
        return filled(box, fit(self.title), about, as_html(self.pieces))

    def markdown(self) -> Iterator[str]:
        """Yield Markdown: the title in bold, then the pieces."""
        yield f"**{escaped(self.title)}**"
        yield ""
        yield from as_markdown(self.pieces)


class Columns(Block, frozen=True):
    """Blocks shown side by side on a page that is wide enough."""

    pieces: Sequence[Piece]

    def lines(self) -> Iterator[str]:
        """Render for a terminal, one block below the other."""
        return as_lines(self.pieces)

    def markup(self) -> Markup:
        """Render as HTML."""
        return Markup('<div class="columns">{}</div>').format(as_html(self.pieces))

    def markdown(self) -> Iterator[str]:
        """Yield Markdown, one block below the other."""
        return as_markdown(self.pieces)


def _folded(kind: str, title: str, pieces: Document, *, is_open: bool = False) -> Markup:
    state = Markup(" open") if is_open else NOTHING
    block = '<details class="%s"%s><summary>%s</summary>%s</details>'
    return filled(block, kind, state, fit(title), as_html(pieces))


class Figure(Block, frozen=True):
    """Figure as SVG, with a text for where it cannot be shown.

    A terminal shows its words, or nothing if the document has a table of the same numbers.

    Attributes:
        svg: With title and description, see `figures.drawing.svg`.
        words: Its content in words, for a terminal.
        caption: Text above it.
        numbers: Its numbers as a table, folded below it, or None if the document has such a table.
    """

    svg: Markup
    words: str = ""
    caption: str = ""
    numbers: DocumentTable | None = None

    def lines(self) -> Iterator[str]:
        """Render the figure's words for a terminal."""
        if self.words:
            yield self.words

    def markup(self) -> Markup:
        """Render as HTML."""
        caption = Markup("<figcaption>{}</figcaption>").format(fit(self.caption)) if self.caption else ""
        numbers_table = "" if self.numbers is None else _folded("behind", "Numbers", [self.numbers])
        return Markup('<figure class="card">{}{}{}</figure>').format(caption, self.svg, numbers_table)

    def markdown(self) -> Iterator[str]:
        """Yield its numbers as Markdown, unless the document has a table of them."""
        return iter(()) if self.numbers is None else self.numbers.markdown()
