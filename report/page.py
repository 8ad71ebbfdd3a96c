"""What the pages share: our own files, and the policy by which a browser runs nothing else."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path

import jinja2
from markupsafe import Markup

from ..records import atomic_write
from .document import Document, as_html
from .markup import fit

_TEMPLATES = files(f"{__package__}") / "templates"


@cache
def asset(*names: str) -> Markup:
    """Files of ours, one after another, as markup that is not escaped."""
    return Markup("\n".join(template(name) for name in names))  # noqa: S704 - shipped with the package


def template(name: str) -> str:
    """The text of one of our files."""
    return (_TEMPLATES / name).read_text("utf-8")


def document_page(path: Path, title: str, document: Document) -> Path:
    """Write a document as a page by itself, which runs no script.

    Args:
        path: The file, which appears only when it is complete.
        title: Of the page.
        document: What it shows.

    Returns:
        The file.

    Raises:
        InputError: It cannot be written.
    """
    style = asset("report.css")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    page = environment.from_string(template("document.html.j2")).render(
        title=fit(title), shown=as_html(document), style=style, policy=policy(style, Markup())
    )
    with atomic_write(path) as file:
        file.write(page.encode("utf-8"))
    return path


def policy(style: Markup, script: Markup) -> str:
    """The Content-Security-Policy: nothing is loaded, and only our own style and script run, known by their hashes."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
