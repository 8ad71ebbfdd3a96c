"""Models and servers that answer over the Responses API alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from provider_server import Body, ProviderServer, Response, Seen

import fiducial as fd
from fiducial.errors import FiducialError
from fiducial.judges import CallError, make_request
from fiducial.judges.transport.responses_api import (
    name_in_chat,
    needs_responses,
    read_response,
    responses_body,
)

PROMPT = """---
name: mine
model: {api: chat, parameters: {temperature: 0.0, max_tokens: 50, reasoning_effort: low}}
inputs: {response: {type: string, kind: string}}
template: {format: {kind: jinja2}, parser: {kind: prompty}}
scale: {minimum: 0, maximum: 1, step: 1}
---
system:
Judge.

user:
{{response}}
"""

ONLY_RESPONSES = {
    "OpenAI": (
        404,
        {
            "error": {
                "message": "This model is only supported in v1/responses and not in v1/chat/completions.",
                "type": "invalid_request_error",
                "param": "model",
                "code": None,
            }
        },
    ),
    "Azure": (400, {"error": {"code": "OperationNotSupported", "message": "Use the Responses API for this model."}}),
    "a server without the other path": (404, {"detail": "Not Found"}),
    "a server with another method there": (405, {"detail": "Method Not Allowed"}),
}  # fmt: skip


def response(text: str, **fields: Any) -> dict[str, Any]:
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "model": "m-2026",
        "output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}, message],
        "usage": {
            "input_tokens": 40,
            "input_tokens_details": {"cached_tokens": 30},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 4},
        },
        **fields,
    }


def answering(status: int, refusal: Any, reply: Any) -> Any:
    def script(seen: Seen) -> Response:
        if seen.path.endswith("/chat/completions"):
            return Body(json.dumps(refusal).encode(), status)
        return Body(json.dumps(reply).encode())

    return script


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    (tmp_path / "mine.prompty").write_text(PROMPT)
    return tmp_path / "mine.prompty"


@pytest.mark.parametrize("server_kind", ONLY_RESPONSES)
def test_a_model_without_chat_completions_is_asked_over_the_responses_api(
    server_kind: str, prompt: Path, server: ProviderServer
):
    server.script = answering(*ONLY_RESPONSES[server_kind], response("1"))
    judge = fd.judge(prompt, model="m", base_url=server.base_url, api_key="k", cache=False)
    verdict = judge(response="Good.")
    assert (verdict.outcome, verdict.score) == ("graded", 1.0)
    assert verdict.usage is not None
    assert (verdict.usage.prompt_tokens, verdict.usage.cached_tokens) == (40, 30)
    assert server.seen[1].body == {
        "model": "m",
        "input": [{"role": "system", "content": "Judge."}, {"role": "user", "content": "Good."}],
        "store": False,
        "temperature": 0.0,
        "max_output_tokens": 50,
        "reasoning": {"effort": "low"},
    }
    judge(response="Other.")
    assert [seen.path.rpartition("/v1/")[2] for seen in server.seen] == [
        "chat/completions",
        "responses",
        "responses",
    ]


def test_a_parameter_that_the_responses_api_refuses_is_left_out(prompt: Path, server: ProviderServer):
    refusal = {
        "error": {"message": "Unsupported parameter: 'reasoning.effort'.", "param": "reasoning.effort"}
    }

    def script(seen: Seen) -> Response:
        if seen.path.endswith("/chat/completions"):
            return Body(json.dumps(ONLY_RESPONSES["OpenAI"][1]).encode(), 404)
        if "reasoning" in seen.body:
            return Body(json.dumps(refusal).encode(), 400)
        return Body(json.dumps(response("1")).encode())

    server.script = script
    judge = fd.judge(prompt, model="m", base_url=server.base_url, api_key="k", cache=False)
    with pytest.warns(RuntimeWarning, match="reasoning_effort"):
        assert judge(response="Good.").score == 1.0


def test_a_response_that_ended_at_its_limit_is_asked_for_once_more_with_more_room(
    prompt: Path, server: ProviderServer
):
    cut = response("", status="incomplete", incomplete_details={"reason": "max_output_tokens"})

    def script(seen: Seen) -> Response:
        if seen.path.endswith("/chat/completions"):
            return Body(json.dumps(ONLY_RESPONSES["OpenAI"][1]).encode(), 404)
        return Body(json.dumps(cut if seen.body["max_output_tokens"] < 200 else response("1")).encode())

    server.script = script
    judge = fd.judge(prompt, model="m", base_url=server.base_url, api_key="k", cache=False)
    assert judge(response="Good.").score == 1.0
    assert [seen.body["max_output_tokens"] for seen in server.seen[1:]] == [50, 200]


def test_a_model_that_is_not_there_is_an_error_and_no_other_path_is_tried(
    prompt: Path, server: ProviderServer
):
    server.script = answering(404, {"error": {"message": "The model `m` does not exist"}}, response("1"))
    verdict = fd.judge(prompt, model="m", base_url=server.base_url, api_key="k", cache=False)(
        response="Good."
    )
    assert verdict.outcome == "failed"
    assert len(server.seen) == 1


def test_a_wrong_address_is_said_as_the_first_path_says_it(prompt: Path, server: ProviderServer):
    server.script = lambda _: Body(b'{"detail": "Not Found"}', 404)
    verdict = fd.judge(prompt, model="m", base_url=server.base_url, api_key="k", cache=False)(
        response="Good."
    )
    assert verdict.outcome == "failed"
    assert "HTTP 404" in (verdict.reason or "")


@pytest.mark.parametrize(
    ("status", "message"),
    [(500, "use v1/responses"), (404, "no such model"), (400, "bad request"), (429, "too many responses")],
)
def test_other_failures_ask_for_no_other_path(status: int, message: str):
    assert not needs_responses(status, message)


def test_conversations_with_calls_images_and_formats_are_translated():
    schema = {"name": "r", "strict": True, "schema": {"type": "object"}}
    request = make_request(
        "m",
        [
            {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "5"},
            {"role": "assistant", "content": [{"type": "text", "text": "Five"}]},
        ],
        {
            "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
            "response_format": {"type": "json_schema", "json_schema": schema},
            "verbosity": "low",
            "logprobs": True,
            "top_logprobs": 5,
        },
    )  # fmt: skip
    assert responses_body(request) == {
        "model": "m",
        "store": False,
        "input": [
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "See"},
                    {"type": "input_image", "image_url": "data:image/png;base64,AA", "detail": "auto"},
                ],
            },
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "5"},
            {"role": "assistant", "content": [{"type": "output_text", "text": "Five"}]},
        ],
        "tools": [{"type": "function", "name": "f", "parameters": {}}],
        "text": {"format": {"type": "json_schema", **schema}, "verbosity": "low"},
        "include": ["message.output_text.logprobs"],
        "top_logprobs": 5,
    }
    assert name_in_chat("text.format.schema", request) == "response_format"
    assert name_in_chat("text.verbosity", request) == "verbosity"
    assert name_in_chat("temperature", request) == "temperature"


@pytest.mark.parametrize(
    ("in_chat", "in_responses"),
    [
        ("required", "required"),
        ({"type": "function", "function": {"name": "find"}}, {"type": "function", "name": "find"}),
        ({"type": "custom", "custom": {"name": "run"}}, {"type": "custom", "name": "run"}),
        (
            {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "find"}}]}},
            {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "find"}]},
        ),
    ],
)  # fmt: skip
def test_a_choice_of_tools_is_translated(in_chat: Any, in_responses: Any):
    request = make_request("m", [{"role": "user", "content": "?"}], {"tool_choice": in_chat})
    assert responses_body(request)["tool_choice"] == in_responses


def test_a_reply_with_calls_logprobs_and_a_refusal_is_read():
    token = {"token": "1", "logprob": -0.1, "top_logprobs": [{"token": "0", "logprob": -2.0}]}
    reply = read_response(
        response(
            "",
            output=[
                {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"},
                {
                    "type": "message",
                    "content": [
                        {"type": "output_text", "text": "1", "logprobs": [token]},
                        {"type": "refusal", "refusal": "No."},
                    ],
                },
            ],
        )
    )
    assert reply.tool_calls is not None
    assert reply.tool_calls[0].name == "f"
    assert reply.logprobs is not None
    assert reply.logprobs[0].top == {"0": -2.0}
    assert (reply.text, reply.refusal, reply.finish_reason) == ("1", "No.", "stop")


@pytest.mark.parametrize(
    "body", [{}, {"output": 3}, {"output": [], "status": "failed", "error": {"message": "x"}}, None]
)
def test_what_is_no_response_may_be_asked_for_again(body: Any):
    with pytest.raises(FiducialError) as raised:
        read_response(body)
    assert isinstance(raised.value, CallError)
    assert raised.value.retryable
