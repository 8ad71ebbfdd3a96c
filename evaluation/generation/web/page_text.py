"""HTML as an agent reads it: as it is, as Markdown, or as bare text."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ....errors import MissingExtraError
from .engine import Page

PageMode: TypeAlias = Literal["raw", "markdown", "truncate"]
"""As BFCL's function document names them: ``truncate`` is the text without scripts, styles and needless space."""

LONGEST = 200_000
"""Characters of a page that an agent is shown."""


def shown_page(page: Page, mode: PageMode) -> str:
    """A page in the form that was asked for, no longer than `LONGEST`.

    Raises:
        MissingExtraError: It is HTML, is asked for in another form, and the extra that converts it is not installed.
    """
    text = (
        page.text
        if mode == "raw" or not page.html
        else (markdown if mode == "markdown" else plain_text)(page.text)
    )
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n[{len(text) - LONGEST:,} more characters]"


def markdown(html: str) -> str:
    """HTML as Markdown, without its metadata."""
    return _converted(html, "markdown")


def plain_text(html: str) -> str:
    """The words of a page."""
    return _converted(html, "plain")


def _converted(html: str, form: str) -> str:
    try:
        from html_to_markdown import ConversionOptions, convert  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("web", "reading HTML pages") from error
    options = ConversionOptions(output_format=form, extract_metadata=False, autolinks=False)
    return (convert(html, options).content or "").strip()
