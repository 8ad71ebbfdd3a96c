"""Java values from their source text, by the declared type, as BFCL reads them.

A value that cannot be read stays text; the type check then fails. BFCL's regular expressions are used if they take linear time, else
equivalent scans.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from .source_values import (
    in_quotes,
    read_boolean,
    read_integer,
    read_number,
    read_text,
    reader,
    spans,
    split_items,
)

_DECIMAL = r"-?\d+(\.\d+)?([eE][+-]?\d+)?"
_read_long = reader(r"-?\d+[lL]", int, suffix=True)
_read_float = reader(_DECIMAL + "[fF]", float, suffix=True)
_read_double = reader(_DECIMAL, float)

_LIST_OF_ITEMS = re.compile(r"new\s+ArrayList<\w*>\(Arrays\.asList\(")
_LIST_WITH_BODY = re.compile(r"new\s+ArrayList<\w*>\(\)\s*\{\{\s*")
_EMPTY_LIST = re.compile(r"new\s+ArrayList<\w*>\(\)")
_ADD = re.compile(r"add\(")
_ARRAY = re.compile(r"new\s+\w+\[\]\s*\{")
_MAP = re.compile(r"new\s+HashMap<")
_MAP_BODY = re.compile(r">\s*\(\)\s*\{\s*\{?\s*")
_EMPTY_MAP = re.compile(r">\s*\(\)")
_PUT = re.compile(r'put\("')
_AFTER_KEY = re.compile(r'",\s*')


def convert_java(text: str, declared: str, inner: str | None = None) -> Any:
    """Read a Java value by its declared type; the text itself if it cannot be read.

    ``inner`` is the type of the items of an ``Array`` or ``ArrayList``. ``Set``, ``Hashtable``, ``Queue`` and ``Stack``, for which BFCL
    aborts the whole run, always stay text.
    """
    if declared == "ArrayList":
        return _read_array_list(text, inner)
    if declared == "Array":
        return _read_array(text, inner)
    return _READERS.get(declared, read_text)(text)


def _read_array_list(text: str, inner: str | None) -> list[Any] | str:
    for items in spans(text, _LIST_OF_ITEMS, "))", at_least=1):
        return [_read_list_item(item, inner) for item in split_items(items)]
    body = _double_brace_body(text)
    if body is not None:
        return [_read_list_item(item.strip(), inner) for item in spans(body, _ADD, ")", at_least=1)]
    return [] if _EMPTY_LIST.search(text) else text


def _double_brace_body(text: str) -> str | None:
    """Return the content of the first ``{{ ... }}`` of a new list: at least one character."""
    for match in _LIST_WITH_BODY.finditer(text):
        start = match.end()
        end = text.find("}}", start + 1)
        if end >= 0:
            return text[start:end]
        if text[start - 1].isspace() and text.startswith("}}", start):
            return ""
    return None


def _read_list_item(text: str, inner: str | None) -> Any:
    if inner is None:
        return _read_generic(text)
    return text[1:-1] if inner in ("char", "String") else convert_java(text, inner)


def _read_array(text: str, inner: str | None) -> list[Any] | str:
    for items in spans(text, _ARRAY, "}"):
        pieces = [piece for piece in split_items(items) if piece]
        return [_read_generic(piece) if inner is None else convert_java(piece, inner) for piece in pieces]
    return text


def _read_map(text: str) -> dict[str, Any] | str:
    opening = _MAP.search(text)
    if opening is None:
        return text
    body = _MAP_BODY.search(text, opening.end())
    end = text.find("}", body.end()) if body else -1
    if body and end >= 0:
        return {key: _read_generic(value) for key, value in map_entries(text[body.end() : end])}
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
    last_closing = body.rfind(")", start)
    for separator in _AFTER_KEY.finditer(body, start, max(start, last_closing)):
        if separator.start() > _line_end(body, start):
            return None
        closing = body.find(")", separator.end(), _line_end(body, separator.end()))
        if closing >= 0:
            return body[start : separator.start()], body[separator.end() : closing], closing + 1
    return None


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _read_generic(text: str) -> Any:
    """Read a value of no declared type."""
    if text in ("true", "false"):
        return text == "true"
    if in_quotes(text, '"'):
        return text[1:-1]
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
