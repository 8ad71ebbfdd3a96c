"""Calls refuted by the offered tools alone.

These name no tool, lack a required argument, or have a value outside its enum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from .ast.schemas import part_of
from .finding import Finding, fault, plain


def refutation(
    calls: Sequence[Mapping[Any, Any]], tools: Sequence[Mapping[str, Any]], *, named: bool
) -> Finding | None:
    """Return why the first refuted call cannot be right.

    None if all calls fit, or if no tool is known to have been offered.

    Without ``named`` only the function is looked at, since arguments in a text may be given by their place.
    """
    documents = {
        variant: tool["function"] for tool in tools for variant in _variants(tool["function"]["name"])
    }
    if not documents:
        return None
    for call in calls:
        for name, arguments in call.items():
            document = documents.get(name)
            if document is None:
                message = f"called {str(name)[:80]!r}, which was not offered"
                return fault("relevance_error:unknown_function", message, calls=plain(list(calls)))
            if named and isinstance(arguments, Mapping):
                given = cast("Mapping[str, Any]", arguments)
                for kind, message in _problems(given, part_of(document.get("parameters"))):
                    return fault(kind, f"{name}: {message}", calls=plain(list(calls)))
    return None


def _variants(name: str) -> tuple[str, str]:
    return name, name.replace(".", "_")


def _problems(arguments: Mapping[str, Any], parameters: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    properties = part_of(parameters.get("properties"))
    required: Any = parameters.get("required")
    for name in cast("list[Any]", required) if isinstance(required, list) else ():
        if name not in arguments and "default" not in part_of(properties.get(str(name))):
            yield "relevance_error:missing_required", f"the required argument {str(name)[:80]!r} is missing"
    for name, value in arguments.items():
        document = part_of(properties.get(name))
        values = cast("list[Any]", value) if isinstance(value, list) else [value]
        listed: Any = document.get("enum") or part_of(document.get("items")).get("enum")
        if not isinstance(listed, list) or value is None:
            continue
        allowed = {str(each) for each in cast("list[Any]", listed)}
        for each in values:
            if isinstance(each, str | int | float) and str(each) not in allowed:
                message = f"{name} is {str(each)[:80]!r}, which is not among the values it takes"
                yield "relevance_error:value_not_in_enum", message
