"""Attempts of an agent at a case: their steps, results and records."""

from __future__ import annotations

import hashlib
from collections.abc import Generator
from contextlib import contextmanager
from itertools import chain
from time import monotonic
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from ...errors import FiducialError
from ...records import (
    MAX_LINE_BYTES,
    NO_USAGE,
    Case,
    ItemKey,
    Output,
    Step,
    ToolCall,
    ToolResults,
    Usage,
    encode_record,
)
from ...records.case import Message, Record


class NoOutputError(FiducialError):
    """Error for a case that an agent cannot work on, which is no failure of the agent."""


class AgentUsage(msgspec.Struct):
    """Usage of an agent's calls so far, including attempts without output."""

    agent: Usage = NO_USAGE
    user: Usage = NO_USAGE
    """Usage of the model that plays users."""


class StepTaken(NamedTuple):
    """One step of an agent.

    Attributes:
        calls: Its native calls, with the tools' names in the case, or None if calls are written in the text.
        text: Its text, with or without calls.
        raw: The step in the form of BFCL's result files.
        reasoning: Its reasoning, if the model returned it.
    """

    calls: list[ToolCall] | None
    text: str
    raw: Any
    reasoning: str | None = None

    @property
    def readable(self) -> list[ToolCall] | str:
        """The step's calls, or a text that may contain calls, for an environment to read."""
        return self.text if self.calls is None else self.calls


class UserTurn(Record, frozen=True, kw_only=True):
    """Request to the model that plays a user, and its reply.

    It is a line of ``OUTPUTS.users.jsonl``.

    Attributes:
        case_id: The case.
        system: The agent that the user talks to.
        trial: Number of the attempt.
        turn: The turn that the reply begins, from 1.
        model: Model that plays the user.
        request: The messages that it was sent.
        reply: Its unchanged reply.
        ended: How it ended the conversation, or None if it did not.
        seconds: Time until the reply.
        calls: HTTP calls; 0 if the reply came from the cache or a recording.
        prompt_tokens: Prompt tokens, as counted by the endpoint.
        completion_tokens: Completion tokens, as counted by the endpoint.
    """

    case_id: str
    system: str
    trial: int = 0
    turn: int
    model: str
    request: list[Message]
    reply: str
    ended: Literal["done", "gave up"] | None = None
    seconds: float = 0.0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Attempt(msgspec.Struct, kw_only=True):
    """One attempt in progress, turn by turn and step by step.

    Attributes:
        case: The case.
        turns: The steps and call results of each turn, in the form of an output.
        raw: The agent's steps of each turn, in the form of BFCL's result files.
        usage: Usage of each step, also of replies that came free.
        step_seconds: Time until the reply of each step; 0 if it came from the cache or a recording.
        reasoning: The agent's reasoning before each step.
        stopped: Reason why it was stopped early.
        error: Error with which the system failed.
        crash: Exception that the agent's code raised.
        asked_turns: Messages of each turn, for a case with a simulated user.
        user: Requests to that user, and its replies.
        seconds: Time in which an agent that is no model worked.
    """

    case: Case
    turns: list[list[Step]] = []
    raw: list[list[Any]] = []
    usage: list[list[Usage]] = []
    step_seconds: list[list[float]] = []
    reasoning: list[list[str]] = []
    stopped: str | None = None
    error: str | None = None
    crash: BaseException | None = None
    asked_turns: list[list[Message]] | None = None
    user: list[UserTurn] = []
    seconds: float = 0.0

    @contextmanager
    def timed(self) -> Generator[None]:
        """Count the time of a block."""
        started = monotonic()
        try:
            yield
        finally:
            self.seconds += monotonic() - started

    def begin_turn(self) -> None:
        """Begin a new turn."""
        for values_by_turn in (self.turns, self.raw, self.usage, self.step_seconds, self.reasoning):
            values_by_turn.append([])

    def add_step(self, step: StepTaken, usage: Usage = NO_USAGE, seconds: float = 0.0) -> None:
        """Add a step of the agent to the current turn."""
        if step.text or not step.calls:  # a step without calls is a text, even an empty one
            self.turns[-1].append(step.text)
        if step.calls:
            self.turns[-1].append(step.calls)
        self.raw[-1].append(step.raw)
        self.usage[-1].append(usage)
        self.step_seconds[-1].append(seconds)
        self.reasoning[-1].append(step.reasoning or "")

    def add_results(self, results: list[str]) -> None:
        """Add the results of the last step's calls."""
        self.turns[-1].append(ToolResults(results=list(results)))

    def output(self, system: str, trial: int, *, in_turns: bool, native: bool) -> Output:
        """Return the attempt's output.

        Args:
            system: Name of the system.
            trial: Number of the attempt.
            in_turns: True for turns of steps, False for one reply.
            native: True if calls are native, so that checkers do not search texts for calls.
        """
        steps = [step for turn in self.turns for step in turn]
        calls = [call for step in steps if isinstance(step, list) for call in step]
        no_calls: list[ToolCall] | None = [] if native else None
        fields: dict[str, Any]
        if in_turns:
            fields = {"turns": self.turns, "tool_calls": None if calls else no_calls}
        else:
            text = next((step for step in steps if isinstance(step, str)), None)
            fields = {"text": text, "tool_calls": calls or no_calls}
        return Output(
            case_id=self.case.id,
            system=system,
            trial=trial,
            error=self.error,
            asked=self.asked_turns,
            **fields,
        )


class MadeOutput(NamedTuple):
    """An output, and the attempt that made it."""

    output: Output
    attempt: Attempt


def within_line_limit(made_output: MadeOutput) -> MadeOutput:
    """Replace an output that exceeds the line limit by an error of the system."""
    if len(encode_record(made_output.output)) <= MAX_LINE_BYTES:
        return made_output
    error = f"its output is larger than {MAX_LINE_BYTES >> 20} MiB"
    return made_output._replace(output=Output(**made_output.output.key._asdict(), error=error))


class Agent(Protocol):
    """Agent that works on cases: a model, a function or a command."""

    system: str
    """Name of the system in outputs."""

    usage: AgentUsage
    """Usage of its calls since `generate` began."""

    async def work(self, case: Case, trial: int) -> MadeOutput:
        """Work on one case.

        Returns:
            The output; a failure of the system is its ``error``.

        Raises:
            ProviderError: A call to a model failed after its retries.
            NoOutputError: The agent cannot work on this case.
        """
        ...


class AttemptRow(Record, frozen=True, kw_only=True):
    """Record of one attempt; a line of ``OUTPUTS.attempts.jsonl``.

    Attributes:
        case_id: The case.
        system: The system that worked on it.
        trial: Number of the attempt.
        asked: Hash of the agent's input, to detect changes of the case.
        made: Hash of the output's line, to detect edits by hand.
        seconds: Time spent waiting for replies of a model, or in an agent's own code.
        calls: HTTP calls, including retries; 0 if every reply came from the cache or a recording.
        prompt_tokens: Prompt tokens of all steps, as counted by the endpoint.
        completion_tokens: Completion tokens of all steps, as counted by the endpoint.
        stopped: Reason why it was stopped early.
        user_model: Model that played a simulated user; its requests and replies are in ``OUTPUTS.users.jsonl``.
        user_ended: How that user ended the conversation, or None if it did not.
        failure: Reason, outside the system, why there is no output: a call that failed after its retries, or a spent budget.
    """

    case_id: str
    system: str
    trial: int = 0
    asked: str | None = None
    made: str | None = None
    seconds: float = 0.0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    stopped: str | None = None
    user_model: str | None = None
    user_ended: str | None = None
    failure: str | None = None

    @property
    def key(self) -> ItemKey:
        """Key of the attempt's output."""
        return ItemKey(self.case_id, self.system, self.trial)


def attempt_row(made_output: MadeOutput) -> AttemptRow:
    """Return the record of the attempt behind an output."""
    output, attempt = made_output
    usage = sum(chain.from_iterable(attempt.usage), NO_USAGE)
    waited = sum(chain.from_iterable(attempt.step_seconds))
    return AttemptRow(
        **output.key._asdict(),
        asked=input_hash(attempt.case),
        seconds=round(attempt.seconds + waited, 3),
        calls=usage.calls,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        stopped=attempt.stopped,
        user_model=attempt.user[-1].model if attempt.user else None,
        user_ended=attempt.user[-1].ended if attempt.user else None,
    )


def input_hash(case: Case) -> str:
    """Return a hash of a case as agents see it, and of its environments."""
    worlds = {
        name: case.reference.get(name)
        for name in ("classes", "initial_config", "withheld", "withheld_tools", "long_context", "history")
    }
    user = [] if case.user is None else [case.user]
    return hash_of(encode_record([case.kind, case.messages, case.tools, case.context, worlds, *user]))


def hash_of(line: bytes) -> str:
    """Return a short hash of a line."""
    return hashlib.sha256(line).hexdigest()[:16]
