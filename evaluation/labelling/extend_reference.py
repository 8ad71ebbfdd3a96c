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


def widened(case: Case, output: Output) -> dict[str, Any] | None:
    """Extend a case's reference to accept an output that was found right.

    Accepted calls get the values of the output's calls, and an argument that the output omits becomes optional. Answers get the
    output's text.

    Returns:
        The reference, or None if no reference of the case's kind can accept the output, such as one with other calls.
    """
    spec = kind_spec(case.kind)
    if spec.compared:
        calls = _calls(case, output)
        return None if calls is None else {**case.reference, "calls": calls}
    answers = case.reference.get("answers")
    if spec.family == "answer" and isinstance(answers, list):
        answer = (output.text or "").strip()
        listed = cast("list[Any]", answers)
        return (
            {**case.reference, "answers": [*listed, answer]}
            if 0 < len(answer) <= _MAX_ANSWER_LENGTH
            else None
        )
    return None


def _calls(case: Case, output: Output) -> list[dict[str, Any]] | None:
    try:
        accepted = accepted_calls(case.reference.get("calls", []))
        made: Any = decode_output(output, asked_form(case), strictly=True)
    except (InputError, DecodingError):
        return None
    if not is_call_list(made):
        return None
    partners = _partners(accepted, [next(iter(call.items())) for call in made])
    if partners is None:
        return None
    return [_extended_call(call, partner) for call, partner in zip(accepted, partners, strict=True)]


def _partners(
    accepted: Sequence[AcceptedCall], made: Sequence[tuple[Any, dict[str, Any]]]
) -> list[dict[str, Any]] | None:
    """Return the arguments of the call that was made in place of each accepted one.

    Calls that are accepted as they are come first, so that a reference does not get their values in another place, too.
    None if other functions were called.
    """
    if len(made) != len(accepted):
        return None
    unmatched = dict(enumerate(made))
    partners: dict[int, dict[str, Any]] = {}
    for fits in (_accepts, _is_alike):
        for place, call in enumerate(accepted):
            number = next((number for number, each in unmatched.items() if fits(call, *each)), None)
            if place not in partners and number is not None:
                partners[place] = unmatched.pop(number)[1]
    return [partners[place] for place in range(len(accepted))] if not unmatched else None


def _is_alike(accepted: AcceptedCall, name: Any, _arguments: dict[str, Any]) -> bool:
    """Return whether a call is to the same function, in either form of its name."""
    return str(name).replace(".", "_") == accepted.name.replace(".", "_")


def _accepts(accepted: AcceptedCall, name: Any, arguments: dict[str, Any]) -> bool:
    """Return whether a call has only values that the reference lists."""
    known = accepted.arguments
    return (
        _is_alike(accepted, name, arguments)
        and all(
            argument in known and _in(value, known[argument].values) for argument, value in arguments.items()
        )
        and all(values.optional or argument in arguments for argument, values in known.items())
    )


def _extended_call(call: AcceptedCall, made: dict[str, Any]) -> dict[str, Any]:
    """Return the call as the reference writes it, so that it accepts the arguments of another."""
    plain = is_plain_call(call.written)
    arguments: dict[str, Any] = dict(call.written.get("arguments", {}) if plain else call.written[call.name])
    for name in dict.fromkeys([*arguments, *made]):
        accepts, written = call.arguments.get(name), arguments.get(name)
        if accepts is None:
            arguments[name] = {"optional": _literal(made[name])} if plain else [made[name], ""]
        elif name not in made:
            if not accepts.optional:
                arguments[name] = _optional(written) if plain else [*arguments[name], ""]
        elif not _in(made[name], accepts.values):
            arguments[name] = _either(written, made[name]) if plain else [*arguments[name], made[name]]
    return {"name": call.name, "arguments": arguments} if plain else {call.name: arguments}


def _in(value: Any, values: Sequence[Any]) -> bool:
    return any(type(value) is type(each) and value == each for each in values)


def _literal(value: Any) -> Any:
    """Return a value so that it stands for itself in the plain form."""
    return {"exactly": value} if is_marked(value) else value


def _optional(written: Any) -> dict[str, Any]:
    return {**written, "optional": True} if is_marked(written) else {"optional": written}


def _either(written: Any, value: Any) -> dict[str, Any]:
    """Return a form that accepts the existing form or a value."""
    if is_marked(written) and "any_of" in written:
        return {**written, "any_of": [*written["any_of"], _literal(value)]}
    if is_marked(written) and written.keys() == {"optional"}:
        return {"any_of": [written["optional"], _literal(value)], "optional": True}
    return {"any_of": [written, _literal(value)]}
