"""One call against what is expected, under BFCL's rules: the first problem is the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fiducial.deterministic import Finding
from fiducial.deterministic.ast import check_calls
from fiducial.records import ToolCallReference

NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
PROPERTIES = {"size": NUMBER, "colour": TEXT, "note": TEXT}
ACCEPTABLE = {"size": [3], "colour": ["red", ""]}


@pytest.mark.parametrize(
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


TOOL = {
    "type": "function",
    "function": {
        "name": "lamp.switch",
        "parameters": {"type": "dict", "properties": {"on": {"type": "boolean"}}, "required": ["on"]},
    },
}


@pytest.mark.parametrize(
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
    finding = check_calls([{name: {"on": True}}], reference=reference, tools=[TOOL], names=names)
    assert finding.valid is valid
    assert valid or finding.error_type == "simple_function_checker:wrong_func_name"


WEATHER = {
    "type": "function",
    "function": {
        "name": "get_current_weather",
        "parameters": {
            "type": "dict",
            "required": ["location"],
            "properties": {
                "location": {"type": "string"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "fahrenheit"},
            },
        },
    },
}


@pytest.mark.parametrize(
    ("arguments", "valid"),
    [
        ({"location": "Tel Aviv, Israel", "unit": "fahrenheit"}, True),
        ({"location": "Tel Aviv, Israel"}, True),
        ({"location": "Tel Aviv, Israel", "unit": "celsius"}, False),
        ({"unit": "fahrenheit"}, False),
    ],
)
@pytest.mark.parametrize("rules", ["bfcl", "strict"])
def test_the_weather_in_tel_aviv_may_leave_out_the_unit(
    rules: Any, arguments: dict[str, Any], *, valid: bool
):
    """BFCL's entry live_simple_4-3-0."""
    from fiducial.deterministic import CheckOptions, check_result
    from fiducial.records import Case

    calls = [{"get_current_weather": {"location": ["Tel Aviv, Israel"], "unit": ["fahrenheit", ""]}}]
    case = Case(id="live_simple_4-3-0", kind="tool_call", tools=[WEATHER], reference={"calls": calls})
    text = f"[get_current_weather({', '.join(f'{name}={value!r}' for name, value in arguments.items())})]"
    assert check_result(case, text, mode="prompt", options=CheckOptions(rules=rules)).valid is valid
