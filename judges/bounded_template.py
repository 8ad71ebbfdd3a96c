"""Bounded subset of jinja for prompts: loops, joins and filters with limits.

A prompt file may be hostile, and is rendered thousands of times in this process. So a template may contain only some node types of
jinja's syntax tree (checked here), and rendering it counts loop turns and characters (`template_bounds`).
docs/decisions/0021-prompt-templates-are-a-part-of-jinja.md says why templates get no process of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, cast

import jinja2
from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from .template_bounds import BoundedEnvironment, words_of
from .template_limits import TemplateLimitError

MAX_TOKENS = 20_000
"""Maximum number of parts (jinja's tokens) in a template."""
MAX_DEPTH = 100
"""Maximum depth of a template's syntax tree."""

_NODES: tuple[type[nodes.Node], ...] = tuple(
    getattr(nodes, name)
    for name in words_of(
        "Template Output TemplateData Name Const If For Assign Getattr Getitem Slice Call Keyword Filter Test Compare Operand And Or "
        "Not Neg Pos CondExpr Concat Add Sub Mul Div FloorDiv Mod List Tuple Dict Pair"
    )
)
"""Node types that a template may contain."""


def bounded_template(source: str) -> Callable[[Mapping[str, Any]], str]:
    """Compile a template, and return the function that renders it.

    Compiling and rendering raise jinja's errors, and TemplateLimitError for a forbidden feature or an exceeded limit.
    """
    environment = BoundedEnvironment()
    environment.begin({"source": source})  # jinja evaluates constants while it compiles
    try:
        # No more tokens are read than needed to see that there are too many.
        tokens = islice(environment.lex(source), MAX_TOKENS + 1)
        if sum(1 for _ in tokens) > MAX_TOKENS:
            raise TemplateLimitError(f"the template has more than {MAX_TOKENS:,} parts")
        parsed = environment.parse(source)
        _require_bounded(parsed)
        template = environment.from_string(_CountingTransformer(environment).visit(parsed))
    except (RecursionError, SyntaxError, MemoryError) as error:
        # Python may raise any of these for code with too many nested blocks or parentheses.
        raise TemplateLimitError("the template is nested too deeply") from error

    def render(values: Mapping[str, Any]) -> str:
        spend = environment.begin(values).spend
        parts: list[str] = []
        for part in template.root_render_func(template.new_context(dict(values))):
            spend(len(part))
            parts.append(part)
        return "".join(parts)

    return render


def jinja_template(source: str) -> Callable[[Mapping[str, Any]], str]:
    """Compile a template like `bounded_template`, with jinja's errors as TemplateLimitError."""
    try:
        fill = bounded_template(source)
    except jinja2.TemplateSyntaxError as error:
        message = f"the template is not jinja: {error.message}"
        raise TemplateLimitError(message, error.lineno) from error

    def render(values: Mapping[str, Any]) -> str:
        try:
            return fill(values)
        except jinja2.TemplateError as error:
            raise TemplateLimitError(str(error)) from error

    return render


def _require_bounded(template: nodes.Template) -> None:
    """Refuse node types that are not allowed, and deep nesting."""
    unvisited: list[tuple[nodes.Node, int]] = [(template, 0)]
    while unvisited:
        node, depth = unvisited.pop()
        if depth > MAX_DEPTH:
            raise TemplateLimitError("the template is nested too deeply", node.lineno)
        if not isinstance(node, _NODES):
            raise TemplateLimitError(f"prompts cannot use {type(node).__name__.lower()}", node.lineno)
        if isinstance(node, nodes.For) and node.recursive:
            raise TemplateLimitError("prompts cannot use recursive loops", node.lineno)
        # Nested lists of one long value are short to write, and huge when printed.
        # In ``for a, b in pairs`` the tuple is a target, with the context "store"; lists have none.
        is_literal = (
            isinstance(node, nodes.List | nodes.Tuple | nodes.Dict) and getattr(node, "ctx", "load") == "load"
        )
        if is_literal and any(node.find_all((nodes.Name, nodes.Call, nodes.Filter))):
            raise TemplateLimitError("prompts can make lists only of constants, not of values", node.lineno)
        unvisited += [(child, depth + 1) for child in node.iter_child_nodes()]


class _CountingTransformer(NodeTransformer):
    """Transformer that inserts filters which count loop turns, slices and joined texts.

    Names of filters begin with a blank where templates must not be able to use them.
    """

    def __init__(self, environment: jinja2.Environment) -> None:
        self._environment = environment

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        node.iter = self._filtered(node.iter, " turns")
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        # The operator ~ becomes the filter `join`, which counts the length of the result.
        return self._filtered(nodes.List(node.nodes, lineno=node.lineno), "join")

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        return self._filtered(node, " copied") if isinstance(node.arg, nodes.Slice) else node

    def _filtered(self, node: nodes.Node, name: str) -> nodes.Node:
        filtered = nodes.Filter(cast("nodes.Expr", node), name, [], [], None, None, lineno=node.lineno)
        return filtered.set_environment(self._environment)
