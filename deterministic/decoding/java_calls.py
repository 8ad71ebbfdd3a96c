"""Decode calls written as Java: ``Shape.area(width=2, unit="cm")``.

Values stay text. By BFCL's rules the quirks of its decoder are kept: characters are sliced by the parser's *byte* offsets, most values lose their
white space, and an anonymous class loses its body.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ...errors import DecodingError
from .syntax_trees import node_text, parse_tree, read_arguments, walk

if TYPE_CHECKING:
    from tree_sitter import Node

# Types of nodes in tree-sitter's grammar of Java.
_UNCHANGED_TYPES = frozenset({"identifier", "class_literal", "type_identifier", "method_invocation"})
_QUOTED_TYPES = frozenset({"string_literal", "character_literal"})
_NAMELESS_TYPES = frozenset({"identifier", "class_literal", "set"})
_LIST_PUNCTUATION = frozenset({",", "(", ")"})


def decode_java_call(
    code: str, *, strictly: bool = False
) -> list[dict[str, dict[Any, str]]] | dict[str, Any]:
    """Read the first method call in a text, as BFCL does or strictly.

    Strictly, every value stays as written. Further calls are ignored. For code without a call, BFCL's result is an empty dict. Models
    leave out the semicolon, so it is up to the parser's error recovery whether the code can be read.
    """
    read_name, read_value = partial(_bfcl_text, code), partial(_bfcl_value, code)
    if strictly:
        read_name, read_value = node_text, _value_as_written
    for node in walk(parse_tree(code, "java")):
        if node.type == "method_invocation":
            name, owner = node.child_by_field_name("name"), node.child_by_field_name("object")
            arguments = node.child_by_field_name("arguments")
            if name is None or arguments is None:
                raise DecodingError("a method call without name or arguments")
            function = read_name(name) if owner is None else f"{read_name(owner)}.{read_name(name)}"
            try:
                return [{function: read_arguments(arguments, _NAMELESS_TYPES, read_name, read_value)}]
            except RecursionError as error:
                raise DecodingError("nested too deeply") from error
    return {}


def _value_as_written(node: Node) -> str:
    return node_text(node)[1:-1] if node.type in _QUOTED_TYPES else " ".join(node_text(node).split())


def _bfcl_value(code: str, node: Node) -> str:
    return _bfcl_text(code, node)[1:-1] if node.type in _QUOTED_TYPES else _reassemble(code, node)


def _reassemble(code: str, node: Node) -> str:
    """Return the text of a value, or a part of it, put together from its leaves."""
    if node.type in _UNCHANGED_TYPES or node.type in _QUOTED_TYPES:
        return _bfcl_text(code, node)
    if node.type == "array_creation_expression":
        return _array_creation(code, node)
    if node.type == "object_creation_expression":
        return _object_creation(code, node)
    if node.child_count == 0:
        return _bfcl_text(code, node)
    return "".join([_reassemble(code, child) for child in node.children])


def _array_creation(code: str, node: Node) -> str:
    item_type, initialiser = node.child_by_field_name("type"), node.child_by_field_name("value")
    if item_type is None or initialiser is None:
        raise DecodingError("an array without its items")
    return f"new {_reassemble(code, item_type)}[]{_reassemble(code, initialiser)}"


def _object_creation(code: str, node: Node) -> str:
    object_type, arguments = node.child_by_field_name("type"), node.child_by_field_name("arguments")
    if object_type is None:
        raise DecodingError("an object without a type")
    children = [] if arguments is None else arguments.children
    texts = [_reassemble(code, child) for child in children if child.type not in _LIST_PUNCTUATION]
    return f"new {_reassemble(code, object_type)}({', '.join(texts)})"


def _bfcl_text(code: str, node: Node) -> str:
    return code[node.start_byte : node.end_byte]
