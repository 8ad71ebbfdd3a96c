"""WebSearchAPI: search and read the web, with the methods of BFCL's function documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any, ClassVar, get_args

from ....errors import UsageError
from ....spelling import setting
from .engine import PageError, PageMode, SearchEngine, shown_page
from .html_text import PAGE_SECONDS

MAX_RESULTS = 50
"""Maximum number of results that an agent can ask for."""

_FAILURES = (
    "403 Client Error: Forbidden for url: {url}",
    "503 Server Error: Service Unavailable for url: {url}",
    "429 Client Error: Too Many Requests for url: {url}",
    "ConnectTimeout: HTTPSConnectionPool: connection to {url} timed out",
    "ReadTimeout: reading from {url} timed out",
)
"""Errors for simulated failures, in the words of a fetching library."""


class WebSearch:
    """Environment with BFCL's web tools; `web_world` makes a subclass with a search engine."""

    engine: ClassVar[SearchEngine]
    blocking: ClassVar[bool] = True

    def load(self, config: Mapping[str, Any]) -> None:
        """Set the initial state.

        Args:
            config: ``show_snippet`` (default true), ``failure_rate`` (share of fetches that fail, default 0), and the ``seed`` that decides
                which fail (default 0).

        Raises:
            TypeError: A value has another type.
            ValueError: The rate is not a share.
        """
        snippet, rate = config.get("show_snippet", True), config.get("failure_rate", 0)
        if not isinstance(snippet, bool) or isinstance(rate, bool) or not isinstance(rate, (int, float)):
            raise TypeError("expected show_snippet as a boolean and failure_rate as a number")
        if not 0 <= rate <= 1:
            raise ValueError(f"failure_rate is a share between 0 and 1, got {rate}")
        self._shows_snippets = snippet
        self._failure_rate = rate
        self._chance = Random(f"{config.get('seed', 0)}")  # noqa: S311 - which fetches fail, not a secret

    def state(self) -> dict[str, Any]:
        """Return an empty state, since the web is shared."""
        return {}

    def search_engine_query(
        self, keywords: str, max_results: int = 10, region: str = "wt-wt"
    ) -> list[dict[str, str]] | dict[str, str]:
        """Search for pages with title, address and, unless the scenario omits it, a snippet."""
        count = max(1, min(int(max_results), MAX_RESULTS))
        hits = self.engine.search(str(keywords), count, str(region))
        if not hits:
            return {"error": "No results found."}
        return [
            {"title": hit.title, "href": hit.url} | ({"body": hit.snippet} if self._shows_snippets else {})
            for hit in hits
        ]

    def duckduckgo_search(
        self, keywords: str, max_results: int = 10, region: str = "wt-wt"
    ) -> list[dict[str, str]] | dict[str, str]:
        """Search for pages; earlier function documents of BFCL call the tool by this name."""
        return self.search_engine_query(keywords, max_results, region)

    def fetch_url_content(self, url: str, mode: str = "raw") -> dict[str, str]:
        """Read a page."""
        if mode not in get_args(PageMode):
            return {"error": f"Unsupported mode: {mode}"}
        if not str(url).startswith(("http://", "https://")):
            return {"error": f"Invalid URL: {url}"}
        if self._chance.random() < self._failure_rate:
            return {"error": self._chance.choice(_FAILURES).format(url=url)}
        deadline = monotonic() + PAGE_SECONDS  # for fetching and converting together
        try:
            page = self.engine.fetch(str(url))
            return {"content": shown_page(page, mode, deadline - monotonic())}  # pyright: ignore[reportArgumentType] - checked above
        except PageError as error:
            return {"error": str(error)}


def web_world(engine: SearchEngine) -> type[WebSearch]:
    """Return the environment class for a search engine."""
    return type("WebSearchAPI", (WebSearch,), {"engine": engine, "blocking": engine.blocking})


def search_engine(where: str) -> SearchEngine:
    """Return the search engine for a user's setting.

    Raises:
        InputError: The corpus cannot be used.
        UsageError: The setting is neither a corpus nor an address.
    """
    from .corpus import Corpus  # noqa: PLC0415 - with a service no corpus is read
    from .service import SearchService  # noqa: PLC0415 - a corpus needs no service

    if "://" in where:
        return SearchService(where)
    if not Path(where).exists():
        raise UsageError(
            f"{setting('search')}: expected a corpus that exists or an address of the web, got {where!r}"
        )
    return Corpus(Path(where))
