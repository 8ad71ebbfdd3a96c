"""Operators that make twins of tool calls: the same calls, written or offered otherwise."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ...records import OF_CALLS, AcceptedCall
from ..letter_case import is_caseless, is_word_for_word
from .call_notation import NamedCall, native_calls, source_text
from .documented_form import keeps_form
from .operator import Mutation, Operator, calls_mutation, with_arguments
from .right_outputs import as_output_value
from .seeding import shuffled
from .subject import Subject, with_value

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


def reverse_arguments(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Name the arguments in another order."""
    if any(len(call.arguments) > 1 for call in subject.calls):
        calls = [NamedCall(call.name, dict(reversed(call.arguments.items()))) for call in subject.calls]
        yield calls_mutation(subject, calls, "arguments are named from back to front")


def reverse_free_list(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Reverse a list whose items may come in any order, by the reference."""
    for site in shuffled(subject.sites, rng):
        if site.order == "free" and site.value != site.value[::-1]:
            calls = with_value(subject.calls, site, site.value[::-1])
            yield calls_mutation(subject, calls, f"{site.path_text} is given from back to front")


def reverse_calls(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Make parallel calls in another order, unless the reference wants them in this one."""
    if subject.case.reference.get("ordered"):
        return
    if len(subject.calls) > 1 and subject.calls != subject.calls[::-1]:
        yield calls_mutation(subject, subject.calls[::-1], "calls are made from back to front")


def change_number_notation(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Write 1 for 1.0, and 1.0 for 1 if the document asks for a float."""
    for site in shuffled(subject.sites, rng):
        other_number: Any = None
        if type(site.value) is float and site.value.is_integer():
            other_number = int(site.value)
        elif type(site.value) is int and site.document.get("type") in {"float", "number"}:
            other_number = float(site.value)
        if other_number is not None:
            change = f"{site.path_text} is written {other_number!r} instead of {site.value!r}"
            yield calls_mutation(subject, with_value(subject.calls, site, other_number), change)


def write_underscores(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Write the dots of a function's name as underscores."""
    calls = [NamedCall(call.name.replace(".", "_"), call.arguments) for call in subject.calls]
    if calls != subject.calls:
        yield calls_mutation(subject, calls, "dots in function names are underscores")


def write_default(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Give an optional argument that was left out its documented default."""
    for index, call in enumerate(subject.calls):
        parameters = subject.parameters(call.name)
        for name in shuffled((name for name in parameters if name not in call.arguments), rng):
            if parameters[name].get("default") is not None:
                default = parameters[name]["default"]
                change = f"{name}={default!r}, the default, is spelled out"
                yield with_arguments(subject, index, {**call.arguments, name: default}, change)


def write_lower_case(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Write a text without capitals if they do not matter.

    Codes and texts that the user gave word for word are skipped.
    """
    for site in shuffled(subject.sites, rng):
        if type(site.value) is not str or site.value == site.value.lower():
            continue
        lower_case = site.value.lower()
        if is_caseless(site.value, subject.case) and keeps_form(lower_case, site.document):
            calls = with_value(subject.calls, site, lower_case)
            mutation = calls_mutation(subject, calls, f"{site.path_text} is in lower case")
            # Labelled here, since the strict checker may leave a difference in letter case undecided.
            yield msgspec.structs.replace(mutation, label=1.0)


def give_accepted_alias(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Give another acceptable value in the documented form, in all calls with the argument.

    The user's exact words stay, even if the reference is lenient.
    """
    accepted = [_accepted_values(call, subject.accepted) for call in subject.calls]
    for index, call in enumerate(subject.calls):
        for name in shuffled(call.arguments, rng):
            value = call.arguments[name]
            if isinstance(value, str) and is_word_for_word(value, subject.case):
                continue
            for number, choice in enumerate(accepted[index].get(name, ())):
                calls = _with_choice_in_all_calls(subject, accepted, call.name, name, number)
                if calls is not None and choice != value:
                    change = f"{name} is {choice!r} instead of {value!r}, which is as good"
                    yield calls_mutation(subject, calls, change)


def _accepted_values(call: NamedCall, expected: Iterable[AcceptedCall]) -> Mapping[str, list[Any]]:
    """Return the acceptable values, by argument, of the expected call that a call matches."""
    for reference in expected:
        accepted = {
            name: [as_output_value(value) for value in acceptable.values]
            for name, acceptable in reference.arguments.items()
        }
        has_same_name = call.name in {reference.name, reference.name.replace(".", "_")}
        if has_same_name and all(value in accepted.get(key, ()) for key, value in call.arguments.items()):
            return accepted
    return {}


def _with_choice_in_all_calls(
    subject: Subject,
    accepted: Sequence[Mapping[str, list[Any]]],
    function: str,
    argument: str,
    choice_index: int,
) -> list[NamedCall] | None:
    """Return the calls with the same choice of acceptable value in all calls with an argument.

    A name that is translated, or a unit that is written out, in only one of several calls might count as a fault.

    Args:
        subject: The right output.
        accepted: Acceptable values of each call, by argument.
        function: Name of the function.
        argument: Name of the argument.
        choice_index: Index of the choice among the acceptable values.

    Returns:
        The calls, or None if one of them has no such value, or its form is not the documented one.
    """
    calls = list(subject.calls)
    document = subject.parameters(function).get(argument, {})
    for index, call in enumerate(calls):
        if call.name != function or argument not in call.arguments:
            continue
        choices = accepted[index].get(argument, ())
        if choice_index >= len(choices) or not keeps_form(choices[choice_index], document):
            return None
        calls[index] = NamedCall(call.name, {**call.arguments, argument: choices[choice_index]})
    return calls


def change_notation(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Write native calls as Python source, and source as native calls."""
    if not subject.calls:
        return
    if subject.output.tool_calls is None:
        try:
            native = native_calls(subject.calls, as_text=True)
        except TypeError:  # Python source may have values that JSON cannot have: bytes, sets, complex numbers
            return
        output = msgspec.structs.replace(subject.output, text=None, tool_calls=native)
        yield Mutation(output, "native calls instead of source text")
    else:
        output = msgspec.structs.replace(subject.output, tool_calls=None, text=source_text(subject.calls))
        yield Mutation(output, "source text instead of native calls")


def reorder_tools(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Offer the functions in another order."""
    if len(subject.case.tools) > 1:
        case = msgspec.structs.replace(subject.case, tools=subject.case.tools[::-1])
        yield Mutation(subject.output, "functions are offered from back to front", case)


def add_unrelated_tool(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Offer one more function, which has nothing to do with the request."""
    if subject.case.tools:
        case = msgspec.structs.replace(subject.case, tools=[*subject.case.tools, _UNRELATED_TOOL])
        yield Mutation(subject.output, "one more function is offered, which has nothing to do with it", case)


CALL_TWINS = (
    Operator("argument_order", OF_CALLS, "twin", reverse_arguments, "arguments named in another order"),
    Operator("list_order", OF_CALLS, "twin", reverse_free_list, "a list whose order is free, from back to front"),
    Operator("call_order", OF_CALLS, "twin", reverse_calls, "parallel calls in another order"),
    Operator("number_notation", OF_CALLS, "twin", change_number_notation, "1 for 1.0 and back"),
    Operator("underscored_name", OF_CALLS, "twin", write_underscores, "dots of a function's name as underscores"),
    Operator("default_spelled_out", OF_CALLS, "twin", write_default, "the documented default in so many words"),
    Operator("letter_case", OF_CALLS, "twin", write_lower_case, "a text without capitals"),
    Operator("accepted_alias", OF_CALLS, "twin", give_accepted_alias, "another acceptable value"),
    Operator("other_notation", OF_CALLS, "twin", change_notation, "source text for native calls and back"),
    Operator("tools_reordered", OF_CALLS, "twin", reorder_tools, "functions offered in another order"),
    Operator("unrelated_tool", OF_CALLS, "twin", add_unrelated_tool, "one more function offered that does not matter"),
)  # fmt: skip
