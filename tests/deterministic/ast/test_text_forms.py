"""Texts in calls: equal, equal in form only, or different; and what settles them."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row
from tool_calls import tool

from fiducial.deterministic import CheckOptions, check
from fiducial.records import DIFFERS_IN_FORM, Case, Output, ToolCall

OUTCOMES = {None: "open", 1.0: "pass", 0.0: "fail"}


def case(value: Any, schema: dict[str, Any] | None = None, **reference: Any) -> Case:
    """A case whose only call has one argument, with an accepted value in the plain form."""
    calls = [{"name": "f", "arguments": {"a": value}}]
    document = tool("f", {"a": schema or {}}, ["a"])
    return Case(id="c", kind="tool_call", tools=[document], reference={"calls": calls, **reference})


def outcome(given: Any, accepted: Case, **options: Any) -> str:
    """Return ``pass``, ``fail``, or ``open`` for a difference of form."""
    output = Output(case_id="c", system="s", tool_calls=[ToolCall(name="f", arguments={"a": given})])
    verdict = check(accepted, output, CheckOptions(**options))
    assert (verdict.error_type == DIFFERS_IN_FORM) == (verdict.outcome == "undecided")
    return OUTCOMES[verdict.score]


@each_row(
    ("accepted", "given"),
    [
        ("sk-AbC1", "sk-aBc1"),
        ("Tr0ub4dor", "TR0UB4DOR"),
        ("my_report-final", "my report final"),
        ("A2", " a2"),
        ("/home/Ann", "/home/ann"),
        ("https://x.example/Q", "https://x.example/q"),
        ("3x**2", "3*x**2"),
        ("x^2", "x**2"),
        ("SELECT name FROM t", "select name from t"),
        ("'a'", '"a"'),
        ("New York", "new york"),
        ("New York, NY", "New York NY"),
        ("1,000", "1000"),
        ("J.R.R. Tolkien", "JRR Tolkien"),
        ("Dr. Who", "Dr Who"),
        ("a  b", "a b"),
        ("check-in", "check in"),
        ("Paris.", "Paris"),
        ("Stra\u00dfe 1", "stra\u00dfe 1"),
        ("Cafe\u0301 A", "caf\u00e9 a"),
    ],
)  # fmt: skip
def test_a_text_that_differs_only_in_form_is_settled_by_the_run_or_left_open(accepted: str, given: str):
    assert outcome(given, case(accepted)) == "open"
    assert outcome(given, case(accepted), text="loose") == "pass"
    assert outcome(given, case(accepted), text="exact") == "fail"


@each_row(
    ("accepted", "given"),
    [
        ("5", "-5"),
        ("15", "1.5"),
        ("20240102", "2024/01/02"),
        ("ab", "a-b"),
        ("a", "b"),
        ("sk-AbC1", "sk-AbC2"),
        ("Tr0ub4dor", "Tr0ub4dor3"),
        ("my_report-final", "my_report-final-2"),
        ("A2", "A 2"),
        ("/home/ann", "/home/anna"),
        ("https://x.example", "http://x.example"),
        ("x^2", "x^3"),
        ("New York", "York New"),
        ("Cafe", "Caf\u00e9"),
        ("1,000", "1,00"),
        ("a_b", "a.b"),
        ("", "a"),
        ("name", "names"),
        ("1e3", "1e-3"),
        ("user@x.example", "user@y.example"),
    ],
)  # fmt: skip
def test_a_text_of_another_loose_form_fails_whatever_the_run_says(accepted: str, given: str):
    for text in (None, "loose", "exact"):
        assert outcome(given, case(accepted), text=text) == "fail"


@pytest.mark.parametrize("text", [None, "loose", "exact"])
@pytest.mark.parametrize(("accepted", "given"), [("a B", "a B"), ("Cafe\u0301", "Caf\u00e9"), ("", "")])
def test_equal_texts_pass_whatever_the_run_says(accepted: str, given: str, text: str | None):
    assert outcome(given, case(accepted), text=text) == "pass"


ENUM = {"enum": ["Celsius", "Fahrenheit"]}


@each_row(
    ("value", "schema", "rules", "given", "expected"),
    [
        # A marker is stronger than the case, the case than the schema, the schema than the run.
        ({"exactly": "Ab"}, {}, ("loose", "loose"), "ab", "fail"),
        ({"loosely": "Ab"}, {}, ("exact", "exact"), "ab", "pass"),
        ({"loosely": "celsius"}, ENUM, (None, "exact"), "CELSIUS", "pass"),
        ("Ab", {}, ("exact", "loose"), "ab", "fail"),
        ("Ab", {}, ("loose", "exact"), "ab", "pass"),
        ("celsius", ENUM, ("loose", None), "CELSIUS", "pass"),
        ("Ab", {"pattern": "[A-Z].*"}, (None, "loose"), "ab", "fail"),
        ("Ab", {"format": "hostname"}, (None, None), "ab", "fail"),
        ("Ab", {"const": "Ab"}, (None, "loose"), "ab", "fail"),
        ("Ab", {"anyOf": [{"enum": ["Ab"]}, {"type": "null"}]}, (None, "loose"), "ab", "fail"),
        # The spelling of the enum and that of the reference are both accepted.
        ("celsius", ENUM, (None, None), "Celsius", "pass"),
        ("celsius", ENUM, (None, None), "celsius", "pass"),
        ("celsius", ENUM, (None, "loose"), "CELSIUS", "fail"),
        (["celsius"], {"type": "array", **ENUM}, (None, None), ["Celsius"], "pass"),
        # Alternatives take the best verdict, parts of a value the worst.
        ({"any_of": ["ab", "Ab"]}, {}, (None, None), "Ab", "pass"),
        ({"any_of": ["cd", "AB"]}, {}, (None, None), "Ab", "open"),
        ({"any_of": [{"exactly": "AB"}, "cd"]}, {}, (None, None), "Ab", "fail"),
        (["Ab", "c"], {}, (None, None), ["ab", "c"], "open"),
        (["Ab", "c"], {}, (None, None), ["ab", "d"], "fail"),
        ({"any_order": ["Ab", "c"]}, {}, (None, None), ["c", "Ab"], "pass"),
        ({"any_order": ["Ab", "c"]}, {}, (None, None), ["c", "ab"], "open"),
        ({"any_order": ["Ab", "ab"]}, {}, (None, None), ["ab", "Ab"], "pass"),
        ({"n": {"x": "Ab"}, "m": 1}, {}, (None, None), {"n": {"x": "ab"}, "m": 1}, "open"),
        ({"n": {"x": "Ab"}, "m": 1}, {}, (None, None), {"n": {"x": "ab"}, "m": 2}, "fail"),
        ({"n": {"exactly": "Ab"}}, {}, (None, "loose"), {"n": "ab"}, "fail"),
        ({"exactly": {"any_of": ["Ab"]}}, {}, (None, "loose"), {"any_of": ["ab"]}, "fail"),
        ({"loosely": {"any_of": ["Ab"]}}, {}, (None, None), {"any_of": ["ab"]}, "pass"),
    ],
)  # fmt: skip
def test_marker_case_schema_and_run_settle_a_text_in_this_order(
    value: Any, schema: dict[str, Any], rules: tuple[Any, Any], given: Any, expected: str
):
    by_case, run = rules
    accepted = case(value, schema, **({} if by_case is None else {"text": by_case}))
    assert outcome(given, accepted, text=run) == expected


def test_a_default_that_is_spelled_otherwise_is_open():
    accepted = case({"any_of": ["x"], "optional": True}, {"type": "string", "default": "Ab"})
    optional = tool("f", {"a": {"type": "string", "default": "Ab"}}, [])
    accepted = Case(id="c", kind="tool_call", tools=[optional], reference=accepted.reference)
    assert outcome("Ab", accepted) == "pass"
    assert outcome("ab", accepted) == "open"


def several(*given: dict[str, Any], ordered: bool = False, **options: Any) -> str:
    """Return the outcome of calls where ``{a: Ab, n: 1}`` and ``{a: Cd, n: 2}`` are expected."""
    document = tool("f", {"a": {"type": "string"}, "n": {"type": "integer"}}, ["a", "n"])
    calls = [{"name": "f", "arguments": each} for each in ({"a": "Ab", "n": 1}, {"a": "Cd", "n": 2})]
    accepted = Case(
        id="c", kind="tool_call", tools=[document], reference={"calls": calls, "ordered": ordered}
    )
    made = [ToolCall(name="f", arguments=each) for each in given]
    verdict = check(accepted, Output(case_id="c", system="s", tool_calls=made), CheckOptions(**options))
    return OUTCOMES[verdict.score]


@pytest.mark.parametrize("ordered", [False, True])
def test_one_open_call_leaves_parallel_calls_open_and_one_wrong_call_fails_them(*, ordered: bool):
    right = {"a": "Ab", "n": 1}, {"a": "Cd", "n": 2}
    assert several(*right, ordered=ordered) == "pass"
    assert several({"a": "ab", "n": 1}, right[1], ordered=ordered) == "open"
    assert several({"a": "ab", "n": 1}, right[1], ordered=ordered, text="loose") == "pass"
    assert several({"a": "ab", "n": 1}, {"a": "Cd", "n": 3}, ordered=ordered) == "fail"
    assert (
        several({"a": "ab", "n": 3}, right[1], ordered=ordered) == "fail"
    )  # one wrong argument fails the call


def test_open_calls_in_the_wrong_order_fail():
    assert several({"a": "cd", "n": 2}, {"a": "ab", "n": 1}) == "open"
    assert several({"a": "cd", "n": 2}, {"a": "ab", "n": 1}, ordered=True) == "fail"


def test_a_call_that_fits_is_not_taken_by_one_that_it_fits_only_in_form():
    document = tool("f", {"a": {"type": "string"}}, ["a"])
    calls = [{"name": "f", "arguments": {"a": literal}} for literal in ("Ab", "AB")]
    accepted = Case(id="c", kind="tool_call", tools=[document], reference={"calls": calls})
    made = [ToolCall(name="f", arguments={"a": literal}) for literal in ("AB", "Ab")]
    verdict = check(accepted, Output(case_id="c", system="s", tool_calls=made))
    assert verdict.score == 1.0
