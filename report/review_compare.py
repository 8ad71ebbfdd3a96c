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
"""Most lines of a comparison, and most calls that an accepted one is compared with."""
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
    """Yield each accepted call beside the most similar call of that function, then other calls."""
    unmatched = list(calls)
    for expected in accepted:
        same_name = [
            tool_call
            for tool_call in unmatched
            if _underscored(tool_call.name) == _underscored(expected.name)
        ]
        if not same_name:
            yield ComparedLine("call", _shown(expected.name), "(not called)", differs=True)
            continue
        call = min(
            same_name[:_MOST], key=lambda each: sum(line.differs for line in _arguments(expected, each))
        )
        unmatched.remove(call)
        yield ComparedLine("call", _shown(expected.name), _shown(call.name), differs=False)
        yield from _arguments(expected, call)
    for call in unmatched:
        yield ComparedLine("call", "(none)", _shown(call.name), differs=True)


def _arguments(expected: AcceptedCall, call: ToolCall) -> Iterator[ComparedLine]:
    actual = _object(call.arguments)
    if actual is None:
        yield ComparedLine("arguments", "an object", _shown(str(call.arguments)), differs=True)
        return
    for name in dict.fromkeys([*expected.arguments, *actual]):
        accepted = _accepted_texts(expected.arguments.get(name))
        got = _value(actual[name]) if name in actual else _LEFT_OUT
        shown = _shown(" or ".join(accepted)) if accepted else "(no such argument)"
        yield ComparedLine(_shown(name), shown, _shown(got), differs=got not in accepted)


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
