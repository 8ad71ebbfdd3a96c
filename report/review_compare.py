"""Expected and actual calls side by side, by argument, to settle label against judge."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, cast

import msgspec

from ..errors import InputError
from ..records import Case, Output, ToolCall, kind_spec
from ..records.accepted_calls import AcceptedCall, AcceptedValues, accepted_calls
from .text.safe_text import excerpt

_TEXT = 600
_MOST = 100
_LEFT_OUT = "(left out)"


class ComparedLine(msgspec.Struct, frozen=True):
    """A line of the comparison.

    Attributes:
        what: The call, or one of its arguments.
        expected: What the reference accepts.
        got: The produced value.
        differs: Whether it is written differently from every accepted value; the checker may still accept it.
    """

    what: str
    expected: str
    got: str
    differs: bool


def compared(case: Case, output: Output) -> list[ComparedLine]:
    """Compare an output's decoded calls with its accepted calls; empty if either has none."""
    calls = case.reference.get("calls")
    if not kind_spec(case.kind).compared or not isinstance(calls, list) or output.tool_calls is None:
        return []
    try:
        accepted = accepted_calls(calls)  # pyright: ignore[reportUnknownArgumentType] - it refuses what are none
    except InputError:
        return []
    return list(_lines(accepted, output.tool_calls))[:_MOST]


def _lines(accepted: Sequence[AcceptedCall], calls: Sequence[ToolCall]) -> Iterator[ComparedLine]:
    unmatched = list(calls)
    for wanted in accepted:
        call = next(
            (each for each in unmatched if _underscored(each.name) == _underscored(wanted.name)), None
        )
        if call is None:
            yield ComparedLine("call", _shown(wanted.name), "(not called)", differs=True)
            continue
        unmatched.remove(call)
        yield ComparedLine("call", _shown(wanted.name), _shown(call.name), differs=False)
        yield from _arguments(wanted, call)
    for call in unmatched:
        yield ComparedLine("call", "(none)", _shown(call.name), differs=True)


def _arguments(wanted: AcceptedCall, call: ToolCall) -> Iterator[ComparedLine]:
    actual = _object(call.arguments)
    if actual is None:
        yield ComparedLine("arguments", "an object", _shown(str(call.arguments)), differs=True)
        return
    for name in dict.fromkeys([*wanted.arguments, *actual]):
        accepted = _accepted_texts(wanted.arguments.get(name))
        got = _value(actual[name]) if name in actual else _LEFT_OUT
        expected = _shown(" or ".join(accepted)) if accepted else "(no such argument)"
        yield ComparedLine(_shown(name), expected, _shown(got), differs=got not in accepted)


def _accepted_texts(accepts: AcceptedValues | None) -> list[str]:
    """Return the accepted values of an argument as JSON, with a note if it may be omitted."""
    if accepts is None:
        return []
    return [*map(_value, accepts.values), *([_LEFT_OUT] if accepts.optional else [])]


def _object(arguments: dict[str, Any] | str) -> dict[str, Any] | None:
    if isinstance(arguments, dict):
        return arguments
    try:
        decoded: Any = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", decoded) if isinstance(decoded, dict) else None


def _underscored(name: str) -> str:
    return name.replace(".", "_")


def _value(value: Any) -> str:
    """Return a value as JSON, in which the text "2" differs from the number 2."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _shown(text: str) -> str:
    cut = excerpt(text, _TEXT)
    return f"{cut.text} …" if cut.hidden else cut.text
