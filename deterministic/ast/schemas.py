"""What a function document says of a value, as far as a checker needs it: one type where one can be told, and the parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

NO_SCHEMA: Mapping[str, Any] = {}


def settled(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema with one type name: of ``["string", "null"]``, or of ``anyOf`` a type and null, that type; else none."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return schema
    if isinstance(declared, list):
        names = [name for name in cast("list[Any]", declared) if name != "null"]
        return {**schema, "type": names[0] if len(names) == 1 else None}
    variants = [each for each in variants_of(schema) if each.get("type") != "null"]
    return settled({**schema, "anyOf": None, "oneOf": None, **variants[0]}) if len(variants) == 1 else schema


def variants_of(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The schemas of which a value has to fit one; empty where there is no choice."""
    listed = schema.get("anyOf") or schema.get("oneOf")
    return [part_of(each) for each in cast("list[Any]", listed)] if isinstance(listed, list) else []


def part_of(value: Any) -> Mapping[str, Any]:
    """A part of a schema, which is an object; empty where it is something else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else NO_SCHEMA


def property_of(schema: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """What a schema says of a property; None where it allows none of that name."""
    properties = part_of(schema.get("properties"))
    if name in properties:
        return part_of(properties[name])
    further = schema.get("additionalProperties")
    return part_of(further) if further or schema.get("patternProperties") else None
