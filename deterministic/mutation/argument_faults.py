"""Faults in which arguments a call has: one is missing, invented, or stands where another belongs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

from ...records import message_text
from .calls import Call, write_calls
from .chance import shuffled
from .examples import example_values
from .interchangeable import may_change_places
from .operator import Mutation, Operator
from .subject import Subject

_INVENTED = (("verbose", True), ("note", "as requested"), ("priority", 1))


def missing_required(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Leave out an argument that the document requires."""
    yield from _without(subject, chance, required=True)


def missing_optional(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Leave out an argument that the document does not require."""
    yield from _without(subject, chance, required=False)


def invented_argument(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Add an argument that the document does not know."""
    for index, call in shuffled(enumerate(subject.calls), chance):
        name, value = chance.choice(_INVENTED)
        if name not in subject.parameters(call.name) and name not in call.arguments:
            yield _changed(subject, index, {**call.arguments, name: value}, f"{name}={value!r} was added")


def invented_optional(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Set an optional argument to something that the user did not ask for."""
    question = _question(subject)
    for index, call in enumerate(subject.calls):
        parameters = subject.parameters(call.name)
        for name in shuffled((name for name in parameters if name not in call.arguments), chance):
            for value in example_values(parameters[name], question):
                if str(value).lower() not in question:
                    change = f"{name}={value!r} was added, which nobody asked for"
                    yield _changed(subject, index, {**call.arguments, name: value}, change)


def swapped_arguments(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Exchange two values of the same type within a call, of arguments that are not named as if it did not matter."""
    for index, call in enumerate(subject.calls):
        for one, other in shuffled(combinations(call.arguments, 2), chance):
            first, second = call.arguments[one], call.arguments[other]
            if type(first) is type(second) and first != second and not may_change_places(one, other):
                swapped = {**call.arguments, one: second, other: first}
                yield _changed(subject, index, swapped, f"{one} and {other} changed places")


def swapped_between_calls(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Exchange the values that two calls have for the same argument."""
    calls = subject.calls
    for (i, one), (j, other) in shuffled(combinations(enumerate(calls), 2), chance):
        for name in (name for name in one.arguments if name in other.arguments):
            first, second = one.arguments[name], other.arguments[name]
            changed = list(calls)
            changed[i] = Call(one.name, {**one.arguments, name: second})
            changed[j] = Call(other.name, {**other.arguments, name: first})
            # Calls that differ in nothing else have only changed places.
            if type(first) is type(second) and first != second and changed[i] != other:
                change = f"calls {i + 1} and {j + 1} exchanged their {name}"
                yield Mutation(write_calls(subject.output, changed), change)


def _without(subject: Subject, chance: random.Random, *, required: bool) -> Iterator[Mutation]:
    sites = [(index, name) for index, call in enumerate(subject.calls) for name in call.arguments]
    for index, name in shuffled(sites, chance):
        call = subject.calls[index]
        default = subject.parameters(call.name).get(name, {}).get("default")
        if (name in subject.required(call.name)) == required and call.arguments[name] != default:
            left = {other: value for other, value in call.arguments.items() if other != name}
            yield _changed(subject, index, left, f"{name}={call.arguments[name]!r} was left out")


def _changed(subject: Subject, index: int, arguments: dict[str, object], change: str) -> Mutation:
    calls = list(subject.calls)
    calls[index] = Call(calls[index].name, arguments)
    return Mutation(write_calls(subject.output, calls), f"{calls[index].name}: {change}")


def _question(subject: Subject) -> str:
    """What was said to the system, in lower case."""
    return " ".join(message_text(message) for turn in subject.case.turns for message in turn).lower()


ARGUMENT_FAULTS = (
    Operator("missing_required", "tool_call", "fault", missing_required, "a required argument left out"),
    Operator("missing_optional", "tool_call", "fault", missing_optional, "an optional argument left out that was asked for"),
    Operator("invented_argument", "tool_call", "fault", invented_argument, "an argument that is not documented"),
    Operator("invented_optional", "tool_call", "fault", invented_optional, "an optional argument that nobody asked for"),
    Operator("swapped_arguments", "tool_call", "fault", swapped_arguments, "two values of a call in each other's place"),
    Operator("swapped_between_calls", "tool_call", "fault", swapped_between_calls, "values of parallel calls in each other's place"),
)  # fmt: skip
