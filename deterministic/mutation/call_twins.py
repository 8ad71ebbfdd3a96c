"""Harmless twins of tool calls: the same calls, written or offered differently."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec

from ...records import ToolCallReference
from .calls import Call, native_calls, source_text, write_calls
from .chance import shuffled
from .operator import Mutation, Operator
from .sites import with_value
from .subject import Subject

_UNRELATED_TOOL = {
    "type": "function",
    "function": {
        "name": "lighthouse_keeper_roster",
        "description": "Lists who tends a lighthouse in a given week of the year.",
        "parameters": {
            "type": "dict",
            "properties": {"week": {"type": "integer", "description": "Week of the year, 1 to 53."}},
            "required": ["week"],
        },
    },
}


def argument_order(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Name the arguments in another order."""
    del chance
    if any(len(call.arguments) > 1 for call in subject.calls):
        calls = [Call(call.name, dict(reversed(call.arguments.items()))) for call in subject.calls]
        yield Mutation(write_calls(subject.output, calls), "arguments are named from back to front")


def call_order(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Make parallel calls in another order."""
    del chance
    if len(subject.calls) > 1 and subject.calls != subject.calls[::-1]:
        yield Mutation(write_calls(subject.output, subject.calls[::-1]), "calls are made from back to front")


def number_notation(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Write 1 for 1.0, and 1.0 for 1 where the document asks for a float."""
    for site in shuffled(subject.sites, chance):
        other: Any = None
        if type(site.value) is float and site.value.is_integer():
            other = int(site.value)
        elif type(site.value) is int and site.document.get("type") in {"float", "number"}:
            other = float(site.value)
        if other is not None:
            change = f"{site.place} is written {other!r} instead of {site.value!r}"
            yield Mutation(write_calls(subject.output, with_value(subject.calls, site, other)), change)


def underscored_name(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Write the dots of a function's name as underscores."""
    del chance
    calls = [Call(call.name.replace(".", "_"), call.arguments) for call in subject.calls]
    if calls != subject.calls:
        yield Mutation(write_calls(subject.output, calls), "dots in function names are underscores")


def default_spelled_out(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Give an optional argument that was left out its documented default."""
    for index, call in enumerate(subject.calls):
        parameters = subject.parameters(call.name)
        for name in shuffled(parameters.keys() - call.arguments.keys(), chance):
            if parameters[name].get("default") is not None:
                calls = list(subject.calls)
                calls[index] = Call(call.name, {**call.arguments, name: parameters[name]["default"]})
                change = f"{name}={parameters[name]['default']!r}, the default, is spelled out"
                yield Mutation(write_calls(subject.output, calls), f"{call.name}: {change}")


def letter_case(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Write a text without capitals."""
    for site in shuffled(subject.sites, chance):
        if type(site.value) is str and site.value != site.value.lower() and "enum" not in site.document:
            calls = with_value(subject.calls, site, site.value.lower())
            yield Mutation(write_calls(subject.output, calls), f"{site.place} is in lower case")


def accepted_alias(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Give another of the acceptable values."""
    if subject.case.kind != "tool_call":
        return
    expected = msgspec.convert(subject.case.reference, ToolCallReference).calls
    for index, call in enumerate(subject.calls):
        for name in shuffled(call.arguments, chance):
            for choice in _aliases(call, name, expected):
                calls = list(subject.calls)
                calls[index] = Call(call.name, {**call.arguments, name: choice})
                change = f"{name} is {choice!r} instead of {call.arguments[name]!r}, which is as good"
                yield Mutation(write_calls(subject.output, calls), change)


def _aliases(call: Call, argument: str, expected: list[dict[str, dict[str, Any]]]) -> Iterator[Any]:
    """Other values for an argument that the expected call, which this call is, accepts."""
    for reference in expected:
        for name, acceptable in reference.items():
            same_name = call.name in {name, name.replace(".", "_")}
            if same_name and all(value in acceptable.get(key, ()) for key, value in call.arguments.items()):
                for choice in acceptable[argument]:
                    if choice not in (call.arguments[argument], ""):
                        yield choice


def other_notation(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Write native calls as Python source, and source as native calls."""
    del chance
    if not subject.calls:
        return
    if subject.output.tool_calls is None:
        output = msgspec.structs.replace(
            subject.output, text=None, tool_calls=native_calls(subject.calls, as_text=True)
        )
        yield Mutation(output, "native calls instead of source text")
    else:
        output = msgspec.structs.replace(subject.output, tool_calls=None, text=source_text(subject.calls))
        yield Mutation(output, "source text instead of native calls")


def tools_reordered(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Offer the functions in another order."""
    del chance
    if len(subject.case.tools) > 1:
        case = msgspec.structs.replace(subject.case, tools=subject.case.tools[::-1])
        yield Mutation(subject.output, "functions are offered from back to front", case)


def unrelated_tool(subject: Subject, chance: random.Random) -> Iterator[Mutation]:
    """Offer one more function, which has nothing to do with the request."""
    del chance
    if subject.case.tools:
        case = msgspec.structs.replace(subject.case, tools=[*subject.case.tools, _UNRELATED_TOOL])
        yield Mutation(subject.output, "one more function is offered, which has nothing to do with it", case)


CALL_TWINS = (
    Operator("argument_order", "tool_call", "twin", argument_order, "arguments named in another order"),
    Operator("call_order", "tool_call", "twin", call_order, "parallel calls in another order"),
    Operator("number_notation", "tool_call", "twin", number_notation, "1 for 1.0 and back"),
    Operator("underscored_name", "tool_call", "twin", underscored_name, "dots of a function's name as underscores"),
    Operator("default_spelled_out", "tool_call", "twin", default_spelled_out, "the documented default in so many words"),
    Operator("letter_case", "tool_call", "twin", letter_case, "a text without capitals"),
    Operator("accepted_alias", "tool_call", "twin", accepted_alias, "another acceptable value"),
    Operator("other_notation", "tool_call", "twin", other_notation, "source text for native calls and back"),
    Operator("tools_reordered", "tool_call", "twin", tools_reordered, "functions offered in another order"),
    Operator("unrelated_tool", "tool_call", "twin", unrelated_tool, "one more function offered that does not matter"),
)  # fmt: skip
