"""Send one request: the response and interface of all senders, and the aiohttp sender."""

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

_UNREACHED = frozenset({"ClientConnectorError", "ClientConnectorDNSError"})
"""Errors of aiohttp that wrap an error of the system; their text is long."""

_PIECE = 1 << 20
LARGEST = 1 << 26
"""Maximum bytes of an unpacked response. Replies are a thousandth of it; a longer response could fill the memory."""


class Response(NamedTuple):
    """A response, whatever its status. Headers are case-insensitive."""

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
        """Send one request and wait for the whole response; a `CallError` if there was none."""
        ...

    def redact(self, text: str) -> str:
        """Remove the key from a server's message; only the sender may know the key."""
        ...

    @property
    def redact_reply(self) -> Callable[[str], str]:
        """Function that removes the key from a model's text, unless the key may be a word there."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


class DirectSender:
    """Sender with aiohttp, for servers that need only a key and an address.

    Importing the openai library takes longer than judging a thousand items, so only endpoints that need more use it
    (`LibrarySender`).
    """

    def __init__(self, endpoint: Endpoint) -> None:
        import aiohttp  # noqa: PLC0415 - slow to import, and runs without a call do not need it

        self.redact = endpoint.redact
        self.redact_reply = redactor(endpoint.api_key)
        self._root = f"{(endpoint.base_url or '').rstrip('/')}/"
        self._failures = aiohttp.ClientError, OSError
        self._unusable = aiohttp.InvalidURL
        self._session = aiohttp.ClientSession(
            # The limiter bounds the number of calls, and the provider their time.
            connector=aiohttp.TCPConnector(limit=0, ssl=_trust(self._root)),
            timeout=aiohttp.ClientTimeout(total=None),
            headers={
                "Accept": "application/json",
                **_authorization(endpoint),
                "Content-Type": "application/json",
            },
            cookie_jar=aiohttp.DummyCookieJar(),
            # Otherwise aiohttp looks up proxies in a thread for each request.
            trust_env=_proxied(self._root),
        )

    async def send(self, request: Request, api: Api) -> Response:
        """Send one request. See `Sender.send`."""
        content = msgspec.json.encode(api.body(request))
        is_short = len(content) <= _PIECE
        # In one piece, a long body would block all other calls, and aiohttp warns of it.
        data = content if is_short else _in_pieces(content)
        length = None if is_short else {"Content-Length": str(len(content))}
        try:
            # A redirect would be a call outside the budget, and send the text to an address that the user did not name.
            async with self._session.post(
                self._root + api.path, data=data, headers=length, allow_redirects=False
            ) as response:
                return Response(response.status, response.headers, await _body(response))
        except self._unusable as error:
            raise CallError(f"the endpoint's address cannot be used: {error}") from error
        except self._failures as error:
            raise connection_failed(_named(error), error) from error
        except ValueError as error:
            raise CallError(f"the request cannot be sent: {error}") from error

    async def aclose(self) -> None:
        """Close the connections."""
        await self._session.close()


def _authorization(endpoint: Endpoint) -> dict[str, str]:
    """Return the header with the key; Gemini's own API has another one."""
    if endpoint.api == "gemini":
        return {"x-goog-api-key": endpoint.api_key or ""}
    return {"Authorization": f"Bearer {endpoint.api_key}"}


def connection_failed(message: str, error: BaseException) -> CallError:
    """Return the error of a connection; only an untrusted certificate is not retryable."""
    if "CERTIFICATE_VERIFY_FAILED" in f"{message} {error!r} {error.__cause__!r}":
        return CallError(
            f"the server's certificate is not trusted: {message}; SSL_CERT_FILE names the file of certificates to trust"
        )
    return CallError(f"the connection failed: {message}", retryable=True)


async def _body(response: aiohttp.ClientResponse) -> bytes:
    length = response.content_length
    if length is not None and length <= LARGEST and "Content-Encoding" not in response.headers:
        return await response.read()
    return await bounded_body(response.content.iter_any(), response.status)


async def bounded_body(pieces: AsyncIterator[bytes], status: int) -> bytes:
    """Join the pieces of a body; an error if it is longer than a response may be."""
    body: list[bytes] = []
    size = 0
    async for piece in pieces:
        body.append(piece)
        size += len(piece)
        if size > LARGEST:
            raise CallError(f"the response is longer than {LARGEST >> 20} MB", status=status)
    return b"".join(body)


async def _in_pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), _PIECE):
        yield content[start : start + _PIECE]


def _trust(url: str) -> ssl.SSLContext | bool:
    """Return the openai library's TLS context, which trusts the system's certificates."""
    if not url.startswith("https://"):
        return True
    import httpx2  # noqa: PLC0415 - openai's HTTP library

    return httpx2.create_ssl_context()


def _proxied(url: str) -> bool:
    """Return whether the environment or the system names a proxy for this address."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - slow to import; aiohttp does, too

    parts = urlsplit(url)
    return parts.scheme in getproxies() and not proxy_bypass(parts.hostname or "")


def _named(error: Exception) -> str:
    cause = getattr(error, "os_error", None)
    if isinstance(cause, OSError) and type(error).__name__ in _UNREACHED:
        code = cause.errno or 0
        why = os.strerror(code) if code > 0 else cause.strerror
        return f"{getattr(error, 'host', '')}:{getattr(error, 'port', '')}: {why}"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
