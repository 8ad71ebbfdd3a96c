"""What a web world is given: who searches, and who fetches pages."""

from __future__ import annotations

from typing import NamedTuple, Protocol


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
        """Fetch a page.

        Raises:
            PageError: It cannot be had.
        """
        ...
