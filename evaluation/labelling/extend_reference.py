"""Extend a reference so that it also accepts an output that was found right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ...deterministic.ast.tool_calls import is_call_list
from ...deterministic.decoding.replies import asked_form, decode_output
from ...errors import DecodingError, InputError
from ...records import Case, Output, kind_spec
from ...records.accepted_calls import AcceptedCall, accepted_calls, is_marked, is_plain_call

_MAX_ANSWER_LENGTH = 300
"""Characters of a text that may become an accepted answer."""


def extended_reference(case: Case, output: Output) -> dict[str, Any] | None:
    """Return a case's reference, extended to accept an output that was found right.

    Accepted calls get the values of the output's calls, and an argument that the output omits becomes optional. Answers get the
    output's text.

    Returns:
        The reference, or None if no reference of the case's kind can accept the output, such as one with other calls.
    """
    spec = kind_spec(case.kind)
    if spec.compared:
        calls = _extended_calls(case, output)
        return None if calls is None else {**case.reference, "calls": calls}
    answers = case.reference.get("answers")
    if spec.family == "answer" and isinstance(answers, list):
        answer = (output.text or "").strip()
        answer_list = cast("list[Any]", answers)
        return (
            {**case.reference, "answers": [*answer_list, answer]}
            if 0 < len(answer) <= _MAX_ANSWER_LENGTH
            else None
        )
    return None


def _extended_calls(case: Case, output: Output) -> list[dict[str, Any]] | None:
    try:
        accepted = accepted_calls(case.reference.get("calls", []))
        output_calls: Any = decode_output(output, asked_form(case), strictly=True)
    except (InputError, DecodingError):
        return None
    if not is_call_list(output_calls):
        return None
    arguments = _match_calls(accepted, [next(iter(call.items())) for call in output_calls])
    if arguments is None:
        return None
    return [
        _extended_call(call, output_arguments)
        for call, output_arguments in zip(accepted, arguments, strict=True)
    ]


def _match_calls(
    accepted: Sequence[AcceptedCall], output_calls: Sequence[tuple[Any, dict[str, Any]]]
) -> list[dict[str, Any]] | None:
    """Return the arguments of the output's call that matches each accepted one.

    Calls that the reference already accepts are matched first, so that their values are not added to another accepted call.

    Returns:
        The arguments, or None if other functions were called.
    """
    if len(output_calls) != len(accepted):
        return None
    unmatched_calls = dict(enumerate(output_calls))
    matched_arguments: dict[int, dict[str, Any]] = {}
    for matches in (_accepts, _is_alike):
        for index, call in enumerate(accepted):
            if index in matched_arguments:
                continue
            number = next(
                (number for number, output_call in unmatched_calls.items() if matches(call, *output_call)),
                None,
            )
            if number is not None:
                _, matched_arguments[index] = unmatched_calls.pop(number)
    return [matched_arguments[index] for index in range(len(accepted))] if not unmatched_calls else None


def _is_alike(accepted: AcceptedCall, name: Any, _arguments: dict[str, Any]) -> bool:
    return str(name).replace(".", "_") == accepted.name.replace(".", "_")


def _accepts(accepted: AcceptedCall, name: Any, arguments: dict[str, Any]) -> bool:
    """Return whether a call has only values that the reference lists."""
    accepted_arguments = accepted.arguments
    return (
        _is_alike(accepted, name, arguments)
        and all(
            argument in accepted_arguments and _is_listed(value, accepted_arguments[argument].values)
            for argument, value in arguments.items()
        )
        and all(values.optional or argument in arguments for argument, values in accepted_arguments.items())
    )


def _extended_call(call: AcceptedCall, output_arguments: dict[str, Any]) -> dict[str, Any]:
    """Return an accepted call in the reference's form, extended to accept further arguments."""
    is_plain = is_plain_call(call.written)
    arguments: dict[str, Any] = dict(
        call.written.get("arguments", {}) if is_plain else call.written[call.name]
    )
    for name in dict.fromkeys([*arguments, *output_arguments]):
        accepted_values, written = call.arguments.get(name), arguments.get(name)
        # In BFCL's form, an empty text among the values makes an argument optional.
        if accepted_values is None:
            arguments[name] = (
                {"optional": _plain_literal(output_arguments[name])}
                if is_plain
                else [output_arguments[name], ""]
            )
        elif name not in output_arguments:
            if not accepted_values.optional:
                arguments[name] = _optional(written) if is_plain else [*arguments[name], ""]
        elif not _is_listed(output_arguments[name], accepted_values.values):
            arguments[name] = (
                _or_value(written, output_arguments[name])
                if is_plain
                else [*arguments[name], output_arguments[name]]
            )
    return {"name": call.name, "arguments": arguments} if is_plain else {call.name: arguments}


def _is_listed(value: Any, values: Sequence[Any]) -> bool:
    return any(type(value) is type(other) and value == other for other in values)  # 1 is not True


def _plain_literal(value: Any) -> Any:
    return {"exactly": value} if is_marked(value) else value


def _optional(written: Any) -> dict[str, Any]:
    return {**written, "optional": True} if is_marked(written) else {"optional": written}


def _or_value(written: Any, value: Any) -> dict[str, Any]:
    """Return a form that accepts what the existing one accepts, or a value."""
    if is_marked(written) and "any_of" in written:
        return {**written, "any_of": [*written["any_of"], _plain_literal(value)]}
    if is_marked(written) and written.keys() == {"optional"}:
        return {"any_of": [written["optional"], _plain_literal(value)], "optional": True}
    return {"any_of": [written, _plain_literal(value)]}
