"""BFCL's generation phase, into BFCL's result tree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from provider_server import Answer, ProviderServer, Response, Seen, Status

from fiducial.formats.bfcl import CATEGORIES, open_source, read_cases


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def generate(data: Path, server: ProviderServer, *more: str) -> Any:
    return fiducial(
        *("bfcl", "generate", "--data", data, "--model", "maker/m", "--base-url", server.base_url),
        *("--results", "result", "--no-cache", *more),
    )


def lines(category: str) -> list[dict[str, Any]]:
    (path,) = Path("result/maker_m").rglob(f"BFCL_v4_{category}_result.json")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_single_answers_are_written_in_bfcls_form_and_in_its_order(bfcl_data: Path, server: ProviderServer):
    def script(seen: Seen) -> Response:
        name = seen.body["tools"][0]["function"]["name"]
        return Answer(None, calls=[(name, "{}")])

    server.script = script
    assert generate(bfcl_data, server, "--category", "simple_python").code == 0
    ids = [case.id for case in read_cases(open_source(bfcl_data), CATEGORIES["simple_python"])]
    found = lines("simple_python")
    assert [line["id"] for line in found] == ids
    assert found[0]["result"] == [{"garden_water": "{}"}]
    assert (found[0]["input_token_count"], found[0]["output_token_count"]) == (100, 10)
    assert server.seen[0].body["temperature"] == 0.001
    scored = fiducial("bfcl", "score", "--data", bfcl_data, "--results", "result", "--scores", "score")
    assert "names underscored" in scored.out


def test_a_conversation_is_written_turn_by_turn_with_a_log_of_its_results(
    bfcl_data: Path, server: ProviderServer
):
    def script(seen: Seen) -> Response:
        if seen.messages[-1]["role"] == "user":
            return Answer(None, calls=[(seen.body["tools"][0]["function"]["name"], "{}")])
        return Answer("done")

    server.script = script
    assert generate(bfcl_data, server, "--category", "multi_turn_miss_func").code == 0
    first, case = (
        lines("multi_turn_miss_func")[0],
        next(read_cases(open_source(bfcl_data), CATEGORIES["multi_turn_miss_func"])),
    )
    assert len(first["result"]) == len(case.turns)
    assert [len(turn) for turn in first["result"]] == [2] * len(case.turns)
    assert first["input_token_count"][0] == [100, 100]
    begun = first["inference_log"][0]
    assert begun["begin_of_turn_query"] == case.turns[0]
    assert [said["role"] for said in begun["step_0"]] == ["assistant", "tool"]


def test_a_failed_entry_has_no_result_unless_failures_are_to_count(bfcl_data: Path, server: ProviderServer):
    server.script = lambda _seen: Status(400)
    result = generate(bfcl_data, server, "--category", "simple_python")
    assert result.code == 3
    assert not list(Path("result").rglob("*_result.json"))
    failures = Path("result/maker_m/attempts.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["failure"] for line in failures} == {"HTTP 400: scripted 400"}
    generate(bfcl_data, server, "--category", "simple_python", "--count-failures")
    assert {line["result"] for line in lines("simple_python")} == {
        "Error during inference: HTTP 400: scripted 400"
    }


def test_the_same_command_asks_nothing_again(bfcl_data: Path, server: ProviderServer):
    server.script = lambda _seen: Answer("no")
    generate(bfcl_data, server, "--category", "simple_python", "--mode", "prompt")
    asked = len(server.seen)
    result = generate(bfcl_data, server, "--category", "simple_python", "--mode", "prompt")
    assert result.code == 0
    assert "0 generated now" in result.out
    assert len(server.seen) == asked


def test_memory_is_filled_by_the_conversations_before_its_questions(bfcl_data: Path, server: ProviderServer):
    def script(seen: Seen) -> Response:
        said = seen.messages[-1]["content"]
        if seen.messages[-1]["role"] == "user" and "south wall" in said:
            return Answer(None, calls=[("core_memory_add", json.dumps({"key": "plants", "value": said}))])
        return Answer(f"It says: {seen.messages[0]['content'].partition('plants:')[2]}")

    server.script = script
    assert generate(bfcl_data, server, "--category", "memory_kv").code == 0
    ((line,),) = [lines("memory_kv")]
    assert "south wall" in line["result"][0][-1]
    heard = [seen.messages[-1]["content"] for seen in server.seen if seen.messages[-1]["role"] == "user"]
    assert "I planted tomatoes by the south wall." in heard
    assert "So I water from the barrel." in heard
    kept = sorted(path.name for path in Path("result/maker_m/memory_snapshot").rglob("*.json"))
    assert kept == ["0000.json", "0001.json"]
    scored = fiducial("bfcl", "score", "--data", bfcl_data, "--results", "result", "--scores", "score")
    assert scored.code == 0


def test_a_web_question_without_a_web_is_passed_over_and_said(bfcl_data: Path, server: ProviderServer):
    result = generate(bfcl_data, server, "--category", "web_search_base")
    assert "no output, the case is not for this agent" in result.out
    assert "--search" in result.out
    assert not server.seen


def test_a_dry_run_says_what_all_categories_would_take_and_leaves_nothing(
    bfcl_data: Path, server: ProviderServer
):
    server.script = lambda seen: Answer("no")
    categories = ("--category", "simple_python", "--category", "multi_turn_miss_func")
    source = open_source(bfcl_data)
    single, turns = (list(read_cases(source, CATEGORIES[name])) for name in categories[1::2])
    asked = len(single) + sum(len(case.turns) for case in turns)
    told = generate(bfcl_data, server, *categories, "--dry-run", "--price", "1/2").out
    assert f"attempts: {len(single) + len(turns)} of {len(single) + len(turns)} to make\n" in told
    assert f"calls: at least {asked}, at most " in told
    assert "at $1/$2 for a million tokens" in told
    assert (server.seen, Path("result").exists()) == ([], False)
    generate(bfcl_data, server, *categories[:2])
    left = generate(bfcl_data, server, *categories, "--dry-run").out
    assert f"attempts: {len(turns)} of {len(single) + len(turns)} to make\n" in left


def test_what_it_cost_is_said_where_the_price_is_known(bfcl_data: Path, server: ProviderServer):
    server.script = lambda seen: Answer("no")
    told = generate(bfcl_data, server, "--category", "simple_python", "--price", "1000/0").out
    assert f"${len(server.seen) * 0.1:.2f}"[:4] in told
