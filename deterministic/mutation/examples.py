"""Values that fit a function document, for arguments and calls that nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from .call_notation import Call
from .near_values import stray_text

_DEEPEST = 4
_NUMBERS: dict[str, Any] = {"integer": 7, "float": 7.5, "number": 7.5, "double": 7.5}


def example_values(document: Mapping[str, Any], question: str, depth: int = 0) -> Iterator[Any]:
    """A few values of the documented type that the question does not mention."""
    choices: Any = document.get("enum")
    kind: Any = document.get("type")
    if isinstance(choices, list):
        yield from (choice for choice in cast("list[Any]", choices) if choice != document.get("default"))
    elif kind == "boolean":
        yield document.get("default") is not True
    elif kind in _NUMBERS:
        yield _NUMBERS[kind]
    elif kind in {"array", "tuple"}:
        yield [_first(document.get("items"), question, depth)]
    elif kind in {"dict", "object"}:
        yield _example_object(document, question, depth)
    else:
        yield stray_text(question)


def example_call(document: Mapping[str, Any], question: str) -> Call:
    """A call of a function with its required arguments, made up."""
    return Call(document["name"], _example_object(document.get("parameters") or {}, question, 0))


def _example_object(document: Mapping[str, Any], question: str, depth: int) -> dict[str, Any]:
    properties: Any = document.get("properties")
    known = cast("dict[str, Any]", properties) if isinstance(properties, dict) else {}
    wanted = [name for name in document.get("required") or () if name in known] if depth < _DEEPEST else []
    return {name: _first(known[name], question, depth) for name in wanted}


def _first(document: Any, question: str, depth: int) -> Any:
    described: Mapping[str, Any] = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
    return next(example_values(described, question, depth + 1), stray_text(question))
