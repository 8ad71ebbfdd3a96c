"""Calling where one should, refraining where one should not."""

# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# (tables and reference records hold values of any type)

from __future__ import annotations

from typing import Any

import pytest
from tool_calls import calling, tool

from fiducial.deterministic import CheckOptions, check, check_result
from fiducial.records import Case

TOOLS = [tool("tide.lookup", {})]
NO_CALL = Case(id="n", kind="no_call", tools=TOOLS)
ANY_CALL = Case(id="y", kind="any_call", tools=TOOLS)
PASS, FAIL, OPEN = 1.0, 0.0, None


@pytest.mark.parametrize(
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
    ],
)
def test_whether_a_reply_refrains_from_calling(reply: str, bfcl: float, strict: float):
    assert check_result(NO_CALL, reply, mode="prompt").score == bfcl
    assert check_result(NO_CALL, reply, mode="prompt", options=CheckOptions(rules="strict")).score == strict


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("reply", "bfcl", "strict"),
    [
        ("[tide.lookup()]", PASS, OPEN),
        ("[made_up()]", PASS, OPEN),
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


def test_an_outputs_native_calls_come_before_its_text():
    called = calling("n", ("tide.lookup", {}), text="No.")
    refrained = calling("n", text="[tide.lookup()]")
    assert (check(NO_CALL, called).score, check(NO_CALL, refrained).score) == (FAIL, PASS)
    assert check(NO_CALL, called).by == "relevance/strict"
