"""Calls that people write as text: ``book(city="Rome"); pay(amount=2)``.

Several calls are separated by commas, semicolons, new lines or ``and``, with or without list markers.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from typing import Any

from ..errors import DecodingError, RecordError
from ..records.python_syntax import parse_expression, unparse
from .json_values import is_object

_NO_CALL_TEXTS = frozenset({"none", "no call", "no calls", "no tool", "no tools"})
_QUOTES = str.maketrans("“”„‟«»‘’‚‛", '""""""' + "''''")  # noqa: RUF001 - the quotes that word processors make
_JSON_LITERALS = {"true": True, "false": False, "null": None}
_TOKEN = re.compile(
    r""""(?:[^"\\]|\\.)*+(?:"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z)|[(\[{]|[)\]}]|[;,\r\n]|\b(?:and|then)\b|→|->""",
    re.DOTALL,
)
"""Quotes, brackets and separators; a quote that is not closed reaches to the end, so that no text is scanned twice."""
_LIST_MARKER = re.compile(r"^\s*+(?:(?:\d{1,3}[.)]|[-*•])\s++)?+")
_EXAMPLE = 'write it as book(city="Rome"), or as JSON: [{"name": "book", "arguments": {"city": "Rome"}}]'


def written_calls(text: str, field: str | None = None, *, names: bool = True) -> list[dict[str, Any]]:
    """Read calls written as text; an empty list if the text says that no call is due.

    A name alone is a call with unknown arguments; it is refused unless ``names`` is set.

    Raises:
        RecordError: A part of the text is not a call with named arguments.
    """
    if text.strip().rstrip(".").lower() in _NO_CALL_TEXTS:
        return []
    try:
        return _read(text, names=names)
    except DecodingError as first_error:
        # Typographic quotes are replaced only if needed: inside plain quotes they are data.
        plain_text = text.translate(_QUOTES)
        try:
            if plain_text != text:
                return _read(plain_text, names=names)
        except DecodingError as error:
            raise _refusal(error, field) from error
        raise _refusal(first_error, field) from first_error


def literal_arguments(text: str) -> dict[str, Any] | None:
    """Read arguments printed by Python (``{'city': 'Rome'}``), or None for any other text."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = _literal_value(parse_expression(text.strip()))
    except DecodingError:
        return None
    return value if is_object(value) else None


def _refusal(error: DecodingError, field: str | None) -> RecordError:
    return RecordError(f"cannot be read as calls: {error}; {_EXAMPLE}", field=field)


def _read(text: str, *, names: bool) -> list[dict[str, Any]]:
    stripped = text.strip()
    inner = stripped[1:-1] if stripped.startswith("[") and stripped.endswith("]") else stripped
    calls = [_call(part, names=names) for part in _parts(inner)]
    if not calls and inner:
        raise DecodingError(f"there is not a call in {text[:60]!r}")
    return calls


def _parts(text: str) -> Iterator[str]:
    """Yield the parts between separators outside quotes and brackets."""
    start = depth = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif depth == 0 and sign[0] not in "\"'":
            yield from _without_marker(text[start : token.start()])
            start = token.end()
    yield from _without_marker(text[start:])


def _without_marker(part: str) -> Iterator[str]:
    part = _LIST_MARKER.sub("", part, count=1).strip(" \t`.")
    if part:
        yield part


def _call(text: str, *, names: bool) -> dict[str, Any]:
    node = parse_expression(text)
    if names and _is_dotted(node):
        return {"name": unparse(node)}  # the due calls, without their arguments
    if not isinstance(node, ast.Call) or not _is_dotted(node.func):
        raise DecodingError(f"{text[:60]!r} is not a call")
    name = unparse(node.func)
    if node.args:
        argument = unparse(node.args[0])[:60]
        raise DecodingError(f"an argument of {name} has no name: {argument}")
    arguments: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in arguments:
            raise DecodingError(f"an argument of {name} stands twice or is unpacked: {keyword.arg or '**'}")
        arguments[keyword.arg] = _literal_value(keyword.value)
    return {"name": name, "arguments": arguments}


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _literal_value(node: ast.expr) -> Any:
    """Return a literal's JSON value; ``true``, ``false`` and ``null`` are literals."""
    if isinstance(node, ast.Name) and node.id in _JSON_LITERALS:
        return _JSON_LITERALS[node.id]
    if isinstance(node, ast.List | ast.Tuple):
        return [_literal_value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        keys = [None if key is None else _literal_value(key) for key in node.keys]
        if not all(isinstance(key, str) for key in keys):
            raise DecodingError(f"the keys of {unparse(node)[:60]} are not texts")
        return dict(zip(keys, map(_literal_value, node.values), strict=True))
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        raise DecodingError(f"{unparse(node)[:60]} is not a value; a text needs quotes") from error
    if not isinstance(value, str | int | float | None) or value in {math.inf, -math.inf}:
        raise DecodingError(f"{unparse(node)[:60]} is not a JSON value")
    return value
