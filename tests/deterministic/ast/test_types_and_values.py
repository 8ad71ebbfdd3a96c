"""Types and values under BFCL's rules, one line a rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fiducial.deterministic import Finding

ARRAY = {"type": "array", "items": {"type": "integer"}}
FLOATS = {"type": "array", "items": {"type": "float"}}
TEXTS = {"type": "array", "items": {"type": "string"}}
TUPLE = {"type": "tuple", "items": {"type": "integer"}}
MATRIX = {"type": "array", "items": {"type": "array"}}
RECORDS = {"type": "array", "items": {"type": "dict"}}


@pytest.mark.parametrize(
    ("value", "declared", "acceptable", "error_type"),
    [
        # Types are exact, but an int is taken for a float.
        (2, "float", [2.0], None),
        (2.0, "integer", [2], "type_error:simple"),
        (True, "integer", [1], "type_error:simple"),
        (True, "float", [1.0], "type_error:simple"),
        (1, "boolean", [True], "type_error:simple"),
        (10**400, "float", [1.0], "type_error:simple"),
        (None, "string", ["x"], "type_error:simple"),
        ("x", "any", ["x"], None),
        # Items: one level, exact, against the first item of the acceptable list too.
        ([1, 2], FLOATS, [[1.0, 2.0]], "type_error:nested"),
        ([1, 2.0], FLOATS, [[1, 2.0]], None),
        (["1"], ARRAY, [[1]], "type_error:nested"),
        (["1"], ARRAY, ["", [1]], "value_error:list/tuple"),
        ([[1], ["x"]], MATRIX, [[[1], [2]]], "value_error:list/tuple"),
        ((1, 2), ARRAY, [[1, 2]], "type_error:simple"),
        ((1, 2), TUPLE, [[1, 2]], None),
        ([1, 2], TUPLE, [[1, 2]], None),
        # The first acceptable value has another type: that type is taken as well, and values compare as they are.
        ("flag", "boolean", ["flag"], None),
        ("Flag", "boolean", ["flag"], "value_error:others"),
        (True, "boolean", ["flag", True], None),
        (7, "any", [7, "seven"], None),
        (None, "string", [None], None),
        ("rows", ARRAY, ["rows"], None),
        # Numbers compare as Python compares them.
        (3, "integer", [3.0], None),
        (-0.0, "float", [0.0], None),
        (float("nan"), "float", [0.0], "value_error:others"),
        # Texts lose blanks, case and much punctuation.
        ("New-York", "string", ["new york"], None),
        ("1.5", "string", ["15"], None),
        ("-5", "string", ["5"], None),
        ("it's", "string", ['it"s'], None),
        ("a\tb", "string", ["ab"], "value_error:string"),
        ("a:b", "string", ["ab"], "value_error:string"),
        ("...", "string", ["x", ""], None),
        # Lists keep their order; the marker of an optional argument is an empty list.
        (["A.", "b"], TEXTS, [["a", "B"]], None),
        (["b", "a"], TEXTS, [["a", "b"]], "value_error:list/tuple"),
        ([], TEXTS, [["a"], ""], None),
        ([["A"]], MATRIX, [[["a"]]], "value_error:list/tuple"),
        # Dicts: each key has acceptable values.
        ({"k": "V"}, "dict", [{"k": ["v"]}], None),
        ({"k": True}, "dict", [{"k": [1]}], None),
        ({"k": "w"}, "dict", [{"k": ["v"]}], "value_error:dict_value"),
        ({"j": "v"}, "dict", [{"j": ["v"], "k": ["v"]}], "value_error:dict_key"),
        ({"k": "w"}, "dict", [{"k": ["v"], "j": ["v"]}], "value_error:dict_key"),
        ({}, "dict", [{"k": ["v", ""]}], None),
        ({"x": 1}, "dict", [{"k": [1]}, {"x": [1]}], None),
        ({"x": 1}, "dict", [""], "dict_checker:unclear"),
        ([{"k": 1}], RECORDS, [[{"k": [1]}]], None),
        ([{"k": 1}], RECORDS, [[{"k": [1]}, {"k": [2]}]], "value_error:list_dict_count"),
        ([{"k": 2}], RECORDS, [[{"k": [1]}]], "value_error:dict_value"),
        ([], RECORDS, [""], None),
    ],
)
def test_values_under_the_original_rules(
    compare_value: Callable[..., Finding],
    value: Any,
    declared: Any,
    acceptable: list[Any],
    error_type: str | None,
):
    assert compare_value(value, declared, acceptable).error_type == error_type


def test_texts_where_dicts_belong_are_a_problem_rather_than_a_crash(compare_value: Callable[..., Finding]):
    # The original raises here and the whole run ends.
    assert compare_value(["x"], RECORDS, ["", [{"k": [1]}]]).error_type == "dict_checker:not_a_dict"
