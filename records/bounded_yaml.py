"""YAML read within bounds: a small file can otherwise take all memory, or never end."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, cast

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, SequenceNode

_DEEPEST = 100
_BRACKET = re.compile(r"[\[\]{}]")


class YamlError(Exception):
    """Text that is not YAML, or is beyond the bounds.

    Attributes:
        problem: The reason, as a predicate of the text: ``is not YAML: ...``.
        line: Its line, from 0, if known.
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
        most_nodes: Maximum number of keys and values; a value counts again for each of its aliases.
        aliases: Whether aliases are allowed.

    Raises:
        YamlError: It is not YAML, or is beyond the bounds.
    """
    yaml: Any = YAML(typ="safe", pure=True)  # ruamel.yaml's annotations are partial
    yaml.Composer = _bounded_composer(most_nodes)
    try:
        _require_shallow_brackets(text)
        node: Any = yaml.compose(text)
        if node is None:
            return YamlDocument(None, None)
        _require_no_aliases(node, most_nodes if aliases else None)
        return YamlDocument(yaml.constructor.construct_document(node), node)
    except MarkedYAMLError as error:
        mark: Any = getattr(error, "problem_mark", None)
        marked: Any = error
        problem = " ".join(part for part in (marked.context, marked.problem) if part)
        # The message on a duplicate key ends with its value, which may be a secret.
        problem = problem.partition(" with value ")[0]
        raise YamlError(f"is not YAML: {problem}", mark.line if mark else None) from error
    except RecursionError as error:
        raise YamlError("cannot be read as YAML: nested too deeply") from error
    except (YAMLError, ValueError, TypeError, ArithmeticError, AttributeError) as error:
        # A date out of range, a list as a key: the loader has no common error for these.
        raise YamlError(f"cannot be read as YAML: {' '.join(str(error).split())}") from error


def _require_shallow_brackets(text: str) -> None:
    """Refuse deeply nested brackets, which YAML rescans many times before it rejects them."""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        # Never below 0: a quoted text may hold closing brackets alone.
        depth = depth + 1 if bracket[0] in "[{" else max(depth - 1, 0)
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")


def _bounded_composer(most: int) -> type[Composer]:
    """Return a composer that stops at an unrealistic size, since parsing is superlinear."""

    class BoundedComposer(Composer):
        _nodes = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            self._nodes += 1
            if self._nodes > most:
                raise _too_many(most)
            compose = cast("Any", super()).compose_node
            return compose(parent, index)

    return BoundedComposer


def _too_many(most: int) -> ValueError:
    return ValueError(f"more than {most:,} keys and values")


def _require_no_aliases(node: Any, most: int | None) -> None:
    """Refuse aliases that exceed a number of nodes or contain themselves; None refuses all."""
    counts = dict[int, int]()

    def count(part: Any) -> int:
        if id(part) in counts:
            if most is None:
                raise YamlError("must not use YAML aliases; this value has one", int(part.start_mark.line))
            if not counts[id(part)]:
                raise YamlError("holds an alias within its own value", int(part.start_mark.line))
            return counts[id(part)]
        counts[id(part)] = 0
        nodes = 1 + sum(map(count, _parts(part)))
        if most is not None and nodes > most:
            raise _too_many(most)
        counts[id(part)] = nodes
        return nodes

    count(node)


def _parts(node: Any) -> list[Any]:
    if isinstance(node, MappingNode):
        return [part for pair in cast("Any", node).value for part in pair]
    return cast("Any", node).value if isinstance(node, SequenceNode) else []
