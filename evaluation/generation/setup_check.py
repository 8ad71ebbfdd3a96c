"""Distinction of a broken setup from a failing agent.

If all first attempts fail alike, their outputs are saved only after a different result.
"""

from __future__ import annotations

import re

from ...errors import AgentSetupError
from ...records import Case, ItemKey
from ...spelling import flag
from .attempt import MadeOutput
from .attempt_store import AttemptStore

FIRST_CASES = 8
"""Number of first cases after which equal failures count as a broken setup."""

_VARIABLE_PARTS = re.compile(r"""'[^']*'|"[^"]*"|/[^\s:,;)]*|\b0x[0-9a-f]+\b|\d+""", re.IGNORECASE)
_MAX_ERROR_CHARS = 300


class SetupCheck:
    """An `AttemptStore` that holds back equal failures from the start until a different result.

    Outputs that are held back are not saved, so the next start makes these attempts again.
    """

    def __init__(self, store: AttemptStore) -> None:
        self.tracked = store.tracked
        self._store = store
        self._held_back: list[MadeOutput] = []
        self._setup_works = False

    def has(self, key: ItemKey, case: Case) -> bool:
        """Return whether the output exists; see `AttemptStore.has`."""
        return self._store.has(key, case)

    def error_of(self, key: ItemKey) -> str | None:
        """Return the error of an output; see `AttemptStore.error_of`."""
        return self._store.error_of(key)

    def fail(self, key: ItemKey, failure: str, calls: int) -> None:
        """Record an attempt without output; see `AttemptStore.fail`."""
        self._store.fail(key, failure, calls)

    def add(self, made_output: MadeOutput) -> None:
        """Save an output, or hold it back.

        Raises:
            AgentSetupError: The agent failed alike on the first cases.
        """
        if self._setup_works:
            self._store.add(made_output)
            return
        self._held_back.append(made_output)
        error_patterns = {_error_pattern(output) for output in self._held_back}
        # A success, or two kinds of failure, show that the agent runs at all.
        if made_output.output.error is None or len(error_patterns) > 1:
            self.settle()
        elif len({output.output.case_id for output in self._held_back}) >= FIRST_CASES:
            first = " ".join(str(self._held_back[0].output.error).split())[:_MAX_ERROR_CHARS]
            raise AgentSetupError(
                f"the agent failed alike on the first {FIRST_CASES} cases, so nothing was kept or graded: {first}; fix it and rerun, or grade such failures 0 with {flag('keep_crashes')}"
            ) from self._held_back[0].attempt.crash

    def settle(self) -> None:
        """Save the outputs held back: the agent works, or there were too few cases to tell."""
        self._setup_works = True
        held_back, self._held_back = self._held_back, []
        for made_output in held_back:
            self._store.add(made_output)


def _error_pattern(made_output: MadeOutput) -> str:
    """Return an output's error without variable parts: numbers, quotes, paths, the case's id."""
    error = made_output.output.error or ""
    case_id = re.compile(rf"(?<!\w){re.escape(made_output.output.case_id)}(?!\w)")
    return _VARIABLE_PARTS.sub("*", case_id.sub("*", error))
