"""How much of one output is executed before it is given up as graded 0: an output is written by nobody we trust."""

from __future__ import annotations

MAX_CALLS = 2_000
"""Calls of one output. The original's harness stops a turn after 21 steps; real outputs have some tens of calls."""

MAX_CALL_CHARACTERS = 1_000_000
"""Characters of all call texts of one output together."""

MAX_RESULT_CHARACTERS = 20_000_000
"""Characters of all result texts of one output together; the longest results of the built-in worlds have about 80,000."""


class LimitExceededError(Exception):
    """An output asks for more than any real one."""


class Allowance:
    """What is left of the limits of one output."""

    def __init__(self) -> None:
        self._left = {
            "calls": MAX_CALLS,
            "characters of calls": MAX_CALL_CHARACTERS,
            "characters of results": MAX_RESULT_CHARACTERS,
        }

    def spend(self, call: str, result: str) -> str:
        """Count one executed call and its result.

        Args:
            call: The call text.
            result: The result text.

        Returns:
            The result text.

        Raises:
            LimitExceededError: That was one too many.
        """
        for what, amount in zip(self._left, (1, len(call), len(result)), strict=True):
            self._left[what] -= amount
            if self._left[what] < 0:
                raise LimitExceededError(f"the output has more {what} than are executed")
        return result
