"""Read YAML within limits: otherwise a small file can fill the memory, or take forever."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, cast

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, SequenceNode

# Limit on the nesting of brackets.
_MAX_DEPTH = 100
_BRACKET = re.compile(r"[\[\]{}]")


class YamlError(Exception):
    """Text that is not YAML, or exceeds the limits.

    Attributes:
        problem: The reason, to be put behind the file's name: ``is not YAML: ...``.
        line: Line of the problem, counted from 0, or None if it is not known.
    """

    def __init__(self, problem: str, line: int | None = None) -> None:
        self.problem = problem
        self.line = line
        super().__init__(problem)


class YamlDocument(NamedTuple):
    """A YAML document as Python values, and as nodes with their lines."""

    value: Any
    node: Any


def read_bounded_yaml(text: str, *, most_nodes: int, aliases: bool = False) -> YamlDocument:
    """Read a YAML document with the safe loader.

    Args:
        text: The document.
        most_nodes: Limit on the number of keys and values; a value counts again for each of its aliases.
        aliases: Whether aliases are allowed.

    Raises:
        YamlError: The text is not YAML, or exceeds the limits.
    """
    yaml: Any = YAML(typ="safe", pure=True)  # ruamel.yaml's annotations are partial
    yaml.Composer = _bounded_composer(most_nodes)
    try:
        _require_shallow_brackets(text)
        node: Any = yaml.compose(text)
        if node is None:
            return YamlDocument(None, None)
        _require_bounded_aliases(node, most_nodes if aliases else None)
        return YamlDocument(yaml.constructor.construct_document(node), node)
    except MarkedYAMLError as error:
        mark: Any = getattr(error, "problem_mark", None)
        yaml_error: Any = error
        problem = " ".join(part for part in (yaml_error.context, yaml_error.problem) if part)
        # The message on a duplicate key ends with its value, which may be a secret.
        problem = problem.partition(" with value ")[0]
        raise YamlError(f"is not YAML: {problem}", mark.line if mark else None) from error
    except RecursionError as error:
        raise YamlError("cannot be read as YAML: nested too deeply") from error
    except (YAMLError, ValueError, TypeError, ArithmeticError, AttributeError) as error:
        # The loader has no common error for values such as a date out of range or a list as a key.
        raise YamlError(f"cannot be read as YAML: {' '.join(str(error).split())}") from error


def _require_shallow_brackets(text: str) -> None:
    """Refuse deeply nested brackets, which YAML rescans many times before it rejects them."""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        # Never below 0: a quoted text may contain closing brackets only.
        depth = depth + 1 if bracket[0] in "[{" else max(depth - 1, 0)
        if depth > _MAX_DEPTH:
            raise ValueError("nested too deeply")


def _bounded_composer(max_nodes: int) -> type[Composer]:
    """Return a composer that stops at ``max_nodes``, since parsing takes superlinear time."""

    class BoundedComposer(Composer):
        _nodes = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            self._nodes += 1
            if self._nodes > max_nodes:
                raise _too_many_nodes(max_nodes)
            compose = cast("Any", super()).compose_node
            return compose(parent, index)

    return BoundedComposer


def _too_many_nodes(max_nodes: int) -> ValueError:
    return ValueError(f"more than {max_nodes:,} keys and values")


def _require_bounded_aliases(node: Any, max_nodes: int | None) -> None:
    """Refuse an alias within its own value, and aliases that make more than ``max_nodes`` nodes.

    Without ``max_nodes``, refuse every alias.
    """
    counts = dict[int, int]()  # nodes under each node, by the node's `id`; 0 while they are being counted

    def count(child: Any) -> int:
        if id(child) in counts:  # an alias: the composer uses the same node again
            if max_nodes is None:
                raise YamlError("must not use YAML aliases; this value has one", int(child.start_mark.line))
            if not counts[id(child)]:
                raise YamlError("holds an alias within its own value", int(child.start_mark.line))
            return counts[id(child)]
        counts[id(child)] = 0
        nodes = 1 + sum(map(count, _child_nodes(child)))
        if max_nodes is not None and nodes > max_nodes:
            raise _too_many_nodes(max_nodes)
        counts[id(child)] = nodes
        return nodes

    count(node)


def _child_nodes(node: Any) -> list[Any]:
    if isinstance(node, MappingNode):
        return [part for pair in cast("Any", node).value for part in pair]
    return cast("Any", node).value if isinstance(node, SequenceNode) else []
