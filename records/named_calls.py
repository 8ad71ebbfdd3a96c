"""Calls written as ``{name: {argument: value}}``, in place of ``{"name": ..., "arguments": ...}``."""

from __future__ import annotations

from typing import Any, cast

_FIELDS = frozenset({"name", "arguments", "id", "type", "function"})


def with_spelled_out_calls(output: Any) -> Any:
    """Return an output's JSON value with name and arguments spelled out in all of its calls."""
    if not isinstance(output, dict):
        return output
    fields = dict(cast("dict[str, Any]", output))
    if "tool_calls" in fields:
        fields["tool_calls"] = _calls(fields["tool_calls"])
    if isinstance(turns := fields.get("turns"), list):
        fields["turns"] = [_turn(turn) for turn in cast("list[Any]", turns)]
    return fields


def _turn(turn: Any) -> Any:
    return [_calls(step) for step in cast("list[Any]", turn)] if isinstance(turn, list) else turn


def _calls(calls: Any) -> Any:
    return [_call(call) for call in cast("list[Any]", calls)] if isinstance(calls, list) else calls


def _call(call: Any) -> Any:
    if not isinstance(call, dict) or len(cast("dict[str, Any]", call)) != 1:
        return cast("Any", call)
    name, arguments = next(iter(cast("dict[str, Any]", call).items()))
    if name in _FIELDS or not isinstance(arguments, dict):
        return cast("Any", call)
    return {"name": name, "arguments": cast("dict[str, Any]", arguments)}
