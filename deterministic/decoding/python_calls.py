"""Decode calls written as Python, ``[f(a=1), g.h(b='x')]``, as BFCL does or strictly.

By BFCL's rules every unary operator negates, positional arguments are dropped, a bare name is a text, and the value of a call or
subscript is its source text (docs/bfcl-differences.md). Strictly, values are those of Python, and nothing is dropped.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ...errors import DecodingError
from ...records.python_syntax import Unquoted, parse_expression, unparse
from .arithmetic import evaluate_arithmetic
from .plain_calls import DecodedCall, read_plain_calls

_EMPTY_LIST_CHARACTERS = frozenset("[]{},' \t\n\r\f\\")
"""Characters that an empty list may have. A text with others, but without a parenthesis or comment, has no call."""

_MAX_QUOTED_LENGTH = 60
"""Longer source text is cut in messages, in characters."""


def decode_python_calls(code: str) -> list[DecodedCall]:
    """Read a call, or a list, tuple or set of calls, as ``{name: {argument: value}}``."""
    plain_calls = read_plain_calls(code)
    if plain_calls is not None:
        return plain_calls
    # Prose is refused before it is parsed, which would take longer.
    if "(" not in code and "#" not in code and not _EMPTY_LIST_CHARACTERS.issuperset(code):
        raise DecodingError("there is no call in it")
    try:
        return [read_call(node) for node in call_nodes(code)]
    except RecursionError as error:
        raise DecodingError("not Python that can be read: nested too deeply") from error


def call_nodes(code: str) -> list[ast.Call]:
    """Return the syntax trees of the calls in a text, which may be in single quotes."""
    node = parse_expression(code.strip().strip("'"))
    if isinstance(node, ast.Call):
        return [node]
    if not isinstance(node, ast.List | ast.Tuple | ast.Set):
        raise DecodingError(f"expected calls, got {type(node).__name__}")
    calls: list[ast.Call] = []
    for item in node.elts:
        if not isinstance(item, ast.Call):
            raise DecodingError(f"expected only calls, got {type(item).__name__} among them")
        calls.append(item)
    return calls


def function_name(node: ast.Call) -> str:
    """Return the dotted name of the called function.

    As in BFCL, what is not a name or an attribute is left out: ``f().g()`` calls ``g``, and ``f[0]()`` has an empty name.
    """
    function = node.func
    if type(function) is ast.Name:
        return function.id
    parts: list[str] = []
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    if isinstance(function, ast.Name):
        parts.append(function.id)
    return ".".join(reversed(parts))


def read_call(node: ast.Call) -> DecodedCall:
    """Return a call with its named arguments; of a repeated argument the last counts.

    Positional arguments are dropped.
    """
    return {function_name(node): {keyword.arg: read_value(keyword.value) for keyword in node.keywords}}


def read_value(node: ast.expr) -> Any:
    """Return the value of an argument's expression."""
    if type(node) is ast.Constant:
        value = node.value
        return "..." if value is Ellipsis else value
    reader = _READERS.get(type(node))
    if reader is None:
        raise DecodingError(f"{type(node).__name__} is not read as a value")
    return reader(node)


def _read_unary(node: ast.UnaryOp) -> Any:
    operand = node.operand
    if not isinstance(operand, ast.Constant) or not isinstance(operand.value, int | float | complex):
        raise DecodingError("a sign before something that is not a number")
    return -operand.value  # BFCL's reading of any operator, even of +1


def _read_dict(node: ast.Dict) -> dict[Any, Any]:
    values: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            raise DecodingError("a dict is unpacked with ** inside another")
        try:
            values[read_value(key)] = read_value(value)
        except TypeError as error:
            raise DecodingError(f"a dict key cannot be used: {error}") from error
    return values


_READERS: dict[type[ast.expr], Callable[[Any], Any]] = {
    ast.UnaryOp: _read_unary,
    ast.List: lambda node: [read_value(item) for item in node.elts],
    ast.Tuple: lambda node: tuple([read_value(item) for item in node.elts]),
    ast.Dict: _read_dict,
    ast.BinOp: evaluate_arithmetic,
    ast.Name: lambda node: node.id,
    ast.Call: lambda node: read_call(node) if node.keywords else unparse(node),
    ast.Subscript: unparse,
}


def decode_python_calls_strictly(code: str) -> list[DecodedCall]:
    """Read the calls that `decode_python_calls` reads, with the values that Python gives them."""
    try:
        return [_read_call_strictly(node) for node in call_nodes(code)]
    except RecursionError as error:
        raise DecodingError("not Python that can be read: nested too deeply") from error


def _read_call_strictly(node: ast.Call) -> DecodedCall:
    name = function_name(node)
    if not _is_dotted_name(node.func):
        raise DecodingError(f"expected a function's name, got {unparse(node.func)[:_MAX_QUOTED_LENGTH]!r}")
    if node.args:
        raise DecodingError(
            f"an argument of {name} comes without its name: {unparse(node.args[0])[:_MAX_QUOTED_LENGTH]!r}"
        )
    arguments: dict[Any, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise DecodingError(f"arguments of {name} are unpacked with **")
        if keyword.arg in arguments:
            raise DecodingError(f"argument {keyword.arg} of {name} comes twice")
        arguments[keyword.arg] = _read_value_strictly(keyword.value)
    return {name: arguments}


def _is_dotted_name(function: ast.expr) -> bool:
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name)


def _read_value_strictly(node: ast.expr) -> Any:
    """Return Python's value of an expression; names, attributes and calls are `Unquoted`."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Call):
        return Unquoted(unparse(node))
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name | ast.Attribute):
        return Unquoted(unparse(node))
    if isinstance(node, ast.List):
        return [_read_value_strictly(item) for item in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple([_read_value_strictly(item) for item in node.elts])
    if isinstance(node, ast.Dict) and None not in node.keys:
        keys = [evaluate_arithmetic(key) for key in node.keys if key is not None]
        return _as_dict(keys, [_read_value_strictly(value) for value in node.values])
    return evaluate_arithmetic(node)


def _as_dict(keys: list[Any], values: list[Any]) -> dict[Any, Any]:
    try:
        return dict(zip(keys, values, strict=True))
    except TypeError as error:
        raise DecodingError(f"a dict key cannot be used: {error}") from error
