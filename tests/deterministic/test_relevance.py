"""Calling where one should, refraining where one should not."""

# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# (tables and reference records hold values of any type)

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row
from tool_calls import calling, tool

from fiducial.deterministic import CheckOptions, check, check_result
from fiducial.records import Case, Output, ToolCall

TOOLS = [tool("tide.lookup", {})]
NO_CALL = Case(id="n", kind="no_call", tools=TOOLS)
ANY_CALL = Case(id="y", kind="any_call", tools=TOOLS)
PASS, FAIL, OPEN = 1.0, 0.0, None


@each_row(
    ("reply", "bfcl", "strict"),
    [
        ("I cannot help with that.", PASS, PASS),
        ("", PASS, PASS),
        ("[]", PASS, PASS),
        ("[tide.lookup(port='Brest')]", FAIL, FAIL),
        ("tide_lookup(port='Brest')", FAIL, FAIL),
        ("[made_up(x=1)]", FAIL, FAIL),
        # Prose that parses as a call is none.
        ("Paris (France)", FAIL, PASS),
        ("sorry(not_possible)", FAIL, PASS),
        ("[sorry(not_possible)]", FAIL, FAIL),
        ("tide.lookup('Brest')", FAIL, FAIL),
        # A call that does not parse is an attempt, not an abstention.
        ("[tide.lookup(port='Brest)]", PASS, FAIL),
        ("```python\n[tide.lookup(port='Brest')]\n```", PASS, FAIL),
        ("tide.lookup(port='Brest') will tell you.", PASS, FAIL),
        ('<tool_call>{"name": "tide.lookup"}</tool_call>', PASS, FAIL),
        ('[{"name": "tide.lookup", "parameters": {}}]', PASS, FAIL),
        ("I would have to call tide.lookup(port), but I do not know the port.", PASS, PASS),
        ("None of the tools (tide.lookup) fits.", PASS, PASS),
        ('[{"tide.lookup": {"port": "Brest"}}]', PASS, FAIL),
        ('[{"Brest": {"country": "France"}}]', PASS, PASS),
        ('{"Brest": {"country": "France"}}', PASS, PASS),
    ],
)
def test_whether_a_reply_refrains_from_calling(reply: str, bfcl: float, strict: float):
    assert check_result(NO_CALL, reply, mode="prompt").score == bfcl
    assert check_result(NO_CALL, reply, mode="prompt", options=CheckOptions(rules="strict")).score == strict


@each_row(
    ("result", "bfcl", "strict"),
    [
        ([], PASS, PASS),
        ("", PASS, PASS),
        (None, PASS, PASS),
        ("No tool fits.", PASS, PASS),
        ([{"tide.lookup": "{}"}], FAIL, FAIL),
        ([{"tide.lookup": "{"}], PASS, FAIL),
        ([{"tide.lookup": "[]"}], PASS, FAIL),
        ([{}], PASS, FAIL),
    ],
)
def test_whether_native_calls_refrain_from_calling(result: Any, bfcl: float, strict: float):
    assert check_result(NO_CALL, result, mode="fc").score == bfcl
    assert check_result(NO_CALL, result, mode="fc", options=CheckOptions(rules="strict")).score == strict


@each_row(
    ("reply", "bfcl", "strict"),
    [
        ("[tide.lookup()]", PASS, OPEN),
        ("[made_up()]", PASS, FAIL),
        ("Paris (France)", PASS, FAIL),
        ("[tide.lookup(", FAIL, FAIL),
        ("No.", FAIL, FAIL),
        ("[]", FAIL, FAIL),
    ],
)
def test_whether_a_reply_makes_any_call(reply: str, bfcl: float, strict: float | None):
    assert check_result(ANY_CALL, reply, mode="prompt").score == bfcl
    finding = check_result(ANY_CALL, reply, mode="prompt", options=CheckOptions(rules="strict"))
    assert finding.score == strict
    assert finding.outcome == ("undecided" if strict is OPEN else "graded")


def test_error_types_are_the_originals():
    assert check_result(NO_CALL, "[f()]", mode="prompt").error_type == "irrelevance_error:decoder_success"
    assert check_result(ANY_CALL, "no", mode="prompt").error_type == "relevance_error:decoder_failed"


def test_a_call_that_cannot_be_read_is_not_said_to_be_missing():
    cut = Output(case_id="y", system="s", tool_calls=[ToolCall(name="tide.lookup", arguments='{"port": "Br')])
    reason = check(ANY_CALL, cut).reason or ""
    assert reason.startswith("expected a call, found none that can be read: the arguments are not JSON")
    assert (
        check(ANY_CALL, Output(case_id="y", system="s", tool_calls=[])).reason
        == "expected a call, found none"
    )


@pytest.mark.parametrize(
    ("case", "found"), [(ANY_CALL, "found none that can be read"), (NO_CALL, "got a broken one")]
)
def test_arguments_encoded_twice_are_what_is_wrong_with_a_call(case: Case, found: str):
    verdict = check(case, calling(case.id, ("tide.lookup", '"{}"')), CheckOptions(rules="strict"))
    assert verdict.score == FAIL
    assert verdict.reason == f"expected {'a' if case is ANY_CALL else 'no'} call, {found}: expected the arguments of tide.lookup as an object, got text"  # fmt: skip


def test_an_outputs_native_calls_come_before_its_text():
    called = calling("n", ("tide.lookup", {}), text="No.")
    refrained = calling("n", text="[tide.lookup()]")
    assert (check(NO_CALL, called).score, check(NO_CALL, refrained).score) == (FAIL, PASS)
    assert check(NO_CALL, called).by == "relevance/strict"


PORT = {"type": "string", "enum": ["Brest", "Dover"]}
TIDES = [tool("tide.lookup", {"port": PORT, "ports": {"type": "array", "items": PORT}}, required=["port"])]


@each_row(
    ("calls", "error_type"),
    [
        ([("tide.lookup", {"port": "Brest"})], None),
        ([("tide_lookup", {"port": "Dover", "ports": ["Brest"]})], None),
        ([("tide.lookup", {"port": "Brest", "ports": None})], None),
        ([("moon.lookup", {"port": "Brest"})], "relevance_error:unknown_function"),
        ([("tide.lookup", {})], "relevance_error:missing_required"),
        ([("tide.lookup", {"port": "Rome"})], "relevance_error:value_not_in_enum"),
        (
            [("tide.lookup", {"port": "Brest", "ports": ["Brest", "Rome"]})],
            "relevance_error:value_not_in_enum",
        ),
        ([("tide.lookup", {"port": "Brest"}), ("tide.lookup", {})], "relevance_error:missing_required"),
    ],
)
def test_a_call_that_the_tools_themselves_refute_fails(calls: list[tuple[str, Any]], error_type: str | None):
    made = [ToolCall(name=name, arguments=arguments) for name, arguments in calls]
    case = Case(id="y", kind="any_call", tools=TIDES)
    found = check(case, Output(case_id="y", system="s", tool_calls=made), options=CheckOptions())
    assert (found.outcome, found.error_type) == ("undecided" if error_type is None else "graded", error_type)
    assert found.score == (None if error_type is None else 0.0)


@each_row(
    ("text", "error_type"),
    [
        ('[{"tide.lookup": {"port": "Brest"}}]', None),
        ('[{"name": "tide.lookup", "arguments": {}}]', "relevance_error:missing_required"),
        ("[tide.lookup(port='Rome')]", "relevance_error:value_not_in_enum"),
        ("[tide.lookup()]", "relevance_error:missing_required"),
        ("[tide.lookup('Rome')]", None),
    ],
)
def test_a_call_in_a_text_is_refuted_too_where_its_arguments_have_names(text: str, error_type: str | None):
    case = Case(id="y", kind="any_call", tools=TIDES)
    assert check(case, Output(case_id="y", system="s", text=text)).error_type == error_type


def test_a_log_without_tools_refutes_no_call():
    output = Output(case_id="y", system="s", tool_calls=[ToolCall(name="anything")])
    found = check(Case(id="y", kind="any_call"), output, options=CheckOptions())
    assert found.outcome == "undecided"


def test_a_tool_is_not_confused_with_one_whose_dots_are_underscores():
    tools = [
        tool("tide_lookup", {"port": {"type": "string"}}, required=["port"]),
        tool("tide.lookup", {"day": {"type": "string"}}, required=["day"]),
    ]
    output = Output(
        case_id="y", system="s", tool_calls=[ToolCall(name="tide_lookup", arguments={"port": "Brest"})]
    )
    for offered in (tools, tools[::-1]):
        case = Case(id="y", kind="any_call", tools=offered)
        assert check(case, output).outcome == "undecided"


@each_row(
    ("value", "outcome"),
    [(1, "undecided"), (1.0, "undecided"), ("1", "undecided"), (3, "graded"), ("3", "graded")],
)
def test_a_listed_number_is_the_same_as_an_integer_as_a_float_and_as_text(value: float | str, outcome: str):
    case = Case(id="y", kind="any_call", tools=[tool("tide", {"days": {"type": "number", "enum": [1, 2]}})])
    output = Output(case_id="y", system="s", tool_calls=[ToolCall(name="tide", arguments={"days": value})])
    assert check(case, output).outcome == outcome
