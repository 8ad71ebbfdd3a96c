"""Base class of document pieces: render to a terminal, an HTML page and Markdown."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from markupsafe import Markup

from .markdown import escaped


class Block(msgspec.Struct, frozen=True):
    """A piece of a document that is more than a paragraph, which is a plain text."""

    def lines(self) -> Iterator[str]:
        """Render for a terminal."""
        yield from ()

    def in_full(self) -> Iterator[str]:
        """Render in full for a terminal."""
        return self.lines()

    def markup(self) -> Markup:
        """Render as HTML; every text is escaped."""
        return Markup()

    def markdown(self) -> Iterator[str]:
        """Yield lines of GitHub Markdown; every text is escaped."""
        return map(escaped, self.lines())
