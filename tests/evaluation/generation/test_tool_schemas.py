"""Documents of functions as JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest

from fiducial.evaluation.generation.tool_schemas import json_schema, tool_schema


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"type": "dict"}, {"type": "object"}),
        ({"type": "float"}, {"type": "number"}),
        ({"type": "tuple"}, {"type": "array", "items": {}}),
        ({"type": "array", "items": {"type": "dict"}}, {"type": "array", "items": {"type": "object"}}),
        ({"type": "any", "description": "d"}, {"description": "d"}),
        ({"type": ["float", "null"]}, {"type": ["number", "null"]}),
        ({"type": ["float", "any"]}, {}),
        ({"type": "matrix"}, {}),
        ({"type": "string", "optional": True, "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
        ({"anyOf": [{"type": "float"}, True]}, {"anyOf": [{"type": "number"}, True]}),
        (
            {"type": "dict", "properties": {"type": {"type": "HashMap"}}},
            {"type": "object", "properties": {"type": {"type": "object"}}},
        ),
    ],
    ids=str,
)
def test_types_of_data_sets_become_those_of_json_schema(given: dict[str, Any], expected: dict[str, Any]):
    assert json_schema(given) == expected


def test_bfcl_says_string_for_any():
    assert json_schema({"type": "any"}, any_type="string") == {"type": "string"}


def test_a_function_without_parameters_takes_an_empty_object():
    assert tool_schema({"name": "a.b", "description": "d"}, "a_b") == {
        "type": "function",
        "function": {"name": "a_b", "description": "d", "parameters": {"type": "object", "properties": {}}},
    }


def test_the_document_itself_is_not_changed():
    document = {"name": "f", "parameters": {"type": "dict", "properties": {"x": {"type": "float"}}}}
    tool_schema(document, "f")
    assert document["parameters"] == {"type": "dict", "properties": {"x": {"type": "float"}}}
