"""Bodies of chat completions, as servers really write them."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.judges import CallError
from fiducial.judges.transport import RequestedCall
from fiducial.judges.transport.completion import read_completion, read_json


def completion(message: dict[str, Any], **beside: Any) -> dict[str, Any]:
    """A completion with one choice."""
    choice = {"message": message, **beside.pop("choice", {})}
    return {"choices": [choice], **beside}


@each_row(
    ("message", "text", "refusal"),
    [
        ({"content": "1"}, "1", None),
        ({"content": None}, "", None),
        ({}, "", None),
        (
            {"content": None, "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]},
            "",
            None,
        ),
        ({"content": "1", "reasoning_content": "0, or rather", "reasoning": "0"}, "1", None),
        ({"content": None, "reasoning_content": "<S2>1</S2>"}, "", None),
        (
            {"content": [{"type": "text", "text": "<S2>"}, {"type": "text", "text": "1</S2>"}]},
            "<S2>1</S2>",
            None,
        ),
        ({"content": [{"type": "text", "text": None}, {"type": "image_url"}]}, "", None),
        ({"content": None, "refusal": "no"}, "", "no"),
        ({"content": [{"type": "refusal", "refusal": "no"}]}, "", "no"),
        ({"content": "", "refusal": ""}, "", None),
        ({"content": "1 \ud800", "refusal": None}, "1 \ufffd", None),
        ({"content": "\U0001f600"}, "\U0001f600", None),
    ],
)
def test_text_and_refusal_are_what_the_message_holds(
    message: dict[str, Any], text: str, refusal: str | None
) -> None:
    reply = read_completion(completion(message))
    assert (reply.text, reply.refusal) == (text, refusal)


@each_row(
    ("function", "arguments"),
    [
        ({"name": "f", "arguments": '{"x": 1}'}, '{"x": 1}'),
        ({"name": "f", "arguments": "no JSON"}, "no JSON"),
        ({"name": "f", "arguments": ""}, ""),
        ({"name": "f", "arguments": {"x": "\ud800"}}, {"x": "\ufffd"}),
        ({"name": "f", "arguments": {}}, {}),
        ({"name": "f"}, "{}"),
    ],
)
def test_arguments_of_a_call_stay_as_they_came(function: dict[str, Any], arguments: Any) -> None:
    reply = read_completion(completion({"content": None, "tool_calls": [{"id": "1", "function": function}]}))
    assert reply.tool_calls == [RequestedCall(name="f", arguments=arguments, id="1")]


@pytest.mark.parametrize("calls", [None, []])
def test_no_calls_are_none(calls: Any) -> None:
    assert read_completion(completion({"content": "1", "tool_calls": calls})).tool_calls is None


@pytest.mark.parametrize("calls", [5, [5], [{"function": {"arguments": "{}"}}], [{"id": "1"}]])
def test_calls_of_no_form_are_an_error_that_may_pass(calls: Any) -> None:
    with pytest.raises(CallError, match=r"no chat completion.*tool_calls") as caught:
        read_completion(completion({"content": None, "tool_calls": calls}))
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("message", "reasoning"),
    [
        ({"reasoning_content": "so"}, "so"),
        ({"reasoning": "so"}, "so"),
        ({"reasoning": {"text": "so"}}, None),
        ({"reasoning_content": "", "reasoning": None}, None),
    ],
)
def test_what_a_model_thought_is_kept_apart(message: dict[str, Any], reasoning: str | None) -> None:
    assert read_completion(completion({"content": "1", **message})).reasoning == reasoning


@each_row(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 2}, (7, 2)),
        ({"prompt_tokens": 7.0}, (7, 0)),
        ({"prompt_tokens": -7, "completion_tokens": "2"}, (0, 0)),
        ({"prompt_tokens": float("nan"), "completion_tokens": float("inf")}, (0, 0)),
        ({"prompt_tokens": 10**50, "completion_tokens": None}, (0, 0)),
        ([], (0, 0)),
        (None, (0, 0)),
    ],
)
def test_no_reply_is_lost_over_how_its_tokens_were_counted(usage: Any, tokens: tuple[int, int]) -> None:
    reply = read_completion(completion({"content": "1"}, usage=usage))
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("1", *tokens)


UNREADABLE: list[Any] = [
    {"tokens": ["1"], "token_logprobs": [-0.1]},
    {"content": [{"token": "1", "logprob": None}]},
    {"content": [{"token": "1", "logprob": float("nan")}]},
    {"content": []},
    "none",
    None,
]


@each_row("logprobs", UNREADABLE)
def test_log_probabilities_that_cannot_be_read_are_none(logprobs: Any) -> None:
    reply = read_completion(completion({"content": "1"}, choice={"logprobs": logprobs}))
    assert (reply.text, reply.logprobs) == ("1", None)


def test_the_logarithm_of_no_probability_is_a_number_that_files_can_hold() -> None:
    entry = {"token": "1", "logprob": -0.1, "top_logprobs": [{"token": "0", "logprob": float("-inf")}]}
    reply = read_completion(completion({"content": "1"}, choice={"logprobs": {"content": [entry]}}))
    assert reply.logprobs is not None
    assert reply.logprobs[0].top == {"0": -9999.0}


@each_row("raw", [b"[" * 200_000, b"1" * 5000, b"", b"<xml>", b"\xe9", b'{"choices": '])
def test_a_body_that_cannot_be_decoded_may_be_asked_for_again(raw: bytes) -> None:
    with pytest.raises(CallError) as raised:
        read_json(raw)
    assert raised.value.retryable


NO_COMPLETIONS: list[Any] = [
    None,
    [],
    {},
    {"choices": None},
    {"choices": []},
    {"choices": [{}]},
    {"choices": [{"text": "1"}]},
    "1",
    completion({"content": 1}),
]


@each_row("payload", NO_COMPLETIONS)
def test_what_is_no_completion_may_be_asked_for_again(payload: object) -> None:
    with pytest.raises(CallError) as raised:
        read_completion(payload)
    assert raised.value.retryable


@each_row(
    ("usage", "cached"),
    [
        ({"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 80}}, 80),
        ({"prompt_tokens": 100, "prompt_cache_hit_tokens": 64}, 64),
        ({"prompt_tokens": 100, "cache_read_input_tokens": 90}, 90),
        ({"prompt_tokens": 10, "cache_read_input_tokens": 90}, 10),
        ({"prompt_tokens": 100, "prompt_tokens_details": None}, 0),
        ({"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": "many"}}, 0),
        (None, 0),
    ],
)
def test_tokens_that_the_provider_had_cached_are_counted_in_every_usual_form(usage: object, cached: int):
    reply = read_completion({"choices": [{"message": {"content": "1"}}], "usage": usage})
    assert reply.cached_tokens == cached


@each_row("raw", [b"<html>", b"\n<!DOCTYPE html>\n<title>Sign in</title>", b"<HTML lang=en>"])
def test_a_page_of_html_is_not_asked_for_again(raw: bytes) -> None:
    with pytest.raises(CallError, match="a page of HTML") as raised:
        read_json(raw)
    assert not raised.value.retryable
