"""Schemas in function documents: their parts, and each language's type names and values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias, cast

import msgspec

from ...records import Language

NO_SCHEMA: Mapping[str, Any] = {}


def with_one_type(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema with one type name, or with none if several types remain.

    Null is ignored in ``["string", "null"]`` and in an ``anyOf`` of a type and null.
    """
    declared = schema.get("type")
    if isinstance(declared, str):
        return schema
    if isinstance(declared, list):
        names = [name for name in cast("list[Any]", declared) if name != "null"]
        return {**schema, "type": names[0] if len(names) == 1 else None}
    variants = [variant for variant in variants_of(schema) if variant.get("type") != "null"]
    return (
        with_one_type({**schema, "anyOf": None, "oneOf": None, **variants[0]})
        if len(variants) == 1
        else schema
    )


def variants_of(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the alternatives in ``anyOf`` or ``oneOf``; empty if there are none."""
    listed = schema.get("anyOf") or schema.get("oneOf")
    return [as_mapping(each) for each in cast("list[Any]", listed)] if isinstance(listed, list) else []


def as_mapping(value: Any) -> Mapping[str, Any]:
    """Return a value if it is an object, else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else NO_SCHEMA


def documents_by_name(documents: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return function documents by name, and by the name with underscores for dots.

    A function's exact name takes precedence over another's name with underscores.
    """
    underscored = {document["name"].replace(".", "_"): document for document in documents}
    return underscored | {document["name"]: document for document in documents}


def required_names(schema: Mapping[str, Any]) -> list[str]:
    """Return the required properties of an object, if they are given as a list of names."""
    names = schema.get("required")
    listed = cast("list[Any]", names) if isinstance(names, list) else []
    return [name for name in listed if isinstance(name, str)]


def property_of(schema: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """Return the schema of a property, or None if no property of that name is allowed."""
    properties = as_mapping(schema.get("properties"))
    if name in properties:
        return as_mapping(properties[name])
    further = schema.get("additionalProperties")
    return as_mapping(further) if further or schema.get("patternProperties") else None


def as_list(value: Any) -> Any:
    """Return a tuple as a list, anything else unchanged."""
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value


Converter: TypeAlias = Callable[[str], Any]


class Dialect(msgspec.Struct, frozen=True):
    """The types of a language.

    Attributes:
        short_name: As in BFCL's error types; empty for Python.
        types: Python type by declared type.
        nested: Declared types with items of a declared type, which is checked.
        converter: From the declared types of a value and its items to a function that reads source text; None if values need no
            conversion.
    """

    short_name: str
    types: Mapping[str, type]
    nested: frozenset[str]
    converter: Callable[[str, str | None], Converter | None]


PYTHON = Dialect(
    short_name="",
    types={
        "string": str,
        "integer": int,
        "float": float,
        "boolean": bool,
        "array": list,
        "tuple": list,
        "dict": dict,
        "any": str,
        # JSON Schema's own names, which BFCL does not know.
        "number": float,
        "object": dict,
    },
    nested=frozenset({"array", "tuple"}),
    converter=lambda _declared, _inner: None,
)


@cache
def dialect_of(language: Language) -> Dialect:
    """Return the type names and conversions of a language."""
    if language == "java":
        from .java_values import convert_java  # noqa: PLC0415 - most runs have no Java

        return Dialect("java", _JAVA_TYPES, frozenset({"Array", "ArrayList"}), _bind(convert_java))
    if language == "javascript":
        from .javascript_values import convert_javascript  # noqa: PLC0415 - most runs have no JavaScript

        return Dialect("js", _JAVASCRIPT_TYPES, frozenset({"array"}), _bind(convert_javascript))
    return PYTHON


def _bind(convert: Callable[[str, str, str | None], Any]) -> Callable[[str, str | None], Converter]:
    def converter(declared: str, inner: str | None) -> Converter:
        return lambda text: convert(text, declared, inner)

    return converter


_JAVA_TYPES: dict[str, type] = {
    "byte": int,
    "short": int,
    "integer": int,
    "long": int,
    "float": float,
    "double": float,
    "boolean": bool,
    "char": str,
    "String": str,
    "any": str,
    "Array": list,
    "ArrayList": list,
    "Queue": list,
    "Stack": list,
    "Set": set,
    "HashMap": dict,
    "Hashtable": dict,
}
_JAVASCRIPT_TYPES: dict[str, type] = {
    "String": str,
    "any": str,
    "integer": int,
    "Bigint": int,
    "float": float,
    "Boolean": bool,
    "dict": dict,
    "array": list,
}
