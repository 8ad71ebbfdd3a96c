"""Senders: send one request to an endpoint, and return the response.

`DirectSender` uses aiohttp, and serves most endpoints. `LibrarySender` (in `library_sender`) uses the openai library, for endpoints
that need more than a key and an address.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec

from .endpoint import Endpoint, redactor
from .exchange import CallError, Request
from .responses_api import Api

if TYPE_CHECKING:
    import ssl

    import aiohttp

_CONNECTOR_ERRORS = frozenset({"ClientConnectorError", "ClientConnectorDNSError"})
"""Errors of aiohttp that wrap a system error, whose shorter text is shown instead."""

_PIECE_BYTES = 1 << 20
"""Longer bodies are sent in pieces of this size."""
MAX_BODY_BYTES = 1 << 26
"""Maximum bytes of an unpacked response: a thousand times an ordinary reply; a longer one could fill the memory."""


class Response(NamedTuple):
    """A response with any status; its headers are looked up case-insensitively."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def succeeded(self) -> bool:
        """True if the body is a successful answer to the request."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES


class Sender(Protocol):
    """Interface that sends each request once."""

    async def send(self, request: Request, api: Api) -> Response:
        """Send one request, and wait for the whole response.

        Raises:
            CallError: There was no response.
        """
        ...

    def redact(self, text: str) -> str:
        """Remove the API key from a server's message; a sender may get the key from its environment."""
        ...

    @property
    def redact_reply(self) -> Callable[[str], str]:
        """Function that removes the API key from a model's text, unless it may be a word."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


class DirectSender:
    """Sender with aiohttp, for servers that need only a key and an address.

    Importing the openai library takes longer than judging a thousand items, so `LibrarySender` is left to other endpoints
    (docs/decisions/0005-compatible-servers-are-asked-directly.md).
    """

    def __init__(self, endpoint: Endpoint) -> None:
        import aiohttp  # noqa: PLC0415 - slow to import, and runs without a call do not need it

        self.redact = endpoint.redact
        self.redact_reply = redactor(endpoint.api_key)
        self._root = f"{(endpoint.base_url or '').rstrip('/')}/"
        self._failures = aiohttp.ClientError, OSError
        self._address_error = aiohttp.InvalidURL
        self._session = aiohttp.ClientSession(
            # The limiter bounds the number of calls, and the provider their time.
            connector=aiohttp.TCPConnector(limit=0, ssl=_tls_context(self._root)),
            timeout=aiohttp.ClientTimeout(total=None),
            headers={
                "Accept": "application/json",
                **_authorization(endpoint),
                "Content-Type": "application/json",
            },
            cookie_jar=aiohttp.DummyCookieJar(),
            # Otherwise aiohttp looks up proxies in a thread for each request.
            trust_env=_has_proxy(self._root),
        )

    async def send(self, request: Request, api: Api) -> Response:
        """Send one request. See `Sender.send`."""
        content = msgspec.json.encode(api.body(request))
        is_short = len(content) <= _PIECE_BYTES
        # In one piece, a long body would block all other calls, and aiohttp warns of it.
        data = content if is_short else _in_pieces(content)
        length_header = None if is_short else {"Content-Length": str(len(content))}
        try:
            # A redirect would be a call outside the budget, and send the text to an address that the user did not name.
            async with self._session.post(
                self._root + api.path, data=data, headers=length_header, allow_redirects=False
            ) as response:
                return Response(response.status, response.headers, await _body(response))
        except self._address_error as error:
            raise CallError(f"the endpoint's address cannot be used: {error}") from error
        except self._failures as error:
            raise connection_failed(_error_text(error), error) from error
        except ValueError as error:
            raise CallError(f"the request cannot be sent: {error}") from error

    async def aclose(self) -> None:
        """Close the connections."""
        await self._session.close()


def _authorization(endpoint: Endpoint) -> dict[str, str]:
    if endpoint.api == "gemini":
        return {"x-goog-api-key": endpoint.api_key or ""}
    return {"Authorization": f"Bearer {endpoint.api_key}"}


def connection_failed(message: str, error: BaseException) -> CallError:
    """Return the error for a failed connection, retryable unless a certificate is untrusted."""
    if "CERTIFICATE_VERIFY_FAILED" in f"{message} {error!r} {error.__cause__!r}":
        return CallError(
            f"the server's certificate is not trusted: {message}; SSL_CERT_FILE names the file of certificates to trust"
        )
    return CallError(f"the connection failed: {message}", retryable=True)


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """Return a response's body, read with a limit unless its length is known to be allowed."""
    length = response.content_length
    # A packed body may be short and still be unpacked to more than the limit.
    if length is not None and length <= MAX_BODY_BYTES and "Content-Encoding" not in response.headers:
        return await response.read()
    return await bounded_body(response.content.iter_any(), response.status)


async def bounded_body(pieces: AsyncIterator[bytes], status: int) -> bytes:
    """Join the pieces of a body.

    Raises:
        CallError: The body is longer than a response may be.
    """
    body: list[bytes] = []
    size = 0
    async for piece in pieces:
        body.append(piece)
        size += len(piece)
        if size > MAX_BODY_BYTES:
            raise CallError(f"the response is longer than {MAX_BODY_BYTES >> 20} MB", status=status)
    return b"".join(body)


async def _in_pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), _PIECE_BYTES):
        yield content[start : start + _PIECE_BYTES]


def _tls_context(url: str) -> ssl.SSLContext | bool:
    """Return a TLS context that trusts the system's certificates, like the openai library."""
    if not url.startswith("https://"):
        return True
    import httpx2  # noqa: PLC0415 - openai's HTTP library

    return httpx2.create_ssl_context()


def _has_proxy(url: str) -> bool:
    """Return whether the environment or the system names a proxy for this address."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - slow to import; aiohttp does, too

    parts = urlsplit(url)
    return parts.scheme in getproxies() and not proxy_bypass(parts.hostname or "")


def _error_text(error: Exception) -> str:
    cause = getattr(error, "os_error", None)
    if isinstance(cause, OSError) and type(error).__name__ in _CONNECTOR_ERRORS:
        code = cause.errno or 0
        # Failed look-ups of names have negative codes of their own.
        reason = os.strerror(code) if code > 0 else cause.strerror
        return f"{getattr(error, 'host', '')}:{getattr(error, 'port', '')}: {reason}"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
