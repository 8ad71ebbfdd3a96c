"""Generation of outputs: an agent's missing attempts, run in parallel and saved one by one."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping

import msgspec

from ...errors import FiducialError, ProviderError
from ...judges.transport.exchange import CallError
from ...records import Case, CaseIndex, ItemKey
from ..progress import Progress
from .attempt import Agent, AgentUsage, MadeOutput, NoOutputError, within_line_limit
from .attempt_store import AttemptStore

_MAX_EQUAL_FAILURES = 8
"""Number of equal failures, without any output, after which no further attempt is made."""


class GenerationTally(msgspec.Struct, kw_only=True):
    """Counts of a generation.

    Attributes:
        wanted: Attempts to make: cases times trials.
        kept: Existing outputs.
        made: New outputs.
        crashes: Outputs, existing and new, that ended with an error of the system, by error.
        stopped: New outputs that were stopped early, by reason.
        passed_over: Attempts that this agent cannot make, by reason.
        failures: Attempts without output, by reason.
        not_tried: Attempts not begun, because all others failed in the same way.
        tracked: True if existing outputs are known to come from the agent's current code.
        usage: Calls and tokens, including those of conversations that precede cases, and of attempts without output.
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
    usage: AgentUsage = msgspec.field(default_factory=AgentUsage)

    @property
    def calls(self) -> int:
        """HTTP calls to the agent's model."""
        return self.usage.agent.calls

    @property
    def prompt_tokens(self) -> int:
        """Prompt tokens of new replies, as counted by the endpoint."""
        return self.usage.agent.prompt_tokens

    @property
    def completion_tokens(self) -> int:
        """Completion tokens of new replies."""
        return self.usage.agent.completion_tokens

    @property
    def user_calls(self) -> int:
        """HTTP calls to the model that plays users."""
        return self.usage.user.calls

    @property
    def user_prompt_tokens(self) -> int:
        """Prompt tokens of new replies of that model."""
        return self.usage.user.prompt_tokens

    @property
    def user_completion_tokens(self) -> int:
        """Completion tokens of new replies of that model."""
        return self.usage.user.completion_tokens

    @property
    def errors(self) -> int:
        """Number of outputs that ended with an error of the system."""
        return self.crashes.total()

    @property
    def without_output(self) -> int:
        """Number of attempts that the same command would make again."""
        return sum(self.failures.values()) + self.not_tried

    def add(self, made_output: MadeOutput) -> None:
        """Count an output."""
        self.made += 1
        if made_output.output.error is not None:
            self.crashes[made_output.output.error] += 1
        if made_output.attempt.stopped is not None:
            self.stopped[made_output.attempt.stopped] += 1


async def generate(
    cases: CaseIndex | Mapping[str, Case],
    agent: Agent,
    store: AttemptStore,
    progress: Progress,
    *,
    trials: int = 1,
    tasks: int = 64,
) -> GenerationTally:
    """Run every attempt of an agent that has no output yet, ``tasks`` at a time.

    Raises:
        InputError: The store cannot be written.
    """
    keys = [ItemKey(case_id, agent.system, trial) for case_id in cases for trial in range(trials)]
    missing = [key for key in keys if not store.has(key, cases[key.case_id])]
    crashes = Counter(error for key in keys if (error := store.error_of(key)) is not None)
    agent.usage = AgentUsage()
    tally = GenerationTally(
        wanted=len(keys), kept=len(keys) - len(missing), crashes=crashes, usage=agent.usage
    )
    if missing:
        progress.begin(f"generating by {agent.system}", len(missing))
    remaining = iter(missing)

    async def worker() -> None:
        for key in remaining:
            if _is_hopeless(tally):
                tally.not_tried += 1
            else:
                await _make_attempt(key, cases[key.case_id], agent, store, tally)
                progress.advance()

    first_error: BaseException | None = None
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(tasks, len(missing))):
                group.create_task(worker())
    except BaseExceptionGroup as errors:
        first_error = errors.exceptions[0]
    if first_error is not None:  # raised here, it keeps its cause and is not shown with the group
        raise first_error.with_traceback(None) if isinstance(first_error, FiducialError) else first_error
    return tally


async def _make_attempt(
    key: ItemKey, case: Case, agent: Agent, store: AttemptStore, tally: GenerationTally
) -> None:
    try:
        made_output = within_line_limit(await agent.work(case, key.trial))
    except NoOutputError as error:
        tally.passed_over[str(error)] += 1
    except ProviderError as error:
        tally.failures[str(error)] += 1
        store.fail(key, str(error), error.calls if isinstance(error, CallError) else 0)
    else:
        store.add(made_output)
        tally.add(made_output)


def _is_hopeless(tally: GenerationTally) -> bool:
    """Return whether enough calls were made, and all failed alike.

    Lookups in a recording cost nothing and do not count.
    """
    return (
        not tally.made
        and len(tally.failures) == 1
        and min(tally.failures.total(), tally.calls + tally.user_calls) >= _MAX_EQUAL_FAILURES
    )
