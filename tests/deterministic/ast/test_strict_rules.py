"""Strict rules, one line each: the value, BFCL's verdict and the strict one."""

# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# (tables and reference records hold values of any type)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from each_row import each_row
from tool_calls import tool

from fiducial.deterministic import CheckOptions, Finding, check_result
from fiducial.records import Case

FLOATS = {"type": "array", "items": {"type": "float"}}
INTEGERS = {"type": "array", "items": {"type": "integer"}}
TEXTS = {"type": "array", "items": {"type": "string"}}
TYPED_DICT = {"type": "dict", "properties": {"n": {"type": "integer"}}}


@each_row(
    ("value", "declared", "acceptable", "bfcl", "strict"),
    [
        # Signs, points and separators count in texts.
        ("-5", "string", ["5"], True, False),
        ("1.5", "string", ["15"], True, False),
        ("2024/01/02", "string", ["20240102"], True, False),
        ("re-sign", "string", ["resign"], True, False),
        ("NewYork", "string", ["New York"], True, False),
        ("x2", "string", ["x^2"], True, False),
        # What no reader minds does not count.
        ("tel aviv,israel", "string", ["Tel Aviv, Israel"], True, True),
        ("St Louis", "string", ["St. Louis"], True, True),
        ("1000", "string", ["1,000"], True, True),
        ("X**2", "string", ["x^2"], True, True),
        # The marker of an optional argument is not a value.
        ("", "string", ["x", ""], True, False),
        ("...", "string", ["x", ""], True, False),
        ([], TEXTS, [["x"], ""], True, False),
        # Giving the documented default is leaving the argument out.
        (10, {"type": "integer", "default": 10}, [5, ""], False, True),
        (10, {"type": "integer", "default": 10}, [5], False, False),
        ("10", {"type": "integer", "default": "10"}, [5, ""], False, False),
        (None, {"type": "integer", "default": None}, [5, ""], False, True),
        (None, {"type": "integer", "default": None}, [5], False, False),
        (None, {"type": "integer", "default": 10}, [5, ""], False, False),
        # Types count inside lists and dicts.
        ({"n": True}, TYPED_DICT, [{"n": [1]}], True, False),
        ({"n": 1.0}, TYPED_DICT, [{"n": [1]}], True, False),
        ({"n": 1}, TYPED_DICT, [{"n": [1]}], True, True),
        # A list around a value is not the value, though the reference lists acceptable values; a documented list is one.
        ({"n": [1]}, TYPED_DICT, [{"n": [1]}], False, False),
        ({"n": [1]}, {"type": "dict"}, [{"n": [1]}], False, False),
        ({"n": [1]}, {"type": "dict", "properties": {"n": INTEGERS}}, [{"n": [[1]]}], True, True),
        ([1, True], INTEGERS, [[1, 1]], False, False),
        ([[1.0]], {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, [[[1]]], True, False),
        # An integer is fine for a float, in lists too; never the other way round.
        (1, "float", [1.0], True, True),
        ([12, 15], FLOATS, [[12.0, 15.0]], False, True),
        ([12.0], INTEGERS, [[12]], False, False),
        # Texts inside lists inside lists compare like others.
        ([["A"]], {"type": "array", "items": {"type": "array"}}, [[["a"]]], False, True),
        (None, "string", [None], True, True),
        # The same letters, composed or not.
        ("Cafe\u0301", "string", ["Caf\u00e9"], False, True),
        ("Caf\u00e9 Zoe\u0308", "string", ["Cafe\u0301 Zo\u00eb"], False, True),
        (["Cafe\u0301"], TEXTS, [["Caf\u00e9"]], False, True),
        ("Cafe", "string", ["Caf\u00e9"], False, False),
    ],
)  # fmt: skip
def test_a_value_is_right_by_each_rule_set_as_listed(
    compare_value: Callable[..., Finding],
    value: Any,
    declared: Any,
    acceptable: list[Any],
    *,
    bfcl: bool,
    strict: bool,
):
    assert compare_value(value, declared, acceptable).valid is bfcl
    assert compare_value(value, declared, acceptable, strict=True).valid is strict


def test_a_wrong_type_and_a_wrong_value_are_told_apart(compare_value: Callable[..., Finding]):
    assert compare_value("5", "integer", [5], strict=True).error_type == "type_error:simple"
    assert compare_value(6, "integer", [5], strict=True).error_type == "value_error:others"


def test_a_whole_number_has_the_type_of_a_documented_float(compare_value: Callable[..., Finding]):
    documented = {"type": "float", "default": 10.0}
    assert compare_value(6, documented, [5.0], strict=True).error_type == "value_error:others"
    assert compare_value(10, documented, [5.0, ""], strict=True).valid
    assert compare_value(True, documented, [5.0], strict=True).error_type == "type_error:simple"
    assert compare_value(6.0, {"type": "integer"}, [5], strict=True).error_type == "type_error:simple"


@pytest.fixture
def dial() -> Case:
    properties = {
        "level": {"type": "integer"},
        "label": {"type": "string"},
        "source": {"type": "array", "items": {"type": "integer"}},
    }
    calls = [{"radio.dial": {"level": [5, ""], "label": ["jazz", ""], "source": ["readings", ""]}}]
    return Case(
        id="dial", kind="tool_call", tools=[tool("radio.dial", properties)], reference={"calls": calls}
    )


@each_row(
    ("text", "bfcl", "strict"),
    [
        ("[radio.dial(level=5)]", True, True),
        ("[radio.dial(level=+5)]", False, True),
        ("[radio.dial(level=--5)]", False, True),
        ("[radio.dial(level=2+3)]", True, True),
        ("[radio.dial(level=~-5)]", False, False),
        ("[radio.dial(level=-5)]", False, False),
        ("[radio.dial('anything')]", True, False),
        ("[radio.dial(**{'level': 9})]", False, False),
        ("[radio.dial(level=9, level=5)]", True, False),
        ("[x().dial.radio.dial(level=5)]", False, False),
        ("[radio.dial(label=jazz)]", True, False),
        ("[radio.dial(source=readings)]", True, True),
        ("[radio.dial(source='readings')]", True, True),
        ("[radio_dial(level=5)]", False, True),
        ("[radio..dial(level=5)]", False, False),
        ("radio.dial(level=5) # five", False, False),
    ],
)  # fmt: skip
def test_a_call_is_right_by_each_rule_set_as_listed(dial: Case, text: str, *, bfcl: bool, strict: bool):
    assert check_result(dial, text, mode="prompt").valid is bfcl
    assert check_result(dial, text, mode="prompt", options=CheckOptions(rules="strict")).valid is strict


@pytest.mark.parametrize(
    ("result", "bfcl", "strict"),
    [
        ([{"radio.dial": '{"level": 5}'}], True, True),
        ([{"radio.dial": '{"level": 5}', "other": "{}"}], True, False),
        ([{"radio.dial": '{"level": 9, "level": 5}'}], True, False),
    ],
)
def test_a_native_call_that_says_two_things_is_wrong_strictly_alone(
    dial: Case, result: Any, *, bfcl: bool, strict: bool
):
    assert check_result(dial, result, mode="fc").valid is bfcl
    assert check_result(dial, result, mode="fc", options=CheckOptions(rules="strict")).valid is strict


@pytest.mark.parametrize(
    ("value", "declared", "acceptable"),
    [
        ('"jazz"', {"type": "String"}, ["jazz"]),
        ('new String[]{"a", "b"}', {"type": "Array", "items": {"type": "String"}}, [["a", "b"]]),
    ],
)
def test_java_texts_lose_their_quotes(
    compare_value: Callable[..., Finding], value: str, declared: Any, acceptable: list[Any]
):
    assert not compare_value(value, declared, acceptable, language="java").valid
    assert compare_value(value, declared, acceptable, language="java", strict=True).valid
