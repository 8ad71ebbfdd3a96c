"""Faults in which calls are made: another function, one too few, one too many."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from .calls import Call, native_calls, source_text, write_calls
from .chance import shuffled
from .examples import example_call
from .operator import Mutation, Operator
from .subject import Subject


def wrong_function(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Call another offered function with the same arguments, or, where only one is offered, one of a name like it."""
    for index, call in shuffled(enumerate(subject.calls), chance):
        for name in shuffled(_others(subject, call.name) or [f"{call.name}_v2"], chance):
            calls = list(subject.calls)
            calls[index] = Call(name, call.arguments)
            yield Mutation(write_calls(subject.output, calls), f"{name} was called instead of {call.name}")


def dropped_call(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Leave out one call; where it is the only one, none is left."""
    for index, call in shuffled(enumerate(subject.calls), chance):
        left = [*subject.calls[:index], *subject.calls[index + 1 :]]
        yield Mutation(write_calls(subject.output, left), f"call {index + 1}, of {call.name}, was left out")


def duplicated_call(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Make one call twice."""
    for index, call in shuffled(enumerate(subject.calls), chance):
        calls = [*subject.calls[: index + 1], *subject.calls[index:]]
        yield Mutation(
            write_calls(subject.output, calls), f"call {index + 1}, of {call.name}, was made twice"
        )


def reordered_calls(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Make calls from back to front that the reference wants in their order."""
    del chance
    if subject.case.reference.get("ordered") and subject.calls != subject.calls[::-1]:
        yield Mutation(write_calls(subject.output, subject.calls[::-1]), "calls are made from back to front")


def extra_call(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Call another offered function as well, with made-up arguments."""
    if not subject.calls:
        return
    for name in shuffled(
        sorted({other for call in subject.calls for other in _others(subject, call.name)}), chance
    ):
        extra = example_call(subject.documents[name], "")
        yield Mutation(write_calls(subject.output, [*subject.calls, extra]), f"{name} was called as well")


def call_where_none_is_due(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Call an offered function although none fits."""
    if subject.case.kind != "no_call":
        return
    for tool in shuffled(subject.case.tools, chance):
        calls = [example_call(tool["function"], "")]
        native = subject.output.tool_calls is not None
        output = (
            msgspec.structs.replace(subject.output, text=None, tool_calls=native_calls(calls))
            if native
            else msgspec.structs.replace(subject.output, text=source_text(calls))
        )
        yield Mutation(output, f"{calls[0].name} was called where nothing should be")


def _others(subject: Subject, name: str) -> list[str]:
    names = [tool["function"]["name"] for tool in subject.case.tools]
    return sorted({other for other in names if name not in {other, other.replace(".", "_")}})


CALL_FAULTS = (
    Operator("wrong_function", "tool_call", "fault", wrong_function, "another function than the one that fits"),
    Operator("dropped_call", "tool_call", "fault", dropped_call, "a call left out"),
    Operator("duplicated_call", "tool_call", "fault", duplicated_call, "a call made twice"),
    Operator("reordered_calls", "tool_call", "fault", reordered_calls, "calls whose order matters, from back to front"),
    Operator("extra_call", "tool_call", "fault", extra_call, "a call of another offered function as well"),
    Operator("call_where_none_is_due", "tool_call", "fault", call_where_none_is_due, "a call although no function fits"),
)  # fmt: skip
