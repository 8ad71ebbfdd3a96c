"""Search engines, and pages as an agent reads them: unchanged, Markdown or plain text."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol, TypeAlias

from .html_text import PAGE_SECONDS, ConversionError, html_to_text


class Hit(NamedTuple):
    """Search result; its snippet is the part of the page that matches the query, or empty."""

    title: str
    url: str
    snippet: str


class Page(NamedTuple):
    """Fetched page: address after redirects, source, and whether that is HTML or plain text."""

    url: str
    text: str
    html: bool


class PageError(Exception):
    """Error for a page that cannot be fetched or read; the agent is shown it."""


class SearchEngine(Protocol):
    """Search engine that also fetches pages."""

    blocking: bool
    """True if calls wait for a network or disk, so that they run in a thread."""

    def search(self, query: str, count: int, region: str) -> list[Hit]:
        """Search for at most ``count`` pages.

        ``region`` is the user's region, as in BFCL's function documents: ``wt-wt`` for none.

        Raises:
            ProviderError: The search service failed.
        """
        ...

    def fetch(self, url: str) -> Page:
        """Fetch a page; a `PageError` if that fails."""
        ...


PageMode: TypeAlias = Literal["raw", "markdown", "truncate"]
"""Modes of BFCL's function document; ``truncate`` is plain text without scripts, styles and superfluous space."""

MAX_PAGE_LENGTH = 200_000
"""Page length limit, in characters."""


def shown_page(page: Page, mode: PageMode, seconds: float = PAGE_SECONDS) -> str:
    """Return a page in the requested form, cut off after `MAX_PAGE_LENGTH` characters.

    Raises:
        PageError: Converting it takes longer than ``seconds``.
        MissingExtraError: The library that converts HTML is not installed.
    """
    text = page.text
    if page.html and mode != "raw":
        text = _convert(page, "markdown" if mode == "markdown" else "plain", seconds)
    if len(text) <= MAX_PAGE_LENGTH:
        return text
    return f"{text[:MAX_PAGE_LENGTH]}\n[{len(text) - MAX_PAGE_LENGTH:,} more characters]"


def plain_text(page: Page) -> str:
    """Return a page as plain text; a `PageError` if converting it takes too long."""
    return _convert(page, "plain", PAGE_SECONDS)


def _convert(page: Page, form: str, seconds: float) -> str:
    try:
        return html_to_text(page.text, form, seconds)
    except ConversionError as error:
        raise PageError(f"{error}: {page.url}") from error
