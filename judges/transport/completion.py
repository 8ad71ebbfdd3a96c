"""Read the body of a chat completion, from any server, into a Reply."""

from __future__ import annotations

import json
import math
from typing import Any, cast

import msgspec

from ...records.typed_values import convert
from ..as_json import replace_surrogates
from .event_streams import is_event_stream, join_events
from .exchange import CallError, Reply, RequestedCall, TokenLogprob

_DOCTYPE = b"<!doctype html"
_MAX_EXACT_COUNT = 1 << 53
"""Larger counts are not exact as floats in JSON, and are ignored."""
_MAX_SHOWN_BYTES = 100
_MIN_LOGPROB = -9999.0
"""OpenAI's value for a probability of 0, whose logarithm JSON cannot express."""


class _Part(msgspec.Struct):
    text: str | None = None
    refusal: str | None = None


class _Function(msgspec.Struct):
    name: str
    arguments: dict[str, Any] | str | None = None


class _ToolCall(msgspec.Struct):
    function: _Function
    id: str | None = None


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None
    reasoning_content: Any = None
    reasoning: Any = None


class _Token(msgspec.Struct):
    token: str
    logprob: float


class _ScoredToken(_Token):
    top_logprobs: list[_Token] | None = None


class _Logprobs(msgspec.Struct):
    content: list[_ScoredToken] | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None
    logprobs: Any = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: Any = None


def read_json(raw: bytes) -> object:
    """Decode the body of a response, or the events of a stream.

    Raises:
        CallError: The body is not JSON. The error is retryable, since bodies may be cut off; for a page of HTML it is not.
    """
    if is_event_stream(raw):
        return join_events(raw)
    if raw.lstrip()[: len(_DOCTYPE)].lower().startswith((_DOCTYPE, b"<html")):
        raise CallError(
            f"the address answers with a page of HTML, not with a completion: {_beginning(raw)}; is it the endpoint's, such as https://HOST/v1?"
        )
    try:
        return json.loads(raw)
    except RecursionError as error:
        raise CallError("the response body is nested too deeply", retryable=True) from error
    except ValueError as error:  # not JSON, not text, or a number of thousands of digits
        raise CallError(
            f"the response body is cut off or not JSON: {_beginning(raw)}", retryable=True
        ) from error


def _beginning(raw: bytes) -> str:
    """Describe the beginning of a body that is not JSON, such as a login page."""
    if not raw.strip():
        return "it is empty"
    start = raw[:_MAX_SHOWN_BYTES].decode("utf-8", "replace")
    return f"it begins {start!r}"


def field_of(value: object, name: str) -> object:
    """Return a field of a JSON object, or None if there is no such field or no object."""
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


def read_completion(payload: object) -> Reply:
    """Read the body of a chat completion.

    Raises:
        CallError: The payload is not a chat completion. The error is retryable, since overloaded gateways answer with other objects.
    """
    try:
        body = convert(payload, _Completion)
    except msgspec.ValidationError as error:
        raise CallError(
            f"the response is no chat completion: {error_in(payload) or error}", retryable=True
        ) from error
    if not body.choices:
        raise CallError("the response is a chat completion without a choice", retryable=True)
    choice = body.choices[0]
    content = choice.message.content
    parts = content if isinstance(content, list) else [_Part(content)]
    refusal = choice.message.refusal or "".join(part.refusal or "" for part in parts)
    prompt_tokens = token_count(body.usage, "prompt_tokens")
    return Reply(
        text=replace_surrogates("".join(part.text or "" for part in parts)),
        tool_calls=[_read_call(call) for call in choice.message.tool_calls or ()] or None,
        reasoning=_reasoning(choice.message),
        refusal=text_or_none(refusal),
        finish_reason=text_or_none(choice.finish_reason),
        served_by=text_or_none(body.model),
        prompt_tokens=prompt_tokens,
        cached_tokens=cached_tokens(body.usage, prompt_tokens),
        completion_tokens=token_count(body.usage, "completion_tokens"),
        logprobs=read_logprobs(choice.logprobs),
    )


def _read_call(call: _ToolCall) -> RequestedCall:
    return requested_call(call.function.name, call.function.arguments, call.id)


def requested_call(name: str, arguments: dict[str, Any] | str | None, call_id: str | None) -> RequestedCall:
    """Return a requested call without lone surrogates, which cannot be written to files."""
    writable_arguments: dict[str, Any] | str
    if isinstance(arguments, dict):  # its texts may contain lone surrogates, too
        writable_arguments = json.loads(replace_surrogates(json.dumps(arguments, ensure_ascii=False)))
    else:
        writable_arguments = "{}" if arguments is None else replace_surrogates(arguments)
    return RequestedCall(
        name=replace_surrogates(name), arguments=writable_arguments, id=text_or_none(call_id)
    )


def text_or_none(value: str | None) -> str | None:
    """Return a text without lone surrogates, which files cannot contain, or None if empty."""
    return replace_surrogates(value or "") or None


def _reasoning(message: _Message) -> str | None:
    reasoning = message.reasoning_content or message.reasoning
    return text_or_none(reasoning) if isinstance(reasoning, str) else None


def error_in(payload: object) -> str | None:
    """Return the error that a gateway reports in a successful response."""
    error = field_of(payload, "error")
    message = field_of(error, "message") or error
    return str(message) if message else None


_CACHED_TOKENS_FIELDS = (
    ("prompt_tokens_details", "cached_tokens"),
    ("input_tokens_details", "cached_tokens"),
    ("prompt_cache_hit_tokens",),
    ("cache_read_input_tokens",),
)
"""Fields in which servers count prompt tokens that they had cached: OpenAI, its Responses API, DeepSeek, Anthropic."""


def cached_tokens(usage: object, prompt_tokens: int) -> int:
    """Return the number of prompt tokens that the provider had cached and bills at less, or 0."""
    for *parents, name in _CACHED_TOKENS_FIELDS:  # at most one parent
        container = field_of(usage, parents[0]) if parents else usage
        count = token_count(container, name)
        if count:
            return min(count, prompt_tokens)
    return 0


def token_count(usage: object, name: str) -> int:
    """Return a token count, or 0 if it is no valid number."""
    value = field_of(usage, name)
    return int(value) if isinstance(value, int | float) and 0 <= value <= _MAX_EXACT_COUNT else 0


def read_logprobs(logprobs: Any) -> list[TokenLogprob] | None:
    """Return the tokens' log-probabilities, or None if they are missing or cannot be read."""
    if logprobs is None:
        return None
    try:
        content = convert(logprobs, _Logprobs).content or []
        return [_token_logprob(entry) for entry in content] or None
    except (msgspec.ValidationError, ValueError):
        return None


def _token_logprob(entry: _ScoredToken) -> TokenLogprob:
    return TokenLogprob(
        token=replace_surrogates(entry.token),
        logprob=_finite(entry.logprob),
        top={replace_surrogates(other.token): _finite(other.logprob) for other in entry.top_logprobs or ()},
    )


def _finite(logprob: float) -> float:
    if math.isnan(logprob):
        raise ValueError("a log-probability is no number")
    return min(0.0, max(_MIN_LOGPROB, logprob))
