"""BFCL's single-turn categories: 1 to 46."""

from __future__ import annotations

from functools import partial
from typing import Any

from .kit import BFCL, Case, cases, fd, folder, item, lines, ran, same, scores, verdict, verdicts_of

TRI = "calculate_triangle_area"
SIMPLE = "simple_function_checker"
DIFFERENCES = "docs/bfcl-differences.md"


@item(1, 2, 3, 4, 6)
def entries_are_read() -> None:
    case = cases("simple")[0]
    same((case.id, len(case.turns), case.tools[0]["function"]["parameters"]["type"]), ("simple_0", 1, "dict"))
    same(case.reference["calls"][0][TRI]["unit"], ["units", ""])
    optional = cases("multiple")[0].tools[0]["function"]["parameters"]["properties"]["get_area"]["optional"]
    same(optional, True)
    same((cases("live_relevance")[0].kind, cases("live_irrelevance")[0].kind), ("any_call", "no_call"))


@item(7)
def the_category_called_simple_is_known() -> None:
    same(cases("simple")[0].tags["category"], "simple_python")
    place = folder()
    lines(
        place / "result/m/BFCL_v3_simple_result.json",
        [{"id": "simple_0", "result": f"[{TRI}(base=10, height=5)]"}],
    )
    done = ran("bfcl", "score", "--data", BFCL, "--results", place / "result", "--scores", place / "score")
    same("100.00%" in done.out, True)


_REPLIES: list[tuple[int, str, str, float, str | None]] = [
    (5, "simple", f"[{TRI}(base=10, height=5)]", 1.0, None),
    (8, "simple", f"[{TRI}(base=10, height=5)]", 1.0, None),
    (9, "simple", f"[{TRI}(base=10, height=5, unit='units')]", 1.0, None),
    (10, "simple", f"[{TRI}(base=10, height=5, unit='cm')]", 0.0, "value_error:string"),
    (11, "simple", f"[{TRI}(base=5, height=10)]", 0.0, "value_error:others"),
    (12, "simple", f"[{TRI}(base='10', height=5)]", 0.0, "type_error:simple"),
    (13, "simple", f"[{TRI}(base=10)]", 0.0, f"{SIMPLE}:missing_required"),
    (14, "simple", f"[{TRI}(base=10, height=5, depth=1)]", 0.0, f"{SIMPLE}:unexpected_param"),
    (15, "simple", "[calculate_circle_area(base=10, height=5)]", 0.0, f"{SIMPLE}:wrong_func_name"),
    (16, "simple", f"[{TRI}(base=10, height=5), {TRI}(base=10, height=5)]", 0.0, f"{SIMPLE}:wrong_count"),
    (17, "simple", "It is 25 square units.", 0.0, "ast_decoder:decoder_failed"),
    (18, "simple", f"[{TRI}(base=10, height=5, unit='Units')]", 1.0, None),
    (19, "multiple", "[triangle_properties.get(side1=5, side2=4, side3=3)]", 1.0, None),
    (21, "multiple", "[circle_properties.get(radius=5.0)]", 0.0, None),
    (22, "multiple", "[triangle_properties.get(side1=5, side2=4, side3=3, get_area=True)]", 1.0, None),
    (22, "multiple", "[triangle_properties.get(side1=5, side2=4, side3=3, get_area=False)]", 0.0, None),
    (23, "multiple", "[triangle_properties.get(side1=3, side2=4, side3=5)]", 0.0, None),
    (28, "parallel_multiple", "[math_toolkit.sum_of_multiples(lower_limit=1, upper_limit=1000, multiples=[3, 5]), math_toolkit.product_of_primes(count=5)]", 1.0, None),
    (29, "parallel_multiple", "[math_toolkit.sum_of_multiples(lower_limit=1, upper_limit=1000, multiples=[5, 3]), math_toolkit.product_of_primes(count=5)]", 0.0, None),
    (30, "parallel_multiple", "[math_toolkit.product_of_primes(count=5)]", 0.0, None),
    (33, "live_relevance", "I cannot paint.", 0.0, "relevance_error:decoder_failed"),
    (35, "live_irrelevance", "[requests.get(url='https://maps.example')]", 0.0, "irrelevance_error:decoder_success"),
]  # fmt: skip

for _number, _category, _reply, _score, _error in _REPLIES:
    item(_number)(partial(scores, _category, _reply, _score, _score, _error))


@item(20)
def dots_may_be_underscores() -> None:
    case = cases("multiple")[0]
    place = folder()
    lines(place / "result/m/BFCL_v4_multiple_result.json", [
        {"id": case.id, "result": [{"triangle_properties_get": '{"side1": 5, "side2": 4, "side3": 3}'}]}
    ])  # fmt: skip
    done = ran("bfcl", "score", "--data", BFCL, "--results", place / "result", "--scores", place / "score")
    same("names underscored" in done.out and "100.00%" in done.out, True)


def _play(*songs: tuple[str, int]) -> str:
    return "[" + ", ".join(f"spotify.play(artist='{who}', duration={n})" for who, n in songs) + "]"


@item(24, 25, 26, 27)
def parallel_calls_need_no_order() -> None:
    swift, maroon = ("Taylor Swift", 20), ("Maroon 5", 15)
    for songs, score in (
        ((swift, maroon), 1.0),
        ((maroon, swift), 1.0),
        ((swift,), 0.0),
        ((("Taylor Swift", 15), ("Maroon 5", 20)), 0.0),
    ):
        scores("parallel", _play(*songs), score, score)


@item(31, status="better", page=DIFFERENCES)
def a_call_that_fits_is_left_to_a_judge_by_strict_rules() -> None:
    scores("live_relevance", "[generate_image(prompt='masked woman')]", None, 1.0)


@item(32, status="better", page=DIFFERENCES)
def an_invalid_call_is_refused() -> None:
    for reply in (
        "[nonexistent(a=1)]",
        "[generate_image(width=10)]",
        "[generate_image(prompt='x', image_format='GIF')]",
    ):
        scores("live_relevance", reply, 0.0, 1.0)


@item(34)
def no_call_passes() -> None:
    for reply in ("None of them fits.", "[]", ""):
        scores("live_irrelevance", reply, 1.0, 1.0)


@item(36)
def exec_entries_lie_anywhere() -> None:
    same([case.id for case in cases("exec_simple")], ["exec_simple_0"])


EXEC = "calc_binomial_probability(n={}, k={}, p={})"


def _executed(category: str, calls: list[str], score: float) -> None:
    place = folder()
    case = cases(category)[0]
    fd.import_bfcl(BFCL, [category]).cases.write(place / "cases.jsonl")
    lines(place / "outputs.jsonl", [{"case_id": case.id, "system": "s", "text": f"[{', '.join(calls)}]"}])
    ran(
        "check",
        place / "cases.jsonl",
        "--outputs",
        place / "outputs.jsonl",
        "--rules",
        "bfcl",
        "--out",
        place / "v.jsonl",
    )
    (found,) = verdicts_of(place / "v.jsonl")
    same((found.score, found.outcome), (score, "graded"), calls)


@item(38, 39, 40, 42)
def binomials_are_executed() -> None:
    _executed("exec_simple", [EXEC.format(20, 5, 0.6)], 1.0)
    _executed("exec_simple", [EXEC.format(20, 6, 0.6)], 0.0)
    _executed("exec_simple", [EXEC.format(20, 5, 60)], 0.0)
    _executed("exec_multiple", [EXEC.format(20, 5, "1/6")], 1.0)
    _executed("exec_multiple", [EXEC.format(20, 5, 0.1667)], 0.0)
    three = [EXEC.format(15, 5, 0.3), EXEC.format(10, 3, 0.3), EXEC.format(20, 7, 0.3)]
    _executed("exec_parallel", three, 1.0)
    _executed("exec_parallel", three[:2], 0.0)


OTTAWA = "get_weather_data(coordinates=[45.4215, -75.6972])"


def _recorded(match: str, result: Any, got: Any) -> float | None:
    """Score a call whose result is ``got`` where ``result`` is expected."""
    reference = {"calls": ["f(a=1)"], "match": [match], "results": {"f(a=1)": result, "f(a=2)": got}}
    case = Case(id="exec_simple_1", kind="executable_call", reference=reference)
    return verdict(case, "[f(a=2)]").score


@item(37, 43, 44)
def results_match_in_three_ways() -> None:
    for match, result, got, score in (
        ("exact_match", 2, 2, 1.0),
        ("real_time_match", 100.0, 119.9, 1.0),
        ("real_time_match", 100.0, 121.0, 0.0),
        ("real_time", 100.0, "100", 0.0),
        ("structural_match", [1, 2, 3], [1.5, 2.4, 6], 1.0),
        ("structural_match", [1, 2, 3], [1.5], 0.0),
        ("structural_match", {"a": 1}, {"b": 1}, 0.0),
    ):
        same(_recorded(match, result, got), score, (match, got))


@item(41, 45)
def recorded_results_stand_in_for_the_network() -> None:
    case = cases("exec_parallel_multiple")[0]
    reference = {**case.reference, "results": {OTTAWA: {"hourly": {"temperature_2m": [1.5]}}}}
    known = Case(id=case.id, kind=case.kind, tools=case.tools, reference=reference)
    same(verdict(known, f"[{EXEC.format(10, 5, 0.5)}, {OTTAWA}]").score, 1.0)
    same(
        verdict(known, f"[{EXEC.format(10, 5, 0.5)}, get_weather_data(coordinates=[1.0, 2.0])]").outcome,
        "undecided",
    )


@item(46, status="better", page="docs/bfcl.md#data")
def trees_of_retired_categories_are_named() -> None:
    place = folder()
    lines(
        place / "result/m/BFCL_v3_exec_simple_result.json",
        [{"id": "exec_simple_0", "result": f"[{EXEC.format(20, 5, 0.6)}]"}],
    )
    done = ran(
        "bfcl", "score", "--data", BFCL, "--results", place / "result", "--scores", place / "score", code=2
    )
    same("BFCL_v3_exec_simple_result.json" in done.err and "fiducial cases bfcl" in done.err, True)
    ran(
        "cases",
        "bfcl",
        BFCL,
        "--category",
        "exec_simple",
        "--results",
        place / "result",
        "--out",
        place / "c.jsonl",
        "--outputs-out",
        place / "o.jsonl",
    )
    ran("check", place / "c.jsonl", "--outputs", place / "o.jsonl", "--out", place / "v.jsonl")
    same(verdicts_of(place / "v.jsonl")[0].score, 1.0)
