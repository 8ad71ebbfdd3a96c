"""Generation phase: make the remaining attempts in parallel, and save them as they come."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from copy import copy

import msgspec

from ...errors import ProviderError
from ...judges.transport.exchange import CallError
from ...records import Case, CaseIndex, ItemKey
from ..progress import Progress
from .attempt import Agent, Made, NoOutputError, Took, within_line_limit
from .kept_attempts import AttemptStore

_HOPELESS = 8
"""Equal failures that no retry can fix, without any output, after which the rest is not tried."""


class GenerationTally(msgspec.Struct, kw_only=True):
    """Counts of a generation.

    Attributes:
        wanted: Cases by trials.
        kept: Outputs that were there before.
        made: Outputs that were made now.
        crashes: Errors of the system's own that outputs ended with, those made before included.
        stopped: How many of these were ended before their end, by why.
        passed_over: Attempts for which the agent is not made, by why.
        failures: Attempts that came to no output, by why.
        not_tried: Attempts that were not begun, since nothing but the same failure came.
        tracked: Whether outputs that were there before are known to be of the agent's code as it is now.
        calls: HTTP calls, those of conversations that come before cases among them, and those of attempts that came to no output.
        prompt_tokens: Prompt tokens of new replies, as counted by the endpoint.
        completion_tokens: Completion tokens of the same replies.
        user_calls: HTTP calls to the model that plays users.
        user_prompt_tokens: Prompt tokens of new replies, as counted by the endpoint.
        user_completion_tokens: Completion tokens of the same replies.
    """

    wanted: int = 0
    kept: int = 0
    made: int = 0
    crashes: Counter[str] = msgspec.field(default_factory=Counter[str])
    stopped: Counter[str] = msgspec.field(default_factory=Counter[str])
    passed_over: Counter[str] = msgspec.field(default_factory=Counter[str])
    failures: Counter[str] = msgspec.field(default_factory=Counter[str])
    not_tried: int = 0
    tracked: bool = True
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    user_calls: int = 0
    user_prompt_tokens: int = 0
    user_completion_tokens: int = 0

    @property
    def errors(self) -> int:
        """Outputs that ended with an error of the system's own."""
        return self.crashes.total()

    @property
    def without_output(self) -> int:
        """Attempts that the same command would make again."""
        return sum(self.failures.values()) + self.not_tried

    def add(self, made: Made) -> None:
        """Count an output."""
        self.made += 1
        if made.output.error is not None:
            self.crashes[made.output.error] += 1
        if made.attempt.stopped is not None:
            self.stopped[made.attempt.stopped] += 1


async def generate(
    cases: CaseIndex | Mapping[str, Case],
    agent: Agent,
    store: AttemptStore,
    progress: Progress,
    *,
    trials: int = 1,
    tasks: int = 64,
) -> GenerationTally:
    """Let an agent make every attempt that has no output yet, ``tasks`` of them at a time.

    Raises:
        InputError: The store cannot be written.
    """
    keys = [ItemKey(case_id, agent.system, trial) for case_id in cases for trial in range(trials)]
    missing = [key for key in keys if not store.has(key, cases[key.case_id])]
    errors = Counter(error for key in keys if (error := store.error_of(key)) is not None)
    tally = GenerationTally(wanted=len(keys), kept=len(keys) - len(missing), crashes=errors)
    if missing:
        progress.begin(f"generating by {agent.system}", len(missing))
    before = copy(agent.took)
    remaining = iter(missing)

    async def worker() -> None:
        for key in remaining:
            _take(tally, agent.took, before)
            if _is_hopeless(tally):
                tally.not_tried += 1
            else:
                await _attempt(key, cases[key.case_id], agent, store, tally)
                progress.advance()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(tasks, len(missing))):
                group.create_task(worker())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from errors
    _take(tally, agent.took, before)
    return tally


def _take(tally: GenerationTally, took: Took, before: Took) -> None:
    """Count what the agent's calls took since it was begun with."""
    for name in Took.__struct_fields__:
        setattr(tally, name, getattr(took, name) - getattr(before, name))


async def _attempt(
    key: ItemKey, case: Case, agent: Agent, store: AttemptStore, tally: GenerationTally
) -> None:
    try:
        made = within_line_limit(await agent.work(case, key.trial))
    except NoOutputError as error:
        tally.passed_over[str(error)] += 1
    except ProviderError as error:
        tally.failures[str(error)] += 1
        store.fail(key, str(error), error.calls if isinstance(error, CallError) else 0)
    else:
        store.add(made)
        tally.add(made)


def _is_hopeless(tally: GenerationTally) -> bool:
    """Return whether calls were made, and all failed alike.

    Lookups in a recording cost nothing and do not count.
    """
    return (
        not tally.made
        and len(tally.failures) == 1
        and min(tally.failures.total(), tally.calls + tally.user_calls) >= _HOPELESS
    )
