"""Documents of functions as JSON Schema, and names of tools as endpoints take them."""

from __future__ import annotations

import re
from typing import Any

from each_row import each_row
from hypothesis import given as for_all
from hypothesis import strategies as st

from fiducial.evaluation.generation.tool_schemas import ToolNames, json_schema, tool_schema


@each_row(
    ("given", "expected"),
    [
        ({"type": "dict"}, {"type": "object"}),
        ({"type": "float"}, {"type": "number"}),
        ({"type": "tuple"}, {"type": "array", "items": {}}),
        ({"type": "array", "items": {"type": "dict"}}, {"type": "array", "items": {"type": "object"}}),
        (
            {"type": "array", "items": [{"type": "dict"}, {"type": "float"}]},
            {"type": "array", "items": [{"type": "object"}, {"type": "number"}]},
        ),
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


def test_a_dot_becomes_an_underscore_and_comes_back():
    names = ToolNames(["math.gcd", "add"])
    assert (names.sent("math.gcd"), names.sent("add")) == ("math_gcd", "add")
    assert (names.original("math_gcd"), names.original("add")) == ("math.gcd", "add")


def test_a_name_that_was_not_offered_stays_what_it_is():
    assert ToolNames(["math.gcd"]).original("math_lcm") == "math_lcm"


def test_a_name_that_is_right_as_it_is_keeps_it():
    names = ToolNames(["math.gcd", "math_gcd"])
    assert names.sent("math_gcd") == "math_gcd"
    assert names.original(names.sent("math.gcd")) == "math.gcd"


@for_all(st.lists(st.text(min_size=1, max_size=100), max_size=8))
def test_every_name_is_taken_and_comes_back(given_names: list[str]):
    names = ToolNames(given_names)
    for name in given_names:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", names.sent(name))
        assert names.original(names.sent(name)) == name
