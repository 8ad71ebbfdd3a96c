from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic.checkers import check
from fiducial.deterministic.options import CheckOptions, Rules
from fiducial.deterministic.registration import calc_binomial_probability as calc_shipped
from fiducial.deterministic.registration import load_functions
from fiducial.errors import InputError
from fiducial.records import Case, Output, ToolCall, Verdict


def calc_binomial_probability(n: int, k: int, p: float) -> float:
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)


def price(symbol: str, factor: float = 1.0) -> float:
    return {"AAPL": 200.0, "DEBT": -200.0}[symbol] * factor


def weather(coordinates: list[float]) -> dict[str, Any]:
    return {"at": coordinates, "degrees": 20}


def span(a: float, b: float) -> tuple[float, float]:
    return (a, b)


def leave() -> None:
    raise SystemExit(0)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "calc_binomial_probability": calc_binomial_probability,
    "price": price,
    "weather": weather,
    "span": span,
    "leave": leave,
    "math.hypot": math.hypot,
}
BINOMIAL = "calc_binomial_probability(n=20, k=5, p=1/6)"


def judge(
    reply: str | list[ToolCall],
    calls: list[str],
    *,
    match: list[str] | None = None,
    results: list[Any] | None = None,
    case_id: str = "exec_simple_0",
    tools: list[str] | None = None,
    rules: Rules = "bfcl",
) -> Verdict:
    case = Case(
        id=case_id,
        kind="executable_call",
        tools=[{"type": "function", "function": {"name": name}} for name in tools or []],
        reference={"calls": calls, "match": match or ["exact"] * len(calls), "results": results},
    )
    text, native = (reply, None) if isinstance(reply, str) else (None, reply)
    output = Output(case_id=case_id, system="s", text=text, tool_calls=native)
    return check(case, output, CheckOptions(rules=rules, functions=FUNCTIONS))


@pytest.mark.parametrize(
    ("case_id", "expected", "reply"),
    [
        (
            "exec_simple_0",
            ["calc_binomial_probability(n=20, k=5, p=0.6)"],
            "[calc_binomial_probability(n=20, k=5, p=0.6)]",
        ),
        ("exec_multiple_0", [BINOMIAL], f"[{BINOMIAL}]"),
        ("exec_multiple_0", [BINOMIAL], "[calc_binomial_probability(n=20, k=5, p=0.16666666666666666)]"),
        (
            "exec_parallel_0",
            [f"calc_binomial_probability(n={n}, k={k}, p=0.3)" for n, k in ((10, 3), (15, 5), (20, 7))],
            "[calc_binomial_probability(n=20, k=7, p=0.3), calc_binomial_probability(n=10, k=3, p=0.3), calc_binomial_probability(n=15, k=5, p=0.3)]",
        ),
    ],
)
def test_the_documented_examples_pass(case_id: str, expected: list[str], reply: str):
    verdict = judge(reply, expected, case_id=case_id)
    assert (verdict.score, verdict.by) == (1.0, "execution/bfcl")


def test_native_calls_are_executed_too():
    call = ToolCall(name="calc_binomial_probability", arguments='{"n": 20, "k": 5, "p": 0.5}')
    assert judge([call], ["calc_binomial_probability(n=20, k=5, p=1/2)"]).score == 1.0


@each_row(
    ("reply", "error_type"),
    [
        ("I cannot do that.", "executable_decoder:decoder_failed"),
        ("", "executable_decoder:wrong_output_format"),
        (f"[{BINOMIAL}, {BINOMIAL}]", "simple_exec_checker:wrong_count"),
        ("[calc_binomial_probability(n=20, k=5, p=0.5)]", "executable_checker:wrong_result"),
        ("[calc_binomial_probability(n=20, k=5)]", "executable_checker:execution_error"),
        ("[calc_binomial_probability(n='x', k=5, p=0.5)]", "executable_checker:execution_error"),
        ("[invented(n=20)]", "executable_checker:execution_error"),
        ("[leave()]", "executable_checker:execution_error"),
        ("[calc_binomial_probability(n=span(a=1, b=2), k=5, p=0.5)]", "executable_checker:execution_error"),
    ],
)
def test_what_a_system_gets_wrong_has_a_name(reply: str, error_type: str):
    verdict = judge(reply, [BINOMIAL])
    assert (verdict.outcome, verdict.score, verdict.error_type) == ("graded", 0.0, error_type)


def test_the_number_of_calls_has_its_own_fault_where_several_are_expected():
    verdict = judge(f"[{BINOMIAL}]", [BINOMIAL, BINOMIAL], case_id="exec_parallel_1")
    assert verdict.error_type == "value_error:exec_result_count"


def test_of_several_calls_the_one_without_a_partner_is_named():
    calls = [BINOMIAL, "price(symbol='AAPL')"]
    verdict = judge(f"[{BINOMIAL}, price(symbol='DEBT')]", calls, case_id="exec_parallel_multiple_1")
    assert verdict.error_type == "executable_checker:cannot_find_match"
    assert verdict.evidence["expected"] == "price(symbol='AAPL')"
    assert [tried["error_type"] for tried in verdict.evidence["tried"]] == [
        "executable_checker:wrong_result"
    ] * 2


@each_row(
    ("reply", "expected", "match", "rules", "score"),
    [
        ("[price(symbol='AAPL', factor=1.2)]", "price(symbol='AAPL')", "real_time", "bfcl", 1.0),
        ("[price(symbol='AAPL', factor=1.21)]", "price(symbol='AAPL')", "real_time", "bfcl", 0.0),
        ("[price(symbol='AAPL', factor=0.79)]", "price(symbol='AAPL')", "real_time", "bfcl", 0.0),
        ("[price(symbol='DEBT')]", "price(symbol='DEBT')", "real_time", "bfcl", 0.0),
        ("[price(symbol='DEBT')]", "price(symbol='DEBT')", "real_time", "strict", 1.0),
        ("[weather(coordinates=[1, 2])]", "weather(coordinates=[3, 4])", "structural", "bfcl", 1.0),
        ("[span(a=1, b=2)]", "span(a=3, b=4)", "structural", "bfcl", 1.0),
        ("[price(symbol='AAPL')]", "span(a=3, b=4)", "structural", "bfcl", 0.0),
        ("[weather([1, 2])]", "weather(coordinates=[1, 2])", "exact", "bfcl", 0.0),
        ("[weather([1, 2])]", "weather(coordinates=[1, 2])", "exact", "strict", 1.0),
    ],
)
def test_results_are_compared_as_the_case_says(
    reply: str, expected: str, match: str, rules: Rules, score: float
):
    assert judge(reply, [expected], match=[match], rules=rules).score == score


def test_a_recorded_result_stands_in_for_the_expected_call():
    verdict = judge(
        "[price(symbol='AAPL')]", ["price_of_last_year(symbol='AAPL')"], match=["real_time"], results=[190.0]
    )
    assert verdict.score == 1.0


def test_strict_rules_revise_a_greedy_choice():
    # The first expected price takes the call that only the second could have taken as well.
    reply = "[price(symbol='AAPL', factor=1.1), price(symbol='AAPL', factor=0.9)]"
    calls, match = ["price(symbol='AAPL')", "price(symbol='AAPL', factor=1.3)"], ["real_time", "real_time"]
    greedy = judge(reply, calls, match=match, case_id="exec_parallel_0")
    assert greedy.error_type == "executable_checker:cannot_find_match"
    reply = "[price(symbol='AAPL', factor=0.9), price(symbol='AAPL', factor=1.1)]"
    assert judge(reply, calls, match=match, case_id="exec_parallel_0").score == 1.0
    reply = "[price(symbol='AAPL', factor=1.1), price(symbol='AAPL', factor=0.9)]"
    assert judge(reply, calls, match=match, case_id="exec_parallel_0", rules="strict").score == 1.0


def test_a_match_too_many_is_ignored():
    assert judge(f"[{BINOMIAL}]", [BINOMIAL], match=["exact", "structural"]).score == 1.0


def test_dotted_functions_are_registered_under_their_dotted_name():
    assert judge("[math.hypot(3, 4)]", ["math.hypot(3, 4)"], rules="strict").score == 1.0


@pytest.mark.parametrize(
    ("reply", "expected", "tools"),
    [
        (f"[{BINOMIAL}]", "not_registered(x=1)", []),
        (f"[{BINOMIAL}]", "price(symbol='NONE')", []),
        ("[not_registered(x=1)]", BINOMIAL, ["not_registered"]),
    ],
)
def test_what_cannot_be_executed_here_is_undecided_not_wrong(reply: str, expected: str, tools: list[str]):
    verdict = judge(reply, [expected], tools=tools)
    assert (verdict.outcome, verdict.score) == ("undecided", None)


@pytest.mark.parametrize(
    "reference", [{"calls": [], "match": []}, {"calls": ["f()"], "match": []}, {"answers": []}]
)
def test_a_reference_that_does_not_fit_is_an_input_error(reference: dict[str, Any]):
    with pytest.raises(InputError):
        check(
            Case(id="x", kind="executable_call", reference=reference),
            Output(case_id="x", system="s", text="[f()]"),
        )


@pytest.mark.parametrize(
    "text", ["__import__('os').system('true')", "price(symbol=open('x'))", "price.__globals__(x=1)"]
)
def test_nothing_but_registered_functions_can_be_reached(text: str):
    for rules in ("bfcl", "strict"):
        assert judge(f"[{text}]", [BINOMIAL], rules=rules).score == 0.0


OTTAWA = "get_weather_data(coordinates=[45.4215, -75.6972])"
RECORDED = {"hourly": {"temperature_2m": [1.5, 2.5]}}


@each_row("results", [[RECORDED], {OTTAWA: RECORDED}])
@each_row(
    ("reply", "outcome", "score"),
    [
        ("[get_weather_data(coordinates=[45.4215,-75.6972])]", "graded", 1.0),
        ("[get_weather_data(coordinates=[52.5, 13.4])]", "undecided", None),
        ("[price(symbol='AAPL')]", "graded", 0.0),
    ],
)
def test_a_recorded_result_stands_in_for_a_function_that_is_not_registered(
    results: Any, reply: str, outcome: str, score: float | None
):
    verdict = judge(reply, [OTTAWA], match=["structural_match"], results=results, tools=["get_weather_data"])
    assert (verdict.outcome, verdict.score) == (outcome, score)


def test_a_function_name_that_cannot_be_encoded_is_a_fault():
    verdict = judge([ToolCall(name="price\ud800", arguments={})], [BINOMIAL])
    assert verdict.error_type == "executable_checker:execution_error"


@pytest.mark.parametrize("name", ["exact", "real_time", "structural"])
def test_bfcls_names_of_matches_are_taken(name: str):
    for match in (name, f"{name}_match"):
        assert judge(f"[{BINOMIAL}]", [BINOMIAL], match=[match]).score == 1.0


def test_the_seed_function_without_network_is_shipped():
    case = Case(
        id="exec_simple_0", kind="executable_call", reference={"calls": [BINOMIAL], "match": ["exact"]}
    )
    options = CheckOptions(functions=load_functions())
    for text, score in ((f"[{BINOMIAL}]", 1.0), ("[calc_binomial_probability(n=20, k=6, p=1/6)]", 0.0)):
        assert check(case, Output(case_id=case.id, system="s", text=text), options).score == score


@pytest.mark.parametrize(("n", "k", "p"), [(10, 5, 0.5), (400, 0, 0.0), (600, 300, 0.5), (1000, 1000, 1.0)])
def test_the_shipped_function_equals_the_formula(n: int, k: int, p: float):
    exact = math.comb(n, k) * Fraction(p) ** k * (1 - Fraction(p)) ** (n - k)
    assert calc_shipped(n, k, p) == pytest.approx(float(exact), rel=1e-9)


@each_row(("n", "k", "p"), [(3, 4, 0.5), (3, -1, 0.5), (3, 1, 2.0), (10**9, 1, 0.5), (3, 1.5, 0.5)])
def test_the_shipped_function_refuses_other_numbers(n: int, k: float, p: float):
    with pytest.raises(ValueError, match="expected 0 <= k <= n"):
        calc_shipped(n, k, p)
