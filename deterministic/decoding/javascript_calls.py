"""Calls written as JavaScript, as BFCL reads them: ``area(width=2, unit='cm')``. Values stay text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .syntax_trees import parse_tree, read_arguments, written

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMELESS_ARGUMENTS = frozenset({"identifier", "true"})


def decode_javascript_call(code: str) -> list[dict[str, dict[Any, str]]] | None:
    """Read the first call that is a statement of its own; further ones are ignored, and where there is none that is None."""
    for statement in parse_tree(code, "javascript").children:
        if statement.type == "expression_statement":
            for expression in statement.children:
                if expression.type == "call_expression":
                    callee, arguments = expression.children[:2]
                    return [
                        {written(callee): read_arguments(arguments, _NAMELESS_ARGUMENTS, written, _value)}
                    ]
    return None


def _value(node: Node) -> str:
    """The text of a value, its ends cut where it starts and ends with the same kind of quote, even of ``'a' + 'b'``."""
    text = written(node)
    return text[1:-1] if text[:1] in ("'", '"') and text.endswith(text[0]) else text
