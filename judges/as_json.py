"""Render values as JSON text for a judge.

Values are shown in full. In JSON, a text under evaluation cannot pose as anything else. `replace_surrogates` replaces lone
surrogates, which are possible in JSON but not in UTF-8.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from ..records import AgentStep, ToolCall


class JsonList(list[Any]):
    """A list that a template prints as a given text, such as JSON, instead of in Python's form."""

    def __init__(self, items: Sequence[Any], text: str) -> None:
        super().__init__(items)
        self._text = text

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__


_encode = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps makes an encoder for each value


def dumps(value: Any) -> str:
    """Return a value as JSON on one line."""
    return _encode(value)


def json_lines(items: Sequence[Any]) -> JsonList:
    """Return values as a JSON list with one value per line."""
    return JsonList(items, json_list_text([dumps(item) for item in items]))


def calls_text(calls: Sequence[ToolCall]) -> JsonList:
    """Return calls as a JSON list with one call per line."""
    items = [{"name": call.name, "arguments": call.arguments} for call in calls]
    return JsonList(items, json_list_text([call_text(call) for call in calls]))


def step_text(step: AgentStep) -> str:
    """Return an agent's step as JSON on one line."""
    return dumps(step) if isinstance(step, str) else f"[{', '.join(map(call_text, step))}]"


def call_text(call: ToolCall) -> str:
    """Return one call as JSON.

    Arguments that are JSON text are kept verbatim: decoding them would hide their errors.
    """
    arguments = call.arguments
    # Only one line is kept: text on several lines could pose as another call, or end a line of a transcript.
    lines = arguments.splitlines() if isinstance(arguments, str) else []
    is_one_object = len(lines) == 1 and json_object(lines[0]) is not None
    text = lines[0] if is_one_object else dumps(arguments)
    return f'{{"name": {dumps(call.name)}, "arguments": {text}}}'


def json_object(text: str) -> dict[str, Any] | None:
    """Return the object in a JSON text, or None if the text is anything else."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def json_list_text(lines: Sequence[str]) -> str:
    """Join JSON texts to a list, with one item per line."""
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


def replace_surrogates(text: str) -> str:
    r"""Replace lone surrogates with U+FFFD, so that the text can be encoded in UTF-8.

    ``"\ud800"`` is valid JSON, but Python decodes it to a text that cannot be encoded. One such reply would end a run.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
