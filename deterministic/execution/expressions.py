"""Evaluate call texts: literals, arithmetic, subscripts and nested calls.

Order of evaluation and errors are Python's, since agents see these errors.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeAlias

from ...errors import DecodingError
from ...records.python_syntax import parse_expression
from ..decoding.arithmetic import EVALUATORS, UnpackedDictError

MAX_DEPTH = 100
"""Limit on the nesting of an expression."""

CallHandler: TypeAlias = Callable[[ast.Call, int], Any]
"""Returns the value of a call. Its second argument is the depth of nesting, for evaluating the call's arguments."""


class ForbiddenExpressionError(Exception):
    """The expression is of a kind, size or depth that is not evaluated here."""


def parse(text: str) -> ast.expr:
    """Parse one expression, with the errors of Python's ``eval``.

    Raises:
        SyntaxError: The text is not an expression.
        ValueError: The text cannot be encoded (lone surrogates).
        ForbiddenExpressionError: The text is too long or nested too deeply.
    """
    try:
        return parse_expression(text.lstrip(" \t"))
    except DecodingError as error:
        match error.__cause__:
            case SyntaxError() as cause:
                location = "" if cause.lineno is None else f" (<string>, line {cause.lineno})"
                raise SyntaxError(f"{cause.msg}{location}") from None
            case ValueError() as cause:
                raise ValueError(str(cause)) from None
            case _:
                raise ForbiddenExpressionError(str(error)) from None


def evaluate(node: ast.expr, call: CallHandler, depth: int = 0) -> Any:
    """Return the value of an expression.

    Args:
        node: The expression.
        call: Returns the value of a call.
        depth: How deeply the expression is nested in the whole text.

    Raises:
        ForbiddenExpressionError: The expression is of a kind that is not evaluated, or nested too deeply.
        NameError: It has a name; no names are defined.
        AttributeError: It has an attribute; no attributes can be read.
        Exception: Any error of operators, subscripts and calls.
    """
    if type(node) is ast.Constant:
        return node.value
    if depth > MAX_DEPTH:
        raise ForbiddenExpressionError(f"the expression is nested deeper than {MAX_DEPTH}")
    depth += 1
    match node:
        case ast.Call():
            return call(node, depth)
        case ast.Name():
            raise NameError(f"name {node.id!r} is not defined")
        case ast.Attribute():
            evaluate(node.value, call, depth)
            raise AttributeError(f"attribute {node.attr!r} is not reachable")
        case _:
            evaluator = EVALUATORS.get(type(node))
    if evaluator is None:
        raise ForbiddenExpressionError(f"{type(node).__name__} is neither a literal, arithmetic nor a call")
    try:
        return evaluator(node, lambda part: evaluate(part, call, depth))
    except UnpackedDictError:
        raise ForbiddenExpressionError("** is not taken in a dict") from None


def evaluate_arguments(node: ast.Call, call: CallHandler, depth: int = 0) -> tuple[list[Any], dict[str, Any]]:
    """Return the values of a call's positional and named arguments.

    Raises:
        ForbiddenExpressionError: There is ``**`` or ``*`` among the arguments.
        SyntaxError: A name is repeated; the message is Python's.
        Exception: As for `evaluate`.
    """
    names: set[str] = set()
    for keyword in node.keywords:
        if keyword.arg is None:
            raise ForbiddenExpressionError("** is not taken among arguments")
        if keyword.arg in names:
            raise SyntaxError(f"keyword argument repeated: {keyword.arg} (<string>, line 1)")
        names.add(keyword.arg)
    positional_values = [evaluate(argument, call, depth) for argument in node.args]
    named_values = {
        keyword.arg: evaluate(keyword.value, call, depth) for keyword in node.keywords if keyword.arg
    }
    return positional_values, named_values
