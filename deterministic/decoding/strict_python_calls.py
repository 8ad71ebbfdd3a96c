"""Calls written as Python, as Python would read them: nothing is dropped, and signs mean what they say."""

from __future__ import annotations

import ast
from typing import Any

from ...errors import DecodingError
from .arithmetic import evaluate
from .plain_calls import DecodedCall
from .python_calls import call_nodes, function_name
from .python_syntax import unparse


class Unquoted(str):
    """Source text that stands where a value should: a name, a call, a subscript. It equals no quoted text."""

    __slots__ = ()


def decode_python_calls_strictly(code: str) -> list[DecodedCall]:
    """Read a call, or a list of calls.

    Args:
        code: Python source.

    Returns:
        One ``{name: {argument: value}}`` per call.

    Raises:
        DecodingError: It is anything else, or a call has an argument without a name, one with a name that comes twice,
            or no plain function name.
    """
    try:
        return [_read_call(node) for node in call_nodes(code)]
    except RecursionError as error:
        raise DecodingError("not Python that can be read: nested too deeply") from error


def _read_call(node: ast.Call) -> DecodedCall:
    name = function_name(node)
    if not _is_plain(node.func):
        raise DecodingError(f"expected a function's name, got {unparse(node.func)[:60]!r}")
    if node.args:
        raise DecodingError(f"an argument of {name} comes without its name: {unparse(node.args[0])[:60]!r}")
    arguments: dict[Any, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise DecodingError(f"arguments of {name} are unpacked with **")
        if keyword.arg in arguments:
            raise DecodingError(f"argument {keyword.arg} of {name} comes twice")
        arguments[keyword.arg] = _read_value(keyword.value)
    return {name: arguments}


def _is_plain(function: ast.expr) -> bool:
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name)


def _read_value(node: ast.expr) -> Any:
    """A literal's or expression's value; what only looks like one is `Unquoted`."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Call):
        return Unquoted(unparse(node))
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name | ast.Attribute):
        return Unquoted(unparse(node))
    if isinstance(node, ast.List):
        return [_read_value(item) for item in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple([_read_value(item) for item in node.elts])
    if isinstance(node, ast.Dict) and None not in node.keys:
        keys = [evaluate(key) for key in node.keys if key is not None]
        return _as_dict(keys, [_read_value(value) for value in node.values])
    return evaluate(node)


def _as_dict(keys: list[Any], values: list[Any]) -> dict[Any, Any]:
    try:
        return dict(zip(keys, values, strict=True))
    except TypeError as error:
        raise DecodingError(f"a dict key cannot be used: {error}") from error
