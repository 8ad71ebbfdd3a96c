"""Types and values under BFCL's rules, one line a rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from each_row import each_row
from tool_calls import tool

from fiducial.deterministic import CheckOptions, Finding, check_result
from fiducial.deterministic.ast.expectation import compile_expectation
from fiducial.deterministic.ast.tool_calls import check_decoded
from fiducial.records import Case, ToolCallReference

ARRAY = {"type": "array", "items": {"type": "integer"}}
FLOATS = {"type": "array", "items": {"type": "float"}}
TEXTS = {"type": "array", "items": {"type": "string"}}
TUPLE = {"type": "tuple", "items": {"type": "integer"}}
MATRIX = {"type": "array", "items": {"type": "array"}}
RECORDS = {"type": "array", "items": {"type": "dict"}}


@each_row(
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


NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
PROPERTIES = {"size": NUMBER, "colour": TEXT, "note": TEXT}
ACCEPTABLE = {"size": [3], "colour": ["red", ""]}


@each_row(
    ("given", "error_type"),
    [
        ({"size": 3}, None),
        ({"colour": "red", "size": 3}, None),
        ({"colour": "red"}, "simple_function_checker:missing_required"),
        ({"size": 3, "width": 1}, "simple_function_checker:unexpected_param"),
        ({"size": 3, "note": "x"}, "simple_function_checker:unexpected_param"),
        ({"size": 3, None: "x"}, "simple_function_checker:unexpected_param"),
        ({"size": "3"}, "type_error:simple"),
        ({"size": 4}, "value_error:others"),
        ({"size": 3, "colour": "blue"}, "value_error:string"),
    ],
)
def test_the_first_problem_decides(
    compare: Callable[..., Finding], given: dict[Any, Any], error_type: str | None
):
    assert compare(given, PROPERTIES, ACCEPTABLE, required=["size"]).error_type == error_type


def test_an_argument_that_is_neither_required_nor_optional_in_the_reference_is_missed(
    compare: Callable[..., Finding],
):
    finding = compare({}, PROPERTIES, {"size": [3]})
    assert finding.error_type == "simple_function_checker:missing_optional"
    assert finding.evidence["argument"] == "size"


def test_missing_comes_before_wrong(compare: Callable[..., Finding]):
    finding = compare({"colour": 7}, PROPERTIES, ACCEPTABLE, required=["size"])
    assert finding.error_type == "simple_function_checker:missing_required"


def test_a_problem_names_the_argument_what_was_expected_and_what_came(compare: Callable[..., Finding]):
    finding = compare({"size": 3, "colour": "blue"}, PROPERTIES, ACCEPTABLE)
    assert finding.reason == "argument colour: got 'blue', acceptable 'red', left out"
    assert finding.evidence == {"argument": "colour", "expected": ["red", ""], "got": "blue"}


LAMP = tool("lamp.switch", {"on": {"type": "boolean"}}, ["on"])


@each_row(
    ("name", "names", "valid"),
    [
        ("lamp.switch", "dotted", True),
        ("lamp_switch", "dotted", False),
        ("lamp.switch", "underscored", False),
        ("lamp_switch", "underscored", True),
        ("Lamp.switch", "dotted", False),
    ],
)
def test_the_documented_name_counts_as_it_was_offered(name: str, names: Any, *, valid: bool):
    reference = ToolCallReference(calls=[{"whatever": {"on": [True]}}], match="simple")
    finding = check_decoded([{name: {"on": True}}], compile_expectation(reference, [LAMP], names))
    assert finding.valid is valid
    assert valid or finding.error_type == "simple_function_checker:wrong_func_name"


UNIT = {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "fahrenheit"}
WEATHER = tool("get_current_weather", {"location": {"type": "string"}, "unit": UNIT}, ["location"])


@each_row(
    ("arguments", "valid"),
    [
        ({"location": "Tel Aviv, Israel", "unit": "fahrenheit"}, True),
        ({"location": "Tel Aviv, Israel"}, True),
        ({"location": "Tel Aviv, Israel", "unit": "celsius"}, False),
        ({"unit": "fahrenheit"}, False),
    ],
)
@each_row("rules", ["bfcl", "strict"])
def test_the_weather_in_tel_aviv_may_leave_out_the_unit(
    rules: Any, arguments: dict[str, Any], *, valid: bool
):
    """BFCL's entry live_simple_4-3-0."""
    calls = [{"get_current_weather": {"location": ["Tel Aviv, Israel"], "unit": ["fahrenheit", ""]}}]
    case = Case(id="live_simple_4-3-0", kind="tool_call", tools=[WEATHER], reference={"calls": calls})
    text = f"[get_current_weather({', '.join(f'{name}={value!r}' for name, value in arguments.items())})]"
    assert check_result(case, text, mode="prompt", options=CheckOptions(rules=rules)).valid is valid
