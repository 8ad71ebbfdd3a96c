"""Requests to models, replies and failed calls, and the interface of all providers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from ...errors import ProviderError
from ...records import NO_USAGE, Message, Usage
from ...records.case import Record

_KEY_LENGTH = 32
"""Hexadecimal digits: 128 bits let no two requests of a run collide, and fit a batch file's ``custom_id``."""

ApiName: TypeAlias = Literal["chat", "systemone", "decisions", "gemini"]
"""Protocol of an endpoint: chat completions, or a dialect of decision models (`decision_apis`)."""


@dataclass(frozen=True, slots=True)
class Request:
    """Request for a chat completion, or for decisions.

    Attributes:
        model: The model's name at the endpoint.
        messages: Chat messages in OpenAI's form.
        parameters: All other fields of the body, such as ``temperature``.
        repeat: Number of the repetition; each repetition is a separate request.
        attempt: 0, or 1 for the retry of an unreadable reply.
        key: Hash of the fields above; equal requests have equal keys in every run.
        anew: Whether to call the model even if a reply is cached, since the cached reply cannot be read.
        retry: Number of earlier commands that got only unreadable replies. Batches need it to tell the requests apart.
        api: The protocol. If it is not ``chat``, there are no messages, and ``parameters`` is the whole body but the model.
    """

    model: str
    messages: Sequence[Message]
    parameters: Mapping[str, Any]
    repeat: int
    attempt: int
    key: str = field(compare=False)
    anew: bool = False
    retry: int = 0
    api: ApiName = "chat"

    @property
    def custom_id(self) -> str:
        """Id of the request in a batch; a retry has another id than in earlier batches."""
        return f"{self.key}-{self.retry}" if self.retry else self.key

    def body(self) -> dict[str, Any]:
        """Return the JSON body of ``POST /chat/completions``, or of a request for decisions."""
        if self.api != "chat":
            return {"model": self.model, **self.parameters}
        return {"model": self.model, "messages": self.messages, **self.parameters}


def _encoded(values: Sequence[Any]) -> bytes:
    """Encode values as JSON, with keys in their given order, faster than `json.dumps`."""
    try:
        return msgspec.json.encode(values)
    except UnicodeEncodeError:  # a lone surrogate, for which sending the request will fail
        return json.dumps(values, separators=(",", ":")).encode("ascii")


def make_request(
    model: str,
    messages: Sequence[Message],
    parameters: Mapping[str, Any],
    *,
    repeat: int = 0,
    attempt: int = 0,
    anew: bool = False,
    retry: int = 0,
    api: ApiName = "chat",
) -> Request:
    """Make a request with its key; ``attempt`` is 1 after an unreadable reply."""
    # `anew` and `retry` are left out: they do not change the question.
    content = (
        json.dumps(
            [model, messages, parameters, repeat, attempt], sort_keys=True, separators=(",", ":")
        ).encode("ascii")
        if api == "chat"
        # The order of questions and options is part of what a decision model is asked.
        else _encoded([api, model, parameters, repeat, attempt])
    )
    key = hashlib.sha256(content).hexdigest()[:_KEY_LENGTH]
    return Request(model, messages, parameters, repeat, attempt, key, anew, retry, api)


class TokenLogprob(Record, frozen=True, kw_only=True):
    """Token of a reply with its log-probability, and those of the likeliest alternatives."""

    token: str
    logprob: float
    top: dict[str, float] = {}


class RequestedCall(Record, frozen=True, kw_only=True):
    """Tool call that a model requests: the tool's name, verbatim arguments, and the call's id."""

    name: str
    arguments: dict[str, Any] | str = "{}"
    id: str | None = None


class Reply(Record, frozen=True, kw_only=True):
    """Reply of a model.

    Attributes:
        text: The reply's content; empty when there was none.
        tool_calls: The tool calls that it requests, if any.
        reasoning: The model's reasoning, if the endpoint returns it separately.
        refusal: The provider's refusal, if it marks one.
        finish_reason: Why the model stopped: ``stop``, ``length``, ``content_filter`` ...
        served_by: The model that answered, as the endpoint names it: often a dated version of the requested one.
        prompt_tokens: Prompt tokens, as counted by the provider.
        cached_tokens: Prompt tokens that the provider had cached, if it counts them.
        completion_tokens: Completion tokens, as counted by the provider.
        logprobs: Log-probabilities of its tokens, if requested and returned.
        calls: Number of HTTP calls, retries included; 0 if it came from the cache or a recording.
        from_cache: Whether it came from the reply cache.
    """

    text: str = ""
    tool_calls: list[RequestedCall] | None = None
    reasoning: str | None = None
    refusal: str | None = None
    finish_reason: str | None = None
    served_by: str | None = None
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    logprobs: list[TokenLogprob] | None = None
    calls: int = 1
    from_cache: bool = False

    @property
    def usage(self) -> Usage:
        """Its calls and tokens; a cached reply has the tokens of the original call."""
        return Usage(
            calls=self.calls,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cached_tokens=self.cached_tokens,
        )


class CallError(ProviderError):
    """A call failed, or was not made.

    Args:
        message: The problem in a sentence, without secrets.
        status: The HTTP status, if there was a response.
        retryable: Whether the same call may succeed later.
        retry_after: Seconds that the server asks to wait, if known.
        allowed_rate: Requests per second that the server allows, if known.
        param: Field of the request that the server names, if any.
    """

    calls = 1
    """Number of HTTP calls that were made."""
    tokens: Usage = NO_USAGE
    """Tokens of a reply that came and was refused; its calls are among `calls`."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        allowed_rate: float | None = None,
        param: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after
        self.allowed_rate = allowed_rate
        self.param = param

    @property
    def usage(self) -> Usage:
        """Its calls, and the tokens of a refused reply."""
        return msgspec.structs.replace(self.tokens, calls=self.calls)

    @property
    def rate_limited(self) -> bool:
        """True if calls come too fast; False if the account has no funds."""
        return self.status == HTTPStatus.TOO_MANY_REQUESTS and self.retryable


class NotRecordedError(CallError):
    """A call was not made: replies are only replayed, and there is none to this request."""

    calls = 0


class Provider(Protocol):
    """Interface that answers requests.

    Caching, retrying, recording and limiting are providers that wrap another.
    """

    async def complete(self, request: Request) -> Reply:
        """Answer one request.

        Raises:
            CallError: There is no reply.
        """
        ...

    async def aclose(self) -> None:
        """Close connections and files."""
        ...


class WrappingProvider:
    """Base of providers that wrap another, and close it."""

    def __init__(self, inner: Provider) -> None:
        self._inner = inner

    async def aclose(self) -> None:
        """Close the inner provider."""
        await self._inner.aclose()
