"""JavaScript values from their source text, by the declared type, as BFCL reads them.

A value that cannot be read stays text; the type check then fails. Two of BFCL's regular expressions take exponential or
quadratic time on hostile text; they are replaced by equivalent linear scans.
"""

from __future__ import annotations

import re
from bisect import bisect_left
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

_BLANK = re.compile(r"\s*")
_BRACKET = re.compile(r"\[")
_ARRAY = re.compile(r"\A(?:\[(.*?)\]|new\s+Array\((.*?)\))")
_ROWS = (
    (re.compile(r"\[\s*\["), "]"),
    (re.compile(r"new\s+Array\(\s*\["), ")"),
)
_OBJECT = re.compile(r"\A\{(.*?)\}")


def convert_javascript(text: str, declared: str, inner: str | None = None) -> Any:
    """Read a JavaScript value by its declared type; return the text itself if that fails.

    ``inner`` is the type of the items of an ``array``.
    """
    if declared == "array":
        return _read_array(text, inner)
    return _READERS.get(declared, read_text)(text)


def _read_string(text: str) -> str:
    return text[1:-1] if in_quotes(text, "\"'") else text


def _read_array(text: str, inner: str | None) -> list[Any] | str:
    text = text.strip()
    rows = find_rows(text)
    if rows is not None:
        pieces = list(spans(rows, _BRACKET, "]"))
        pieces[0] = pieces[0].removeprefix("[")
        return [[_read_generic(item) for item in split_items(piece)] for piece in pieces]
    match = _ARRAY.match(text)
    if match is None:
        return text
    content: str = match[1] if match[1] is not None else match[2]
    if not content.strip():
        return []
    items = split_items(content)
    return [_read_generic(item) if inner is None else convert_javascript(item, inner) for item in items]


def find_rows(text: str) -> str | None:
    r"""Return the array of arrays at the start of a text.

    Finds what ``\[\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\]`` and its twin for ``new Array(...)`` match, which backtrack exponentially.
    """
    for opening, closing in _ROWS:
        match = opening.match(text)
        end = None if match is None else _end_of_rows(text, match.end(), closing)
        if end is not None:
            return text[:end]
    return None


def _end_of_rows(text: str, start: int, closing: str) -> int | None:
    """Return the end of the rows that begin at ``start``, or None if they have no end.

    The closing brackets are visited from the last to the first. For each, ``ends`` says where the rows end if a row ends
    with it: at the end of the next row, if a comma and a bracket follow, or at the closing character.
    """
    brackets = [index for index in range(start, len(text)) if text[index] == "]"]
    ends: list[int] = [-1] * len(brackets)
    next_good = [len(brackets)] * (len(brackets) + 1)

    def end_of_row_from(begin: int) -> int:
        bracket = next_good[bisect_left(brackets, begin)]
        if bracket == len(brackets) or "\n" in text[begin : brackets[bracket]]:
            return -1
        return ends[bracket]

    for index in range(len(brackets) - 1, -1, -1):
        after = _skip_blank(text, brackets[index] + 1)
        if text[after : after + 1] == ",":
            row = _skip_blank(text, after + 1)
            if text[row : row + 1] == "[":
                ends[index] = end_of_row_from(row + 1)
        elif text[after : after + 1] == closing:
            ends[index] = after + 1
        next_good[index] = index if ends[index] >= 0 else next_good[index + 1]
    end = end_of_row_from(start)
    return None if end < 0 else end


def _skip_blank(text: str, start: int) -> int:
    match = _BLANK.match(text, start)
    assert match is not None  # it matches the empty text
    return match.end()


def _read_object(text: str) -> dict[str, Any] | str:
    text = text.strip()
    match = _OBJECT.match(text)
    if match is None:
        return text
    return {
        key.strip().strip("'\""): _read_property(value.strip()) for key, value in property_pairs(match[1])
    }


def _read_property(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return convert_javascript(text, "array")
    if text.startswith("{") and text.endswith("}"):
        return convert_javascript(text, "dict")
    return _read_generic(text.strip("'\""))


def property_pairs(content: str) -> Iterator[tuple[str, str]]:
    r"""Yield the pairs that ``([^:]+):\s*(.*?)(?:,\s*(?=[^,]+:)|$)`` finds in one line."""
    position = 0
    while (colon := content.find(":", position)) >= 0:
        if colon == position:
            position += 1
            continue
        start = _skip_blank(content, colon + 1)
        end, following = _end_of_value(content, start)
        yield content[position:colon], content[start:end]
        position = following


def _end_of_value(content: str, start: int) -> tuple[int, int]:
    """Return the end of a value and the start of the next pair.

    The value ends at the first comma with a colon before the next comma.
    """
    comma = content.find(",", start)
    while comma >= 0:
        next_comma = content.find(",", comma + 1)
        segment_end = len(content) if next_comma < 0 else next_comma
        colon = content.rfind(":", comma + 2, segment_end)
        if colon >= 0:
            return comma, min(_skip_blank(content, comma + 1), colon - 1)
        comma = next_comma
    return len(content), len(content)


def _read_generic(text: str) -> Any:
    """Read a value of no declared type, ignoring blanks around it."""
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    return text[1:-1] if in_quotes(text, "\"'") else read_number(text)


_READERS: dict[str, Callable[[str], Any]] = {
    "String": _read_string,
    "integer": read_integer,
    "float": reader(r"-?\d+(\.\d+)?", float),
    "Bigint": reader(r"-?\d+n", int, suffix=True),
    "Boolean": read_boolean,
    "dict": _read_object,
}
