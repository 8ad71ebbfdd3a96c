"""Who searches the web and fetches pages, and pages as an agent reads them: as they are, as Markdown, or as bare text."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol, TypeAlias

from ....errors import MissingExtraError


class Hit(NamedTuple):
    """One search result. The snippet is a part of the page that fits the query; empty where there is none."""

    title: str
    url: str
    snippet: str


class Page(NamedTuple):
    """A page as it came: where it is, after redirects, its source, and whether that is HTML; else it is text already."""

    url: str
    text: str
    html: bool


class PageError(Exception):
    """A page cannot be had, as a browser would say: an agent is told, and goes on."""


class SearchEngine(Protocol):
    """Searches, and fetches what it found."""

    blocking: bool
    """Whether that takes time."""

    def search(self, query: str, count: int, region: str) -> list[Hit]:
        """Look for pages, so many at most; ``region`` is where the asker is, as BFCL's function documents have it: ``wt-wt`` for nowhere.

        Raises:
            ProviderError: The search service does not answer: nothing of the agent's.
        """
        ...

    def fetch(self, url: str) -> Page:
        """Fetch a page; a PageError where it cannot be had."""
        ...


PageMode: TypeAlias = Literal["raw", "markdown", "truncate"]
"""As BFCL's function document names them: ``truncate`` is the text without scripts, styles and needless space."""

LONGEST = 200_000
"""Characters of a page that an agent is shown."""


def shown_page(page: Page, mode: PageMode) -> str:
    """A page in the form that was asked for, no longer than `LONGEST`; a MissingExtraError where what converts HTML is not installed."""
    text = page.text
    if page.html and mode != "raw":
        text = _converted(text, "markdown" if mode == "markdown" else "plain")
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n[{len(text) - LONGEST:,} more characters]"


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
