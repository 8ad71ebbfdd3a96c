"""Objects and lists of objects as Python and numpy print them, in cells of a CSV."""

from __future__ import annotations

import ast
import io
import tokenize
from typing import Any

from .json_values import is_list, is_object

_ARRAY = "array"
_MAX_TEXT_LENGTH = 1_000_000
"""Longer text is not read: a syntax tree takes a hundred times its memory."""


def printed_list(text: str) -> list[Any] | None:
    """Return the list that Python or numpy printed, or None if the text is no list.

    numpy writes no commas between objects, and ``array([...], dtype=object)`` for lists inside.
    """
    if len(text) > _MAX_TEXT_LENGTH:
        return None
    try:
        value = ast.literal_eval(text)
    except _UNREADABLE:
        try:
            value = ast.literal_eval(_with_commas(text))
        except _UNREADABLE:
            return None
    return value if is_list(value) else None


def printed_object(value: Any) -> Any:
    """Return the object that Python printed, as LangChain does for a tool, else the value."""
    if not isinstance(value, str) or not value.startswith("{'") or len(value) > _MAX_TEXT_LENGTH:
        return value
    try:
        literal = ast.literal_eval(value)
    except _UNREADABLE:
        return value
    return literal if is_object(literal) else value


_UNREADABLE = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError, tokenize.TokenError)


def _with_commas(text: str) -> str:
    """Return what numpy printed as a literal of Python."""
    tokens = [(token.type, token.string) for token in tokenize.generate_tokens(io.StringIO(text).readline)]
    layout_tokens = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    words = [string for kind, string in tokens if kind not in layout_tokens]
    written: list[str] = []
    opened_by_array: list[bool] = []  # per open parenthesis: whether it is that of ``array(``
    at = 0
    while at < len(words):
        word = words[at]
        if words[at : at + 2] == [_ARRAY, "("]:
            opened_by_array.append(True)
            at += 1
        elif word == "(":
            opened_by_array.append(False)
            written.append(word)
        elif word == ")":
            written += [] if opened_by_array and opened_by_array.pop() else [word]
        elif words[at : at + 4] == [",", "dtype", "=", "object"] and opened_by_array and opened_by_array[-1]:
            at += 3
        else:
            needs_comma = word == "{" and written[-1:] == ["}"]
            written += [",", word] if needs_comma else [word]
        at += 1
    return " ".join(written)
