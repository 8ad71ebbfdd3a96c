"""Schemas in function documents: the one type, where there is one, and the parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

NO_SCHEMA: Mapping[str, Any] = {}


def settled(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema with one type name, or with none if several types remain.

    Null is ignored in ``["string", "null"]`` and in an ``anyOf`` of a type and null.
    """
    declared = schema.get("type")
    if isinstance(declared, str):
        return schema
    if isinstance(declared, list):
        names = [name for name in cast("list[Any]", declared) if name != "null"]
        return {**schema, "type": names[0] if len(names) == 1 else None}
    variants = [each for each in variants_of(schema) if each.get("type") != "null"]
    return settled({**schema, "anyOf": None, "oneOf": None, **variants[0]}) if len(variants) == 1 else schema


def variants_of(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the schemas of which a value must fit one; empty if there is no choice."""
    listed = schema.get("anyOf") or schema.get("oneOf")
    return [part_of(each) for each in cast("list[Any]", listed)] if isinstance(listed, list) else []


def part_of(value: Any) -> Mapping[str, Any]:
    """Return a part of a schema; empty if it is not an object."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else NO_SCHEMA


def property_of(schema: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """Return the schema of a property; None if no property of that name is allowed."""
    properties = part_of(schema.get("properties"))
    if name in properties:
        return part_of(properties[name])
    further = schema.get("additionalProperties")
    return part_of(further) if further or schema.get("patternProperties") else None
