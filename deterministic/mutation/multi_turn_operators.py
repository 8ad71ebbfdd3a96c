"""Operators on conversations: faults in calls, and harmless rewritings (twins).

Changed outputs have no recorded results, since these belong to the unchanged calls.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import msgspec

from ...errors import DecodingError
from ...records import OF_CONVERSATIONS, AgentStep
from ...records.python_syntax import Unquoted
from ..decoding.replies import decode_tool_calls
from ..decoding.text_replies import decode_prompt
from .call_notation import NamedCall, named_calls, native_calls, source_text
from .operator import Mutation, Operator
from .seeding import shuffled
from .subject import Subject, find_sites, with_value
from .value_faults import PERTURBATIONS

Turns: TypeAlias = list[list[AgentStep]]


class CallStep(NamedTuple):
    """A step with calls: its turn, its number there, its calls, and whether they are native."""

    turn: int
    number: int
    calls: list[NamedCall]
    native: bool


def drop_call(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Leave out one call."""
    for source, index in _shuffled_calls(subject, rng):
        remaining = [*source.calls[:index], *source.calls[index + 1 :]]
        yield _with_calls(subject, source, remaining, f"call {_call_label(source, index)} was left out")


def change_argument(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Give one argument of one call another value."""
    for source in shuffled(_call_steps(subject), rng):
        for site in shuffled(find_sites(source.calls, subject.documents), rng):
            for perturb, _about in shuffled(PERTURBATIONS.values(), rng):
                for value in islice(perturb(site, rng), 1):
                    change = f"turn {source.turn + 1}: {site.path_text} was {site.value!r}, is {value!r}"
                    yield _with_calls(subject, source, with_value(source.calls, site, value), change)


def make_call_too_early(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Make a call one turn before it was requested."""
    for source, index in _shuffled_calls(subject, rng):
        if source.turn:
            moved_step = _write_step(source, [source.calls[index]])
            remaining = _write_step(source, [*source.calls[:index], *source.calls[index + 1 :]])
            turns = _with_step(subject.output.agent_turns or [], source, remaining)
            turns[source.turn - 1] = [*turns[source.turn - 1], moved_step]
            change = f"call {_call_label(source, index)} was made a turn too early"
            yield _with_turns(subject, turns, change)


def repeat_call(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Repeat a call at the end of a turn; the checker decides whether that changes anything."""
    turns = subject.output.agent_turns or []
    for source, index in _shuffled_calls(subject, rng):
        for turn in shuffled(range(len(turns)), rng):
            changed_turns = [list(steps) for steps in turns]
            changed_turns[turn].append(_write_step(source, [source.calls[index]]))
            change = f"call {_call_label(source, index)} was made once more in turn {turn + 1}"
            yield _with_turns(subject, changed_turns, change)


def split_steps(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Make the calls of every step one by one."""
    turns: Turns = [list(steps) for steps in subject.output.agent_turns or []]
    # From the end, so that steps not yet replaced keep their indexes.
    for source in reversed(_call_steps(subject)):
        turns[source.turn][source.number : source.number + 1] = [
            _write_step(source, [call]) for call in source.calls
        ]
    if turns != subject.output.agent_turns:
        yield _with_turns(subject, turns, "every call is a step of its own")


def reverse_arguments(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Name the arguments of the calls of one step in another order."""
    for source in shuffled(_call_steps(subject), rng):
        if any(len(call.arguments) > 1 for call in source.calls):
            calls = [NamedCall(call.name, dict(reversed(call.arguments.items()))) for call in source.calls]
            change = f"turn {source.turn + 1}: arguments are named from back to front"
            yield _with_calls(subject, source, calls, change)


def _shuffled_calls(subject: Subject, rng: random.Random) -> Sequence[tuple[CallStep, int]]:
    return shuffled(
        [(source, index) for source in _call_steps(subject) for index in range(len(source.calls))], rng
    )


def _call_steps(subject: Subject) -> list[CallStep]:
    """Return the steps of an output that are calls with named arguments."""
    call_steps: list[CallStep] = []
    for turn, steps in enumerate(subject.output.agent_turns or []):
        for number, step in enumerate(steps):
            calls = _read_calls(step)
            if calls:
                call_steps.append(CallStep(turn, number, calls, not isinstance(step, str)))
    return call_steps


def _read_calls(step: AgentStep) -> list[NamedCall]:
    """Return the calls of a step, or none if an argument has no name or is not a plain value."""
    try:
        decoded: Any = (
            decode_prompt(step, strictly=True) if isinstance(step, str) else decode_tool_calls(step)
        )
    except DecodingError:
        return []
    calls = named_calls(decoded)
    sites = find_sites(calls, {})
    # An unquoted value is a nested call, which would have to be written back as code.
    return [] if any(isinstance(site.value, Unquoted) for site in sites) else calls


def _write_step(source: CallStep, calls: Sequence[NamedCall]) -> AgentStep:
    return native_calls(calls) if source.native else source_text(calls)


def _with_step(turns: Sequence[Sequence[AgentStep]], source: CallStep, step: AgentStep) -> Turns:
    """Return the turns with one step replaced; a step without calls is removed."""
    changed_turns = [list(steps) for steps in turns]
    has_calls = step not in ([], "[]")  # native calls, or source text
    changed_turns[source.turn][source.number : source.number + 1] = [step] if has_calls else []
    return changed_turns


def _with_turns(subject: Subject, turns: Turns, change: str) -> Mutation:
    return Mutation(msgspec.structs.replace(subject.output, turns=turns), change)


def _with_calls(subject: Subject, source: CallStep, calls: Sequence[NamedCall], change: str) -> Mutation:
    turns = _with_step(subject.output.agent_turns or [], source, _write_step(source, calls))
    return _with_turns(subject, turns, change)


def _call_label(source: CallStep, index: int) -> str:
    return f"{source.calls[index].name} of turn {source.turn + 1}"


MULTI_TURN = (
    Operator("turn_dropped_call", OF_CONVERSATIONS, "fault", drop_call, "a call left out"),
    Operator("turn_changed_argument", OF_CONVERSATIONS, "fault", change_argument, "an argument of a call changed"),
    Operator("turn_call_too_early", OF_CONVERSATIONS, "fault", make_call_too_early, "a call made a turn too early"),
    Operator("turn_extra_call", OF_CONVERSATIONS, "fault", repeat_call, "a call too many that changes the state"),
    Operator("turn_steps_split", OF_CONVERSATIONS, "twin", split_steps, "every call a step of its own"),
    Operator("turn_argument_order", OF_CONVERSATIONS, "twin", reverse_arguments, "arguments named in another order"),
)  # fmt: skip
