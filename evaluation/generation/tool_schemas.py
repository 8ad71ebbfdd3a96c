"""Tools as endpoints accept them: with types of JSON Schema, and allowed names.

Names have at most 64 letters, digits, ``_`` and ``-``.

Names in calls are translated back; types of arguments are not, since checkers read them by the case's own documents.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

_JSON_TYPES: dict[str, str | None] = {
    "string": "string",
    "str": "string",
    "String": "string",
    "char": "string",
    "integer": "integer",
    "int": "integer",
    "long": "integer",
    "short": "integer",
    "byte": "integer",
    "Bigint": "integer",
    "number": "number",
    "float": "number",
    "double": "number",
    "boolean": "boolean",
    "bool": "boolean",
    "Boolean": "boolean",
    "array": "array",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "Array": "array",
    "ArrayList": "array",
    "Set": "array",
    "Queue": "array",
    "Stack": "array",
    "object": "object",
    "dict": "object",
    "HashMap": "object",
    "Hashtable": "object",
    "null": "null",
    "any": None,
    "Any": None,
}
"""Type of JSON Schema for each type of a data set, or None for any type."""

# Keywords of JSON Schema whose value is a schema, a list of schemas, or a mapping of names to schemas.
_SCHEMAS = frozenset({"items", "additionalProperties", "not"})
_LISTS_OF_SCHEMAS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SCHEMAS_BY_NAME = frozenset({"properties", "$defs", "definitions", "patternProperties"})
_DROPPED_KEYS = frozenset({"optional"})
"""Keys of data sets that repeat ``required``."""


def tool_schema(document: Mapping[str, Any], name: str, *, any_type: str | None = None) -> dict[str, Any]:
    """Return a function's document as sent to an endpoint.

    Args:
        document: The function's ``name``, ``description`` and ``parameters``, with types of the data set.
        name: Name under which it is offered.
        any_type: Type to declare for values of any type, ``string`` in BFCL; None to declare none.
    """
    parameters = json_schema(document.get("parameters") or {}, any_type=any_type)
    parameters["type"] = "object"
    parameters.setdefault("properties", {})
    function: dict[str, Any] = {"name": name, "parameters": parameters}
    if document.get("description"):
        function["description"] = document["description"]
    return {"type": "function", "function": function}


def json_schema(schema: Mapping[str, Any], *, any_type: str | None = None) -> dict[str, Any]:
    """Return a schema with JSON Schema types, without unknown types."""
    converted: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "type":
            types = _json_types(value, any_type)
            if types is not None:
                converted["type"] = types
        elif key not in _DROPPED_KEYS:
            converted[key] = _converted_value(key, value, any_type)
    if converted.get("type") == "array" and not converted.keys() & {"items", "prefixItems"}:
        converted["items"] = {}  # endpoints require it
    return converted


def _converted_value(key: str, value: Any, any_type: str | None) -> Any:
    """Convert the schemas in the value of a keyword other than ``type``."""
    if key in _SCHEMAS | _LISTS_OF_SCHEMAS and isinstance(value, list):
        return [_converted_subschema(schema, any_type) for schema in cast("list[Any]", value)]
    if key in _SCHEMAS:
        return _converted_subschema(value, any_type)
    if key in _SCHEMAS_BY_NAME and isinstance(value, Mapping):
        by_name = cast("Mapping[str, Any]", value)
        return {name: _converted_subschema(schema, any_type) for name, schema in by_name.items()}
    return value


def _converted_subschema(schema: Any, any_type: str | None) -> Any:
    if not isinstance(schema, Mapping):
        return schema
    return json_schema(cast("Mapping[str, Any]", schema), any_type=any_type)


def _json_types(value: Any, any_type: str | None) -> str | list[str] | None:
    if isinstance(value, list):
        types = [_json_type(name, any_type) for name in cast("list[Any]", value)]
        names = list(dict.fromkeys(name for name in types if name is not None))
        return names if len(names) == len({*types}) else None  # with one unknown type, any type is allowed
    return _json_type(value, any_type)


def _json_type(value: Any, any_type: str | None) -> str | None:
    return (_JSON_TYPES.get(value) or any_type) if isinstance(value, str) else None


_NOT_ALLOWED = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_NAME_LENGTH = 64
"""Maximum length of a tool's name that endpoints accept."""

_HASH_LENGTH = 8
"""Length of the hash that distinguishes names that would become equal."""


class ToolNames:
    """Names of a case's tools: the original names, and those that are sent to an endpoint.

    Each character that endpoints do not allow, such as a dot, is sent as an underscore, as in BFCL.

    Args:
        names: The names of all tools of all turns, so that each is sent in the same way in every turn.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._sent: dict[str, str] = {}
        self._original: dict[str, str] = {}
        distinct_names = list(dict.fromkeys(names))
        # Allowed names come first, so that they are never changed in favour of another name.
        for name in sorted(distinct_names, key=lambda name: _NOT_ALLOWED.search(name) is not None):
            sent_name = _NOT_ALLOWED.sub("_", name)
            if len(sent_name) > _MAX_NAME_LENGTH or sent_name in self._original:
                name_hash = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
                sent_name = f"{sent_name[: _MAX_NAME_LENGTH - _HASH_LENGTH - 1]}_{name_hash}"
            self._sent[name], self._original[sent_name] = sent_name, name

    def sent(self, name: str) -> str:
        """Return the name under which a tool is offered."""
        return self._sent[name]

    def original(self, name: str) -> str:
        """Return the tool that a call names; a name that was not offered is returned unchanged."""
        return self._original.get(name, name)
