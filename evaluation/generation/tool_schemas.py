"""Tools in an endpoint's form: JSON Schema, and names within the endpoint's limits.

Names hold letters, digits, ``_`` and ``-`` alone, 64 at most.

Arguments need no way back: checkers read them by the case's own documents, in which the data set's names stay.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

_TYPES: dict[str, str | None] = {
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
"""What JSON Schema calls each type; None for those that say nothing, and are left out."""

_SCHEMAS = frozenset({"items", "additionalProperties", "not"})
_LISTS_OF_SCHEMAS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SCHEMAS_BY_NAME = frozenset({"properties", "$defs", "definitions", "patternProperties"})
_NOT_OURS = frozenset({"optional"})
"""Of data sets; ``required`` says the same."""


def tool_schema(document: Mapping[str, Any], name: str, *, any_type: str | None = None) -> dict[str, Any]:
    """Return a function's document as sent to an endpoint.

    Args:
        document: With ``name``, ``description`` and ``parameters``, whose types are the data set's.
        name: What it is offered as.
        any_type: Type given to a value of any type; None to leave it open. BFCL says ``string``.
    """
    parameters = json_schema(document.get("parameters") or {}, any_type=any_type)
    parameters["type"] = "object"
    parameters.setdefault("properties", {})
    function: dict[str, Any] = {"name": name, "parameters": parameters}
    if document.get("description"):
        function["description"] = document["description"]
    return {"type": "function", "function": function}


def json_schema(schema: Mapping[str, Any], *, any_type: str | None = None) -> dict[str, Any]:
    """Return a schema with JSON Schema types; an unknown type is left out as meaningless."""
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NOT_OURS:
            continue
        if key == "type":
            types = _types(value, any_type)
            if types is not None:
                made["type"] = types
        elif key in _SCHEMAS and isinstance(value, Mapping):
            made[key] = json_schema(cast("Mapping[str, Any]", value), any_type=any_type)
        elif key in _LISTS_OF_SCHEMAS and isinstance(value, list):
            made[key] = [_part(each, any_type) for each in cast("list[Any]", value)]
        elif key in _SCHEMAS_BY_NAME and isinstance(value, Mapping):
            named = cast("Mapping[str, Any]", value)
            made[key] = {name: _part(each, any_type) for name, each in named.items()}
        else:
            made[key] = value
    if made.get("type") == "array" and "items" not in made and "prefixItems" not in made:
        made["items"] = {}  # which endpoints insist on
    return made


def _part(schema: Any, any_type: str | None) -> Any:
    return (
        json_schema(cast("Mapping[str, Any]", schema), any_type=any_type)
        if isinstance(schema, Mapping)
        else schema
    )


def _types(value: Any, any_type: str | None) -> str | list[str] | None:
    if isinstance(value, list):
        types = [_type(each, any_type) for each in cast("list[Any]", value)]
        names = list(dict.fromkeys(name for name in types if name is not None))
        return names if len(names) == len({*types}) else None  # one that may be anything makes all of it so
    return _type(value, any_type)


def _type(value: Any, any_type: str | None) -> str | None:
    return (_TYPES.get(value) or any_type) if isinstance(value, str) else None


_NOT_TAKEN = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 64
_MARK = 8
"""Characters of a hash that keep two names apart that would become the same."""


class ToolNames:
    """The names of a case's tools, as they are sent and as the case has them.

    A dot becomes an underscore, as in BFCL; so does any other character that is not accepted.

    Args:
        names: All names that are ever offered, so that a name is sent the same way in every turn.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._sent: dict[str, str] = {}
        self._own: dict[str, str] = {}
        distinct_names = list(dict.fromkeys(names))
        # Who needs no change comes first: a name that is right as it is must not make way for one that is not.
        for name in sorted(distinct_names, key=lambda name: _NOT_TAKEN.search(name) is not None):
            sent = _NOT_TAKEN.sub("_", name)
            if len(sent) > _LONGEST or sent in self._own:
                sent = f"{sent[: _LONGEST - _MARK - 1]}_{hashlib.sha256(name.encode()).hexdigest()[:_MARK]}"
            self._sent[name], self._own[sent] = sent, name

    def sent(self, name: str) -> str:
        """Return the name under which a tool is offered."""
        return self._sent[name]

    def own(self, name: str) -> str:
        """Return the tool that a call names; a name that was not offered is returned unchanged."""
        return self._own.get(name, name)
