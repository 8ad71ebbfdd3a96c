"""Rounds of labels in words: how often an interval for one look may have been looked at."""

from __future__ import annotations

from collections.abc import Iterator

from ...spelling import command


def looks_of(rounds: int, folder: object) -> Iterator[str]:
    """Yield what several rounds of labels of a folder mean for intervals."""
    if rounds > 1:
        yield (
            f"labels came in {rounds:,} rounds: an interval looked at after each may be wrong more often than it says; "
            f"`{command('estimate', folder, anytime=True)}` holds at every look"
        )
