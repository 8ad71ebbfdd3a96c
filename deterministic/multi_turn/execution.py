"""Executing one call text against the worlds: parsed, never ``eval``-ed; only public methods can be reached."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..execution.expressions import evaluate, evaluate_arguments, parse
from .worlds import World, methods_of

Executor: TypeAlias = Callable[[str], str]
"""From a call's text to the text of its result."""

Resolver: TypeAlias = Callable[[ast.expr], Callable[..., Any] | None]
"""From what stands before the parentheses of a call to the method meant, or None."""


def direct_executor(worlds: Mapping[str, World], side: str) -> Executor:
    """Executes call texts as they stand.

    Args:
        worlds: The worlds of one trajectory.
        side: Whose trajectory it is; makes no difference here.

    Returns:
        The executor.
    """
    del side
    methods = methods_of(worlds)

    def resolve(function: ast.expr) -> Callable[..., Any] | None:
        return methods.get(function.id) if isinstance(function, ast.Name) else None

    return lambda text: execute(text, resolve)


def execute(text: str, resolve: Resolver) -> str:
    """Execute one call, and the calls nested in its arguments.

    Args:
        text: The call's source text: literals, arithmetic, and calls of what ``resolve`` knows.
        resolve: Finds the methods.

    Returns:
        The text of the result, or ``Error during execution: ...``: what fails here is the agent's doing and only that.
    """

    def call(node: ast.Call, depth: int) -> Any:
        method = resolve(node.func)
        if method is None:
            value = evaluate(node.func, call, depth)
            raise TypeError(f"{type(value).__name__!r} object is not callable")
        positional, named = evaluate_arguments(node, call, depth)
        return method(*positional, **named)

    try:
        return result_text(evaluate(parse(text), call))
    except Exception as error:  # noqa: BLE001 - whatever a method raises is its answer to this call
        return error_text(error)


def result_text(value: Any) -> str:
    """A method's result as the text that an agent is shown.

    Args:
        value: What the method returned.

    Returns:
        A text as it is; a dict as JSON, or as Python writes it where JSON cannot; anything else as Python writes it.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        try:
            return json.dumps(value)
        except (TypeError, ValueError):
            return str(value)  # pyright: ignore[reportUnknownArgumentType] - of anything
    return str(value)


def error_text(error: Exception) -> str:
    """An exception as the text that an agent is shown.

    Args:
        error: What a method, or the evaluation of its arguments, raised.

    Returns:
        The text.
    """
    return f"Error during execution: {error}"
