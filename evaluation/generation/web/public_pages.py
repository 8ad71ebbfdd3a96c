"""Pages from the real web, bounded: size, time, redirects; and never an address of this machine or its network.

An agent's address is hostile text. Names are looked up here, and only public addresses among what they stand for are connected to, so that a name cannot be
public when it is checked and private when it is used.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
from collections.abc import Collection
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from .engine import Page, PageError

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_READABLE = ("text/", "application/json", "application/xml", "application/xhtml")
_AGENT = "Mozilla/5.0 (compatible; fiducial)"


class Bounds(NamedTuple):
    """How far fetching may go.

    Attributes:
        size: Bytes of a page, unpacked; what is longer is cut off there.
        seconds: For everything together.
        redirects: How many are followed.
        allowed: Hosts that are asked even where their addresses are private, by name as it stands in the address.
    """

    size: int = 4 << 20
    seconds: float = 20.0
    redirects: int = 5
    allowed: Collection[str] = ()


class _PublicResolver(AbstractResolver):
    """Looks names up, and keeps what may be connected to."""

    def __init__(self, allowed: Collection[str]) -> None:
        self._inner = ThreadedResolver()
        self._allowed = allowed

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        if host in self._allowed:
            return found
        public = [each for each in found if is_public(each["host"])]
        if not public:
            raise OSError(errno.EACCES, f"{host} is no public address")
        return public

    async def close(self) -> None:
        await self._inner.close()


def is_public(address: str) -> bool:
    """Whether an IP address is one of the open internet."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        if inner is not None:
            return is_public(str(inner))
        if parsed in _TRANSLATED:
            return is_public(str(ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)))
    return parsed.is_global and not parsed.is_multicast


_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as IPv6 networks see them (RFC 6052)."""


async def fetch(url: str, bounds: Bounds) -> Page:
    """Fetch a page; a PageError where it cannot be had: not of the web, not public, an HTTP error, no text, too slow."""
    try:
        async with asyncio.timeout(bounds.seconds):
            return await _fetch(url, bounds)
    except TimeoutError:
        raise PageError(f"ConnectTimeout: no page within {bounds.seconds:g} seconds: {url}") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise PageError(f"{type(error).__name__}: {error}") from None


async def _fetch(url: str, bounds: Bounds) -> Page:
    connector = aiohttp.TCPConnector(resolver=_PublicResolver(bounds.allowed), use_dns_cache=False)
    async with aiohttp.ClientSession(
        connector=connector,
        headers={"User-Agent": _AGENT},
        trust_env=False,
        cookie_jar=aiohttp.DummyCookieJar(),
    ) as session:
        for _ in range(bounds.redirects + 1):
            _refuse(url, bounds)
            async with session.get(url, allow_redirects=False) as response:
                if response.status not in _REDIRECTS or "Location" not in response.headers:
                    return await _page(response, bounds)
                url = urljoin(url, response.headers["Location"])
    raise PageError(f"more than {bounds.redirects} redirects: {url}")


def _refuse(url: str, bounds: Bounds) -> None:
    """What the resolver never sees: other schemes, passwords, addresses that are numbers already."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme not in {"http", "https"} or not host:
        raise PageError(f"Invalid URL: {url}: it must begin with http:// or https://")
    if parts.username is not None:
        raise PageError(f"Invalid URL: {url}: it holds a name or a password")
    if host in bounds.allowed:
        return
    try:
        # As the operating system reads numbers: 0x7f.1 and 2130706433 are this machine, too.
        number = socket.inet_ntoa(socket.inet_aton(host)) if ":" not in host else host
    except OSError:
        return
    if not is_public(number):
        raise PageError(f"{host} is no public address")


async def _page(response: aiohttp.ClientResponse, bounds: Bounds) -> Page:
    url = str(response.url)
    if response.status >= HTTPStatus.BAD_REQUEST:
        side = "Client" if response.status < HTTPStatus.INTERNAL_SERVER_ERROR else "Server"
        raise PageError(f"{response.status} {side} Error: {response.reason or ''} for url: {url}")
    kind = response.content_type
    if not kind.startswith(_READABLE):
        raise PageError(f"not a text: {kind}: {url}")
    raw = bytearray()
    async for piece in response.content.iter_chunked(1 << 16):
        raw += piece[: bounds.size - len(raw)]
        if len(raw) >= bounds.size:
            break
    return Page(url, _text(bytes(raw), response.charset), "html" in kind)


def _text(raw: bytes, encoding: str | None) -> str:
    try:
        return raw.decode(encoding or "utf-8", errors="replace")
    except LookupError:  # no such encoding, or none of texts
        return raw.decode("utf-8", errors="replace")
