"""One call text, executed with a registered function: its arguments are literals and arithmetic, nothing else."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, cast

from ..decoding.python_syntax import unparse
from ..execution.expressions import ForbiddenExpressionError, evaluate_arguments, parse


def called_name(text: str) -> str | None:
    """The dotted name of the function that a call text calls.

    Args:
        text: The call's source text.

    Returns:
        The name, or None where the text is no call.
    """
    try:
        node = parse(text)
    except (SyntaxError, ForbiddenExpressionError):
        return None
    return unparse(node.func) if isinstance(node, ast.Call) else None


def run_call(text: str, functions: Mapping[str, Callable[..., Any]]) -> Any:
    """Execute one call.

    Args:
        text: The call's source text.
        functions: The functions, by (dotted) name.

    Returns:
        What the function returns; a list in place of a tuple.

    Raises:
        NameError: There is no such function.
        Exception: What the function, or the evaluation of its arguments, raises.
    """
    node = parse(text)
    if not isinstance(node, ast.Call):
        raise ForbiddenExpressionError("the text is not a call")
    name = unparse(node.func)
    if name not in functions:
        raise NameError(f"no function {name!r} is registered")
    positional, named = evaluate_arguments(node, _refuse_nested_call)
    result = functions[name](*positional, **named)
    return list(cast("tuple[Any, ...]", result)) if isinstance(result, tuple) else result


def _refuse_nested_call(node: ast.Call, depth: int) -> NoReturn:
    del depth
    raise ForbiddenExpressionError(f"an argument is a call, of {unparse(node.func)!r}")
