"""Function documents of cases: read in any provider's format, or made from expected calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from ..records import nearest
from .field_reader import FieldReader
from .json_values import is_list, is_object

_SCHEMAS = ("input_schema", "inputSchema", "parametersJsonSchema")
"""Other providers' names for ``parameters``."""


def tools_in(request: FieldReader) -> list[dict[str, Any]]:
    """Return the tools that a request offers, one per function, in any provider's format."""
    config = request.object_in("toolConfig")
    offered = request.nodes("tools", "functions") or FieldReader(config, request.path("toolConfig")).nodes(
        "tools"
    )
    return [tool for reader in offered for tool in _functions_in(reader)]


def all_tools(offers: Iterable[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return all tools offered over time; the first of each name counts."""
    by_name: dict[str, dict[str, Any]] = {}
    for tool in chain.from_iterable(offers):
        function = tool.get("function", tool)
        name = function["name"] if is_object(function) and "name" in function else tool
        by_name.setdefault(str(name), tool)
    return list(by_name.values())


def _functions_in(tool: FieldReader) -> list[dict[str, Any]]:
    """Return the functions of a tool: Gemini declares several in one, Bedrock wraps each."""
    declarations = tool.nodes("functionDeclarations", "function_declarations")
    if declarations:
        return [_lower_types(reader.value) for reader in declarations]
    spec = tool.object_in("toolSpec")
    schema = spec.get("inputSchema")
    if spec and is_object(schema):
        return [{**spec, "inputSchema": schema.get("json", schema)}]
    return [tool.value]


def _lower_types(schema: Any) -> Any:
    """Return a schema of Gemini, which writes ``STRING``, with JSON Schema's ``string``."""
    if is_list(schema):
        return [_lower_types(item) for item in schema]
    if not is_object(schema):
        return schema
    return {
        name: value.lower() if name == "type" and isinstance(value, str) else _lower_types(value)
        for name, value in schema.items()
    }


def plain_document(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool of any provider's format with its schema under ``parameters``."""
    function = tool.get("function")
    if is_object(function):
        plain = plain_document(function)
        return tool if plain is function else {**tool, "function": plain}
    name = next((schema for schema in _SCHEMAS if is_object(tool.get(schema))), None)
    if name is not None and tool.get("parameters") is None:
        return {"parameters" if key == name else key: value for key, value in tool.items()}
    properties = _flat_properties(tool.get("parameters"))
    return (
        tool if properties is None else {**tool, "parameters": {"type": "object", "properties": properties}}
    )


def _flat_properties(parameters: Any) -> dict[str, Any] | None:
    """Return the properties of parameters that have no schema around them, else None.

    Such parameters are an object by name, as in xLAM's data, or a list of objects with names.
    """
    if is_list(parameters):
        named = [
            parameter
            for parameter in parameters
            if is_object(parameter) and isinstance(parameter.get("name"), str)
        ]
        if len(named) < len(parameters):
            return None
        parameters = {
            parameter["name"]: {key: value for key, value in parameter.items() if key != "name"}
            for parameter in named
        }
    if not is_object(parameters) or not parameters or "properties" in parameters:
        return None
    if not all(map(is_object, parameters.values())):
        return None
    return {name: _property(parameter) for name, parameter in parameters.items()}


_JSON_TYPE_OF: Mapping[str, str] = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "dict": "object",
}
"""JSON Schema's names of Python's types."""

_JSON_TYPES = frozenset({*_JSON_TYPE_OF.values(), "null"})


def _property(described: dict[str, Any]) -> dict[str, Any]:
    """Return a property with JSON Schema's name for its type, or untyped if that is unknown.

    xLAM writes types as Python does: ``str, optional``, ``List[int]``.
    """
    written_type = described.get("type")
    if not isinstance(written_type, str):
        return described
    name = written_type.partition(",")[0].strip()
    if name.lower().startswith("optional["):
        name = name[len("optional[") :].removesuffix("]")
    outer = name.partition("[")[0].strip().lower()
    json_type = outer if outer in _JSON_TYPES else _JSON_TYPE_OF.get(outer)
    others = {key: value for key, value in described.items() if key not in {"type", "required"}}
    return others if json_type is None else {**others, "type": json_type}


def not_offered(expected: Iterable[str], tools: list[dict[str, Any]]) -> str | None:
    """Return the error for the first expected function that no tool has.

    None if every function is offered, or if no tool is known.
    """
    offered = sorted(_names(tools))
    missing = [name for name in dict.fromkeys(expected) if name not in offered]
    if not missing or not offered:
        return None
    name = missing[0]
    return f"{name!r} is expected, but no tool of the case has this name{nearest(name, offered)}"


def missing_documents(
    expected: Iterable[tuple[str, Mapping[str, Any]]], tools: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield documents for expected functions without one.

    Each document lists the arguments of all expected calls, without types.
    """
    documented = _names(tools)
    arguments: dict[str, dict[str, Any]] = {}
    for called, named_arguments in expected:
        if called not in documented:
            arguments.setdefault(called, {}).update({name: {} for name in named_arguments})
    for name, properties in arguments.items():
        yield {
            "type": "function",
            "function": {"name": name, "parameters": {"type": "object", "properties": properties}},
        }


def _names(tools: list[dict[str, Any]]) -> set[str]:
    return {str(tool.get("function", tool).get("name")) for tool in tools}
