"""JSON within texts: decoded where a text is JSON, written where a value has to be a text."""

from __future__ import annotations

import json
from typing import Any

from ..records import TagValue
from .json_types import is_object

_OPENINGS = ("{", "[", '"')


def parsed(value: Any) -> Any:
    """A value; of a text that is a JSON object, list or text, what it says."""
    if not isinstance(value, str) or not value.lstrip().startswith(_OPENINGS):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def as_text(value: Any) -> str | None:
    """A value as text: a text as it is, everything else as JSON; None stays None."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


_ANSWERS = ("answer", "output", "response", "text", "content", "result", "completion", "output_text")
_QUESTIONS = ("question", "query", "input", "prompt", "q", "text", "content", "user_input")


def told(value: Any) -> str | None:
    """What an answer says: of an object with one text, or with a field that is named like an answer, that text."""
    return _plain(value, _ANSWERS)


def asked(value: Any) -> str | None:
    """What is asked: of an object with one text, or with a field that is named like a question, that text."""
    return _plain(value, _QUESTIONS)


def _plain(value: Any, names: tuple[str, ...]) -> str | None:
    if is_object(value):
        if len(value) == 1:
            (only,) = value.values()
            if not isinstance(only, dict | list):
                return as_text(only)
        named = [name for name in names if isinstance(value.get(name), str)]
        if len(named) == 1:
            return value[named[0]]
    return as_text(value)


def number_in(value: Any) -> Any:
    """The number that a text is; any other value as it is."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def tags_of(metadata: dict[str, Any]) -> dict[str, TagValue]:
    """Metadata as tags; what is no single value as JSON."""
    return {
        name: value if isinstance(value, str | int | float | bool) or value is None else as_text(value)
        for name, value in metadata.items()
    }
