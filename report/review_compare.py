"""Expected and actual calls side by side, for people who decide between label and judge.

Unlike `items.call_diff` it applies no checker's rules: a line differs if its text does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, cast

import msgspec

from ..errors import InputError
from ..records import Case, Output, ToolCall, kind_spec
from ..records.accepted_calls import AcceptedCall, AcceptedValues, accepted_calls
from .text.safe_text import excerpt

_MAX_TEXT_CHARS = 600
"""Longest name or value."""
_MAX_LINES = 100
"""Most lines of a comparison, and most calls that an accepted one is compared with."""
_LEFT_OUT = "(left out)"


class ComparedLine(msgspec.Struct, frozen=True):
    """A line of the comparison.

    Attributes:
        what: ``call``, or the name of an argument.
        expected: Accepted values.
        got: The value in the output.
        differs: Whether it is written differently from all accepted values; a checker may still accept it.
    """

    what: str
    expected: str
    got: str
    differs: bool


def compared(case: Case, output: Output) -> list[ComparedLine]:
    """Compare an output's native calls with the case's accepted calls; empty without either."""
    calls = case.reference.get("calls")
    if not kind_spec(case.kind).compared or not isinstance(calls, list) or output.tool_calls is None:
        return []
    try:
        accepted = accepted_calls(calls)  # pyright: ignore[reportUnknownArgumentType] - it refuses what are none
    except InputError:
        return []
    return list(_call_lines(accepted, output.tool_calls))[:_MAX_LINES]


def _call_lines(accepted: Sequence[AcceptedCall], calls: Sequence[ToolCall]) -> Iterator[ComparedLine]:
    """Yield each accepted call beside the most similar call of that function, then other calls."""
    unmatched = list(calls)
    for expected in accepted:
        same_name = [made for made in unmatched if _underscored(made.name) == _underscored(expected.name)]
        if not same_name:
            yield ComparedLine("call", _display_text(expected.name), "(not called)", differs=True)
            continue
        call = min(
            same_name[:_MAX_LINES],
            key=lambda made: sum(line.differs for line in _argument_lines(expected, made)),
        )
        unmatched.remove(call)
        yield ComparedLine("call", _display_text(expected.name), _display_text(call.name), differs=False)
        yield from _argument_lines(expected, call)
    for call in unmatched:
        yield ComparedLine("call", "(none)", _display_text(call.name), differs=True)


def _argument_lines(expected: AcceptedCall, call: ToolCall) -> Iterator[ComparedLine]:
    actual_arguments = _as_object(call.arguments)
    if actual_arguments is None:
        yield ComparedLine("arguments", "an object", _display_text(str(call.arguments)), differs=True)
        return
    for name in dict.fromkeys([*expected.arguments, *actual_arguments]):
        accepted = _accepted_texts(expected.arguments.get(name))
        got = _json_text(actual_arguments[name]) if name in actual_arguments else _LEFT_OUT
        accepted_text = _display_text(" or ".join(accepted)) if accepted else "(no such argument)"
        yield ComparedLine(
            _display_text(name), accepted_text, _display_text(got), differs=got not in accepted
        )


def _accepted_texts(accepts: AcceptedValues | None) -> list[str]:
    if accepts is None:
        return []
    return [*map(_json_text, accepts.values), *([_LEFT_OUT] if accepts.optional else [])]


def _as_object(arguments: dict[str, Any] | str) -> dict[str, Any] | None:
    if isinstance(arguments, dict):
        return arguments
    try:
        decoded: Any = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", decoded) if isinstance(decoded, dict) else None


def _underscored(name: str) -> str:
    return name.replace(".", "_")


def _json_text(value: Any) -> str:
    """Return a value as JSON, in which the text "2" differs from the number 2."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _display_text(text: str) -> str:
    cut = excerpt(text, _MAX_TEXT_CHARS)
    return f"{cut.text} …" if cut.hidden else cut.text
