"""Tell a broken setup from a failing agent.

Failures that are alike from the start are kept only once another result has come.
"""

from __future__ import annotations

import re

from ...errors import AgentSetupError
from ...records import Case, ItemKey
from .attempt import MadeOutput
from .kept_attempts import AttemptStore

FIRST_CASES = 8
"""An agent that fails in one way on this many first cases was not set up."""

_VARYING = re.compile(r"""'[^']*'|"[^"]*"|/[^\s:,;)]*|\b0x[0-9a-f]+\b|\d+""", re.IGNORECASE)
_SHOWN = 300


class SetupCheck:
    """An `AttemptStore` that holds failures back until the agent has done anything else.

    Failures that are held are lost with the process, so that the next start makes them again.
    """

    def __init__(self, store: AttemptStore) -> None:
        self.tracked = store.tracked
        self._store = store
        self._waiting: list[MadeOutput] = []
        self._passed = False

    def has(self, key: ItemKey, case: Case) -> bool:
        """Return whether the output exists; see `AttemptStore.has`."""
        return self._store.has(key, case)

    def error_of(self, key: ItemKey) -> str | None:
        """Return the error of an output; see `AttemptStore.error_of`."""
        return self._store.error_of(key)

    def fail(self, key: ItemKey, failure: str, calls: int) -> None:
        """Record an attempt without output; see `AttemptStore.fail`."""
        self._store.fail(key, failure, calls)

    def add(self, made: MadeOutput) -> None:
        """Keep an output, or hold it back.

        Raises:
            AgentSetupError: The agent failed alike on the first cases.
        """
        if self._passed:
            self._store.add(made)
            return
        self._waiting.append(made)
        errors = [each.output.error for each in self._waiting]
        if (
            None in errors
            or len({_alike(error or "", each) for error, each in zip(errors, self._waiting, strict=True)}) > 1
        ):
            self.settle()
        elif len({each.output.case_id for each in self._waiting}) >= FIRST_CASES:
            first = " ".join(str(errors[0]).split())[:_SHOWN]
            raise AgentSetupError(
                f"the agent failed alike on the first {FIRST_CASES} cases, so nothing was kept or graded: {first}; "
                "fix it and rerun, or grade such failures 0 with --keep-crashes"
            )

    def settle(self) -> None:
        """Keep what was held back: the agent works, or there were too few cases to tell."""
        self._passed = True
        waiting, self._waiting = self._waiting, []
        for made in waiting:
            self._store.add(made)


def _alike(error: str, made: MadeOutput) -> str:
    """Strip an error of case-specific parts: numbers, quoted texts, paths and the case's id."""
    case_id = re.compile(rf"(?<!\w){re.escape(made.output.case_id)}(?!\w)")
    return _VARYING.sub("*", case_id.sub("*", error))
