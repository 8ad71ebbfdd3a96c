"""Send requests with the openai library, for endpoints that need more than a key."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import httpx2
import openai

from .endpoint import Endpoint, redactor
from .exchange import CallError, Request
from .responses_api import Api
from .sending import MAX_BODY_BYTES, Response, bounded_body, connection_failed


class LibrarySender:
    """Sender with the openai library: for OpenAI, Azure, and the library's own variables.

    The client's retries are off, since `RetryingProvider` retries.
    """

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        self._token = endpoint.token
        options: dict[str, Any] = {
            "max_retries": 0,
            "timeout": timeout,
            "http_client": BoundedClient(timeout=timeout),
            **endpoint.client_options(),
        }
        try:
            self._client = (
                openai.AsyncAzureOpenAI(
                    **options, azure_ad_token_provider=self._fresh_token if self._token else None
                )
                if endpoint.kind == "azure"
                else openai.AsyncOpenAI(**options)
            )
        except openai.OpenAIError as error:
            raise CallError(str(error)) from error
        self._key = self._client.api_key
        self._redactors = {self._key: redactor(self._key)}

    async def send(self, request: Request, api: Api) -> Response:
        """Send one request. See `Sender.send`."""
        try:
            response = await self._client.post(
                f"/{api.path}",
                body=api.body(request),
                cast_to=httpx2.Response,
                options={"follow_redirects": False},
            )
        except openai.APIStatusError as error:
            response = error.response
        except (openai.APIConnectionError, aiohttp.ClientError) as error:
            if isinstance(error.__cause__, CallError):
                raise error.__cause__ from None
            # The library does not translate aiohttp's error about a response that is not HTTP.
            raise connection_failed(_cause(error), error) from error
        except openai.OpenAIError as error:
            raise CallError(str(error)) from error
        except ValueError as error:
            raise CallError(f"the request cannot be sent: {error}") from error
        return Response(response.status_code, response.headers, response.content)

    def redact(self, text: str) -> str:
        """Remove the key and any token from a text; see `Sender.redact`."""
        return self.redact_reply(text.replace(self._key, "***") if self._key else text)

    def redact_reply(self, text: str) -> str:
        """Remove the key and any token from a reply; see `Sender.redact_reply`."""
        for redact in self._redactors.values():
            text = redact(text)
        return text

    async def _fresh_token(self) -> str:
        assert self._token is not None
        try:
            # In a thread, since it may request the token over the network.
            token = await asyncio.to_thread(self._token)
        except Exception as error:
            raise CallError(f"no token: {_cause(error)}") from error
        if token not in self._redactors:
            self._redactors[token] = redactor(token)
        return token

    async def aclose(self) -> None:
        """Close the client's connections."""
        await self._client.close()


def _cause(error: Exception) -> str:
    cause = error.__cause__ or error
    return f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__


_ENCODINGS = frozenset({"gzip", "x-gzip", "deflate"})
"""Content encodings that zlib unpacks in pieces, so that the size can be bounded."""


class BoundedClient(openai.DefaultAioHttpClient):
    """HTTP client that bounds the size of responses, which the library itself does not."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request, and read the response up to the size limit."""
        request.headers["Accept-Encoding"] = "gzip, deflate"
        options["stream"] = True
        response = await super().send(request, **options)
        try:
            pieces = _unpack(response.aiter_raw(), response.headers.get("content-encoding", ""))
            body = await bounded_body(pieces, response.status_code)
        finally:
            await response.aclose()
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in {"content-encoding", "content-length", "transfer-encoding"}
        ]
        return httpx2.Response(response.status_code, headers=headers, content=body, request=request)


async def _unpack(pieces: AsyncIterator[bytes], encoding: str) -> AsyncIterator[bytes]:
    encoding = encoding.strip().lower()
    if encoding in {"", "identity"}:
        async for piece in pieces:
            yield piece
        return
    if encoding not in _ENCODINGS:
        raise CallError(f"the response is packed as {encoding[:20]!r}, which was not asked for")
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)  # 32: read from the header whether it is gzip or zlib
    async for piece in pieces:
        try:
            # One byte above the limit is enough for `bounded_body` to refuse the body.
            yield unpacker.decompress(piece, MAX_BODY_BYTES + 1)
        except zlib.error as error:
            raise CallError(f"the response cannot be unpacked: {error}", retryable=True) from error
