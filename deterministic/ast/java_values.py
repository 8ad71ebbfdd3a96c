"""Read Java values from source text, by their declared type, as BFCL does.

A value that cannot be read stays text, so that the type check fails. BFCL's regular expressions are used where they take linear time,
equivalent scans elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from .source_values import (
    is_quoted,
    make_reader,
    read_boolean,
    read_integer,
    read_number,
    read_text,
    spans,
    split_items,
)

_DECIMAL = r"-?\d+(\.\d+)?([eE][+-]?\d+)?"
_read_long = make_reader(r"-?\d+[lL]", int, suffix=True)
_read_float = make_reader(_DECIMAL + "[fF]", float, suffix=True)
_read_double = make_reader(_DECIMAL, float)

_LIST_OF_ITEMS = re.compile(r"new\s+ArrayList<\w*>\(Arrays\.asList\(")
_LIST_WITH_BODY = re.compile(r"new\s+ArrayList<\w*>\(\)\s*\{\{\s*")
_EMPTY_LIST = re.compile(r"new\s+ArrayList<\w*>\(\)")
_ADD = re.compile(r"add\(")
_ARRAY = re.compile(r"new\s+\w+\[\]\s*\{")
_MAP = re.compile(r"new\s+HashMap<")
_MAP_BODY = re.compile(r">\s*\(\)\s*\{\s*\{?\s*")
_EMPTY_MAP = re.compile(r">\s*\(\)")
_PUT = re.compile(r'put\("')
_KEY_END = re.compile(r'",\s*')


def convert_java(text: str, declared: str, inner: str | None = None) -> Any:
    """Read a Java value by its declared type, or return the text itself if it cannot be read.

    ``inner`` is the type of the items of an ``Array`` or ``ArrayList``. Values of the types ``Set``, ``Hashtable``, ``Queue`` and
    ``Stack``, for which BFCL aborts the whole run, always stay text.
    """
    if declared == "ArrayList":
        return _read_array_list(text, inner)
    if declared == "Array":
        return _read_array(text, inner)
    return _READERS.get(declared, read_text)(text)


def _read_array_list(text: str, inner: str | None) -> list[Any] | str:
    items = next(spans(text, _LIST_OF_ITEMS, "))", at_least=1), None)
    if items is not None:
        return [_read_list_item(item, inner) for item in split_items(items)]
    body = _double_brace_body(text)
    if body is not None:
        return [_read_list_item(item.strip(), inner) for item in spans(body, _ADD, ")", at_least=1)]
    return [] if _EMPTY_LIST.search(text) else text


def _double_brace_body(text: str) -> str | None:
    """Return the content of the first ``{{ ... }}`` of a new list, or None if there is none."""
    for match in _LIST_WITH_BODY.finditer(text):
        start = match.end()
        end = text.find("}}", start + 1)
        if end >= 0:
            return text[start:end]
        # BFCL's expression needs a character of content, which may be the blank that was skipped.
        if text[start - 1].isspace() and text.startswith("}}", start):
            return ""
    return None


def _read_list_item(text: str, inner: str | None) -> Any:
    if inner is None:
        return _read_undeclared(text)
    return text[1:-1] if inner in ("char", "String") else convert_java(text, inner)


def _read_array(text: str, inner: str | None) -> list[Any] | str:
    items = next(spans(text, _ARRAY, "}"), None)
    if items is None:
        return text
    pieces = [piece for piece in split_items(items) if piece]
    return [_read_undeclared(piece) if inner is None else convert_java(piece, inner) for piece in pieces]


def _read_map(text: str) -> dict[str, Any] | str:
    opening = _MAP.search(text)
    if opening is None:
        return text
    body = _MAP_BODY.search(text, opening.end())
    end = text.find("}", body.end()) if body else -1
    if body and end >= 0:
        return {key: _read_undeclared(value) for key, value in map_entries(text[body.end() : end])}
    return {} if _EMPTY_MAP.search(text, opening.end()) else text


def map_entries(body: str) -> Iterator[tuple[str, str]]:
    r"""Yield the pairs of texts that ``put\("(.*?)",\s*(.*?)\)`` finds, in linear time."""
    position = 0
    while (opening := _PUT.search(body, position)) is not None:
        pair = _first_pair(body, opening.end())
        if pair is None:
            # If no pair begins here, none does until the next line.
            position = _line_end(body, opening.end())
            continue
        key, value, position = pair
        yield key, value


def _first_pair(body: str, start: int) -> tuple[str, str, int] | None:
    """Return a key that begins at ``start``, its value, and the position after them, or None."""
    # A separator behind the last closing parenthesis ends the key of no pair.
    last_closing = body.rfind(")", start)
    for separator in _KEY_END.finditer(body, start, max(start, last_closing)):
        if separator.start() > _line_end(body, start):
            return None
        closing = body.find(")", separator.end(), _line_end(body, separator.end()))
        if closing >= 0:
            return body[start : separator.start()], body[separator.end() : closing], closing + 1
    return None


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _read_undeclared(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if is_quoted(text, '"'):
        return text[1:-1]
    # Each reader returns the text itself if it cannot read it.
    value = _read_long(text)
    value = _read_float(text) if value is text else value
    return read_number(text) if value is text else value


_READERS: dict[str, Callable[[str], Any]] = {
    "byte": read_integer,
    "short": read_integer,
    "integer": read_integer,
    "long": _read_long,
    "float": _read_float,
    "double": _read_double,
    "boolean": read_boolean,
    "HashMap": _read_map,
}
