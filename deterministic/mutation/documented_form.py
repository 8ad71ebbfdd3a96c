"""Check that a value has its documented form: type, enum, pattern, form of dates in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from ..ast.schema_check import schema_error
from ..ast.schemas import PYTHON, as_mapping, property_of

# Formats of JSON Schema, as regular expressions.
_FORMATS = {
    "date": r"\d{4}-\d{2}-\d{2}",
    "time": r"\d{2}:\d{2}(?::\d{2})?",
    "date-time": r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?",
}
# A form in words, such as YYYY-MM-DD, has two or more placeholders.
_PART = r"(?:YYYY|YY|MM|DD|HH|hh|mm|SS|ss)"
_FORM_IN_WORDS = re.compile(rf"(?<!\w){_PART}(?:[-/.:T ]?{_PART})+(?!\w)")
_FORM_LETTERS = re.compile(r"[YMDHSmhs]+")
# Patterns of single characters and classes, without groups and alternatives, match in bounded time.
_ATOM = r"(?:\\[dws.\-/+()]|\[[^\[\]\\]+\]|[\w :@,/=#-])"
_PLAIN_PATTERN = re.compile(rf"\^?(?:{_ATOM}(?:\{{\d{{1,3}}\}}|[+*?])?)*\$?")
_MAX_TEXT_LENGTH, _MAX_OPEN_REPETITIONS = 200, 2
"""Limits on patterns, which come with the data, so that no match takes long."""


def keeps_form(value: Any, document: Mapping[str, Any]) -> bool:
    """Return whether a value and its contents have the documented form.

    That is its type, enum, ``format``, ``pattern`` and any form of dates or times in the description (``YYYY-MM-DD``, ``HH:MM``). A
    pattern that could take long to match counts as not matching.
    """
    return schema_error(value, document, "", PYTHON, literal=True) is None and _has_form(value, document, "")


def has_type(value: Any, document: Mapping[str, Any]) -> bool:
    """Return whether a value has the documented type; True if no known type is documented."""
    return schema_error(value, {"type": document.get("type")}, "", PYTHON, literal=True) is None


def is_positional(document: Mapping[str, Any]) -> bool:
    """Return whether a document describes a tuple, or the items of a list one by one."""
    return document.get("type") == "tuple" or any(
        isinstance(document.get(key), list) for key in ("prefixItems", "items")
    )


def _has_form(value: Any, document: Mapping[str, Any], description: str) -> bool:
    """Return whether the texts in a value have their documented form.

    Without a description of its own, an item of a list has that of the list.
    """
    own_description = document.get("description")
    description = own_description if isinstance(own_description, str) else description
    match value:
        case str():
            return _text_has_form(value, document, description)
        case list():
            items = as_mapping(document.get("items"))
            return all(_has_form(item, items, description) for item in cast("list[Any]", value))
        case dict():
            members = cast("dict[str, Any]", value).items()
            return all(_has_form(item, property_of(document, key) or {}, "") for key, item in members)
        case _:
            return True


def _text_has_form(text: str, document: Mapping[str, Any], description: str) -> bool:
    allowed: Any = document.get("enum")
    if isinstance(allowed, list) and text not in cast("list[Any]", allowed):
        return False  # in any other letter case, too: functions compare with the listed values
    format_name: Any = document.get("format")
    format_pattern = _FORMATS.get(format_name) if isinstance(format_name, str) else None
    if format_pattern is not None and re.fullmatch(format_pattern, text) is None:
        return False
    forms = [_pattern_of_form(match[0]) for match in _FORM_IN_WORDS.finditer(description)]
    if forms and not any(re.fullmatch(form, text) for form in forms):
        return False
    pattern: Any = document.get("pattern")
    return not isinstance(pattern, str) or _matches(text, pattern)


def _pattern_of_form(form: str) -> str:
    """Convert ``YYYY-MM-DDTHH:MM`` to a regular expression with as many digits as letters."""
    # The T between date and time is no placeholder.
    return "T".join(
        _FORM_LETTERS.sub(lambda match: rf"\d{{{len(match[0])}}}", re.escape(part))
        for part in form.split("T")
    )


def _matches(text: str, pattern: str) -> bool:
    open_repetitions = sum(map(pattern.count, "+*?"))
    if (
        len(text) > _MAX_TEXT_LENGTH
        or open_repetitions > _MAX_OPEN_REPETITIONS
        or not _PLAIN_PATTERN.fullmatch(pattern)
    ):
        return False
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return False
