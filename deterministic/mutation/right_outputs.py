"""Make right outputs from references, for data without outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from ...records import (
    AcceptedCall,
    AnswerReference,
    AnyValue,
    Case,
    MultiTurnReference,
    Output,
    ToolCall,
    ToolCallReference,
    accepted_calls,
    kind_spec,
    load_function,
)
from ...records.typed_values import convert

REFERENCE_SYSTEM = "reference"
"""System of such outputs."""

_DEEPEST = 8


def right_output(case: Case, system: str = REFERENCE_SYSTEM) -> Output | None:
    """Return an output with the first acceptable values of the reference.

    None for kinds without such a reference, and for languages other than Python. The caller has to test that a checker passes it.
    """
    right = kind_spec(case.kind).right
    return None if right is None else load_function(right)(case, Output(case_id=case.id, system=system))


def without_calls(_case: Case, output: Output) -> Output:
    """Return the output with a text instead of calls."""
    return msgspec.structs.replace(output, text="None of the functions I have can do this.", tool_calls=[])


def with_turns(case: Case, output: Output) -> Output:
    """Return the output with the calls of each turn of the reference."""
    turns = convert(case.reference, MultiTurnReference).calls
    steps: list[list[Any]] = [[f"[{', '.join(calls)}]"] if calls else [] for calls in turns]
    return msgspec.structs.replace(output, turns=steps)


def with_answer(case: Case, output: Output) -> Output | None:
    """Return the output with the first accepted answer."""
    answers = convert(case.reference, AnswerReference).answers
    return msgspec.structs.replace(output, text=answers[0]) if answers else None


def with_accepted_calls(case: Case, output: Output) -> Output | None:
    """Return the output with the first accepted calls, or None for other languages than Python."""
    reference = convert(case.reference, ToolCallReference)
    if reference.language != "python":
        return None
    calls = [
        ToolCall(
            name=call.name,
            arguments=_literal_arguments(call) if call.literal else _arguments(call.written[call.name]),
        )
        for call in accepted_calls(reference.calls)
    ]
    return msgspec.structs.replace(output, tool_calls=calls)


def _literal_arguments(call: AcceptedCall) -> dict[str, Any]:
    return {name: as_given(accepted.values[0]) for name, accepted in call.arguments.items()}


def as_given(value: Any) -> Any:
    """Convert an accepted value to the form of an output.

    A list is a plain list, whatever the reference says about its order.
    """
    if isinstance(value, AnyValue):
        return "any value"
    return msgspec.to_builtins(value)


def _arguments(acceptable: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Choose the first acceptable value of each argument.

    An optional argument is given if its first acceptable value is not empty.
    """
    chosen: dict[str, Any] = {}
    for name, choices in acceptable.items():
        values = cast("list[Any]", choices) if isinstance(choices, list) else [choices]
        if values and values[0] != "":
            chosen[name] = _value(values[0], depth)
        elif "" not in values:
            chosen[name] = ""
    return chosen


def _value(value: Any, depth: int) -> Any:
    """Convert an acceptable value to the form of an output.

    In a dict of lists of acceptable values, take the first of each.
    """
    if depth < _DEEPEST and isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        if items and all(isinstance(item, list) for item in items.values()):
            return _arguments(items, depth + 1)
        return {key: _value(item, depth + 1) for key, item in items.items()}
    if depth < _DEEPEST and isinstance(value, list):
        return [_value(item, depth + 1) for item in cast("list[Any]", value)]
    return value
