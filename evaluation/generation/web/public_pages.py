"""Fetching of public web pages, within bounds of size, time and redirects.

Addresses of this machine or its network are refused.

An agent's address is hostile text. It is parsed once per hop, by the library that connects. Host names are resolved here, and only public IP
addresses are connected to. Each is checked again when its socket is made, so that no difference between parsers matters.
"""

from __future__ import annotations

import asyncio
import codecs
import errno
import ipaddress
import socket
from collections.abc import Collection
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urljoin

import aiohttp
import yarl
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from .engine import Page, PageError
from .html_text import PAGE_SECONDS

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_READABLE = ("text/", "application/json", "application/xml", "application/xhtml")
_USER_AGENT = "Mozilla/5.0 (compatible; fiducial)"


class Bounds(NamedTuple):
    """Bounds on fetching.

    Attributes:
        size: Maximum number of bytes of an unpacked page; longer pages are cut off.
        seconds: Time limit for a page, with its redirects.
        redirects: Maximum number of redirects to follow.
        allowed: Host names, as written in addresses, that may have private IP addresses.
    """

    size: int = 4 << 20
    seconds: float = PAGE_SECONDS
    redirects: int = 5
    allowed: Collection[str] = ()


class _Guard(AbstractResolver):
    """Resolver of host names, and factory of sockets, restricted to public IP addresses.

    Attributes:
        allows_private: True if the current host may have a private address.
    """

    def __init__(self) -> None:
        self._inner = ThreadedResolver()
        self.allows_private = False

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = await self._inner.resolve(host, port, family)
        if self.allows_private:
            return addresses
        public = [address for address in addresses if is_public(address["host"])]
        if not public:
            raise OSError(errno.EACCES, f"{host} is no public address")
        return public

    def socket(self, address_info: tuple[Any, Any, int, str, tuple[Any, ...]]) -> socket.socket:
        """Make the socket of a connection; raise an OSError for an address that is not public."""
        family, kind, protocol, _, address = address_info
        if not self.allows_private and not is_public(str(address[0])):
            raise OSError(errno.EACCES, f"{address[0]} is no public address")
        return socket.socket(family, kind, protocol)

    async def close(self) -> None:
        await self._inner.close()


def is_public(address: str) -> bool:
    """Return whether an IP address is on the public internet."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        embedded_address = (
            parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        )
        if embedded_address is not None:
            return is_public(str(embedded_address))
        if parsed in _TRANSLATED:
            return is_public(str(ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)))
    return (
        parsed.is_global and not parsed.is_multicast and not any(parsed in network for network in _NOT_PUBLIC)
    )


_NOT_PUBLIC = [
    ipaddress.ip_network(network)
    for network in (
        *("192.0.0.0/24", "::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "fec0::/10"),
        *("168.63.129.16/32", "192.88.99.0/24", "2001:20::/28", "3fff::/20", "5f00::/16"),
    )
]
"""Networks that some versions of Python treat as public.

In the first row: protocol assignments, IPv4-compatible, translated and site-local addresses. In the second: Azure's host, relays of 6to4,
key hashes, documentation and segment routing.
"""

_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as IPv6 networks see them (RFC 6052)."""


async def fetch(url: str, bounds: Bounds) -> Page:
    """Fetch a page.

    Raises:
        PageError: The address is not one of the public web, or the reply is an error, not text, or too slow.
    """
    try:
        async with asyncio.timeout(bounds.seconds):
            return await _fetch(url, bounds)
    except TimeoutError:
        raise PageError(f"ConnectTimeout: no page within {bounds.seconds:g} seconds: {url}") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise PageError(f"{type(error).__name__}: {error}") from None


async def _fetch(url: str, bounds: Bounds) -> Page:
    guard = _Guard()
    connector = aiohttp.TCPConnector(resolver=guard, socket_factory=guard.socket, use_dns_cache=False)
    async with aiohttp.ClientSession(
        connector=connector,
        headers={"User-Agent": _USER_AGENT},
        trust_env=False,
        cookie_jar=aiohttp.DummyCookieJar(),
    ) as session:
        for _ in range(bounds.redirects + 1):
            address = yarl.URL(url)
            # Set for each hop, since a redirect of an allowed host may lead anywhere.
            guard.allows_private = bool({address.host, address.raw_host} & {*bounds.allowed})
            _require_web_address(address, url)
            if not guard.allows_private:
                _require_no_numbers(address.raw_host or "")
            async with session.get(address, allow_redirects=False) as response:
                if response.status not in _REDIRECTS or "Location" not in response.headers:
                    return await _read_page(response, bounds)
                url = urljoin(str(address), response.headers["Location"])
    raise PageError(f"more than {bounds.redirects} redirects: {url}")


def _require_web_address(address: yarl.URL, url: str) -> None:
    """Refuse addresses with other schemes, without a host, or with a name or password."""
    if address.scheme not in {"http", "https"} or not address.raw_host:
        raise PageError(f"Invalid URL: {url}: it must begin with http:// or https://")
    if address.user is not None or address.password is not None:
        raise PageError(f"Invalid URL: {url}: it holds a name or a password")


def _require_no_numbers(host: str) -> None:
    """Refuse a numeric address that is not public."""
    try:
        # The operating system reads 0x7f.1 and 2130706433 as this machine, too.
        ip_address = socket.inet_ntoa(socket.inet_aton(host)) if ":" not in host else host
    except OSError:  # a name, which `_Guard` resolves
        return
    if not is_public(ip_address):
        raise PageError(f"{host} is no public address")


async def _read_page(response: aiohttp.ClientResponse, bounds: Bounds) -> Page:
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
    return Page(url, _decoded(bytes(raw), response.charset), "html" in kind)


_CHARSETS = frozenset(
    [
        "ascii",
        "utf-8",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "koi8-r",
        "koi8-u",
        "cp866",
        "mac-roman",
        "gb2312",
        "gbk",
        "gb18030",
        "big5",
        "euc_jp",
        "shift_jis",
        "euc_kr",
        "iso8859-1",
        "iso8859-2",
        "iso8859-3",
        "iso8859-4",
        "iso8859-5",
        "iso8859-6",
        "iso8859-7",
        "iso8859-8",
        "iso8859-9",
        "iso8859-10",
        "iso8859-11",
        "iso8859-13",
        "iso8859-14",
        "iso8859-15",
        "iso8859-16",
        "cp1250",
        "cp1251",
        "cp1252",
        "cp1253",
        "cp1254",
        "cp1255",
        "cp1256",
        "cp1257",
        "cp1258",
    ]
)
"""Python's names of the encodings that browsers read, and that are decoded in linear time."""


def _decoded(raw: bytes, encoding: str | None) -> str:
    try:
        charset = codecs.lookup(encoding or "utf-8").name
    except (LookupError, ValueError):  # no such encoding
        charset = ""
    return raw.decode(charset if charset in _CHARSETS else "utf-8", errors="replace")
