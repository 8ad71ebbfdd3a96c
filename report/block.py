"""A piece of a document, whatever it shows: how it is read on a terminal, on a page and in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from markupsafe import Markup

from .markdown import escaped


class Block(msgspec.Struct, frozen=True):
    """A piece of a document that is more than a paragraph, which is a plain text."""

    def lines(self) -> Iterator[str]:
        """It on a terminal."""
        yield from ()

    def in_full(self) -> Iterator[str]:
        """It on a terminal, for who wants to read all of it."""
        return self.lines()

    def markup(self) -> Markup:
        """It on a page; every text is escaped."""
        return Markup()

    def markdown(self) -> Iterator[str]:
        """It in GitHub's Markdown, a line each; every text is escaped."""
        return map(escaped, self.lines())
