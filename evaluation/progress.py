"""Progress reporting for long work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Progress(Protocol):
    """Progress reporter: receives starts, totals, finished pieces and failed calls."""

    def begin(self, stage: str, total: int) -> None:
        """Begin a stage and end the one before; a total of 0 means that the work is not counted."""

    def advance(self, count: int = 1) -> None:
        """Add to the finished pieces of the stage."""

    def replied(self, tokens: int, unreadable: int, cost: Callable[[], float | None]) -> None:
        """Count the tokens of a verdict, and replies that could not be read.

        ``cost`` returns the US dollars of the tokens; None without a known price. It is called only if costs are shown.
        """

    def failing(self, calls: int, reason: str, wait: float | None) -> None:
        """Count failed calls, with the reason of the last and the seconds until it is retried."""


class Silent:
    """Progress reporter that discards updates."""

    def begin(self, stage: str, total: int) -> None:
        """Discard."""

    def advance(self, count: int = 1) -> None:
        """Discard."""

    def replied(self, tokens: int, unreadable: int, cost: Callable[[], float | None]) -> None:
        """Discard."""

    def failing(self, calls: int, reason: str, wait: float | None) -> None:
        """Discard."""
