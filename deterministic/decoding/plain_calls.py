"""Read plain calls without a parser; nearly all replies have only such calls.

Building a syntax tree is most of the cost of checking a reply. Here one regular expression per argument reads a call: ASCII names,
texts with common escapes, decimal numbers, bare names, flat lists of those. Anything else is left to the parser. A property test
checks that both read the same.
"""

from __future__ import annotations

import re
from keyword import kwlist
from typing import Any, TypeAlias

from ...records.python_syntax import MAX_CODE

DecodedCall: TypeAlias = dict[str, dict[Any, Any]]
"""``{name: {argument: value}}``; an argument's name is None if ``**`` was used."""

_RESERVED = frozenset({*kwlist, "__debug__"})
_NEEDS_PARSER = object()
"""Stands for a value that only the parser reads."""

_VALUE_OF_NAME: dict[str, Any] = {
    **dict.fromkeys(_RESERVED, _NEEDS_PARSER),
    "True": True,
    "False": False,
    "None": None,
}

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
# A plain text has none of these characters, which the parser treats specially, and only the common escapes.
_SPECIAL = r"\\\n\r\0\ud800-\udfff"
_ESCAPE = r"\\[nt'\"\\]"
_ESCAPED_CHARACTERS = {r"\n": "\n", r"\t": "\t", r"\'": "'", r"\"": '"', r"\\": "\\"}
_SCALAR = (
    rf"(?:'([^'{_SPECIAL}]*(?:{_ESCAPE}[^'{_SPECIAL}]*)*)'|\"([^\"{_SPECIAL}]*(?:{_ESCAPE}[^\"{_SPECIAL}]*)*)\""
    rf"|(-?(?:0|[1-9][0-9]{{0,17}}))|(-?[0-9]{{1,30}}\.[0-9]{{1,30}}(?:[eE][+-]?[0-9]{{1,3}})?)|({_NAME}))"
)
# Each pattern is matched where the previous one ended: not inside of blanks, names or texts. This keeps matching linear.
_AFTER_DELIMITER = r"(?<![\w. \n\\])"
# In both patterns the number of the last group tells the kind of value, and the last character what follows it.
_ARGUMENT = re.compile(rf"{_AFTER_DELIMITER}[ \n]*+({_NAME}) ?= ?(?:{_SCALAR}[ \n]*[,)]|(\[))")
_ITEM = re.compile(rf"{_AFTER_DELIMITER}[ \n]*+(){_SCALAR}[ \n]*[,\]]")
_TEXT_GROUP, _INTEGER_GROUP, _FLOAT_GROUP, _LIST_GROUP = 3, 4, 5, 7

_ANY_ESCAPE = re.compile(_ESCAPE)

_CALL = re.compile(rf"{_AFTER_DELIMITER}[ \n]*+({_NAME}(?:\.{_NAME})*) ?\((?:[ \n]*+(\)))?")
_AFTER_CALL = re.compile(rf"{_AFTER_DELIMITER}[ \n]*+[,\]]")
_AFTER_LIST = re.compile(rf"{_AFTER_DELIMITER}[ \n]*+[,)]")


def read_plain_calls(code: str) -> list[DecodedCall] | None:
    """Read a bracketed list of plain calls, or None if it needs the parser."""
    if not code.startswith("[") or len(code) > MAX_CODE:
        return None
    calls: list[DecodedCall] = []
    position = 1
    while (start := _CALL.match(code, position)) is not None:
        name: str = start[1]
        arguments: dict[Any, Any] = {}
        position = start.end() if start[2] else _read_arguments(code, start.end(), arguments)
        end = _AFTER_CALL.match(code, position) if position > 0 else None
        if end is None or not _RESERVED.isdisjoint(name.split(".")):
            return None
        calls.append({name: arguments})
        position = end.end()
        if code[position - 1] == "]":
            return calls if position == len(code) else None
    return None


def _read_arguments(code: str, position: int, arguments: dict[Any, Any]) -> int:
    """Read arguments up to the closing parenthesis, and return the position after it.

    -1 leaves them to the parser.
    """
    while (match := _ARGUMENT.match(code, position)) is not None:
        name: str = match[1]
        position = match.end()
        if match.lastindex == _LIST_GROUP:
            value: Any = []
            position = _read_items(code, position, value)
        else:
            value = _scalar_value(match)
        if position < 0 or value is _NEEDS_PARSER or name in _RESERVED:
            return -1
        arguments[name] = value
        if code[position - 1] == ")":
            return position
    return -1


def _read_items(code: str, position: int, items: list[Any]) -> int:
    """Read the items of a list, and return the position after the character that follows it.

    -1 leaves them to the parser.
    """
    while (match := _ITEM.match(code, position)) is not None:
        value = _scalar_value(match)
        if value is _NEEDS_PARSER:
            return -1
        items.append(value)
        position = match.end()
        if code[position - 1] == "]":
            list_end = _AFTER_LIST.match(code, position)
            return -1 if list_end is None else list_end.end()
    return -1


def _unescape(escape: re.Match[str]) -> str:
    return _ESCAPED_CHARACTERS[escape[0]]


def _scalar_value(match: re.Match[str]) -> Any:
    kind = match.lastindex or 0
    text = match[kind]
    if kind <= _TEXT_GROUP:
        return _ANY_ESCAPE.sub(_unescape, text) if "\\" in text else text
    if kind == _INTEGER_GROUP:
        return int(text)
    return float(text) if kind == _FLOAT_GROUP else _VALUE_OF_NAME.get(text, text)
