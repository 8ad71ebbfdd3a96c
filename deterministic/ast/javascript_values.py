"""Read JavaScript values from source text, by their declared type, as BFCL does.

A value that cannot be read stays text, so that the type check fails. Two of BFCL's regular expressions take exponential or quadratic
time on hostile text; equivalent linear scans replace them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
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

_BLANK = re.compile(r"\s*")
_BRACKET = re.compile(r"\[")
_ARRAY = re.compile(r"\A(?:\[(.*?)\]|new\s+Array\((.*?)\))")
# Opening and closing of an array of arrays, in both notations.
_ROW_DELIMITERS = (
    (re.compile(r"\[\s*\["), "]"),
    (re.compile(r"new\s+Array\(\s*\["), ")"),
)
_OBJECT = re.compile(r"\A\{(.*?)\}")


def convert_javascript(text: str, declared: str, inner: str | None = None) -> Any:
    """Read a JavaScript value by its declared type, or return the text if it is unreadable.

    ``inner`` is the type of the items of an ``array``.
    """
    if declared == "array":
        return _read_array(text, inner)
    return _READERS.get(declared, read_text)(text)


def _read_string(text: str) -> str:
    return text[1:-1] if is_quoted(text, "\"'") else text


def _read_array(text: str, inner: str | None) -> list[Any] | str:
    text = text.strip()
    rows = find_rows(text)
    if rows is not None:
        pieces = list(spans(rows, _BRACKET, "]"))
        # The first piece begins after the outer bracket, so it still has that of its row.
        pieces[0] = pieces[0].removeprefix("[")
        return [[_read_undeclared(item) for item in split_items(piece)] for piece in pieces]
    match = _ARRAY.match(text)
    if match is None:
        return text
    content: str = match[1] if match[1] is not None else match[2]
    if not content.strip():
        return []
    items = split_items(content)
    return [_read_undeclared(item) if inner is None else convert_javascript(item, inner) for item in items]


def find_rows(text: str) -> str | None:
    r"""Return the array of arrays at the start of a text, or None if there is none.

    It is what BFCL's ``\[\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\]`` and its twin for ``new Array(...)`` match, which backtrack exponentially.
    """
    for opening, closing in _ROW_DELIMITERS:
        match = opening.match(text)
        end = None if match is None else _end_of_rows(text, match.end(), closing)
        if end is not None:
            return text[:end]
    return None


def _end_of_rows(text: str, start: int, closing: str) -> int | None:
    """Return the end of the rows that begin at ``start``, or None if they have no end.

    The closing brackets are visited from the last to the first. For each, ``rows_end_after`` says where the rows end if it ends a row:
    behind the closing character, if that follows, or where the next row ends, if a comma and an opening bracket follow. -1 means that it
    cannot end a row.
    """
    brackets = [index for index in range(start, len(text)) if text[index] == "]"]
    rows_end_after: list[int] = [-1] * len(brackets)
    next_ending_bracket = [len(brackets)] * (len(brackets) + 1)

    def end_of_row_from(row_start: int) -> int:
        bracket = next_ending_bracket[bisect_left(brackets, row_start)]
        if bracket == len(brackets) or "\n" in text[row_start : brackets[bracket]]:
            return -1
        return rows_end_after[bracket]

    for index in range(len(brackets) - 1, -1, -1):
        after = _skip_blank(text, brackets[index] + 1)
        if text[after : after + 1] == ",":
            row = _skip_blank(text, after + 1)
            if text[row : row + 1] == "[":
                rows_end_after[index] = end_of_row_from(row + 1)
        elif text[after : after + 1] == closing:
            rows_end_after[index] = after + 1
        next_ending_bracket[index] = index if rows_end_after[index] >= 0 else next_ending_bracket[index + 1]
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
    return _read_undeclared(text.strip("'\""))


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
        # BFCL's ``(?=[^,]+:)`` needs a character before the colon; a blank will do.
        colon = content.rfind(":", comma + 2, segment_end)
        if colon >= 0:
            return comma, min(_skip_blank(content, comma + 1), colon - 1)
        comma = next_comma
    return len(content), len(content)


def _read_undeclared(text: str) -> Any:
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    return text[1:-1] if is_quoted(text, "\"'") else read_number(text)


_READERS: dict[str, Callable[[str], Any]] = {
    "String": _read_string,
    "integer": read_integer,
    "float": make_reader(r"-?\d+(\.\d+)?", float),
    "Bigint": make_reader(r"-?\d+n", int, suffix=True),
    "Boolean": read_boolean,
    "dict": _read_object,
}
