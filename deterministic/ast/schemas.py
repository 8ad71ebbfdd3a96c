"""Read schemas in function documents: their parts, and the type names of each language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias, cast

import msgspec

from ...records import Language

NO_SCHEMA: Mapping[str, Any] = {}


def with_one_type(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema with a single type name, or with None if several types remain.

    Null is ignored, both in ``["string", "null"]`` and in an ``anyOf`` of a type and null.
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
    """Return the alternatives in ``anyOf`` or ``oneOf``, or none."""
    variants = schema.get("anyOf") or schema.get("oneOf")
    return (
        [as_mapping(variant) for variant in cast("list[Any]", variants)] if isinstance(variants, list) else []
    )


def as_mapping(value: Any) -> Mapping[str, Any]:
    """Return a value if it is an object, else an empty object."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else NO_SCHEMA


def documents_by_name(documents: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return function documents by name, and by the name with underscores in place of dots.

    A function's exact name takes precedence over another function's name with underscores.
    """
    underscored = {document["name"].replace(".", "_"): document for document in documents}
    return underscored | {document["name"]: document for document in documents}


def required_names(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of the required properties of an object."""
    required = schema.get("required")
    names = cast("list[Any]", required) if isinstance(required, list) else []
    return [name for name in names if isinstance(name, str)]


def property_of(schema: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """Return the schema of a property, or None if no property may have that name."""
    properties = as_mapping(schema.get("properties"))
    if name in properties:
        return as_mapping(properties[name])
    additional = schema.get("additionalProperties")
    return as_mapping(additional) if additional or schema.get("patternProperties") else None


def as_list(value: Any) -> Any:
    """Return a tuple as a list, anything else unchanged."""
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value


Converter: TypeAlias = Callable[[str], Any]


class Dialect(msgspec.Struct, frozen=True):
    """The types of a language.

    Attributes:
        short_name: Name in BFCL's error types; empty for Python.
        types: Python types by declared type.
        nested: Declared types whose items have a declared type, too.
        converter: Returns a function that reads source text as a value, given the declared types of the value and its items; None
            if values need no conversion.
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
    """Return a `Dialect.converter` that uses a function of text and declared types."""

    def converter(declared: str, inner: str | None) -> Converter:
        return lambda text: convert(text, declared, inner)

    return converter


# Type names in BFCL's documents of Java and JavaScript functions.
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
