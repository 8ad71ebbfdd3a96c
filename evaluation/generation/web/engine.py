"""Search engines, and pages as an agent reads them: unchanged, Markdown or plain text."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol, TypeAlias

from .html_text import PAGE_SECONDS, ConversionError, converted


class Hit(NamedTuple):
    """Search result.

    The snippet is a part of the page that fits the query; empty if there is none.
    """

    title: str
    url: str
    snippet: str


class Page(NamedTuple):
    """Fetched page: address after redirects, source, and whether that is HTML or plain text."""

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
        """Search for at most ``count`` pages.

        ``region`` is the user's region, as in BFCL's function documents: ``wt-wt`` for none.

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


def shown_page(page: Page, mode: PageMode, seconds: float = PAGE_SECONDS) -> str:
    """Return a page in the form that was asked for, no longer than `LONGEST`.

    Raises:
        PageError: Converting it takes longer than ``seconds``.
        MissingExtraError: What converts HTML is not installed.
    """
    text = page.text
    if page.html and mode != "raw":
        text = _converted(page, "markdown" if mode == "markdown" else "plain", seconds)
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n[{len(text) - LONGEST:,} more characters]"


def plain_text(page: Page) -> str:
    """Return the words of a page; a PageError where they cannot be found in time."""
    return _converted(page, "plain", PAGE_SECONDS)


def _converted(page: Page, form: str, seconds: float) -> str:
    try:
        return converted(page.text, form, seconds)
    except ConversionError as error:
        raise PageError(f"{error}: {page.url}") from error
