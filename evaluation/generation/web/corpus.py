"""Offline web: pages from JSON Lines or a folder, ranked by BM25.

The same query finds the same pages on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import msgspec

from ....errors import InputError
from ....records import read_numbered
from ....records.case import Record
from ..bm25 import Ranking
from .engine import Hit, Page, PageError, plain_text

_WORD = re.compile(r"\w+")
_SNIPPET_WORDS = 40
"""Number of words of the passage that is shown of a page."""
_MAX_TITLE_LENGTH = 200
_IS_HTML_BY_SUFFIX = {".html": True, ".htm": True, ".md": False, ".txt": False}
"""Suffixes of files that are pages, and whether these are HTML."""
_MAX_FILE_BYTES = 8 << 20


class CorpusPage(Record, frozen=True, kw_only=True):
    """A line of a corpus: ``text``, or ``html``."""

    url: str
    title: str = ""
    text: str | None = None
    html: str | None = None


class Corpus:
    """Pages of a file or folder.

    Args:
        path: JSON Lines (``url``, ``title``, and ``text`` or ``html``), or a folder of .html, .md and .txt files, whose addresses are
            ``https://`` and their paths in it.

    Raises:
        InputError: There are no pages, two have one address, or a line is not a page.
    """

    blocking = True

    def __init__(self, path: Path) -> None:
        self._pages: dict[str, CorpusPage] = {}
        for page, where, line in _pages_in(path):
            if page.url in self._pages:
                raise InputError(f"{page.url!r} occurs twice", path=where, line=line, field="url")
            self._pages[page.url] = page
        if not self._pages:
            raise InputError("holds no page: expected JSON Lines, or .html, .md and .txt files", path=path)

    def search(self, query: str, count: int, region: str) -> list[Hit]:
        """Return the best pages by BM25, without those that share no word with the query.

        See `SearchEngine.search`.
        """
        del region
        words = _words(query)
        scores = self._ranking.scores(words)
        best = sorted(range(len(scores)), key=lambda number: -scores[number])[: max(0, count)]
        pages = list(self._pages.values())
        return [_to_hit(pages[number], set(words)) for number in best if scores[number] > 0]

    def fetch(self, url: str) -> Page:
        """Return a page; see `SearchEngine.fetch`."""
        page = self._pages.get(url) or self._pages.get(url.rstrip("/"))  # an agent may add a slash
        if page is None:
            raise PageError(f"404 Client Error: Not Found for url: {url}")
        return Page(page.url, page.html if page.html is not None else page.text or "", page.html is not None)

    @cached_property
    def _ranking(self) -> Ranking:
        return Ranking([_words(f"{page.title} {_text_of_page(page)}") for page in self._pages.values()])


def _pages_in(path: Path) -> Iterator[tuple[CorpusPage, Path, int | None]]:
    if path.is_dir():
        for file in sorted(path.rglob("*")):  # in the same order on every machine
            if file.suffix.lower() in _IS_HTML_BY_SUFFIX and file.is_file() and not file.is_symlink():
                yield _page_of(file, path), file, None
        return
    for line, page in read_numbered(path, CorpusPage):
        if (page.text is None) == (page.html is None):
            raise InputError("expected text, or html", path=path, line=line, field="text")
        yield page, path, line


def _page_of(file: Path, folder: Path) -> CorpusPage:
    if file.stat().st_size > _MAX_FILE_BYTES:
        raise InputError(f"is larger than {_MAX_FILE_BYTES >> 20} MiB", path=file)
    source = file.read_text(encoding="utf-8", errors="replace")
    url = f"https://{file.relative_to(folder).as_posix()}"
    html = _IS_HTML_BY_SUFFIX[file.suffix.lower()]
    page = CorpusPage(url=url, html=source) if html else CorpusPage(url=url, text=source)
    return msgspec.structs.replace(page, title=_title_of(page) or file.stem.replace("_", " "))


def _title_of(page: CorpusPage) -> str:
    first_line = next((line for line in _text_of_page(page).splitlines() if line.strip()), "")
    return first_line.strip("# \t")[:_MAX_TITLE_LENGTH]


def _text_of_page(page: CorpusPage) -> str:
    """Return the words of a page; empty if it cannot be converted."""
    if page.html is None:
        return page.text or ""
    try:
        return plain_text(Page(page.url, page.html, html=True))
    except PageError:
        return ""


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _to_hit(page: CorpusPage, query_words: set[str]) -> Hit:
    """Return the page as a hit, with the passage that contains most of the query's words."""
    words = _text_of_page(page).split()
    matches = [int(bool(query_words & set(_words(word)))) for word in words]
    # A window of the snippet's length slides over the words.
    best_end, most_matches, in_window = 0, -1, 0
    for end, match in enumerate(matches):
        in_window += match - (matches[end - _SNIPPET_WORDS] if end >= _SNIPPET_WORDS else 0)
        if in_window > most_matches:
            best_end, most_matches = end, in_window
    start = max(0, best_end - _SNIPPET_WORDS + 1)
    return Hit(page.title, page.url, " ".join(words[start : start + _SNIPPET_WORDS]))
