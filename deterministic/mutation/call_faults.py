"""Operators on tool calls: a call or argument is missing, too many, wrong or swapped."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, cast

import msgspec

from ...records import OF_CALLS, kind_spec, message_text
from ..ast.schemas import as_mapping, required_names
from .call_notation import NamedCall, native_calls, source_text
from .near_values import stray_text
from .operator import Mutation, Operator, calls_mutation, with_arguments
from .seeding import shuffled
from .subject import Subject

# Words of snake_case and camelCase names, and numbers.
_WORD_IN_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_COUNTING_WORDS = frozenset({"first", "second", "third", "one", "two", "three", "left", "right", "other"})


def are_interchangeable(one: str, other: str) -> bool:
    """Return whether the names of two arguments suggest that they are interchangeable.

    That is so if they differ only in a count: ``num1`` and ``num2``, ``a`` and ``b``, ``point_a`` and ``point_b``, ``first`` and
    ``second``. The function may be symmetrical in them, like a sum or a distance, so swapping them would be no fault.
    """
    return _words_without_counters(one) == _words_without_counters(other)


def _words_without_counters(name: str) -> list[str]:
    words = [word.lower() for word in _WORD_IN_NAME.findall(name)]
    return [word for word in words if len(word) > 1 and not word.isdigit() and word not in _COUNTING_WORDS]


_MAX_DEPTH = 4
"""Limit on the nesting of made-up values."""

_EXAMPLE_NUMBERS: dict[str, Any] = {"integer": 7, "float": 7.5, "number": 7.5, "double": 7.5}
# Plausible for any function.
_INVENTED_ARGUMENTS = (("verbose", True), ("note", "as requested"), ("priority", 1))


def drop_required(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Leave out an argument that the document requires."""
    yield from _drop_argument(subject, rng, required=True)


def drop_optional(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Leave out an argument that the document does not require."""
    yield from _drop_argument(subject, rng, required=False)


def invent_argument(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Add an argument that the document does not list."""
    for index, call in shuffled(enumerate(subject.calls), rng):
        name, value = rng.choice(_INVENTED_ARGUMENTS)
        if name not in subject.parameters(call.name) and name not in call.arguments:
            yield with_arguments(
                subject, index, {**call.arguments, name: value}, f"{name}={value!r} was added"
            )


def set_unasked_optional(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Set an optional argument that the user did not ask for."""
    question = _text_of_messages(subject)
    for index, call in enumerate(subject.calls):
        parameters = subject.parameters(call.name)
        for name in shuffled((name for name in parameters if name not in call.arguments), rng):
            for value in _example_values(parameters[name], question):
                if str(value).lower() not in question:
                    change = f"{name}={value!r} was added, which nobody asked for"
                    yield with_arguments(subject, index, {**call.arguments, name: value}, change)


def swap_arguments(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Swap two values of the same type within a call.

    Arguments with names that suggest they are interchangeable are skipped.
    """
    for index, call in enumerate(subject.calls):
        for name, other_name in shuffled(combinations(call.arguments, 2), rng):
            value, other_value = call.arguments[name], call.arguments[other_name]
            if (
                type(value) is type(other_value)
                and value != other_value
                and not are_interchangeable(name, other_name)
            ):
                arguments = {**call.arguments, name: other_value, other_name: value}
                yield with_arguments(subject, index, arguments, f"{name} and {other_name} changed places")


def swap_between_calls(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Exchange the values that two calls have for the same argument."""
    calls = subject.calls
    for (one_index, call), (other_index, other_call) in shuffled(combinations(enumerate(calls), 2), rng):
        for name in (name for name in call.arguments if name in other_call.arguments):
            value, other_value = call.arguments[name], other_call.arguments[name]
            new_calls = list(calls)
            new_calls[one_index] = NamedCall(call.name, {**call.arguments, name: other_value})
            new_calls[other_index] = NamedCall(other_call.name, {**other_call.arguments, name: value})
            # Calls that differ in nothing else would only be reordered.
            if (
                type(value) is type(other_value)
                and value != other_value
                and new_calls[one_index] != other_call
            ):
                change = f"calls {one_index + 1} and {other_index + 1} exchanged their {name}"
                yield calls_mutation(subject, new_calls, change)


def _drop_argument(subject: Subject, rng: random.Random, *, required: bool) -> Iterator[Mutation]:
    sites = [(index, name) for index, call in enumerate(subject.calls) for name in call.arguments]
    for index, name in shuffled(sites, rng):
        call = subject.calls[index]
        default = subject.parameters(call.name).get(name, {}).get("default")
        if (name in subject.required(call.name)) == required and call.arguments[name] != default:
            remaining = {
                other_name: value for other_name, value in call.arguments.items() if other_name != name
            }
            yield with_arguments(subject, index, remaining, f"{name}={call.arguments[name]!r} was left out")


def _text_of_messages(subject: Subject) -> str:
    return " ".join(message_text(message) for message in subject.case.all_messages).lower()


ARGUMENT_FAULTS = (
    Operator("missing_required", OF_CALLS, "fault", drop_required, "a required argument left out"),
    Operator("missing_optional", OF_CALLS, "fault", drop_optional, "an optional argument left out that was asked for"),
    Operator("invented_argument", OF_CALLS, "fault", invent_argument, "an argument that is not documented"),
    Operator("invented_optional", OF_CALLS, "fault", set_unasked_optional, "an optional argument that nobody asked for"),
    Operator("swapped_arguments", OF_CALLS, "fault", swap_arguments, "two values of a call in each other's place"),
    Operator("swapped_between_calls", OF_CALLS, "fault", swap_between_calls, "values of parallel calls in each other's place"),
)  # fmt: skip


def call_wrong_function(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Call another offered function with the same arguments.

    If only one is offered, call one with a similar name.
    """
    for index, call in shuffled(enumerate(subject.calls), rng):
        for name in shuffled(_other_functions(subject, call.name) or [f"{call.name}_v2"], rng):
            calls = list(subject.calls)
            calls[index] = NamedCall(name, call.arguments)
            yield calls_mutation(subject, calls, f"{name} was called instead of {call.name}")


def drop_call(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Leave out one call, even the only one."""
    for index, call in shuffled(enumerate(subject.calls), rng):
        remaining = [*subject.calls[:index], *subject.calls[index + 1 :]]
        yield calls_mutation(subject, remaining, f"call {index + 1}, of {call.name}, was left out")


def duplicate_call(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Make one call twice."""
    for index, call in shuffled(enumerate(subject.calls), rng):
        calls = [*subject.calls[: index + 1], *subject.calls[index:]]
        yield calls_mutation(subject, calls, f"call {index + 1}, of {call.name}, was made twice")


def reorder_calls(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Reverse calls whose order matters, by the reference."""
    if subject.case.reference.get("ordered") and subject.calls != subject.calls[::-1]:
        yield calls_mutation(subject, subject.calls[::-1], "calls are made from back to front")


def add_call(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Call another offered function as well, with made-up arguments."""
    if not subject.calls:
        return
    for name in shuffled(
        sorted({other_name for call in subject.calls for other_name in _other_functions(subject, call.name)}),
        rng,
    ):
        extra_call = _example_call(subject.documents[name], "")
        yield calls_mutation(subject, [*subject.calls, extra_call], f"{name} was called as well")


def call_where_none_is_due(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Call an offered function although none fits."""
    if kind_spec(subject.case.kind).call != "none":
        return
    for tool in shuffled(subject.case.tools, rng):
        calls = [_example_call(tool["function"], "")]
        output_fields: dict[str, Any] = {"text": source_text(calls)}
        if subject.output.tool_calls is not None:
            output_fields = {"text": None, "tool_calls": native_calls(calls)}
        change = f"{calls[0].name} was called where nothing should be"
        yield Mutation(msgspec.structs.replace(subject.output, **output_fields), change)


def _other_functions(subject: Subject, name: str) -> list[str]:
    names = [tool["function"]["name"] for tool in subject.case.tools]
    return sorted(
        {other_name for other_name in names if name not in {other_name, other_name.replace(".", "_")}}
    )


CALL_FAULTS = (
    Operator("wrong_function", OF_CALLS, "fault", call_wrong_function, "another function than the one that fits"),
    Operator("dropped_call", OF_CALLS, "fault", drop_call, "a call left out"),
    Operator("duplicated_call", OF_CALLS, "fault", duplicate_call, "a call made twice"),
    Operator("reordered_calls", OF_CALLS, "fault", reorder_calls, "calls whose order matters, from back to front"),
    Operator("extra_call", OF_CALLS, "fault", add_call, "a call of another offered function as well"),
    Operator("call_where_none_is_due", OF_CALLS, "fault", call_where_none_is_due, "a call although no function fits"),
)  # fmt: skip


def _example_values(document: Mapping[str, Any], question: str, depth: int = 0) -> Iterator[Any]:
    """Yield a few values of the documented type; texts are words that are not in the question."""
    choices: Any = document.get("enum")
    kind: Any = document.get("type")
    if isinstance(choices, list):
        yield from (choice for choice in cast("list[Any]", choices) if choice != document.get("default"))
    elif kind == "boolean":
        yield document.get("default") is not True
    elif kind in _EXAMPLE_NUMBERS:
        yield _EXAMPLE_NUMBERS[kind]
    elif kind in {"array", "tuple"}:
        yield [_first_example(document.get("items"), question, depth)]
    elif kind in {"dict", "object"}:
        yield _example_object(document, question, depth)
    else:
        yield stray_text(question)


def _example_call(document: Mapping[str, Any], question: str) -> NamedCall:
    """Make up a call of a function with only its required arguments."""
    return NamedCall(document["name"], _example_object(document.get("parameters") or {}, question, 0))


def _example_object(document: Mapping[str, Any], question: str, depth: int) -> dict[str, Any]:
    properties = as_mapping(document.get("properties"))
    required = required_names(document) if depth < _MAX_DEPTH else []
    return {
        name: _first_example(properties[name], question, depth) for name in required if name in properties
    }


def _first_example(document: Any, question: str, depth: int) -> Any:
    return next(_example_values(as_mapping(document), question, depth + 1), stray_text(question))
