"""JSON values: what one is, said so that the type checker understands; and JSON within texts, decoded or written."""

from __future__ import annotations

import json
from typing import Any, TypeGuard

from ..records import TagValue


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a value is an object."""
    return isinstance(value, dict)


def is_arguments(value: Any) -> TypeGuard[dict[str, Any] | str]:
    """Whether a value can be a call's arguments: an object, or its JSON text."""
    return isinstance(value, dict | str)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether a value is a list."""
    return isinstance(value, list)


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
