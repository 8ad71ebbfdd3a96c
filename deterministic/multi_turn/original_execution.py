"""Executing a call text with the side effects of the original's text surgery, which BFCL's verdicts depend on.

The original puts the name of an instance in front of every method name that stands before a parenthesis and then evaluates
the text. It does so inside string literals too, and there also deletes the white space between any word and a parenthesis. The
instances of model and reference have different names, so a text that mentions a method this way never equals itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from .execution import Executor, error_text, execute
from .worlds import World, public_methods

_WORD_BEFORE_PARENTHESIS = re.compile(r"\b([a-zA-Z_]\w*)\s*(?=\()")

BLOCKED = frozenset({"kill", "exit", "quit", "remove", "unlink", "popen", "Popen", "run"})
"""Names that the original refuses with a message of its own."""


def original_executor(worlds: Mapping[str, World], side: str) -> Executor:
    """Executes call texts after the original's surgery on them.

    Args:
        worlds: The worlds of one trajectory; where two share a method name, the later one has it.
        side: Whose trajectory it is; part of the names of its instances.

    Returns:
        The executor.
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
        addressed = address_methods(text, owners)
        name = _leading_name(addressed)
        if name in BLOCKED:
            return error_text(PermissionError(f"Function call {name} is not allowed."))
        return execute(addressed, resolve)

    return run


def address_methods(text: str, owners: Mapping[str, str]) -> str:
    """Put the instance's name before every method name that precedes a parenthesis, in string literals as well.

    Args:
        text: A call's source text.
        owners: Instance names by method name.

    Returns:
        The text as the original would evaluate it; white space between any word and a parenthesis is gone.
    """

    def address(match: re.Match[str]) -> str:
        word = match[1]
        return f"{owners[word]}.{word}" if word in owners else word

    return _WORD_BEFORE_PARENTHESIS.sub(address, text)


def _leading_name(text: str) -> str:
    head = text.partition("(")[0]
    return head.split(".")[1] if "." in head else head
