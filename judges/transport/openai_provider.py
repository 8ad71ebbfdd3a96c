"""Call any OpenAI-compatible endpoint or decision model, and read its responses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import msgspec

from ...records.typed_values import decode_json
from ...spelling import setting
from ..as_json import well_formed
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
_NOT_THERE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED})
_MAX_MESSAGE_LENGTH = 1000
"""Maximum characters of an error's message: more than APIs write, fewer than a page of HTML has."""
_A_MOMENT = 0.02
"""Seconds after which the first requests have been sent."""
_BETWEEN_STEPS = 0.005
"""Seconds between two steps of work done meanwhile, for the replies that arrived during one."""


class OpenAIProvider:
    """Provider that sends each request once, and reads the response.

    The HTTP library is imported at the first request, so that a run with a full cache does without. A call fails after
    ``timeout`` seconds, even if bytes still arrive. ``meanwhile`` is advanced step by step during the wait for the first
    responses, unless they arrive at once.
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
        self._apis: dict[str, Api] = {}
        self._at_work: asyncio.Task[None] | None = None

    async def complete(self, request: Request) -> Reply:
        """Send one request. See `Provider.complete`."""
        if request.api != self._endpoint.api:
            raise _other_protocol(request, self._endpoint)
        if self._sender is None:
            self._sender = _sender(self._endpoint, self._timeout)
            if self._meanwhile is not None:
                self._at_work = asyncio.create_task(_advance(self._meanwhile))
        try:
            async with asyncio.timeout(self._timeout):
                response, api = await self._send(self._sender, request)
            if response.succeeded:
                return self._without_key(api.read(read_json(response.body)))
        except TimeoutError as error:
            raise CallError(f"no reply within {self._timeout:g} s", retryable=True) from error
        except CallError as error:
            error.args = (self._shown(str(error)),)
            raise
        return self._refusal_or_raise(response, request)

    async def _send(self, sender: Sender, request: Request) -> tuple[Response, Api]:
        """Send a request in its model's form, or in the other form if the server asks for it."""
        if request.api != "chat":
            api = decision_api(request, self._endpoint.path)
            return await sender.send(request, api), api
        api = self._apis.get(request.model, CHAT)
        response = await sender.send(request, api)
        refused = api is CHAT and not response.succeeded
        if refused and needs_responses(response.status, _error_in(response.body)[0]):
            other = await sender.send(request, RESPONSES)
            if other.status not in _NOT_THERE:
                self._apis[request.model] = RESPONSES
                return other, RESPONSES
        return response, api

    async def aclose(self) -> None:
        """Close the connections."""
        if self._at_work is not None:
            self._at_work.cancel()
        if self._sender is not None:
            sender, self._sender = self._sender, None
            await sender.aclose()

    def _refusal_or_raise(self, response: Response, request: Request) -> Reply:
        """Return the refusal of a prompt that a content filter stopped; raise any other error."""
        message, code, param = _error_in(response.body)
        if response.status < HTTPStatus.BAD_REQUEST and (moved := response.headers.get("location")):
            message = f"moved to {moved}: name that address instead"
        text = self._shown(message)
        if request.api == "chat" and _may_decide(response.status, message):
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

    def _without_key(self, reply: Reply) -> Reply:
        """Remove the key from a reply, since a server may echo it."""
        assert self._sender is not None
        redact = self._sender.redact_reply
        names = ("text", "reasoning", "refusal", "finish_reason", "served_by")
        texts = {name: getattr(reply, name) for name in names}
        changed: dict[str, Any] = {
            name: redact(text) for name, text in texts.items() if text and redact(text) != text
        }
        if reply.tool_calls:
            written = msgspec.json.encode(reply.tool_calls).decode()
            if (redacted := redact(written)) != written:
                changed["tool_calls"] = decode_json(redacted, list[RequestedCall])
        return msgspec.structs.replace(reply, **changed) if changed else reply

    def _shown(self, text: str) -> str:
        """Return a message as it may be shown: without the key, on one line, short."""
        shown = self._sender.redact(text) if self._sender is not None else text
        return " ".join(well_formed(shown).split())[:_MAX_MESSAGE_LENGTH]


_DECIDING = re.compile(r"\bdecisions?[ _-]models?\b|/systemone\b|/decisions\b", re.IGNORECASE)


def _may_decide(status: int, message: str) -> bool:
    """Return whether a server without chat completions may have a decision model."""
    return status in _NOT_THERE or (
        HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR
        and _DECIDING.search(message) is not None
    )


def _other_protocol(request: Request, endpoint: Endpoint) -> CallError:
    """Return the error of a request that the endpoint does not understand; it is not sent."""
    error = CallError(
        f"not asked: the endpoint is one of api={endpoint.api}, and this question is for api={request.api}"
    )
    error.calls = 0
    return error


async def _advance(steps: Iterator[object]) -> None:
    """Take steps one by one; between two, replies are read, which a thread would keep waiting."""
    await asyncio.sleep(_A_MOMENT)
    for _ in steps:
        await asyncio.sleep(_BETWEEN_STEPS)


def _sender(endpoint: Endpoint, timeout: float) -> Sender:
    if not endpoint.needs_library:
        return DirectSender(endpoint)
    from .library_sender import LibrarySender  # noqa: PLC0415 - slow to import, and few endpoints need it

    return LibrarySender(endpoint, timeout)


def _retryable(response: Response, code: object) -> bool:
    if code == "insufficient_quota":
        return False
    override = response.headers.get("x-should-retry")
    if override in {"true", "false"}:
        return override == "true"
    return response.status in _RETRYABLE_STATUSES or response.status >= HTTPStatus.INTERNAL_SERVER_ERROR


def _error_in(raw: bytes) -> tuple[str, object, str | None]:
    """Return an error response's message, its code, and the request field that it names."""
    try:
        body = read_json(raw)
    except CallError:
        return raw.decode("utf-8", "replace") or "no reason given", None, None
    fields = list(error_fields(body))
    messages = dict.fromkeys(
        text for field in fields if isinstance(text := field.get("message"), str) and text
    )
    error = field_of(body, "error") or body
    code = field_of(error, "code") or next((field["code"] for field in fields if field.get("code")), None)
    param = next((text for field in fields if isinstance(text := field.get("param"), str) and text), None)
    return ": ".join(messages) or str(error if isinstance(error, str) else body), code, param
