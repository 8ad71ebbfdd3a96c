"""Call any OpenAI-compatible endpoint or decision model, and read its responses.

An `Endpoint` is an address with its key. A `Sender` sends bytes to it. An `Api` writes a request's body and reads the response's.
`OpenAIProvider` puts the three together, and turns error responses into a `CallError`. Decision models: see `decision_apis`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

import msgspec

from ...records.typed_values import decode_json
from ...spelling import setting
from ..as_json import replace_surrogates
from .completion import field_of, read_json
from .decision_apis import DECISION_APIS, decision_api
from .endpoint import Endpoint
from .exchange import CallError, Reply, Request, RequestedCall
from .refused_parameters import error_fields
from .responses_api import CHAT, RESPONSES, Api, name_in_chat, needs_responses
from .retry import allowed_rate, retry_after, retry_after_in_words
from .sending import DirectSender, Response, Sender

_RETRYABLE_STATUSES = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS}
)
"""Statuses of responses to retry, besides those of server errors: the same as in OpenAI's client."""
_NO_SUCH_API_STATUSES = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED})
_MAX_MESSAGE_LENGTH = 1000
"""Maximum characters of an error's message: more than APIs write, fewer than a page of HTML has."""
_HEAD_START_SECONDS = 0.02
"""Time for sending the first requests, before other work begins."""
_PAUSE_SECONDS = 0.005
"""Pause between two steps of other work, in which the event loop reads replies."""


class OpenAIProvider:
    """Provider that sends requests without retries, and reads the responses.

    The HTTP library is imported at the first request, so that a run with a full cache never imports it. A call fails after
    ``timeout`` seconds, even if bytes still arrive. ``meanwhile`` is other work, done step by step during the wait for the first
    responses.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        timeout: float = 60.0,
        meanwhile: Iterator[object] | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._timeout = timeout
        self._meanwhile = meanwhile
        self._sender: Sender | None = None
        self._api_by_model: dict[str, Api] = {}
        self._background_task: asyncio.Task[None] | None = None

    async def complete(self, request: Request) -> Reply:
        """Send one request. See `Provider.complete`."""
        if request.api != self._endpoint.api:
            raise _protocol_error(request, self._endpoint)
        if self._sender is None:
            self._sender = _sender(self._endpoint, self._timeout)
            if self._meanwhile is not None:
                self._background_task = asyncio.create_task(_advance(self._meanwhile))
        try:
            async with asyncio.timeout(self._timeout):
                response, api = await self._send(self._sender, request)
            if response.succeeded:
                return self._redact_reply(api.read(read_json(response.body)))
        except TimeoutError as error:
            raise CallError(f"no reply within {self._timeout:g} s", retryable=True) from error
        except CallError as error:
            error.args = (self._presentable(str(error)),)  # keeps its class and attributes, hides the key
            raise
        # Outside the `try`, since its messages are presentable already.
        return self._refusal_or_raise(response, request)

    async def _send(self, sender: Sender, request: Request) -> tuple[Response, Api]:
        """Send a request to its model's API, or to the Responses API if the server asks for it."""
        if request.api != "chat":
            api = decision_api(request, self._endpoint.path)
            return await sender.send(request, api), api
        api = self._api_by_model.get(request.model, CHAT)
        response = await sender.send(request, api)
        chat_failed = api is CHAT and not response.succeeded
        if chat_failed and needs_responses(response.status, _error_in(response.body).message):
            second_response = await sender.send(request, RESPONSES)
            if second_response.status not in _NO_SUCH_API_STATUSES:
                self._api_by_model[request.model] = RESPONSES
                return second_response, RESPONSES
        return response, api

    async def aclose(self) -> None:
        """Close the connections."""
        if self._background_task is not None:
            self._background_task.cancel()
        if self._sender is not None:
            sender, self._sender = self._sender, None
            await sender.aclose()

    def _refusal_or_raise(self, response: Response, request: Request) -> Reply:
        """Return a refusal if a content filter stopped the prompt; raise any other error."""
        message, code, param = _error_in(response.body)
        # Redirects are not followed, since they could lead the key to another server.
        if response.status < HTTPStatus.BAD_REQUEST and (moved := response.headers.get("location")):
            message = f"moved to {moved}: name that address instead"
        text = self._presentable(message)
        if request.api == "chat" and _may_be_decision_model(response.status, message):
            text = f"{text} (if this is a decision model, name its protocol: {setting('endpoints', 'URL,api=' + '|'.join(DECISION_APIS))})"
        if response.status == HTTPStatus.BAD_REQUEST and code == "content_filter":
            return Reply(refusal=text, finish_reason="content_filter")
        wait = retry_after(response.headers)
        if wait is None and response.status == HTTPStatus.TOO_MANY_REQUESTS:
            wait = retry_after_in_words(text)
        raise CallError(
            f"HTTP {response.status}: {text}",
            status=response.status,
            retryable=_retryable(response, code),
            retry_after=wait,
            allowed_rate=allowed_rate(response.headers),
            param=name_in_chat(param, request),
        )

    def _redact_reply(self, reply: Reply) -> Reply:
        """Remove the API key from a reply, since a server may echo it."""
        assert self._sender is not None
        redact = self._sender.redact_reply
        names = ("text", "reasoning", "refusal", "finish_reason", "served_by")
        texts = {name: getattr(reply, name) for name in names}
        changed: dict[str, Any] = {
            name: redact(text) for name, text in texts.items() if text and redact(text) != text
        }
        if reply.tool_calls:
            calls_json = msgspec.json.encode(reply.tool_calls).decode()
            if (redacted := redact(calls_json)) != calls_json:
                changed["tool_calls"] = decode_json(redacted, list[RequestedCall])
        return msgspec.structs.replace(reply, **changed) if changed else reply

    def _presentable(self, text: str) -> str:
        redacted = self._sender.redact(text) if self._sender is not None else text
        return " ".join(replace_surrogates(redacted).split())[:_MAX_MESSAGE_LENGTH]


_DECISION_MODEL_HINT = re.compile(r"\bdecisions?[ _-]models?\b|/systemone\b|/decisions\b", re.IGNORECASE)


def _may_be_decision_model(status: int, message: str) -> bool:
    """Return whether an error response suggests that the server has a decision model instead."""
    return status in _NO_SUCH_API_STATUSES or (
        HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR
        and _DECISION_MODEL_HINT.search(message) is not None
    )


def _protocol_error(request: Request, endpoint: Endpoint) -> CallError:
    """Return the error for a request that is not sent, since the endpoint has another protocol."""
    error = CallError(
        f"not asked: the endpoint is one of api={endpoint.api}, and this question is for api={request.api}"
    )
    error.calls = 0
    return error


async def _advance(steps: Iterator[object]) -> None:
    """Do other work in steps, with pauses in which replies are read.

    In a thread, the work would hold Python's global lock and delay the replies.
    """
    await asyncio.sleep(_HEAD_START_SECONDS)
    for _ in steps:
        await asyncio.sleep(_PAUSE_SECONDS)


def _sender(endpoint: Endpoint, timeout: float) -> Sender:
    if not endpoint.needs_library:
        return DirectSender(endpoint)
    from .library_sender import LibrarySender  # noqa: PLC0415 - slow to import, and few endpoints need it

    return LibrarySender(endpoint, timeout)


def _retryable(response: Response, code: object) -> bool:
    if code == "insufficient_quota":  # a 429 of an account without funds, which waiting does not help
        return False
    override = response.headers.get("x-should-retry")  # OpenAI's servers say so themselves
    if override in {"true", "false"}:
        return override == "true"
    return response.status in _RETRYABLE_STATUSES or response.status >= HTTPStatus.INTERNAL_SERVER_ERROR


class _ErrorBody(NamedTuple):
    """Message and code of an error response, and the request field that it names."""

    message: str
    code: object
    param: str | None


def _error_in(raw: bytes) -> _ErrorBody:
    """Read an error response's body, which may have any form."""
    try:
        body = read_json(raw)
    except CallError:
        return _ErrorBody(raw.decode("utf-8", "replace") or "no reason given", None, None)
    fields = list(error_fields(body))
    # Nested errors often repeat a message.
    messages = dict.fromkeys(_texts(fields, "message"))
    error = field_of(body, "error") or body
    code = field_of(error, "code") or next((field["code"] for field in fields if field.get("code")), None)
    param = next(_texts(fields, "param"), None)
    message = ": ".join(messages) or str(error if isinstance(error, str) else body)
    return _ErrorBody(message, code, param)


def _texts(fields: Iterable[Mapping[str, Any]], name: str) -> Iterator[str]:
    for field in fields:
        value = field.get(name)
        if isinstance(value, str) and value:
            yield value
