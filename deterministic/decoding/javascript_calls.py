"""Calls written as JavaScript, as BFCL reads them: ``area(width=2, unit='cm')``. Values stay text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import DecodingError
from .syntax_trees import parse_tree

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMELESS_ARGUMENTS = frozenset({"identifier", "true"})


def decode_javascript_call(code: str) -> list[dict[str, dict[Any, str]]] | None:
    """Read the first call that is a statement of its own; further ones are ignored.

    Args:
        code: JavaScript source.

    Returns:
        The call in a list, or None when there is none.

    Raises:
        DecodingError: It is not JavaScript, or an argument comes twice.
    """
    for statement in parse_tree(code, "javascript").children:
        if statement.type == "expression_statement":
            for expression in statement.children:
                if expression.type == "call_expression":
                    callee, arguments = expression.children[:2]
                    return [{_text(callee): _read_arguments(arguments)}]
    return None


def _read_arguments(node: Node) -> dict[Any, str]:
    arguments: dict[Any, str] = {}
    for child in node.children:
        if child.type == "assignment_expression":
            name, value = _text(child.children[0]), _unquote(_text(child.children[2]))
        elif child.type in _NAMELESS_ARGUMENTS:
            name, value = None, _text(child)
        else:
            continue
        if name in arguments:
            raise DecodingError(
                "an argument comes twice" if name else "more than one argument without a name"
            )
        arguments[name] = value
    return arguments


def _unquote(text: str) -> str:
    """Cut the ends of a text that starts and ends with the same kind of quote, even of ``'a' + 'b'``."""
    return text[1:-1] if text[:1] in ("'", '"') and text.endswith(text[0]) else text


def _text(node: Node) -> str:
    return (node.text or b"").decode()
