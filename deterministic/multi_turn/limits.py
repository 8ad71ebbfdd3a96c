"""How much of one output is executed before it is given up as graded 0: an output is written by nobody we trust."""

from __future__ import annotations

MAX_CALLS = 5_000
"""Calls of one output. The original's harness stops a turn after 21 steps; real outputs have some tens of calls."""

MAX_RESULT_CHARACTERS = 20_000_000
"""Characters of all result texts of one output together; the longest results of the built-in worlds have about 80,000."""


class LimitExceededError(Exception):
    """An output asks for more than any real one."""


class Allowance:
    """What is left of the limits of one output."""

    def __init__(self) -> None:
        self._calls = MAX_CALLS
        self._characters = MAX_RESULT_CHARACTERS

    def spend(self, result: str) -> str:
        """Count one executed call and its result.

        Args:
            result: The result text.

        Returns:
            The same text.

        Raises:
            LimitExceededError: That was one too many.
        """
        self._calls -= 1
        self._characters -= len(result)
        if self._calls < 0:
            raise LimitExceededError(f"more than {MAX_CALLS} calls")
        if self._characters < 0:
            raise LimitExceededError(f"more than {MAX_RESULT_CHARACTERS} characters of results")
        return result
