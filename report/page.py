"""Parts that all pages share: templates, styles, scripts, security policy, `ResultPage`.

The policy keeps a browser from loading or running anything but the page's own style and script. `document_page` writes
the page of a result, `page_cell` shows it in a notebook; reports of runs are in `html`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup
from msgspec.structs import replace

from ..records import InputPath, atomic_write
from .document import Card, Columns, Details, Document, Figure, Piece, as_html
from .document_parts import FIRST, Cell, DocumentTable, fit
from .figures.drawing import figure_styles, lean
from .text import number_text

_TEMPLATES = files(f"{__package__}") / "templates"


@cache
def _asset(*names: str) -> Markup:
    return Markup("\n".join(map(_file, names)))  # noqa: S704 - shipped with the package


@cache
def _figure_styles() -> Markup:
    return Markup(figure_styles())  # noqa: S704 - made of the package's own table of shapes


def _file(name: str) -> str:
    text = (_TEMPLATES / name).read_text("utf-8")
    return text if name.endswith(".j2") else "\n".join(_kept_lines(text))


def _kept_lines(text: str) -> Iterator[str]:
    """Yield the lines of a style or script without indentation and comments, for smaller pages."""
    for line in map(str.strip, text.splitlines()):
        if line and not line.startswith("//") and not (line.startswith("/*") and line.endswith("*/")):
            yield line


_FILTERS: Mapping[str, Callable[..., str]] = {
    "count": number_text.count,
    "counted": number_text.counted,
    "moment": number_text.moment,
    "outcomes": number_text.outcomes,
}


@cache
def templates() -> jinja2.Environment:
    """Return the environment of our templates, which are compiled once per process.

    Values are escaped, cut and made safe to display, unless they are markup.
    """
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_fit_text,
    )
    environment.filters.update(_FILTERS)
    return environment


def _fit_text(value: object) -> object:
    return fit(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def rendered(template: str, styles: Sequence[str], scripts: Sequence[str] = (), **values: Any) -> str:
    """Render a page with its style, script and policy.

    It contains no lone surrogates, so that it can be written as UTF-8.

    Args:
        template: Name of the template.
        styles: Names of style sheets.
        scripts: Names of scripts.
        **values: Values for the template.
    """
    style, script = Markup("\n").join([_figure_styles(), _asset(*styles)]), _asset(*scripts)
    policy = _policy(style, script)
    page = templates().get_template(template).render(style=style, script=script, policy=policy, **values)
    return lean(page)


def write_page(path: InputPath, page: str) -> None:
    """Write a page to a file, which appears only when it is complete.

    Raises:
        InputError: It cannot be written.
    """
    with atomic_write(path) as file:
        file.write(page.encode("utf-8"))


class ResultPage(msgspec.Struct, frozen=True, kw_only=True):
    """Page of one result: the answer, its figures, then its tables and further sections.

    Attributes:
        title: Title next to the product's name.
        about: Line below it, such as time and sample size.
        answer: Sentences and tables; the first sentence is the headline if there are sections.
        figures: Figures above the first table of the answer.
        cards: Cards above the figures.
        sections: Further documents by heading, which the page's navigation lists; empty ones are left out.
    """

    title: str
    answer: Document
    about: str = ""
    figures: Sequence[Figure] = ()
    cards: Sequence[Card] = ()
    sections: Mapping[str, Document] = {}


def document_page(path: Path, page: ResultPage) -> Path:
    """Write a result's page, which has no script, and return the file.

    Raises:
        InputError: The file cannot be written.
    """
    pieces = answer_pieces(page)
    sections = {name: shown for name, section in page.sections.items() if (shown := as_html(list(section)))}
    headline = pieces.pop(0) if sections and pieces and isinstance(pieces[0], str) else ""
    text = rendered(
        "document.html.j2",
        ["report.css", "items.css"],
        title=page.title,
        about=page.about,
        headline=headline,
        shown=as_html(pieces),
        sections=sections,
    )
    write_page(path, text)
    return path


def answer_pieces(page: ResultPage) -> list[Piece]:
    """Return a page's answer with cards and figures above its first table."""
    pieces = [
        _without_plots(piece) if page.figures and isinstance(piece, DocumentTable) else piece
        for piece in page.answer
        if piece != ""
    ]
    first_table_index = next(
        (n for n, piece in enumerate(pieces) if isinstance(piece, DocumentTable)), len(pieces)
    )
    # Cards are inserted last, and so come first.
    if page.figures:
        pieces.insert(first_table_index, Columns(page.figures))
    if page.cards:
        pieces.insert(first_table_index, Columns(page.cards))
    return pieces


def notebook_cell(document: Document) -> str:
    """Render a document for a notebook's cell, in the notebook's colours."""
    style = Markup("<style>{}</style>").format(_asset("notebook.css"))
    return f'<div class="fiducial-result">{style}{as_html(document)}</div>'


def page_cell(page: ResultPage) -> str:
    """Render a result's page for a notebook's cell: the answer, with all sections folded."""
    folded = [Details(name, pieces) for name, section in page.sections.items() if (pieces := list(section))]
    return notebook_cell([*answer_pieces(page), *folded])


def _without_plots(table: DocumentTable) -> DocumentTable:
    """Remove columns of plots from a table, since a figure above shows the same rates."""
    plot_columns = {
        column
        for row in table.rows
        for column, cell in enumerate(row)
        if isinstance(cell, Cell) and cell.figure
    }
    if not plot_columns:
        return table

    def without_plots(row: Sequence[str | Cell]) -> list[str | Cell]:
        return [cell for column, cell in enumerate(row) if column not in plot_columns]

    return replace(
        table, head=without_plots(table.head), rows=list(map(without_plots, table.rows)), left_aligned=FIRST
    )


def _policy(style: Markup, script: Markup) -> str:
    """Return the Content-Security-Policy: load nothing, and run only our style and script.

    These are identified by their hashes; images may only be in the page itself.
    """
    return (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
