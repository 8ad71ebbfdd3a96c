"""Third-party server: requests work, and its refusals and odd replies are one clear line."""

from __future__ import annotations

import json
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest
from command import Result, fiducial
from generating import folder_case, weather_case
from model_server import Served

from fiducial.records import Case, Output, Verdict, read_records, write_records

CALL = ("<tool_call>", json.dumps({"name": "weather_now", "arguments": {"city": "Rome"}}), "</tool_call>")
"""What a model says in mlx-lm's way to call a tool, a token each."""


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    write_records(path, [weather_case("Rome"), weather_case("Oslo")])
    return path


def generate(served: Served, cases: Path, model: str, *more: str) -> Result:
    return fiducial(
        *("generate", cases, "--model", model, "--base-url", served.base_url, "--system", "tiny"),
        *("--out", "outputs.jsonl", "--attempts", "2", *more),
    )


def outputs() -> list[Output]:
    return list(read_records(Path("outputs.jsonl"), Output))


def checked(cases: Path) -> Counter[tuple[float | None, str | None]]:
    assert fiducial("check", cases, "--outputs", "outputs.jsonl", "--out", "v.jsonl").code == 0
    return Counter((said.score, said.error_type) for said in read_records(Path("v.jsonl"), Verdict))


@pytest.mark.parametrize("mode", ["tools", "prompt"])
def test_what_random_weights_say_is_an_output_and_wrong(served: Served, cases: Path, mode: str):
    result = generate(served, cases, served.model(), "--mode", mode, "--parameter", "max_tokens=20")
    assert result.code == 0, result.err
    assert "tiny: 2 of 2 outputs, 2 generated now" in result.out
    assert {score for score, _ in checked(cases)} == {0.0}
    assert all(output.text for output in outputs())


def test_native_calls_come_back_under_the_cases_own_names(served: Served, cases: Path):
    assert generate(served, cases, served.model(*CALL)).code == 0
    (first, second) = outputs()
    assert [(call.name, call.arguments) for call in first.tool_calls or []] == [
        ("weather.now", '{"city": "Rome"}')
    ]
    assert first.tool_calls == second.tool_calls
    assert Counter(score for score, _ in checked(cases).elements()) == {1.0: 1, 0.0: 1}


def test_a_conversation_is_led_to_its_limit_of_steps(served: Served, tmp_path: Path):
    write_records(tmp_path / "folders.jsonl", [folder_case(2)])
    call = ("<tool_call>", '{"name": "mkdir", "arguments": {"dir_name": "a"}}', "</tool_call>")
    result = generate(served, tmp_path / "folders.jsonl", served.model(*call), "--steps-per-turn", "3")
    assert result.code == 0, result.err
    (output,) = outputs()
    (turn,) = output.turns or [[]]
    assert len([step for step in turn if isinstance(step, list)]) == 3
    assert "ended before their end" in result.out or "steps" in result.out


def test_a_parameter_that_is_refused_is_one_line_with_the_servers_words(served: Served, cases: Path):
    result = generate(served, cases, served.model(), "--parameter", "temperature=-1")
    assert result.code == 3
    told = [line for line in (result.out + result.err).splitlines() if "temperature" in line]
    assert len(told) == 1, result.out + result.err
    assert "HTTP 400" in told[0]
    assert "Traceback" not in result.err
    assert Path("outputs.jsonl").read_bytes() == b""


def test_a_model_that_does_not_exist_is_one_line(served: Served, cases: Path):
    result = generate(served, cases, "nobody/made-this")
    assert result.code == 3
    assert len([line for line in (result.out + result.err).splitlines() if "HTTP 4" in line]) == 1
    assert "Traceback" not in result.err


def judge(served: Served, model: str, which: str, *more: str) -> tuple[Result, list[Verdict]]:
    question = Case(
        id="open",
        kind="open_answer",
        messages=[{"role": "user", "content": "Say hello."}],
        reference={"criterion": "It is a greeting."},
    )
    write_records(Path("open.jsonl"), [question])
    write_records(Path("said.jsonl"), [Output(case_id="open", system="s", text="Hello.")])
    result = fiducial(
        *("judge", "open.jsonl", "--outputs", "said.jsonl", "--judge", which, "--model", model),
        *("--base-url", served.base_url, "--out", "run", "-v", *more),
    )
    return result, list(read_records(Path("run/verdicts.jsonl"), Verdict))


@pytest.mark.parametrize("which", ["rubric/direct", "rubric/decomposed", "rubric/percentage"])
def test_what_random_weights_judge_is_unparsable_and_counted_so(served: Served, which: str):
    result, (verdict,) = judge(served, served.model(), which)
    assert result.code == 4, result.err
    assert (verdict.outcome, verdict.score) == ("unparsable", None)
    assert "1 unparsable" in result.out
    assert "1 asked again since a reply could not be read" in result.out


def weighed(folder: Path, alternatives: int) -> str:
    """A prompt that asks for log-probabilities and scores by them."""
    shipped = (resources.files("fiducial.prompts") / "rubric/direct.prompty").read_text("utf-8")
    prompt = folder / "weighed.prompty"
    shipped = shipped.replace("parse: {mode: number, pick: alone}", "parse: {mode: logprobs}")
    prompt.write_text(shipped.replace("parameters:", f"parameters:\n    top_logprobs: {alternatives}"))
    return str(prompt)


def test_a_judge_is_weighed_by_the_servers_log_probabilities(served: Served, tmp_path: Path):
    result, (verdict,) = judge(served, served.model("1"), weighed(tmp_path, 1))
    assert (result.code, verdict.outcome) == (0, "graded"), result.err
    assert verdict.score == pytest.approx(1.0)
    assert verdict.raw == "1"


def test_log_probabilities_that_name_another_token_than_was_said_are_no_score(served: Served, tmp_path: Path):
    # Of several alternatives mlx-lm 0.32 names the first for the one that was said, whichever that is.
    result, (verdict,) = judge(served, served.model("1"), weighed(tmp_path, 5))
    assert (result.code, verdict.outcome, verdict.score) == (4, "unparsable", None), result.err
    assert "log-probabilities" in (verdict.reason or "")


def test_tokens_are_counted_as_the_server_counts_them(served: Served):
    _, (verdict,) = judge(served, served.model("1"), "rubric/direct")
    assert verdict.usage is not None
    assert verdict.usage.prompt_tokens > 100
    assert verdict.usage.completion_tokens >= 1


def test_an_endpoint_that_it_does_not_have_is_one_line(served: Served, cases: Path):
    result = generate(served._replace(base_url=served.base_url + "/elsewhere"), cases, served.model())
    assert result.code == 3
    assert len([line for line in (result.out + result.err).splitlines() if "HTTP 404" in line]) == 1
    assert "Traceback" not in result.err
