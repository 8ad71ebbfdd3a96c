"""Judges go on without a parameter that a server refuses, in whatever words it does so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command import fiducial, verdicts_in
from each_row import each_row
from provider_server import Answer, Body, ProviderServer, Response, Seen, Status

import fiducial as fd
from fiducial.judges import CallError
from fiducial.judges.transport.refused_parameters import other_limit, refused_parameter
from fiducial.records import Case, Output, write_records

PROMPT = """---
name: Mine
model:
  api: chat
  parameters: {parameters}
inputs:
  response: {{type: string, kind: string}}
scale: {{minimum: 0, maximum: 1, step: 1}}
parse: {{mode: number, pick: alone}}
---
user:
{{{{response}}}}
Reply 0 or 1.
"""


def openai(message: str, param: str | None, code: str | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


ONLY_DEFAULT = openai(
    "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value is supported.",
    "temperature",
    "unsupported_value",
)
OTHER_LIMIT = openai(
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "max_tokens",
    "unsupported_parameter",
)
FAMILIES: dict[str, tuple[int, str, Any]] = {
    "OpenAI, reasoning": (400, "temperature", ONLY_DEFAULT),
    "OpenAI, reasoning, limit": (400, "max_tokens", OTHER_LIMIT),
    "OpenAI, classic": (400, "verbosity", openai("Unrecognized request argument supplied: verbosity", None, None)),
    "Azure": (
        400,
        "temperature",
        openai("Unsupported parameter: 'temperature' is not supported with this model.", "temperature", "unsupported_parameter"),
    ),
    "vLLM": (
        400,
        "verbosity",
        {
            "object": "error",
            "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'verbosity'), 'msg': 'Extra inputs are not permitted'}]",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
    ),
    "FastAPI": (
        422,
        "verbosity",
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "verbosity"], "msg": "Extra inputs are not permitted"}]},
    ),
    "llama.cpp": (
        400,
        "verbosity",
        {"error": {"code": 400, "message": "Unsupported param: verbosity", "type": "invalid_request_error"}},
    ),
    "Anthropic": (
        400,
        "temperature",
        {
            "error": {
                "code": "invalid_request_error",
                "message": "`temperature` is deprecated for this model.",
                "type": "invalid_request_error",
                "param": None,
            }
        },
    ),
    "Gemini": (
        400,
        "verbosity",
        [
            {
                "error": {
                    "code": 400,
                    "message": 'Invalid JSON payload received. Unknown name "verbosity": Cannot find field.',
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
    ),
    "OpenRouter": (
        400,
        "temperature",
        {
            "error": {
                "message": "Provider returned error",
                "code": 400,
                "metadata": {"raw": json.dumps(ONLY_DEFAULT), "provider_name": "OpenAI"},
            },
            "user_id": "user_1",
        },
    ),
    "LiteLLM": (
        400,
        "temperature",
        {
            "error": {
                "message": "litellm.UnsupportedParamsError: openai does not support parameters: ['temperature'], for model=o3-mini. "
                "To drop these, set `litellm.drop_params=True`.",
                "type": "None",
                "param": "None",
                "code": "400",
            }
        },
    ),
}  # fmt: skip


def refusing(status: int, name: str, body: Any) -> Any:
    """A server that refuses a request with this field, and answers any other."""

    def script(seen: Seen) -> Response:
        return Body(json.dumps(body).encode(), status) if name in seen.body else Answer("1")

    return script


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    path = tmp_path / "mine.prompty"
    path.write_text(PROMPT.format(parameters="{temperature: 0.0, verbosity: low, max_tokens: 50}"))
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    cases, outputs = tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    asked: dict[str, Any] = {
        "messages": [{"role": "user", "content": "Well?"}],
        "reference": {"criterion": "It is good."},
    }
    write_records(cases, [Case(id=str(number), kind="open_answer", **asked) for number in range(9)])
    write_records(
        outputs, [Output(case_id=str(number), system="a", text=f"Good {number}.") for number in range(9)]
    )
    return cases, outputs


@pytest.mark.parametrize("family", FAMILIES)
def test_a_refused_parameter_is_left_out_and_said(
    family: str, prompt: Path, files: tuple[Path, Path], tmp_path: Path, server: ProviderServer
):
    status, name, body = FAMILIES[family]
    server.script = refusing(status, name, body)
    out = tmp_path / "run"
    asked = ("judge", files[0], "--outputs", files[1], "--judge", prompt, "--model", "m")
    told = fiducial(*asked, "--base-url", server.base_url, "--no-cache", "--out", out)
    assert told.code == 0, told.err
    assert [verdict.outcome for verdict in verdicts_in(out)] == ["graded"] * 9
    assert f"not sent, since the model refuses it: {name}" in " ".join(told.out.split())
    (judge,) = {verdict.judge.fingerprint for verdict in verdicts_in(out) if verdict.judge}
    (known,) = json.loads((out / "run.json").read_bytes())["roster"]
    assert known["id"]["fingerprint"] == judge
    assert known["refused"][name] is None
    answered = [seen.body for seen in server.seen if name not in seen.body]
    assert all(body.get("max_completion_tokens", 50) == 50 for body in answered)
    assert ("max_tokens" in answered[0]) != ("max_completion_tokens" in answered[0])


def test_a_server_that_ignores_what_it_does_not_know_is_sent_everything(prompt: Path, server: ProviderServer):
    """As Ollama does."""
    server.script = lambda _: Answer("1")
    fd.judge(prompt, model="m", base_url=server.base_url, api_key="k", cache=False)(response="Good.")
    assert {"temperature", "verbosity", "max_tokens"} <= server.seen[0].body.keys()


def test_a_resumed_run_knows_what_was_refused(
    prompt: Path, files: tuple[Path, Path], tmp_path: Path, server: ProviderServer
):
    refuses = refusing(*FAMILIES["OpenAI, reasoning"])
    server.script = lambda seen: (
        Status(401) if "Good 8" in seen.text and "temperature" not in seen.body else refuses(seen)
    )
    asked = ("judge", files[0], "--outputs", files[1], "--judge", prompt, "--model", "m")
    again = (*asked, "--base-url", server.base_url, "--no-cache", "--out", tmp_path / "run")
    assert fiducial(*again).code == 3
    server.script, before = refuses, len(server.seen)
    told = fiducial(*again)
    assert told.code == 0, told.err
    assert len(server.seen) == before + 1
    assert {verdict.by for verdict in verdicts_in(tmp_path / "run")} == {"mine/custom@m"}


def test_what_the_user_asked_for_is_never_left_out(
    prompt: Path, files: tuple[Path, Path], tmp_path: Path, server: ProviderServer
):
    server.script = refusing(*FAMILIES["OpenAI, reasoning"])
    asked = ("judge", files[0], "--outputs", files[1], "--judge", prompt, "--model", "m")
    told = fiducial(
        *asked,
        "--base-url",
        server.base_url,
        "--judge-parameter",
        "temperature=0.5",
        "--out",
        tmp_path / "run",
    )
    assert told.code == 3
    assert "Only the default (1) value is supported" in " ".join(told.out.split())


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (["temperature=null", "reasoning_effort=low"], {"verbosity": "low", "max_tokens": 50, "reasoning_effort": "low"}),
        (["max_tokens=null", "max_completion_tokens=4000"], {"temperature": 0.0, "verbosity": "low", "max_completion_tokens": 4000}),
        (["verbosity=null", 'reasoning={"effort": "high"}'], {"temperature": 0.0, "max_tokens": 50, "reasoning": {"effort": "high"}}),
    ],
)  # fmt: skip
def test_parameters_are_typed_and_null_leaves_one_out(
    given: list[str], sent: Mapping[str, Any], prompt: Path, files: tuple[Path, Path], server: ProviderServer
):
    server.script = lambda _: Answer("1")
    typed = [word for parameter in given for word in ("--judge-parameter", parameter)]
    asked = ("judge", files[0], "--outputs", files[1], "--judge", prompt, "--model", "m", *typed)
    told = fiducial(*asked, "--base-url", server.base_url, "--out", prompt.parent / "run")
    assert told.code == 0, told.err
    assert {
        key: value for key, value in server.seen[0].body.items() if key not in {"model", "messages"}
    } == sent


@pytest.mark.parametrize("given", ["temperature", "=1", "model=x"])
def test_a_parameter_that_is_none_is_refused(
    given: str, prompt: Path, files: tuple[Path, Path], tmp_path: Path
):
    asked = (
        "judge",
        files[0],
        "--outputs",
        files[1],
        "--judge",
        prompt,
        "--model",
        "m",
        "--judge-parameter",
        given,
    )
    told = fiducial(*asked, "--base-url", "http://127.0.0.1:1/v1", "--out", tmp_path / "run")
    assert (told.code, len(told.err.splitlines())) == (2, 1)


def test_a_judge_in_python_adapts_and_warns(prompt: Path, server: ProviderServer):
    server.script = refusing(*FAMILIES["OpenAI, reasoning"])
    judge = fd.judge(prompt, model="m", base_url=server.base_url, api_key="k", cache=False)
    before = judge.task.id
    with pytest.warns(RuntimeWarning, match="the model refuses it: temperature"):
        first = judge(response="Good.")
    second = judge(response="Better.")
    assert (first.outcome, second.outcome) == ("graded", "graded")
    assert first.judge == second.judge == judge.task.id != before


def test_parameters_have_the_same_name_in_python(prompt: Path, server: ProviderServer):
    server.script = lambda _: Answer("1")
    judge = fd.judge(
        prompt, model="m", base_url=server.base_url, api_key="k", judge_parameters={"temperature": None}
    )
    judge(response="Good.")
    assert "temperature" not in server.seen[0].body


@each_row(
    ("status", "message"),
    [
        (400, "This model's maximum context length is 8192 tokens"),
        (400, "max_tokens is too large: 99999"),
        (400, "Invalid value: 'temperature' must be below 2"),
        (401, "Unsupported value: 'temperature'"),
        (500, "Unsupported value: 'temperature'"),
        (400, "my_temperature is not supported"),
    ],
)
def test_other_failures_leave_nothing_out(status: int, message: str):
    assert refused_parameter(CallError(message, status=status), ["temperature", "max_tokens"]) is None


def test_the_field_that_a_server_names_comes_first():
    error = CallError("temperature and top_p: unsupported", status=400, param="response_format.type")
    assert refused_parameter(error, ["top_p", "temperature", "response_format"]) == "response_format"
    assert refused_parameter(error, ["top_p", "temperature"]) == "temperature"
    assert other_limit(error, "temperature") is None


def test_reasoning_that_took_all_tokens_is_named_and_asked_once_more_with_more_room(
    prompt: Path, server: ProviderServer
):
    server.script = lambda seen: (
        Answer("", finish_reason="length") if seen.body["max_tokens"] < 200 else Answer("1")
    )
    judge = fd.judge(prompt, model="m", base_url=server.base_url, api_key="k", cache=False)
    verdict = judge(response="Good.")
    assert (verdict.outcome, verdict.score) == ("graded", 1.0)
    assert [request.body["max_tokens"] for request in server.seen] == [50, 200]
    server.script = lambda _: Answer("", finish_reason="length")
    verdict = judge(response="Other.")
    assert verdict.outcome == "unparsable"
    assert "all tokens went into reasoning" in (verdict.reason or "")


def test_a_team_shares_parameters_in_its_settings(
    prompt: Path, files: tuple[Path, Path], server: ProviderServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(prompt.parent)
    Path("fiducial.toml").write_text(
        '[model.judge_parameters]\ntemperature = "null"\nmax_tokens = 9\nreasoning_effort = "low"\n'
    )
    server.script = lambda _: Answer("1")
    asked = ("judge", files[0], "--outputs", files[1], "--judge", prompt, "--model", "m")
    told = fiducial(*asked, "--base-url", server.base_url, "--out", "run")
    assert told.code == 0, told.err
    sent = {key: value for key, value in server.seen[0].body.items() if key not in {"model", "messages"}}
    assert sent == {"verbosity": "low", "max_tokens": 9, "reasoning_effort": "low"}
