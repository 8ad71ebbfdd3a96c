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
"""System name of the outputs that are made from references."""

_MAX_DEPTH = 8
"""Values that are nested deeper are returned as written."""


def right_output(case: Case, system: str = REFERENCE_SYSTEM) -> Output | None:
    """Return an output with the first acceptable values of the reference.

    None for kinds of case whose reference has none, and for languages other than Python. The caller has to test that a checker passes
    the output.
    """
    right = kind_spec(case.kind).right
    return None if right is None else load_function(right)(case, Output(case_id=case.id, system=system))


def without_calls(_case: Case, output: Output) -> Output:
    """Return the output with a text instead of calls."""
    return msgspec.structs.replace(output, text="None of the functions I have can do this.", tool_calls=[])


def with_turns(case: Case, output: Output) -> Output:
    """Return the output with the calls of each turn of the reference."""
    calls_by_turn = convert(case.reference, MultiTurnReference).calls
    turns: list[list[Any]] = [[f"[{', '.join(calls)}]"] if calls else [] for calls in calls_by_turn]
    return msgspec.structs.replace(output, turns=turns)


def with_answer(case: Case, output: Output) -> Output | None:
    """Return the output with the first accepted answer."""
    answers = convert(case.reference, AnswerReference).answers
    return msgspec.structs.replace(output, text=answers[0]) if answers else None


def with_accepted_calls(case: Case, output: Output) -> Output | None:
    """Return the output with the first accepted calls, or None for languages other than Python."""
    reference = convert(case.reference, ToolCallReference)
    if reference.language != "python":
        return None
    calls = [
        ToolCall(
            name=call.name,
            arguments=_literal_arguments(call) if call.literal else _first_choices(call.written[call.name]),
        )
        for call in accepted_calls(reference.calls)
    ]
    return msgspec.structs.replace(output, tool_calls=calls)


def _literal_arguments(call: AcceptedCall) -> dict[str, Any]:
    return {name: as_output_value(accepted.values[0]) for name, accepted in call.arguments.items()}


def as_output_value(value: Any) -> Any:
    """Convert an accepted value to its form in an output: a plain list, dict or text."""
    if isinstance(value, AnyValue):
        return "any value"
    return msgspec.to_builtins(value)


def _first_choices(acceptable: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Return the first acceptable value of each argument, in a reference of BFCL's form.

    An optional argument is left out if its first acceptable value is the marker ``""``.
    """
    arguments: dict[str, Any] = {}
    for name, choices in acceptable.items():
        values = cast("list[Any]", choices) if isinstance(choices, list) else [choices]
        if values and values[0] != "":
            arguments[name] = _first_choice(values[0], depth)
        elif "" not in values:  # only if the list is empty, so that no value is acceptable
            arguments[name] = ""
    return arguments


def _first_choice(value: Any, depth: int) -> Any:
    """Return an acceptable value with the first choice in its dicts of acceptable values."""
    if depth < _MAX_DEPTH and isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        if items and all(isinstance(item, list) for item in items.values()):
            return _first_choices(items, depth + 1)
        return {key: _first_choice(item, depth + 1) for key, item in items.items()}
    if depth < _MAX_DEPTH and isinstance(value, list):
        return [_first_choice(item, depth + 1) for item in cast("list[Any]", value)]
    return value
