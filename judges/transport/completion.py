"""Reads the body of a chat completion, which any server may have written, into a Reply."""

from __future__ import annotations

import msgspec

from .exchange import CallError, Reply, TokenLogprob


class _Part(msgspec.Struct):
    text: str = ""


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None


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
    logprobs: _Logprobs | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None


def read_completion(payload: object) -> Reply:
    """Read a chat completion's body.

    Args:
        payload: The decoded JSON.

    Returns:
        The first choice as a reply.

    Raises:
        CallError: It is not a chat completion; retryable, since gateways under load answer with other objects.
    """
    try:
        body = msgspec.convert(payload, _Completion)
    except msgspec.ValidationError as error:
        raise CallError(f"the response is no chat completion: {error}", retryable=True) from error
    if not body.choices:
        raise CallError("the response is a chat completion without a choice", retryable=True)
    choice = body.choices[0]
    usage = body.usage or _Usage()
    return Reply(
        text=_text(choice.message.content),
        refusal=choice.message.refusal or None,
        finish_reason=choice.finish_reason,
        served_by=body.model,
        prompt_tokens=usage.prompt_tokens or 0,
        completion_tokens=usage.completion_tokens or 0,
        logprobs=_logprobs(choice.logprobs),
    )


def _text(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):
        return "".join(part.text for part in content)
    return content or ""


def _logprobs(logprobs: _Logprobs | None) -> list[TokenLogprob] | None:
    if logprobs is None or not logprobs.content:
        return None
    return [
        TokenLogprob(
            token=entry.token,
            logprob=entry.logprob,
            top={other.token: other.logprob for other in entry.top_logprobs or ()},
        )
        for entry in logprobs.content
    ]
