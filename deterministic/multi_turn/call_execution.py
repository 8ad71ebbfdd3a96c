"""Execute call texts in simulated worlds.

Texts are parsed, never passed to ``eval``; only public methods can be called.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ...errors import MissingExtraError, ProviderError
from ..execution.expressions import evaluate, evaluate_arguments, parse
from .worlds import AnyWorld, methods_of, public_methods

FAILURE_PREFIX = "Error during execution: "
"""Prefix of the result of a call that raised an error."""

MAX_CALLS = 2_000
"""Limit on the calls of one output. BFCL stops a turn after 21 steps; real outputs have some tens of calls."""

MAX_CALL_CHARACTERS = 1_000_000
"""Limit on the total length of an output's call texts."""

MAX_RESULT_CHARACTERS = 20_000_000
"""Limit on the total length of an output's results; the longest single results of built-in worlds have about 80,000 characters."""

Executor: TypeAlias = Callable[[str], str]
"""Executes a call text and returns the text of its result."""


class LimitExceededError(Exception):
    """Exceeded limit on the work of executing an output; real outputs stay far below."""


class Allowance:
    """Remainder of the limits on one output."""

    def __init__(self) -> None:
        self._remaining = {
            "calls": MAX_CALLS,
            "characters of calls": MAX_CALL_CHARACTERS,
            "characters of results": MAX_RESULT_CHARACTERS,
        }

    def execute(self, call: str, run: Executor) -> str:
        """Execute a call within the limits; count it and its result, and return the result.

        Raises:
            LimitExceededError: The call or its result exceeds a limit.
        """
        self._take("calls", 1)
        self._take("characters of calls", len(call))
        result = run(call)
        self._take("characters of results", len(result))
        return result

    def _take(self, noun: str, amount: int) -> None:
        self._remaining[noun] -= amount
        if self._remaining[noun] < 0:
            raise LimitExceededError(f"the output has more {noun} than are executed")


Resolver: TypeAlias = Callable[[ast.expr], Callable[..., Any] | None]
"""Returns the method that a call's function expression names, or None if there is none."""


def direct_executor(worlds: Mapping[str, AnyWorld], _side: str) -> Executor:
    """Make an executor that takes call texts as they are."""
    methods = methods_of(worlds)

    def resolve(function: ast.expr) -> Callable[..., Any] | None:
        return methods.get(function.id) if isinstance(function, ast.Name) else None

    return lambda text: execute(text, resolve)


def execute(text: str, resolve: Resolver) -> str:
    """Execute a call and the calls nested in its arguments, and return the text of the result.

    A call that fails is the agent's doing; its result is ``Error during execution: ...``.

    Raises:
        ProviderError: A service that the world depends on does not answer, which is not the agent's doing.
        MissingExtraError: The world needs a package that is not installed.
    """

    def call(node: ast.Call, depth: int) -> Any:
        method = resolve(node.func)
        if method is None:
            # Evaluated for Python's error, such as a NameError, which the agent is to see.
            value = evaluate(node.func, call, depth)
            raise TypeError(f"{type(value).__name__!r} object is not callable")
        positional_values, named_values = evaluate_arguments(node, call, depth)
        return method(*positional_values, **named_values)

    try:
        return result_text(evaluate(parse(text), call))
    except (ProviderError, MissingExtraError):
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever else a method raises is its answer to this call
        return error_text(error)


def result_text(value: Any) -> str:
    """Format a method's result as the text shown to an agent.

    A dict is written as JSON if JSON can express it, anything else as ``str`` writes it.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        try:
            return json.dumps(value)
        except (TypeError, ValueError):
            return str(value)  # pyright: ignore[reportUnknownArgumentType] - of anything
    return str(value)


def error_text(error: BaseException) -> str:
    """Format an exception as the text shown to an agent."""
    return f"{FAILURE_PREFIX}{error}"


_WORD_BEFORE_PARENTHESIS = re.compile(r"\b([a-zA-Z_]\w*)\s*(?=\()")

BLOCKED_NAMES = frozenset({"kill", "exit", "quit", "remove", "unlink", "popen", "Popen", "run"})
"""Names that BFCL does not execute, but answers with a message."""


def bfcl_executor(worlds: Mapping[str, AnyWorld], side: str) -> Executor:
    """Make an executor that rewrites call texts as BFCL does.

    If two worlds have a method of the same name, the later world's is called.
    """
    instances = {f"{side}_{name}": world for name, world in worlds.items()}
    owners = {
        method: instance
        for instance, world in instances.items()
        for method in public_methods(world.__class__)
    }

    def resolve(function: ast.expr) -> Callable[..., Any] | None:
        match function:
            case ast.Attribute(value=ast.Name(id=instance), attr=method) if owners.get(method) == instance:
                return getattr(instances[instance], method)
            case _:
                return None

    def run(text: str) -> str:
        call_text = address_methods(text, owners)
        name = _leading_name(call_text)
        if name in BLOCKED_NAMES:
            return error_text(PermissionError(f"Function call {name} is not allowed."))
        return execute(call_text, resolve)

    return run


def address_methods(text: str, owners: Mapping[str, str]) -> str:
    """Prefix method names before a parenthesis with their instance, even in string literals.

    As in BFCL, white space between any word and a parenthesis is removed.
    """

    def prefix_owner(match: re.Match[str]) -> str:
        word = match[1]
        return f"{owners[word]}.{word}" if word in owners else word

    return _WORD_BEFORE_PARENTHESIS.sub(prefix_owner, text)


def _leading_name(text: str) -> str:
    """Return what BFCL takes for the function's name: in ``a.b.c(...)`` it is ``b``."""
    head = text.partition("(")[0]
    return head.split(".")[1] if "." in head else head
