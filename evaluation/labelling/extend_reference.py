"""A reference that accepts, beside what it did, what was found right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ...deterministic.ast.tool_calls import is_call_list
from ...deterministic.decoding.replies import asked_form, decode_output
from ...errors import DecodingError, InputError
from ...records import Case, Output, kind_spec
from ...records.accepted_calls import AcceptedCall, accepted_calls, is_marked, is_plain_call

_LONGEST_ANSWER = 300


def widened(case: Case, output: Output) -> dict[str, Any] | None:
    """Extend a case's reference to accept an output that was found right.

    Calls get the values that were given among those they accept; what was left out may be left out. Answers get the answer.

    Returns:
        The reference; None if it cannot express that: other calls than it lists, another kind of case.
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
            {**case.reference, "answers": [*listed, answer]} if 0 < len(answer) <= _LONGEST_ANSWER else None
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
    unmatched: list[tuple[Any, dict[str, Any]]] = [next(iter(call.items())) for call in made]
    if len(unmatched) != len(accepted):
        return None
    widened_calls: list[dict[str, Any]] = []
    for wanted in accepted:
        found = next((call for call in unmatched if _alike(call[0], wanted.name)), None)
        if found is None:
            return None
        unmatched.remove(found)
        widened_calls.append(_call(wanted, found[1]))
    return widened_calls


def _alike(name: Any, wanted: str) -> bool:
    return str(name).replace(".", "_") == wanted.replace(".", "_")


def _call(wanted: AcceptedCall, made: dict[str, Any]) -> dict[str, Any]:
    plain = is_plain_call(wanted.written)
    arguments: dict[str, Any] = dict(
        wanted.written.get("arguments", {}) if plain else wanted.written[wanted.name]
    )
    for name in dict.fromkeys([*arguments, *made]):
        accepts = wanted.arguments.get(name)
        if accepts is None:
            arguments[name] = {"optional": _literal(made[name])} if plain else [made[name], ""]
        elif name not in made:
            if not accepts.optional:
                arguments[name] = _optional(arguments[name]) if plain else [*arguments[name], ""]
        elif not _in(made[name], accepts.values):
            arguments[name] = (
                _either(arguments[name], made[name]) if plain else [*arguments[name], made[name]]
            )
    return {"name": wanted.name, "arguments": arguments} if plain else {wanted.name: arguments}


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
