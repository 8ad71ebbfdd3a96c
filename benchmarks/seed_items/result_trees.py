"""BFCL's guide: generating, scoring, result and score trees: 85 to 111."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

from provider_server import Answer, ProviderServer

from .kit import BFCL, cases, fd, folder, item, lines, ran, same, scores, verdict

GUIDE = "docs/bfcl.md"
RIGHT, SHORT = (
    "[get_current_weather(location='Tel Aviv, Israel', unit='fahrenheit')]",
    "[get_current_weather(location='Tel Aviv, Israel')]",
)
EXPECTED = [{"get_current_weather": {"location": "Tel Aviv, Israel"}}]
FULL = [{"get_current_weather": {"location": "Tel Aviv, Israel", "unit": "fahrenheit"}}]


def _tree(result: Any = SHORT, model: str = "m", **fields: Any) -> Path:
    """Write the result file of one system with one answer."""
    place = folder()
    row = {"id": "live_simple_4-3-0", "result": result, **fields}
    lines(place / f"result/{model}/live/BFCL_v4_live_simple_result.json", [row])
    return place


def _scored(place: Path, *options: object, command: str = "score", code: int = 0) -> Any:
    return ran(
        "bfcl",
        command,
        "--data",
        BFCL,
        "--results",
        place / "result",
        "--scores",
        place / "score",
        *options,
        code=code,
    )


@item(85, 86, 87, 88, 94)
def trees_are_scored_offline() -> None:
    place = _tree("[get_current_weather(location='Haifa')]")
    _scored(place)
    score = (place / "score/m/live/BFCL_v4_live_simple_score.json").read_text().splitlines()
    same((json.loads(score[0])["accuracy"], len(score)), (0.0, 2))
    same(len(list((place / "score").glob("*.csv"))), 6)


@item(89, 90)
def latency_and_cost_come_from_what_was_recorded() -> None:
    place = _tree(latency=0.5, input_token_count=1_000_000, output_token_count=500_000)
    _scored(place, "--price", "2/8")
    with (place / "score/data_overall.csv").open(encoding="utf-8") as file:
        row = next(iter(csv.DictReader(file)))
    same((row["Latency Mean (s)"], row["Total Cost ($)"]), ("0.5", "6.0"))


@item(91)
def a_category_is_generated() -> None:
    place = folder()
    with ProviderServer(lambda _: Answer(SHORT)) as server:
        ran("bfcl", "generate", "--data", BFCL, "--model", "m", "--test-category", "live_simple", "--mode", "prompt",
            "--base-url", server.base_url, "--results", place / "result", "--no-cache")  # fmt: skip
    same("100.00%" in _scored(place).out, True)


@item(92, 93)
def evaluate_scores_one_model() -> None:
    place = _tree()
    lines(
        place / "result/other/live/BFCL_v4_live_simple_result.json",
        [{"id": "live_simple_4-3-0", "result": "no"}],
    )
    done = _scored(place, "--model", "other", "--test-category", "live_simple", "--json", command="evaluate")
    same(list(json.loads(done.out)["systems"]), ["other"])


@item(95)
def data_is_loaded_from_python() -> None:
    same([case.id for case in fd.import_bfcl(BFCL, ["live_simple"]).cases], ["live_simple_4-3-0"])


@item(96, 97, 98, 99, 104)
def calls_are_checked_as_the_guide_says() -> None:
    for text, score, error in (
        (RIGHT, 1.0, None),
        (SHORT, 1.0, None),
        ("[get_current_weather(location='tel aviv israel')]", None, None),
        ("[get_current_weather(location='Tel Aviv, Israel', unit='celsius')]", 0.0, "value_error:string"),
        ("[get_current_weather(unit='fahrenheit')]", 0.0, "simple_function_checker:missing_required"),
    ):
        if score is None:
            same(verdict(cases("live_simple")[0], text, "bfcl").score, 1.0)
        else:
            scores("live_simple", text, score, score, error)


@item(100)
def the_expected_output_is_taken_as_it_is_printed() -> None:
    case = cases("live_simple")[0]
    for calls in (EXPECTED, FULL):
        same(verdict(case, calls).score, 1.0)
        same(verdict(case, json.dumps(calls)).score, 1.0)
        place = _tree(calls)
        same("100.00%" in _scored(place, "--rules", "strict").out, True)


@item(101, 102, 103)
def the_prompt_can_be_seen() -> None:
    place = folder()
    fd.import_bfcl(BFCL, ["live_simple"]).cases.write(place / "c.jsonl")
    done = ran(
        "prompts", "render", "bfcl", "--cases", place / "c.jsonl", "--id", "live_simple_4-3-0", "--json"
    )
    system, user = json.loads(done.out)["messages"]
    same((system["role"], user["content"]), ("system", "Tel Aviv's weather in Fahrenheit?"))
    same(
        system["content"].count("composing functions") >= 1 and '"get_current_weather"' in system["content"],
        True,
    )


@item(105)
def other_categories_are_known() -> None:
    for category, kind in (
        ("live_irrelevance", "no_call"),
        ("multi_turn_base", "multi_turn"),
        ("web_search_base", "web_search_answer"),
    ):
        same(cases(category)[0].kind, kind)


@item(106)
def format_sensitivity_has_26_configurations() -> None:
    found = cases("format_sensitivity")
    same(len({case.id.split(":")[1] for case in found}), 26)
    as_json = next(
        case for case in found if "ret_fmt=json&tool_call_tag=False" in case.id and "live_simple" in case.id
    )
    text = '[{"function": "get_current_weather", "parameters": {"location": "Tel Aviv, Israel"}}]'
    same(verdict(as_json, text, "bfcl").score, 1.0)


@item(107, status="better", page="docs/bfcl.md#prompt-mode")
def format_sensitivity_prompts_are_in_our_words() -> None:
    prompts = {_prompt(case) for case in cases("format_sensitivity")}
    same(len(prompts), 52)


def _prompt(case: Any) -> str:
    from fiducial.formats.bfcl import assemble_prompt  # noqa: PLC0415 - here alone

    return json.dumps(assemble_prompt(case))


@item(108)
def partial_results_are_refused_with_a_count() -> None:
    place = folder()
    data = place / "data"
    shutil.copytree(BFCL, data)
    for name in ("BFCL_v4_live_simple.json", "possible_answer/BFCL_v4_live_simple.json"):
        first = (data / name).read_text(encoding="utf-8")
        (data / name).write_text(
            first + first.replace("live_simple_4-3-0", "live_simple_5-3-1"), encoding="utf-8"
        )
    lines(
        place / "result/m/live/BFCL_v4_live_simple_result.json",
        [{"id": "live_simple_4-3-0", "result": SHORT}],
    )
    tree = ("--data", data, "--results", place / "result", "--scores", place / "score")
    same("holds 1 of the 2 answers" in ran("bfcl", "score", *tree, code=2).err, True)
    same("100.00%" in ran("bfcl", "score", *tree, "--partial").out, True)


@item(109, status="better", page=GUIDE)
def doubled_and_unknown_ids_are_named_with_their_line() -> None:
    place = folder()
    row = {"id": "live_simple_4-3-0", "result": SHORT}
    lines(place / "result/m/live/BFCL_v4_live_simple_result.json", [row, row])
    same("_result.json:2:" in _scored(place, code=2).err, True)


@item(110)
def single_ids_are_selected() -> None:
    place = folder()
    ran(
        "cases",
        "bfcl",
        BFCL,
        "--category",
        "multi_turn",
        "--only",
        "multi_turn_base_50",
        "--out",
        place / "c.jsonl",
    )
    same(len((place / "c.jsonl").read_text().splitlines()), 1)


@item(111, status="better", page=GUIDE)
def each_rate_has_an_interval() -> None:
    same("[20.7%, 100.0%]" in _scored(_tree()).out, True)
