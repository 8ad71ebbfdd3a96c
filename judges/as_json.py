"""Values as JSON text, as a judge is shown them: whatever is under evaluation in full, and no text able to pose as another's; and what JSON can spell and no file can hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from ..records import AgentStep, ToolCall


class JsonList(list[Any]):
    """A list that a template prints as JSON (or as the text it was read from) instead of in Python's notation."""

    def __init__(self, items: Sequence[Any], text: str) -> None:
        super().__init__(items)
        self._text = text

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__


def dumps(value: Any) -> str:
    """A value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def json_lines(items: Sequence[Any]) -> JsonList:
    """Values as a JSON list with one a line."""
    return JsonList(items, bracketed([dumps(item) for item in items]))


def calls_text(calls: Sequence[ToolCall]) -> JsonList:
    """Calls as a JSON list with one a line."""
    items = [{"name": call.name, "arguments": call.arguments} for call in calls]
    return JsonList(items, bracketed([call_text(call) for call in calls]))


def step_text(step: AgentStep) -> str:
    """What an agent did in one step, as JSON on one line."""
    return dumps(step) if isinstance(step, str) else f"[{', '.join(map(call_text, step))}]"


def call_text(call: ToolCall) -> str:
    """One call as JSON. Arguments that are JSON text stand as they are: decoding them would hide what is wrong in them."""
    arguments = call.arguments
    # On lines of its own it could pose as another call.
    one_line = isinstance(arguments, str) and len(arguments.splitlines()) == 1
    verbatim = one_line and json_object(cast("str", arguments)) is not None
    text = arguments if verbatim else dumps(arguments)
    return f'{{"name": {dumps(call.name)}, "arguments": {text}}}'


def json_object(text: str) -> dict[str, Any] | None:
    """The object that a text is in JSON; None where it is something else."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def bracketed(lines: Sequence[str]) -> str:
    """A JSON list with one item a line."""
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


def well_formed(text: str) -> str:
    r"""The text with halves of surrogate pairs replaced by U+FFFD, so that it can be written in UTF-8; most often the very same.

    ``"\ud800"`` is valid JSON. Python decodes it to a text that cannot be encoded again, so one such reply would end a run.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
