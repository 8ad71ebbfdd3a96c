"""Decode calls written as JavaScript, as BFCL does: ``area(width=2, unit='cm')``.

Values stay text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .syntax_trees import node_text, parse_tree, read_arguments

if TYPE_CHECKING:
    from tree_sitter import Node

# Types of nodes in tree-sitter's grammar of JavaScript.
_NAMELESS_TYPES = frozenset({"identifier", "true"})


def decode_javascript_call(code: str) -> list[dict[str, dict[Any, str]]] | None:
    """Read the first call that is a statement, or None if there is none; others are ignored."""
    for statement in parse_tree(code, "javascript").children:
        if statement.type == "expression_statement":
            for expression in statement.children:
                if expression.type == "call_expression":
                    callee, arguments = expression.children[:2]
                    values = read_arguments(arguments, _NAMELESS_TYPES, node_text, _read_value)
                    return [{node_text(callee): values}]
    return None


def _read_value(node: Node) -> str:
    """Return the text of a value, without quotes if it begins and ends with the same quote.

    As in BFCL, ``'a' + 'b'`` loses its outer quotes, too.
    """
    text = node_text(node)
    return text[1:-1] if text[:1] in ("'", '"') and text.endswith(text[0]) else text
