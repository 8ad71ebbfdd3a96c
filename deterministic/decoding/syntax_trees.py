"""Parse Java and JavaScript into syntax trees with tree-sitter, an optional dependency."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from ...errors import DecodingError, MissingExtraError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_CHARACTERS = 8_000
"""Longer code is refused: the parser takes up to 10 µs a character to recover from errors."""

_MAX_BRACKETS = 2_000
"""Code with more brackets is refused: the time for error recovery grows with the square of their number."""


def parse_tree(code: str, language: Literal["java", "javascript"]) -> Node:
    """Parse a text of at most `MAX_CHARACTERS`.

    The tree has tokens that the parser inserted to recover from errors. Text that it had to skip is an error.

    Raises:
        DecodingError: The text is not in that language, or cannot be encoded in UTF-8.
        MissingExtraError: tree-sitter or the grammar is not installed.
    """
    if len(code) > MAX_CHARACTERS or sum(map(code.count, "([{")) > _MAX_BRACKETS:
        raise DecodingError(
            f"too large: {len(code):,} characters of {language}, at most {MAX_CHARACTERS:,} are read, with {_MAX_BRACKETS:,} brackets"
        )
    try:
        source = code.encode()
    except UnicodeEncodeError as error:
        raise DecodingError(f"not {language}: {error.reason}") from error
    root = load_parser(language).parse(source).root_node
    if _has_error_node(root):
        raise DecodingError(f"not {language} that can be parsed")
    return root


def _has_error_node(root: Node) -> bool:
    """Return whether the tree has an error node; printing a deep tree to see it would crash."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.is_error:
            return True
        # `has_error` is true of a node with an error anywhere below it, so other subtrees are skipped.
        nodes.extend([child for child in node.children if child.has_error] if node.has_error else ())
    return False


def walk(root: Node) -> Iterator[Node]:
    """Yield the nodes of a tree, depth first, parents before children."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        yield node
        nodes.extend(reversed(node.children))


def node_text(node: Node) -> str:
    """Return the source text of a node."""
    return (node.text or b"").decode()


def read_arguments(
    node: Node,
    nameless_types: Container[str],
    read_name: Callable[[Node], str],
    read_value: Callable[[Node], str],
) -> dict[Any, str]:
    """Return the arguments of a call by name.

    Arguments are written ``name=value``. A node of a type in ``nameless_types`` is an argument with the name None; other nodes are
    skipped.
    """
    arguments: dict[Any, str] = {}
    for child in node.children:
        if child.type == "assignment_expression":
            # Its children are the name, the equals sign and the value.
            name, value = read_name(child.children[0]), read_value(child.children[2])
        elif child.type in nameless_types:
            name, value = None, read_value(child)
        else:
            continue
        if name in arguments:
            raise DecodingError(
                "an argument comes twice" if name else "more than one argument without a name"
            )
        arguments[name] = value
    return arguments


@cache
def load_parser(language: Literal["java", "javascript"]) -> Parser:
    """Return the parser of a language."""
    try:
        tree_sitter = import_module("tree_sitter")
        grammar: Callable[[], object] = import_module(f"tree_sitter_{language}").language
    except ImportError as error:
        raise MissingExtraError("languages", f"reading {language} calls") from error
    return tree_sitter.Parser(tree_sitter.Language(grammar()))
