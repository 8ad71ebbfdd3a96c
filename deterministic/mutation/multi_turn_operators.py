"""Multi-turn faults: a call left out, changed, made too early, or made without request.

Recorded results are left out of what is changed: they tell what the unchanged calls returned.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import msgspec

from ...errors import DecodingError
from ...records import OF_CONVERSATIONS, AgentStep
from ...records.python_syntax import Unquoted
from ..decoding.replies import decode_tool_calls
from ..decoding.text_replies import decode_prompt
from .call_notation import NamedCall, native_calls, source_text
from .chance import shuffled
from .operator import Mutation, Operator
from .subject import Subject, find_sites, with_value
from .value_faults import PERTURBATIONS

Turns: TypeAlias = list[list[AgentStep]]


class StepPlace(NamedTuple):
    """Where a step of calls stands."""

    turn: int
    step: int
    calls: list[NamedCall]
    native: bool


def dropped_call(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Leave out one call."""
    for place, index in _each_call(subject, chance):
        remaining = [*place.calls[:index], *place.calls[index + 1 :]]
        yield _rewritten(subject, place, remaining, f"call {_shown(place, index)} was left out")


def changed_argument(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Give one argument of one call another value."""
    for place in shuffled(_places(subject), chance):
        for site in shuffled(find_sites(place.calls, subject.documents), chance):
            for perturb, _ in shuffled(PERTURBATIONS.values(), chance):
                for value in perturb(site, chance):
                    change = f"turn {place.turn + 1}: {site.place} was {site.value!r}, is {value!r}"
                    yield _rewritten(subject, place, with_value(place.calls, site, value), change)
                    break


def call_too_early(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Make a call a turn before it was asked for."""
    for place, index in _each_call(subject, chance):
        if place.turn:
            moved = _write(place, [place.calls[index]])
            remaining = _write(place, [*place.calls[:index], *place.calls[index + 1 :]])
            turns = _with_step(subject.output.agent_turns or [], place, remaining)
            turns[place.turn - 1] = [*turns[place.turn - 1], moved]
            change = f"call {_shown(place, index)} was made a turn too early"
            yield _with_turns(subject, turns, change)


def extra_call(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Repeat a call of one turn at the end of another.

    The checker decides whether that changes anything.
    """
    turns = subject.output.agent_turns or []
    for place, index in _each_call(subject, chance):
        for turn in shuffled(range(len(turns)), chance):
            changed = [list(steps) for steps in turns]
            changed[turn].append(_write(place, [place.calls[index]]))
            change = f"call {_shown(place, index)} was made once more in turn {turn + 1}"
            yield _with_turns(subject, changed, change)


def steps_split(subject: Subject, _chance: random.Random) -> Iterator[Mutation]:
    """Make the calls of every step one by one."""
    turns: Turns = [list(steps) for steps in subject.output.agent_turns or []]
    # From the end, so that the steps still to be split keep their numbers.
    for place in reversed(_places(subject)):
        turns[place.turn][place.step : place.step + 1] = [_write(place, [call]) for call in place.calls]
    if turns != subject.output.agent_turns:
        yield _with_turns(subject, turns, "every call is a step of its own")


def argument_order(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Name the arguments of the calls of one step in another order."""
    for place in shuffled(_places(subject), chance):
        if any(len(call.arguments) > 1 for call in place.calls):
            calls = [NamedCall(call.name, dict(reversed(call.arguments.items()))) for call in place.calls]
            change = f"turn {place.turn + 1}: arguments are named from back to front"
            yield _rewritten(subject, place, calls, change)


def _each_call(subject: Subject, chance: random.Random) -> Sequence[tuple[StepPlace, int]]:
    return shuffled(
        [(place, index) for place in _places(subject) for index in range(len(place.calls))], chance
    )


def _places(subject: Subject) -> list[StepPlace]:
    """Return the steps of an output that are calls with named arguments."""
    found: list[StepPlace] = []
    for turn, steps in enumerate(subject.output.agent_turns or []):
        for number, step in enumerate(steps):
            calls = _read(step)
            if calls:
                found.append(StepPlace(turn, number, calls, not isinstance(step, str)))
    return found


def _read(step: AgentStep) -> list[NamedCall]:
    """Return the calls of a step.

    There are none if it holds none, or one whose arguments are not plain named values.
    """
    try:
        decoded: Any = (
            decode_prompt(step, strictly=True) if isinstance(step, str) else decode_tool_calls(step)
        )
    except DecodingError:
        return []
    items = cast("list[dict[str, Any]]", decoded)
    calls = [NamedCall(name, arguments) for item in items for name, arguments in item.items()]
    sites = find_sites(calls, {})
    # What stands without quotes is a nested call: it would have to be written back as code.
    return [] if any(isinstance(site.value, Unquoted) for site in sites) else calls


def _write(place: StepPlace, calls: Sequence[NamedCall]) -> AgentStep:
    return native_calls(calls) if place.native else source_text(calls)


def _with_step(turns: Sequence[Sequence[AgentStep]], place: StepPlace, step: AgentStep) -> Turns:
    """Return the turns with one step replaced; a step without calls is removed."""
    changed = [list(steps) for steps in turns]
    changed[place.turn][place.step : place.step + 1] = [] if step in ([], "[]") else [step]
    return changed


def _with_turns(subject: Subject, turns: Turns, change: str) -> Mutation:
    return Mutation(msgspec.structs.replace(subject.output, turns=turns), change)


def _rewritten(subject: Subject, place: StepPlace, calls: Sequence[NamedCall], change: str) -> Mutation:
    turns = _with_step(subject.output.agent_turns or [], place, _write(place, calls))
    return _with_turns(subject, turns, change)


def _shown(place: StepPlace, index: int) -> str:
    return f"{place.calls[index].name} of turn {place.turn + 1}"


MULTI_TURN = (
    Operator("turn_dropped_call", OF_CONVERSATIONS, "fault", dropped_call, "a call left out"),
    Operator("turn_changed_argument", OF_CONVERSATIONS, "fault", changed_argument, "an argument of a call changed"),
    Operator("turn_call_too_early", OF_CONVERSATIONS, "fault", call_too_early, "a call made a turn too early"),
    Operator("turn_extra_call", OF_CONVERSATIONS, "fault", extra_call, "a call too many that changes the state"),
    Operator("turn_steps_split", OF_CONVERSATIONS, "twin", steps_split, "every call a step of its own"),
    Operator("turn_argument_order", OF_CONVERSATIONS, "twin", argument_order, "arguments named in another order"),
)  # fmt: skip
