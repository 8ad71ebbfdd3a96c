"""Asks any OpenAI-compatible endpoint, over one shared client of the openai library."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from .completion import read_completion
from .exchange import CallError, Reply, Request
from .waiting_times import allowed_rate, retry_after

if TYPE_CHECKING:
    import httpx2
    import openai

_RETRYABLE_STATUSES = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS}
)
_LONGEST_MESSAGE = 300
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model is, and how to be let in.

    Attributes:
        base_url: The API's root, such as ``http://127.0.0.1:8000/v1``; None for OpenAI's own. Azure: the resource's address.
        api_key: The key; never shown, stored or logged. None to leave it to the openai library, which asks its own variable.
        kind: ``openai`` for everything compatible with it, ``azure`` for Azure OpenAI.
        api_version: Azure only.
    """

    base_url: str | None
    api_key: str | None = field(repr=False)
    kind: Literal["openai", "azure"] = "openai"
    api_version: str | None = None

    @property
    def identity(self) -> str:
        """What tells endpoints apart: models of one name at two endpoints are two models."""
        return f"{self.kind}:{self.base_url or ''}"


class OpenAIProvider:
    """Sends requests as they are, once each, and translates what comes back.

    The openai library is imported, and the client made, when the first request is sent: a run that is answered from the
    cache never pays for them. The client's own retries are off: who asks again is decided in one place (`RetryingProvider`).

    Args:
        endpoint: Where to send requests.
        timeout: Seconds until a call is given up, however slowly bytes may still arrive.
    """

    def __init__(self, endpoint: Endpoint, *, timeout: float = 60.0) -> None:
        self._endpoint = endpoint
        self._timeout = timeout
        self._client: openai.AsyncOpenAI | None = None
        self._address: tuple[httpx2.URL, httpx2.Headers] | None = None

    async def complete(self, request: Request) -> Reply:
        """Send one request. See `Provider.complete`."""
        import openai  # noqa: PLC0415 - 0.5 s, which runs without a call do not pay

        try:
            if self._client is None:
                self._transport = _transport(self._endpoint, self._timeout)
                self._client = _connect(self._endpoint, self._timeout, self._transport)
            async with asyncio.timeout(self._timeout):
                payload = await self._post(self._client, request)
        except TimeoutError as error:
            raise CallError(f"no reply within {self._timeout:g} s", retryable=True) from error
        except openai.APIStatusError as error:
            return self._refusal_or_raise(error)
        except openai.APIConnectionError as error:
            raise CallError(
                self._redact(f"the connection failed: {_cause(error)}"), retryable=True
            ) from error
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise CallError(f"the response body is cut off or not JSON: {error}", retryable=True) from error
        except openai.OpenAIError as error:
            raise CallError(self._redact(str(error))) from error
        return read_completion(payload)

    async def _post(self, client: openai.AsyncOpenAI, request: Request) -> object:
        if self._endpoint.kind == "azure":
            # Azure's client takes the deployment from the body, so it needs to see it.
            return await client.post("/chat/completions", body=request.body(), cast_to=object)
        # Encoded here, since the client would first make two deep copies of the body.
        content = msgspec.json.encode(request.body())
        if len(content) <= _PIECE:
            return await self._send(client, content)
        # In one piece it would hold up every other call, and aiohttp warns of it.
        length = {"Content-Length": str(len(content))}
        return await client.post(
            "/chat/completions", content=_in_pieces(content), options={"headers": length}, cast_to=object
        )

    async def _send(self, client: openai.AsyncOpenAI, content: bytes) -> object:
        """Send over the client's transport, with headers and address as the client has them.

        `client.post` works them out anew for each request, which takes longer than everything else that is done for one.
        """
        import httpx2  # noqa: PLC0415 - openai's transport; imported with it
        import openai  # noqa: PLC0415 - see `complete`

        if self._address is None:
            self._address = client.base_url.join("chat/completions"), httpx2.Headers(_headers(client))
        url, headers = self._address
        request = httpx2.Request("POST", url, headers=headers, content=content)
        try:
            response = await self._transport.send(request)
        except httpx2.HTTPError as error:
            raise openai.APIConnectionError(request=request) from error
        if response.is_success:
            return json.loads(response.content)
        message, body = _error_in(response)
        raise openai.APIStatusError(message, response=response, body=body)

    async def aclose(self) -> None:
        """Close the client's connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    def _refusal_or_raise(self, error: openai.APIStatusError) -> Reply:
        """Tell a prompt that a content filter stopped (a refusal) from a call that failed."""
        code = error.code
        text = self._redact(error.message.removeprefix(f"Error code: {error.status_code} - "))
        if error.status_code == HTTPStatus.BAD_REQUEST and code == "content_filter":
            return Reply(refusal=text, finish_reason="content_filter")
        retryable = (
            error.status_code in _RETRYABLE_STATUSES or error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR
        )
        override = error.response.headers.get("x-should-retry")
        if override in {"true", "false"}:
            retryable = override == "true"
        if code == "insufficient_quota":
            retryable = False
        raise CallError(
            f"HTTP {error.status_code}: {text}",
            status=error.status_code,
            retryable=retryable,
            retry_after=retry_after(error.response.headers),
            allowed_rate=allowed_rate(error.response.headers),
        ) from error

    def _redact(self, text: str) -> str:
        key = self._endpoint.api_key
        return (text.replace(key, "***") if key else text)[:_LONGEST_MESSAGE]


def _headers(client: openai.AsyncOpenAI) -> dict[str, str]:
    """What the client sends with every request."""
    given = {name: value for name, value in client.default_headers.items() if isinstance(value, str)}
    return given | {"Authorization": f"Bearer {client.api_key}"}


def _error_in(response: httpx2.Response) -> tuple[str, object]:
    """What an error response says, and its object, as the openai library finds them."""
    try:
        body: object = json.loads(response.content)
    except (json.JSONDecodeError, UnicodeDecodeError):
        return response.text, None
    error = _field(body, "error") or body
    return str(_field(error, "message") or body), error


def _field(value: object, name: str) -> object:
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


async def _in_pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), _PIECE):
        yield content[start : start + _PIECE]


def _transport(endpoint: Endpoint, timeout: float) -> httpx2.AsyncClient:
    import openai  # noqa: PLC0415 - see OpenAIProvider.complete

    if endpoint.base_url is not None and endpoint.base_url.startswith("http://"):
        # Nothing to verify: an empty trust store (which trusts nobody, should a server redirect to https) saves loading the
        # system's, twice.
        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return openai.DefaultAioHttpClient(timeout=timeout, verify=trust)
    return openai.DefaultAioHttpClient(timeout=timeout)


def _connect(endpoint: Endpoint, timeout: float, transport: httpx2.AsyncClient) -> openai.AsyncOpenAI:
    import openai  # noqa: PLC0415 - see OpenAIProvider.complete

    shared: dict[str, Any] = {
        "api_key": endpoint.api_key,
        "max_retries": 0,
        "timeout": timeout,
        "http_client": transport,
    }
    if endpoint.kind == "azure":
        return openai.AsyncAzureOpenAI(
            azure_endpoint=endpoint.base_url or "", api_version=endpoint.api_version, **shared
        )
    return openai.AsyncOpenAI(base_url=endpoint.base_url, **shared)


def _cause(error: Exception) -> str:
    cause = error.__cause__ or error
    return f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__
