"""JSON values: type guards, JSON inside texts, and values as text."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Collection
from typing import Any, TypeGuard

from ..records import TagValue
from ..records.json_text import is_list, is_object, read_object

__all__ = [
    "answer_text",
    "as_text",
    "is_arguments",
    "is_list",
    "is_object",
    "is_text_in",
    "number_in",
    "parsed",
    "python_texts",
    "question_text",
    "tags_of",
]


def is_arguments(value: Any) -> TypeGuard[dict[str, Any] | str]:
    """Return whether a value can be a call's arguments: an object, or a text of JSON."""
    return isinstance(value, dict | str)


_JSON_OPENINGS = ("{", "[", '"')
_DECODER = json.JSONDecoder(object_pairs_hook=read_object)


def is_text_in(value: Any, texts: Collection[str]) -> bool:
    """Return whether a value is one of some texts; False for a list, which has no hash."""
    return isinstance(value, str) and value in texts


def parsed(value: Any) -> Any:
    """Return a value, decoded if it is a text of JSON that is an object, a list or a text.

    A text in which an object repeats a key stays text.
    """
    if not isinstance(value, str) or not value.lstrip().startswith(_JSON_OPENINGS):
        return value
    try:
        return _DECODER.decode(value)
    except (ValueError, RecursionError):
        return value


_PYTHON_TEXT = r"""(?:'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+")"""
_PYTHON_LIST = re.compile(rf"\[\s*+{_PYTHON_TEXT}(?:(?:\s*+,\s*+|\s++){_PYTHON_TEXT})*+\s*+,?+\s*+\]")


def python_texts(text: str) -> list[str] | None:
    """Return the texts of a list printed by Python or numpy, or None for any other text.

    Data frames write lists into CSV this way: ``['Mugs hold 300 ml.', "It's blue."]``.
    """
    if _PYTHON_LIST.fullmatch(text.strip()) is None:
        return None
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(text.strip()).readline)]
        return [ast.literal_eval(token.string) for token in tokens if token.type == tokenize.STRING]
    except (SyntaxError, ValueError, tokenize.TokenError):  # an escape such as \x without digits, or NUL
        return None


def as_text(value: Any) -> str | None:
    """Return a value as text: text unchanged, None as None, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


_SCALARS = (str, int, float, bool)
_ANSWER_FIELDS = ("answer", "output", "response", "text", "content", "result", "completion", "output_text")
_QUESTION_FIELDS = ("question", "query", "input", "prompt", "q", "text", "content", "user_input")


def answer_text(value: Any) -> str | None:
    """Return an answer's text.

    An object gives its only text, or that of a field named like an answer.
    """
    return _text_of(value, _ANSWER_FIELDS)


def question_text(value: Any) -> str | None:
    """Return a question's text.

    An object gives its only text, or that of a field named like a question.
    """
    return _text_of(value, _QUESTION_FIELDS)


def _text_of(value: Any, names: tuple[str, ...]) -> str | None:
    if is_object(value):
        if len(value) == 1:
            (only,) = value.values()
            if not isinstance(only, dict | list):
                return as_text(only)
        text_fields = [name for name in names if isinstance(value.get(name), str)]
        if len(text_fields) == 1:
            return value[text_fields[0]]
    return as_text(value)


def number_in(value: Any) -> Any:
    """Return a text as a number if it is one, and any other value unchanged."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def tags_of(metadata: dict[str, Any]) -> dict[str, TagValue]:
    """Return metadata as tags, with compound values as JSON."""
    return {
        name: value if value is None or isinstance(value, _SCALARS) else as_text(value)
        for name, value in metadata.items()
    }
