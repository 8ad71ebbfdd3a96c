"""Check that a value keeps its documented form.

The form is its type, enum, pattern, and any form spelled out in words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from ..ast.schema_check import schema_error
from ..ast.schemas import PYTHON, as_mapping, property_of

_FORMATS = {
    "date": r"\d{4}-\d{2}-\d{2}",
    "time": r"\d{2}:\d{2}(?::\d{2})?",
    "date-time": r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?",
}
_PART = r"(?:YYYY|YY|MM|DD|HH|hh|mm|SS|ss)"
_SPELLED = re.compile(rf"(?<!\w){_PART}(?:[-/.:T ]?{_PART})+(?!\w)")
_LETTERS = re.compile(r"[YMDHSmhs]+")
_ATOM = r"(?:\\[dws.\-/+()]|\[[^\[\]\\]+\]|[\w :@,/=#-])"
_PLAIN_PATTERN = re.compile(rf"\^?(?:{_ATOM}(?:\{{\d{{1,3}}\}}|[+*?])?)*\$?")
_LONGEST, _MAX_OPEN = 200, 2
"""Limits on patterns, which come with the data: only those that match in bounded time are used."""


def keeps_form(value: Any, document: Mapping[str, Any]) -> bool:
    """Return whether a value and its contents have the documented form.

    That is its type, enum, ``format``, ``pattern`` and any date or time spelled out in the description (``YYYY-MM-DD``,
    ``HH:MM``). A pattern that could take long to match counts as not matching.
    """
    return schema_error(value, document, "", PYTHON, literal=True) is None and _is_formed(value, document, "")


def has_type(value: Any, document: Mapping[str, Any]) -> bool:
    """Return whether a value has the documented type.

    Every value has it if no known type is documented.
    """
    return schema_error(value, {"type": document.get("type")}, "", PYTHON, literal=True) is None


def is_positional(document: Mapping[str, Any]) -> bool:
    """Return whether a document describes a tuple, or the items of a list one by one."""
    return document.get("type") == "tuple" or any(
        isinstance(document.get(key), list) for key in ("prefixItems", "items")
    )


def _is_formed(value: Any, document: Mapping[str, Any], words: str) -> bool:
    """Return whether a value's texts have the form that their documents spell out.

    The documents of their containers count as well.
    """
    described = document.get("description")
    words = described if isinstance(described, str) else words
    match value:
        case str():
            return _is_formed_text(value, document, words)
        case list():
            items = as_mapping(document.get("items"))
            return all(_is_formed(item, items, words) for item in cast("list[Any]", value))
        case dict():
            members = cast("dict[str, Any]", value).items()
            return all(_is_formed(item, property_of(document, key) or {}, "") for key, item in members)
        case _:
            return True


def _is_formed_text(text: str, document: Mapping[str, Any], words: str) -> bool:
    listed: Any = document.get("enum")
    if isinstance(listed, list) and text not in cast("list[Any]", listed):
        return False  # letter case matters: a function compares with the listed values
    named: Any = document.get("format")
    expected = _FORMATS.get(named) if isinstance(named, str) else None
    if expected is not None and re.fullmatch(expected, text) is None:
        return False
    spelled = [_as_pattern(match[0]) for match in _SPELLED.finditer(words)]
    if spelled and not any(re.fullmatch(form, text) for form in spelled):
        return False
    pattern: Any = document.get("pattern")
    return not isinstance(pattern, str) or _matches(text, pattern)


def _as_pattern(spelled: str) -> str:
    """Convert ``YYYY-MM-DDTHH:MM`` to a regular expression: as many digits as letters."""
    return "T".join(
        _LETTERS.sub(lambda match: rf"\d{{{len(match[0])}}}", re.escape(part)) for part in spelled.split("T")
    )


def _matches(text: str, pattern: str) -> bool:
    open_ended = sum(map(pattern.count, "+*?"))
    if len(text) > _LONGEST or open_ended > _MAX_OPEN or not _PLAIN_PATTERN.fullmatch(pattern):
        return False
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return False
