"""Output: what one system produced for a case; its steps; two outputs as a pair."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeAlias, cast

import msgspec

from .case import Case, Message, Record

TrialNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
"""Number of an attempt."""

EMPTY_ANSWER = "the answer is empty"
"""Error of an imported output that has neither a text nor a call."""


class ItemKey(NamedTuple):
    """Key of an output, which connects the verdicts on it."""

    case_id: str
    system: str
    trial: int

    def __str__(self) -> str:
        return f"{self.case_id}|{self.system}|{self.trial}"


class CalledFunction(Record, frozen=True, kw_only=True):
    """Field ``function`` of a call in OpenAI's form."""

    name: str
    arguments: dict[str, Any] | str = {}


class _NoName(str):
    """Text that Python's help shows as ``<required>``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<required>"


_NO_NAME = _NoName("\0")
"""Default of a call's name. It is compared by identity, so no name in a file equals it."""


class ToolCall(Record, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Call as the system made it: its name and its verbatim arguments, an object or JSON text.

    OpenAI's form, ``{"id": ..., "type": "function", "function": {"name": ..., "arguments": ...}}``, is accepted, too; only name and
    arguments are kept.
    """

    name: str = _NO_NAME
    """The function's name."""
    arguments: dict[str, Any] | str = {}
    """An object or JSON text."""
    id: str | None = None
    type: Literal["function"] | None = None
    function: CalledFunction | None = None

    def __post_init__(self) -> None:
        set_field = msgspec.structs.force_setattr
        if self.function is not None:
            if self.name is not _NO_NAME:
                raise ValueError("a call has either a name or a function, not both")
            set_field(self, "name", self.function.name)
            set_field(self, "arguments", self.function.arguments)
            set_field(self, "function", None)
        elif self.name is _NO_NAME:
            raise ValueError("Object missing required field `name`")
        # Neither is part of what is graded; without them, calls in both forms are equal.
        if self.id is not None or self.type is not None:
            set_field(self, "id", None)
            set_field(self, "type", None)


class ToolResults(Record, frozen=True, kw_only=True):
    """Results of the calls since the last such step, as shown to the agent."""

    results: list[Any]
    """One result per call, in the order of the calls."""


AgentStep: TypeAlias = str | list[ToolCall]
"""One step of an agent: a text, or calls."""

Step: TypeAlias = AgentStep | ToolResults
"""One step of a turn: the agent's, or results of its calls."""


class Output(Record, frozen=True, kw_only=True):
    """Output of one system for one case.

    Attributes:
        case_id: The case it answers.
        system: The system's name.
        trial: Attempt number, from 0.
        text: The reply; may accompany ``tool_calls``.
        tool_calls: Native calls; an empty list means none.
        turns: Each a list of steps: a text, a list of calls, or (optional) results.
        workspace: A folder, relative to the outputs file.
        error: The system's own failure, such as a crash or time-out; always graded 0.
        asked: Messages of each turn, if a simulated user wrote them.
    """

    case_id: str
    system: str
    trial: TrialNumber = 0
    text: str | None = None
    tool_calls: list[ToolCall] | None = None
    turns: list[list[Step]] | None = None
    workspace: str | None = None
    error: str | None = None
    asked: list[list[Message]] | None = None

    @property
    def key(self) -> ItemKey:
        """Case, system and trial."""
        return ItemKey(self.case_id, self.system, self.trial)

    @property
    def agent_turns(self) -> list[list[AgentStep]] | None:
        """The turns without results of calls."""
        if self.turns is None:
            return None
        return [_agent_steps(turn) for turn in self.turns]


class Pair(Output, frozen=True, kw_only=True):
    """Two outputs of one case, shown to a judge one after the other.

    A pair is not stored; it is made from both outputs when it is judged.

    Attributes:
        first: The output shown first.
        second: The output shown second.
    """

    first: Output
    second: Output

    @classmethod
    def of(cls, first: Output, second: Output) -> Self:
        """Create a pair in this order; its name says which system comes first."""
        system = f"{first.system} vs {second.system}"
        return cls(case_id=first.case_id, system=system, trial=first.trial, first=first, second=second)


class StepOutcome(NamedTuple):
    """Outcome of one step of an agent.

    Attributes:
        calls: The calls that were executed, as source text.
        results: The result of each, as the agent is shown it; an error's text if it failed.
        problem: Why calls of the step were not executed, or None if all were, or there are none.
    """

    calls: Sequence[str] = ()
    results: Sequence[str] = ()
    problem: str | None = None


Episode: TypeAlias = Sequence[Sequence[StepOutcome]]
"""Outcomes by turn and by the agent's own steps in it, as ``Output.agent_turns`` has them."""


class PlantedStep(NamedTuple):
    """Number of the step at which a trajectory goes wrong, and count of all its steps."""

    step: int
    steps: int


def turns_asked(case: Case, output: Output) -> Sequence[Sequence[Message]]:
    """Return the messages that the agent was given, by turn."""
    return case.turns if output.asked is None else output.asked


def messages_asked(case: Case, output: Output) -> list[Message]:
    """Return all messages that the agent was given."""
    return [message for turn in turns_asked(case, output) for message in turn]


def turns_done(output: Output) -> Sequence[Sequence[Step]]:
    """Return an output's steps by turn; without turns, its calls and text are one turn."""
    if output.turns is not None:
        return output.turns
    calls: list[AgentStep] = [output.tool_calls] if output.tool_calls else []
    return [calls if output.text is None else [*calls, output.text]]


def calls_made(output: Output) -> list[ToolCall] | None:
    """Return the native calls of an output or, if it has only turns, of all its turns.

    None if calls may be written in its text.
    """
    if output.tool_calls or output.turns is None:
        return output.tool_calls
    # Turns without calls, but with `tool_calls: []`, say that calls are native and none was made.
    steps = (step for turn in output.turns for step in turn)
    return [call for step in steps if isinstance(step, list) for call in step] or output.tool_calls


def last_text(output: Output) -> str | None:
    """Return an output's text or, if it has only turns, the last text in them."""
    if output.text is not None:
        return output.text
    texts = [step for turn in output.turns or [] for step in turn if isinstance(step, str)]
    return texts[-1] if texts else None


def steps_by_turn(case: Case, output: Output) -> list[int]:
    """Count the agent's steps in each turn; a turn without steps counts as one."""
    turns = turns_done(output)
    turns_without_steps = max(0, len(turns_asked(case, output)) - len(turns))
    return [*(_count_steps(turn) for turn in turns), *([1] * turns_without_steps)]


def _count_steps(turn: Sequence[Step]) -> int:
    return len(_agent_steps(turn)) if turn else 1


def planted_step(case: Case, right: Output, faulty: Output) -> PlantedStep | None:
    """Return the first step in which a faulty output differs from the right one.

    If steps are missing at the end of a turn, it is the turn's last step: there the agent stopped too early. None if no step differs.
    """
    right_turns = [_agent_steps(turn) for turn in turns_done(right)]
    faulty_turns = [_agent_steps(turn) for turn in turns_done(faulty)]
    counts = steps_by_turn(case, faulty)
    for turn, count in enumerate(counts):
        right_steps = right_turns[turn] if turn < len(right_turns) else []
        faulty_steps = faulty_turns[turn] if turn < len(faulty_turns) else []
        if right_steps != faulty_steps:
            # Steps are counted from 1 over all turns. Steps that are missing count as the turn's last one.
            equal_steps = _count_equal_beginning(right_steps, faulty_steps)
            return PlantedStep(sum(counts[:turn]) + min(equal_steps, count - 1) + 1, sum(counts))
    return None


def _count_equal_beginning(steps: Sequence[AgentStep], others: Sequence[AgentStep]) -> int:
    pairs = zip(steps, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _agent_steps(turn: Sequence[Step]) -> list[AgentStep]:
    return [step for step in turn if not isinstance(step, ToolResults)]


_FIELDS_OF_CALLS = frozenset({"name", "arguments", "id", "type", "function"})


def with_spelled_out_calls(output: Any) -> Any:
    """Return an output's JSON value with its calls ``{name: arguments}`` written in full."""
    if not isinstance(output, dict):
        return output
    fields = dict(cast("dict[str, Any]", output))
    if "tool_calls" in fields:
        fields["tool_calls"] = _write_out_calls(fields["tool_calls"])
    if isinstance(turns := fields.get("turns"), list):
        fields["turns"] = [_write_out_turn(turn) for turn in cast("list[Any]", turns)]
    return fields


def _write_out_turn(turn: Any) -> Any:
    return [_write_out_calls(step) for step in cast("list[Any]", turn)] if isinstance(turn, list) else turn


def _write_out_calls(calls: Any) -> Any:
    return [_write_out_call(call) for call in cast("list[Any]", calls)] if isinstance(calls, list) else calls


def _write_out_call(call: Any) -> Any:
    if not isinstance(call, dict) or len(cast("dict[str, Any]", call)) != 1:
        return cast("Any", call)
    name, arguments = next(iter(cast("dict[str, Any]", call).items()))
    # A lone field such as `name` is an incomplete call, whose error the caller reports.
    if name in _FIELDS_OF_CALLS or not isinstance(arguments, dict):
        return cast("Any", call)
    return {"name": name, "arguments": cast("dict[str, Any]", arguments)}
