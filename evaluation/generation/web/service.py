"""The web: a search service with JSON replies, such as SearXNG, and pages within `Bounds`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from ....errors import ProviderError, UsageError
from ....judges.loop_thread import run_sync
from .engine import Hit, Page, PageError
from .public_pages import Bounds, fetch

_ADDRESS_KEYS = ("url", "href", "link")
_TITLE_KEYS = ("title", "name")
_SNIPPET_KEYS = ("content", "snippet", "body", "description")
_PLACEHOLDER = re.compile(r"\{(query|count|region)\}")
_MAX_DEPTH = 4
"""Levels of a reply in which the list of results is searched."""


class SearchService:
    """Search engine that asks a service, and fetches pages from the web.

    Args:
        address: A template with ``{query}`` (and ``{count}``, ``{region}`` if the service takes them), or a SearXNG instance's root, whose
            ``/search?format=json`` is asked.
        bounds: Bounds on fetching pages. The service's host, which the user names, may have a private address.

    Raises:
        UsageError: The address is not a web address.
    """

    blocking = True

    def __init__(self, address: str, bounds: Bounds | None = None) -> None:
        try:
            parts = urlsplit(address)
        except ValueError as error:
            raise UsageError(f"the search service's address {address!r} is invalid: {error}") from error
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise UsageError(f"the search service's address begins with http:// or https://, got {address!r}")
        self._template = address
        self._pages = bounds or Bounds()
        self._service = self._pages._replace(allowed={parts.hostname})

    def search(self, query: str, count: int, region: str) -> list[Hit]:
        """Search the web; see `SearchEngine.search`."""
        try:
            reply = run_sync(fetch(self._search_url(query, count, region), self._service))
        except PageError as error:
            raise ProviderError(f"the search service does not answer: {error}") from error
        try:
            content = msgspec.json.decode(reply.text)
        except (msgspec.DecodeError, RecursionError) as error:
            raise ProviderError(f"the search service did not answer with JSON: {error}") from error
        return [_to_hit(row) for row in _results(content, _MAX_DEPTH)][:count]

    def fetch(self, url: str) -> Page:
        """Return a page; see `SearchEngine.fetch`."""
        return run_sync(fetch(url, self._pages))

    def _search_url(self, query: str, count: int, region: str) -> str:
        if "{query}" not in self._template:
            return f"{self._template.rstrip('/')}/search?{urlencode({'q': query, 'format': 'json'})}"
        values = {"query": quote(query, safe=""), "count": str(count), "region": quote(region, safe="")}
        return _PLACEHOLDER.sub(lambda match: values[match[1]], self._template)


def _results(value: Any, depth: int) -> list[dict[str, Any]]:
    """Return the first list of objects with an address, searching at most ``depth`` levels."""
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return [
            row
            for row in items
            if isinstance(row, dict) and _first_text(cast("dict[str, Any]", row), _ADDRESS_KEYS)
        ]
    if not isinstance(value, dict) or depth == 0:
        return []
    for inner_value in cast("dict[str, Any]", value).values():
        rows = _results(inner_value, depth - 1)
        if rows:
            return rows
    return []


def _to_hit(row: Mapping[str, Any]) -> Hit:
    return Hit(
        _first_text(row, _TITLE_KEYS), _first_text(row, _ADDRESS_KEYS), _first_text(row, _SNIPPET_KEYS)
    )


def _first_text(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := row.get(name), str) and value), "")
