"""How a long piece of work says how far it is, without knowing whether anyone looks."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told what begins, how much of it there is, and each piece that is done."""

    def begin(self, what: str, total: int) -> None:
        """A piece of work begins; the one before it is over."""

    def advance(self, count: int = 1) -> None:
        """So many more are done."""


class Silent:
    """A progress that nobody sees."""

    def begin(self, what: str, total: int) -> None:
        """Say nothing."""

    def advance(self, count: int = 1) -> None:
        """Say nothing."""
