"""Attempts of a system at a case, counted where a file repeats rows and does not number them."""

from __future__ import annotations

from collections import Counter


class Trials:
    """Numbers what comes again."""

    def __init__(self) -> None:
        self._seen = Counter[tuple[str, str]]()

    def next(self, case_id: str, system: str) -> int:
        """The number of the next attempt, from 0; a case without an id of its own is attempted once."""
        if not case_id:
            return 0
        self._seen[case_id, system] += 1
        return self._seen[case_id, system] - 1
