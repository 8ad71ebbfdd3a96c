"""Syntax trees of Java and JavaScript by tree-sitter, which is an extra."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from ...errors import DecodingError, MissingExtraError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_CHARACTERS = 8_000
"""Longer code is refused: the parser takes up to 10 µs a character to recover from errors."""

_MAX_BRACKETS = 2_000
"""That time grows with the square of these."""


def parse_tree(code: str, language: Literal["java", "javascript"]) -> Node:
    """Parse a text.

    Args:
        code: Source text, at most ``MAX_CHARACTERS``.
        language: Its language.

    Returns:
        The root of its tree. Parts that the parser had to imagine are in it; parts that it had to skip are an error.

    Raises:
        DecodingError: It is not in that language, or not text that UTF-8 can carry.
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
    root = parser_of(language).parse(source).root_node
    if _skips_something(root):
        raise DecodingError(f"not {language} that can be parsed")
    return root


def _skips_something(root: Node) -> bool:
    """Whether the tree has an error node; its printed form would show that too, but printing a deep tree crashes."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error:
            return True
        waiting.extend([child for child in node.children if child.has_error] if node.has_error else ())
    return False


def walk(root: Node) -> Iterator[Node]:
    """The nodes of a tree, depth first, each before what it holds.

    Args:
        root: Where to start; it comes first.

    Yields:
        The nodes.
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


@cache
def parser_of(language: Literal["java", "javascript"]) -> Parser:
    """The parser of a language, made once.

    Args:
        language: Which one.

    Returns:
        The parser.

    Raises:
        MissingExtraError: tree-sitter or the grammar is not installed.
    """
    try:
        tree_sitter = import_module("tree_sitter")
        grammar: Callable[[], object] = import_module(f"tree_sitter_{language}").language
    except ImportError as error:
        raise MissingExtraError("languages", f"reading {language} calls") from error
    return tree_sitter.Parser(tree_sitter.Language(grammar()))
